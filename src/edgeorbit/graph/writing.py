"""`write_graph`: edge lists, Parquet and npz, written whole or not at all."""

import os
from collections.abc import Callable
from contextlib import suppress
from gzip import GzipFile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from edgeorbit._files import atomic_path, write_npz
from edgeorbit._text import shown
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.npz_layout import MARK, VERSION, edge_arrays, feature_arrays
from edgeorbit.graph.reading.columns import is_number
from edgeorbit.graph.reading.node_ids import is_whole_number
from edgeorbit.graph.reading.read import strip_compression

if TYPE_CHECKING:
    import pyarrow as pa

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t", ".edges": "\t", ".edgelist": "\t", ".el": "\t"}
COMPRESSION = {".gz": "gzip", ".gzip": "gzip", ".zst": "zstd", ".zstd": "zstd"}


class Target(NamedTuple):
    """What a file's name says: its suffix without that of the compression, and the compression."""

    shown: str
    suffix: str
    compression: str | None


def write_graph(graph: Graph, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write a graph to a file, with the user's own node ids.

    Parameters
    ----------
    graph
        The graph.
    path
        The file. It appears when it is complete; an older one of that name is replaced then.
    format
        `edgelist`, `parquet` or `npz`; by default what the suffix says.

    Raises
    ------
    GraphFormatError
        If the format cannot hold the graph, for instance labels with line breaks in an edge list.
    InvalidParameterError
        If the format is unknown and the suffix does not say it.
    EdgeorbitError
        If the file cannot be written.

    Notes
    -----
    - `edgelist`: `.csv` is separated by commas, `.tsv`, `.txt`, `.edges`, `.edgelist` and `.el` by tabs; the header is
      `source`, `target`; every edge stands once. With `.gz` or `.zst` at the end of the name it is compressed.
    - `parquet`: columns `source` and `target`, whole numbers or text; every edge stands once.
    - `npz`: the graph exactly as it is, with features, labels, weights, times, its name and its counts of merged and
      dropped edges.

    A graph with weights has a third column `weight` in edge lists and Parquet files.

    An isolated node is written to edge lists and Parquet files as an edge to itself; reading drops the edge and keeps
    the node. Text ids that all look like whole numbers come back from an edge list as whole numbers.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     path = Path(directory, "path.csv")
    ...     write_graph(Graph.from_edges([[0, 1], [1, 2]], num_nodes=4), path)
    ...     print(path.read_text(), end="")
    source,target
    0,1
    1,2
    3,3
    """
    name = Path(path).name
    plain = strip_compression(name)
    compression = COMPRESSION[Path(name).suffix.lower()] if plain != name else None
    target = Target(shown(path, 400), Path(plain).suffix.lower(), compression)
    write = _writer(target, format)
    if compression and write is not _write_edgelist:
        raise InvalidParameterError(f"{target.shown}: only edge lists are compressed; leave {Path(name).suffix} out")
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        write(graph, target, file)


def _writer(target: Target, format: str | None) -> Callable[[Graph, Target, IO[bytes]], None]:
    writers = {"edgelist": _write_edgelist, "parquet": _write_parquet, "npz": _write_npz}
    by_suffix = dict.fromkeys(SEPARATORS, "edgelist") | {".parquet": "parquet", ".pq": "parquet", ".npz": "npz"}
    found = by_suffix.get(target.suffix) if format is None else format
    if found is None:
        raise InvalidParameterError(
            f"{target.shown}: the suffix does not say the format; use one of {', '.join(by_suffix)}, or give it"
        )
    if found not in writers:
        raise InvalidParameterError(f"format {found!r} cannot be written; choose one of {', '.join(writers)}")
    return writers[found]


def _write_edgelist(graph: Graph, target: Target, file: IO[bytes]) -> None:
    import pyarrow as pa
    from pyarrow import csv

    if graph.num_nodes == 0:
        raise GraphFormatError(f"{target.shown}: an edge list cannot hold a graph without nodes; write it as .npz")
    separator = SEPARATORS.get(target.suffix, "\t")
    ids = _ids(graph, target)
    if isinstance(ids, list):
        _check_labels(target, ids)
    table = _edge_table(graph, ids)
    # "needed" quotes all text: a label may hold the separator, or look like a comment or a missing value.
    options = csv.WriteOptions(include_header=False, delimiter=separator, quoting_style="needed")
    if target.compression == "gzip":  # not by Arrow, which only knows the slowest level
        file = cast(IO[bytes], GzipFile("", "wb", 4, file, mtime=0))
    stream = pa.PythonFile(file, mode="w")
    if target.compression == "zstd":
        stream = pa.CompressedOutputStream(stream, "zstd")
    try:
        stream.write(separator.join(table.schema.names).encode() + b"\n")
        csv.write_csv(table, stream, options)
        stream.close()
    except OSError:
        with suppress(OSError):
            stream.close()  # or else Arrow prints what it thinks of a stream that was left open
        raise


def _write_parquet(graph: Graph, target: Target, file: IO[bytes]) -> None:
    import pyarrow.parquet as pq

    pq.write_table(_edge_table(graph, _ids(graph, target)), file, compression="zstd")


def _write_npz(graph: Graph, target: Target, file: IO[bytes]) -> None:
    arrays: dict[str, Any] = {
        MARK: np.array(VERSION),
        "indptr": graph.indptr,
        "indices": graph.indices,
        "counts": np.array([graph.merged_edges, graph.self_loops]),
        "name": np.array(graph.name),
    }
    ids = _ids(graph, target)
    if isinstance(ids, list):
        encoded = [label.encode() for label in ids]
        arrays["node_text"] = np.frombuffer(b"".join(encoded), np.uint8)
        arrays["node_text_ends"] = np.cumsum([len(label) for label in encoded], dtype=np.int64)
    elif graph.node_names is not None:
        arrays["node_numbers"] = ids
    try:
        arrays |= feature_arrays(graph) | edge_arrays(graph)
    except ValueError as error:
        raise GraphFormatError(f"{target.shown}: {error}") from None
    write_npz(file, arrays)


def _edge_table(graph: Graph, ids: npt.NDArray[np.int64] | list[str]) -> "pa.Table":
    """Return all edges, and a self-loop for every isolated node, in the user's own ids."""
    import pyarrow as pa

    isolated = np.flatnonzero(graph.degree == 0).astype(np.int32)
    first, second = np.concatenate([graph.edges, np.stack([isolated, isolated], axis=1)]).T
    if isinstance(ids, list):
        labels = pa.array(ids, pa.large_string())
        columns = [labels.take(pa.array(side)) for side in (first, second)]
    else:
        columns = [pa.array(ids[side]) for side in (first, second)]
    table = pa.table(columns, names=["source", "target"])
    if graph.edge_weight is None:
        return table
    return table.append_column("weight", pa.array(np.append(graph.edge_weight, np.zeros(len(isolated)))))


def _ids(graph: Graph, target: Target) -> npt.NDArray[np.int64] | list[str]:
    """Return the node ids as whole numbers, or as text if some are anything else."""
    names = graph.node_names
    if names is None:
        return np.arange(graph.num_nodes)
    values = names.tolist()
    if len(set(values)) < len(values):
        raise GraphFormatError(f"{target.shown}: two nodes have the same name; give every node its own")
    if all(isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63 for value in values):
        return np.array(values, np.int64)
    labels = [str(value) for value in values]
    if len(set(labels)) < len(labels):
        raise GraphFormatError(f"{target.shown}: two node names are the same as text; give every node its own")
    if any("\0" in label or not label or label != label.encode(errors="replace").decode() for label in labels):
        raise GraphFormatError(f"{target.shown}: a node name is empty or no valid text; rename the node")
    return labels


def _check_labels(target: Target, labels: list[str]) -> None:
    """Raise an error for labels that an edge list cannot preserve."""
    for label in labels:
        if label != label.strip() or any(character < " " for character in label):
            raise GraphFormatError(
                f"{target.shown}: node name {shown(label)!r} has blanks at its ends or a line break or other control "
                "character, which an edge list cannot keep; write it as .parquet or .npz"
            )
    if all(map(is_number, labels)) and not all(map(is_whole_number, labels)):
        raise GraphFormatError(
            f"{target.shown}: all node names are numbers and some not whole numbers from 0, which an edge list cannot "
            "keep; write it as .parquet or .npz"
        )
