"""Which engine a graph needs: what refinement takes in memory, measured, beside what there is."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from edgeorbit.engines.sources import EdgeFiles, find_edges
from edgeorbit.errors import DatasetNotFoundError, EdgeorbitError, LimitExceededError
from edgeorbit.memory import available_memory, size_in_words

# Peak of resident memory from Parquet to EAR, an upper bound of what `python -m benchmarks.scale --engine memory`
# measured on random and skewed graphs (35 to 44 bytes per edge, nodes included) and on paths (85): reading holds the
# pairs twice, later the CSR arrays stand beside the sort keys of edges; nodes have colours, order and work space.
BYTES_PER_EDGE = 36
BYTES_PER_NODE = 56
BYTES_AT_START = 260 << 20  # the interpreter, numba and Arrow
EDGES_PER_NODE = 1  # where only rows are known; few real graphs have fewer
MOST_PACKED = 64  # bytes in memory for a byte of file; no format we read is denser on real graphs
SHARE = 0.8  # of what is available; the rest is for others


def memory_of_refinement(num_nodes: int, num_edges: int) -> int:
    """Return the bytes that refining a graph in memory takes at its peak.

    >>> memory_of_refinement(10**7, 10**8) / 2**30 < 6
    True
    """
    return num_nodes * BYTES_PER_NODE + num_edges * BYTES_PER_EDGE


def estimate_memory(files: EdgeFiles) -> int:
    """Return the bytes that the memory engine takes for files, from the number of their rows."""
    rows = files.estimate_rows()
    return BYTES_AT_START + memory_of_refinement(rows // EDGES_PER_NODE, rows)


def choose_engine(
    source: Any, columns: Sequence[str | int] | None = None, format: str | None = None
) -> tuple[Literal["memory", "duckdb", "spark"], str]:
    """Return the engine for a source, and the reason if it is not memory.

    Memory is taken if the graph fits there, else DuckDB; Spark for what only Spark can read.

    >>> choose_engine("karate")
    ('memory', '')
    """
    if hasattr(source, "sparkSession"):
        return "spark", "a DataFrame of Spark"
    available = available_memory()
    if not isinstance(source, str | os.PathLike) or (available and _is_small(Path(source), available)):
        return "memory", ""
    files = _tabular_files(source, columns, format)
    if files is None:
        return "memory", ""
    if len(files.files) > 1:
        return "duckdb", f"{files.shown}: {len(files.files)} files"
    needed = estimate_memory(files)
    if available is None or needed <= SHARE * available:
        return "memory", ""
    return "duckdb", f"{files.shown}: {_shortage(needed, available)}"


def require_fit(source: Any, columns: Sequence[str | int] | None = None, format: str | None = None) -> None:
    """Raise an error with the command that works if the files of a source cannot be measured in memory."""
    chosen, reason = choose_engine(source, columns, format)
    if chosen != "memory":
        raise LimitExceededError(f"{reason}; use edgeorbit ear {os.fspath(source)} --engine {chosen}")


def _shortage(needed: int, available: int) -> str:
    return f"about {size_in_words(needed)} are needed in memory and {size_in_words(available)} are available"


def _is_small(path: Path, available: int) -> bool:
    """Tell whether a file fits whatever is in it, so that nobody has to look."""
    return path.is_file() and path.stat().st_size * MOST_PACKED < SHARE * available


def _tabular_files(source: Any, columns: Sequence[str | int] | None, format: str | None) -> EdgeFiles | None:
    """Return the Parquet files or edge lists that a source stands for; None if it is something else."""
    from edgeorbit.data.heart import is_heart_directory
    from edgeorbit.data.loading import named_dataset
    from edgeorbit.graph.directory import is_graph_directory

    path = Path(source)
    if named_dataset(source) is not None or (path.is_dir() and (is_graph_directory(path) or is_heart_directory(path))):
        return None
    try:
        return find_edges(source, columns, format)
    except (DatasetNotFoundError, OSError):
        return None  # whoever reads it will say what is wrong
    except EdgeorbitError:
        if not path.exists():  # a pattern, which no other reader knows
            raise
        return None
