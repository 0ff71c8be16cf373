"""`read_graph`: from a file in any format to a graph."""

import os
from collections.abc import Sequence
from typing import cast

from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.formats import FORMATS, Columns, graph_name, recognise
from edgeorbit.graph.reading.memory import require_memory
from edgeorbit.graph.reading.source import UNPACKED, Progress, Source, shown
from edgeorbit.parallel import resolve_threads


def read_graph(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    columns: Sequence[str | int] | None = None,
    name: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Graph:
    """Read a graph from a file.

    Repeated edges are merged and self-loops dropped; the graph says how many (`merged_edges`, `self_loops`).

    Parameters
    ----------
    path
        A file, which may be compressed with gzip or zstd whatever it is called.
    format
        One of `edgelist`, `parquet`, `npy`, `npz`, `mtx` (MatrixMarket), `mat` (MATLAB up to version 7), `graphml`,
        `gml`. By default it is recognised, first by the beginning of the file, then by its suffix.
    columns
        Which two columns of an edge list or a Parquet file hold the node ids: names, or numbers from 0. By default
        columns called `source` and `target`, `src` and `dst`, `from` and `to` or the like, else the first two (of a
        Parquet file only if it has no others).
    name
        What the graph is called; by default the file's name without its suffix.
    threads
        Number of threads; by default one per core.
    progress
        Called as `progress(bytes_done, bytes_total)` now and then.

    Returns
    -------
    Graph
        Its nodes are the ids that appear in the file, also those that appear in a self-loop alone, numbered in
        ascending order: whole numbers by value, text by code point. If the ids are `0, 1, ...` without a gap,
        `node_names` is None, otherwise it holds them. Ids are text as soon as one of them is not a number. Formats
        that list their nodes (matrices, GraphML, GML, npz with `num_nodes`) keep isolated ones.

    Raises
    ------
    GraphFormatError
        If the file cannot be read as a graph. The message names the file, the line and a way out.
    LimitExceededError
        If the file needs more memory than there is.
    InvalidParameterError
        If the format is unknown, or `columns` are not two.

    Notes
    -----
    An edge list has one edge per line. Commas, tabs, semicolons or runs of blanks separate its columns, cells may
    be quoted, and columns beyond the two ids are ignored. Lines that start with `#`, `%` or `//` are comments. A
    first line is a header if its two ids are no numbers while those below are, or if they are well-known names such
    as `source` and `target`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     path = Path(directory, "friends.csv")
    ...     _ = path.write_text("from,to,since\\nann,bob,2019\\nbob,cy,2021\\n")
    ...     graph = read_graph(path)
    >>> graph
    Graph(name='friends', num_nodes=3, num_edges=2, merged_edges=0, self_loops=0)
    >>> graph.node_names.tolist()
    ['ann', 'bob', 'cy']
    """
    if format is not None and format not in FORMATS:
        raise InvalidParameterError(f"format {format!r} is unknown; choose one of {', '.join(FORMATS)}")
    chosen = _check_columns(columns)
    resolve_threads(threads)
    where = shown(path, 400)
    try:
        source = Source(path, progress)
        if source.size == 0:
            raise source.error("the file is empty; give a file with at least one edge")
        found = format or recognise(source.path.name, source.head)
        row = FORMATS[found]
        if chosen is not None and not row.takes_columns:
            takers = " or ".join(key for key, other in FORMATS.items() if other.takes_columns)
            raise InvalidParameterError(
                f"{where}: columns cannot be chosen in {found}, only in {takers}; leave them out"
            )
        require_memory(source.shown, int(source.size * UNPACKED[source.compression] * row.expansion))
        graph = row.load()(source, graph_name(source.path.name) if name is None else name, chosen, threads)
    except EdgeorbitError:
        raise
    except FileNotFoundError:
        raise GraphFormatError(f"{where}: there is no such file; check the path") from None
    except PermissionError:
        raise GraphFormatError(f"{where}: permission to read it is denied; change its access rights") from None
    except OSError as error:
        # What is left are paths that the system refuses, for instance too long ones, and disks that fail.
        reason = shown(error.strerror or error, 120)
        raise GraphFormatError(f"{where}: cannot be read ({reason}); check the path and the disk") from None
    except MemoryError:
        raise LimitExceededError(f"{where}: does not fit into memory; use a larger machine") from None
    source.report(source.size)
    return graph if name is None or graph.name == name else graph.with_attributes(name=name)


def _check_columns(columns: Sequence[str | int] | None) -> Columns | None:
    if columns is None:
        return None
    found = tuple(columns)
    fits = len(found) == 2 and not isinstance(columns, str) and found[0] != found[1]
    if not fits or not all(isinstance(c, str) or (type(c) is int and c >= 0) for c in found):
        raise InvalidParameterError(
            f"columns must be two different names, or numbers from 0, not {shown(columns)}; "
            'for example columns=("source", "target")'
        )
    return cast(Columns, found)
