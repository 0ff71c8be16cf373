"""`measure`: EAR in memory, out of core or on a cluster, with the same result."""

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal, get_args

from edgeorbit._memory import available_memory
from edgeorbit.engines._database import Database
from edgeorbit.engines._duckdb import DuckDB, parse_size
from edgeorbit.engines._in_memory import measure_in_memory
from edgeorbit.engines._queries import check_initial
from edgeorbit.engines._refinement import TableRefinement
from edgeorbit.engines._sources import choose_engine, find_edges
from edgeorbit.engines._work import SPILL, WorkDirectory
from edgeorbit.errors import InvalidParameterError
from edgeorbit.measures.ear import Measurement, Variant, check_gamma, check_variant
from edgeorbit.orbits.refine import check_rounds

Engine = Literal["auto", "memory", "duckdb", "spark"]
DUCKDB_SHARE, TAIL_SHARE = 0.5, 0.5  # of what is available for DuckDB, and of that for the end in memory
SPARK_TAIL = 1 << 30  # bytes that the driver of a Spark application may use for the end in memory


def measure(
    source: Any,
    engine: Engine = "auto",
    rounds: int | None = None,
    *,
    gamma: float = 1.0,
    variant: Variant = "multiset",
    initial: str | None = None,
    columns: Sequence[str | int] | None = None,
    format: str | None = None,
    colours: str | os.PathLike[str] | None = None,
    memory_limit: str | int | None = None,
    spill: str | os.PathLike[str] | None = None,
    work: str | os.PathLike[str] | None = None,
    tail_memory: int | None = None,
    master: str | None = None,
    session: Any = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Measurement:
    """Refine the colours of a graph and count its edge orbits, with the engine that its size needs.

    Parameters
    ----------
    source
        A Parquet file or an edge list, a pattern such as `part-*.parquet`, or a directory of such files; for Spark
        also any address or table that it reads, or a DataFrame. For the engine `memory` also a `Graph`, or what
        `edgeorbit.load` takes.
    engine
        `"memory"`: compiled code on arrays, by far the fastest. `"duckdb"`: embedded and out of core. `"spark"`: on a
        cluster. `"auto"` takes memory if the graph fits there, else DuckDB.
    rounds
        Rounds of refinement; None until the colours are stable.
    gamma, variant
        As for `edgeorbit.ear`.
    initial
        Colours to start from: None or `"degree"`; in memory also all others that `edgeorbit.refine` knows.
    columns, format
        How to read the files; see `edgeorbit.graph.reading.read_graph`.
    colours
        Where to write the partition: a Parquet file (for Spark a directory) with columns `node` and `colour`. Which
        number a colour has is left to the engine.
    memory_limit
        For DuckDB: bytes, or text such as `"1GB"`; by default half of what is available.
    spill
        For DuckDB: where joins go that do not fit; by default below the work directory.
    work
        Where tables are kept between rounds. A run that was stopped resumes from its last complete round when it is
        started again with the same directory. By default a temporary one. For Spark on a cluster it must be a directory
        that driver and executors share.
    tail_memory
        Once what can still change fits into so many bytes, the other rounds are made in memory; 0 for never. By
        default half of DuckDB's limit, or 1 GiB in the driver of Spark.
    master, session
        For Spark: where the cluster is (default: this machine), or a session that exists.
    threads
        Number of threads of this process; by default one per core.
    progress
        Called with the number of rounds made and of colours.

    Returns
    -------
    Measurement
        The same from every engine, without EAR by round. The colours are proved by counting on the engine itself.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     path = Path(directory, "path.csv")
    ...     _ = path.write_text("source,target\\n1,2\\n2,3\\n3,4\\n")
    ...     found = [measure(path, engine) for engine in ("memory", "duckdb")]
    >>> [(one.engine, one.num_node_orbits, round(one.ear, 3)) for one in found]
    [('memory', 2, 0.667), ('duckdb', 2, 0.667)]
    """
    check_rounds(rounds)
    check_gamma(gamma)
    check_variant(variant)
    if engine not in get_args(Engine):
        raise InvalidParameterError(f"unknown engine {engine!r}; choose from {', '.join(get_args(Engine))}")
    if engine == "auto":
        engine, _ = choose_engine(source, columns, format)
    if engine == "memory":
        return measure_in_memory(
            source,
            rounds,
            gamma,
            variant,
            initial,
            columns=columns,
            format=format,
            colours=colours,
            threads=threads,
            progress=progress,
        )
    check_initial(initial, engine)
    with ExitStack() as stack:
        place = Path(work) if work is not None else Path(stack.enter_context(tempfile.TemporaryDirectory("-edgeorbit")))
        directory = WorkDirectory(place)
        finished = False
        stack.callback(lambda: directory.close(finished=finished))
        database: Database
        if engine == "duckdb":
            found: Any = find_edges(source, columns, format)
            limit = _limit(memory_limit)
            database = DuckDB(Path(spill) if spill is not None else place / SPILL, limit, threads)
            tail = int(TAIL_SHARE * limit) if tail_memory is None else tail_memory
        else:
            from edgeorbit.engines._spark import Spark

            database = Spark.connect(master, session, place, has_work=work is not None)
            stack.callback(database.close)
            found = database.find(source, columns, format)
            tail = SPARK_TAIL if tail_memory is None else tail_memory
        stack.callback(database.close)
        run = {"source": found.identity(), "engine": engine, "rounds": rounds, "initial": initial}
        refinement = TableRefinement(
            database, directory, rounds=rounds, tail_memory=tail, threads=threads, progress=progress
        )
        measured = refinement.run(found, run, initial, gamma, variant)
        if colours is not None:
            refinement.export(Path(colours))
        finished = True
    return measured


def _limit(memory_limit: str | int | None) -> int:
    if memory_limit is None:
        return int(DUCKDB_SHARE * (available_memory() or 2 << 30))
    return memory_limit if isinstance(memory_limit, int) else parse_size(memory_limit)
