"""A graph as a directory: edges, nodes, features, and a card that says what it is.

| file | content |
|---|---|
| `edges.csv`, `edges.parquet` | every edge: `source`, `target`, `kind`, `copy` (empty between copies), `weight` |
| `nodes.parquet` | every node: `node`, `copy`, `original`, `twin_of` |
| `features.npz` | features and labels, see `edgeorbit.graph.npz_layout` |
| `graph.json` | the card: name, counts, how it was made, and the SHA-256 of all other files |

The card is what makes a directory a graph.
"""

import hashlib
import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit._files import write_npz
from edgeorbit._text import parse_json
from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import EDGE_KINDS, Graph, Origin
from edgeorbit.graph.history import check_values
from edgeorbit.graph.npz_layout import feature_arrays, features_from
from edgeorbit.graph.reading.parquet import read_columns
from edgeorbit.graph.reading.source import Source
from edgeorbit.graph.reading.stored_arrays import open_npz

if TYPE_CHECKING:
    import pyarrow as pa

CARD = "graph.json"
REQUEST = "request"  # in a card: a digest of what was asked for, which a graph that is changed no longer is
FILES = EDGE_LIST, EDGES, NODES, FEATURES = "edges.csv", "edges.parquet", "nodes.parquet", "features.npz"
VERSION = 1
BYTES_PER_CELL = 32
# What Arrow, numpy and zipfile raise over a file whose content is not what it should be.
DAMAGE = (
    ArithmeticError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)


def write_directory(graph: Graph, path: Path, card: dict[str, Any]) -> None:
    """Write a graph into an empty directory.

    Parameters
    ----------
    graph
        The graph. Its nodes are written by their numbers.
    path
        The directory. `edgeorbit._files.atomic_directory` gives one that appears when it is complete.
    card
        What else is known about the graph.

    Raises
    ------
    GraphFormatError
        If features or labels are Python objects.
    """
    import pyarrow.csv
    import pyarrow.parquet

    origin = graph.origin or Origin.plain(graph.num_nodes, graph.num_edges)
    edges, nodes = _edge_table(graph, origin), _node_table(origin)
    with (path / EDGE_LIST).open("wb") as file:
        file.write(",".join(edges.column_names).encode() + b"\n")  # Arrow would put quotes around the names
        pyarrow.csv.write_csv(edges, file, pyarrow.csv.WriteOptions(include_header=False, quoting_style="none"))
    pyarrow.parquet.write_table(edges, path / EDGES, compression="zstd")
    pyarrow.parquet.write_table(nodes, path / NODES, compression="zstd")
    try:
        arrays = feature_arrays(graph)
    except ValueError as error:
        raise GraphFormatError(f"{graph.name}: {error}") from None
    if arrays:
        write_npz(path / FEATURES, arrays)
    whole = {
        "edgeorbit_graph": VERSION,
        "name": graph.name,
        "num_nodes": graph.num_nodes,
        "num_edges": graph.num_edges,
        **card,
        "sha256": {file.name: _sha256(file) for file in sorted(path.iterdir())},
    }
    text = json.dumps(whole, indent=2, allow_nan=False, default=np.generic.item)  # numpy's numbers as plain ones
    (path / CARD).write_text(text + "\n", encoding="utf-8")


def read_directory(path: str | os.PathLike[str], *, features: bool = True, threads: int | None = None) -> Graph:
    """Read a graph from a directory, with its features and all that is known about its edges.

    Parameters
    ----------
    path
        A directory that `edgeorbit synth` wrote.
    features
        Whether to read the features.
    threads
        Number of threads; by default one per core.

    Raises
    ------
    GraphFormatError
        If there is no card in the directory, or a file is missing or was changed.
    """
    where = Path(path)
    card = read_card(where)
    check_files(where, card)
    try:
        return _assemble(where, card, features, threads)
    except DAMAGE as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise GraphFormatError(f"{where}: its files contradict each other ({reason}); make the graph again") from None


def check_files(where: Path, card: dict[str, Any]) -> None:
    """Raise `GraphFormatError` unless the files of a graph directory are those that its card was written for."""
    for name, digest in card["sha256"].items():
        if name == EDGE_LIST and not (where / name).exists():
            continue  # it is for people and other programs; the Parquet file says the same
        if not (where / name).is_file():
            raise GraphFormatError(f"{where / name}: is missing; make the graph again")
        if _sha256(where / name) != digest:
            raise GraphFormatError(f"{where / name}: was changed since {CARD} was written; make the graph again")


def is_graph_directory(path: Path) -> bool:
    """Tell whether a directory has a card."""
    try:
        return (path / CARD).is_file()
    except OSError:  # a name that is too long, for instance
        return False


def has_own_card(path: Path) -> bool:
    """Tell whether a directory has a card that edgeorbit wrote; other programs write files of that name too."""
    try:
        return "edgeorbit_graph" in _load_card(path)
    except GraphFormatError:
        return False


def graphs_within(path: Path) -> list[Path]:
    """Return the graph directories in a directory that is none itself, by name: the graphs of a sweep."""
    if is_graph_directory(path):
        return []
    try:
        # A hidden one is what a process that was killed has left unfinished.
        entries = [entry for entry in path.iterdir() if not entry.name.startswith(".")]
    except OSError:  # no directory, or one that cannot be read
        return []
    return sorted(filter(is_graph_directory, entries))


def read_card(where: Path) -> dict[str, Any]:
    """Return the card of a graph directory.

    Raises
    ------
    GraphFormatError
        If there is none that this version reads.
    """
    if not is_graph_directory(where):
        inside = graphs_within(where)
        hint = f"name one of the {len(inside)} graphs in it, for instance {inside[0]}" if inside else "give a file"
        raise GraphFormatError(f"{where}: is a directory without {CARD}; {hint}")
    card = _load_card(where)
    if card.get("edgeorbit_graph") != VERSION:
        raise GraphFormatError(f"{where / CARD}: is not the card of a graph that this version reads; update edgeorbit")
    files = card.get("sha256")
    if not isinstance(files, dict) or not {EDGES, NODES} <= set(files) <= set(FILES):
        raise GraphFormatError(f"{where / CARD}: does not list the files of the graph; make the graph again")
    return card


def _load_card(where: Path) -> dict[str, Any]:
    try:
        card = parse_json(Source(where / CARD).document())
    except (OSError, ValueError, RecursionError):
        raise GraphFormatError(f"{where / CARD}: is not readable JSON; make the graph again") from None
    return card if isinstance(card, dict) else {}


def _assemble(where: Path, card: dict[str, Any], features: bool, threads: int | None) -> Graph:
    import pyarrow.compute

    edges = read_columns(Source(where / EDGES), bytes_per_cell=BYTES_PER_CELL)
    nodes = read_columns(Source(where / NODES), ("copy", "original", "twin_of"), bytes_per_cell=BYTES_PER_CELL)
    pairs = np.stack([_integers(edges, "source"), _integers(edges, "target")], axis=1)
    graph = Graph.from_edges(pairs, len(nodes), threads=threads, name=str(card["name"]))
    if not np.array_equal(graph.edges, pairs):
        raise ValueError("the edges are not simple, or not in order")
    kinds = pyarrow.compute.index_in(edges["kind"], value_set=pyarrow.array(EDGE_KINDS))
    if kinds.null_count:
        raise ValueError("the kind of an edge is unknown")
    copy, original, twin_of = (_places(nodes, *column) for column in (("copy", 0), ("original", 0), ("twin_of", -1)))
    recipe = {key: value for key, value in card.items() if key not in {"edgeorbit_graph", "name", "sha256", REQUEST}}
    origin = Origin(kinds.to_numpy().astype(np.uint8), copy, original, twin_of, recipe)
    attributes = {}
    if FEATURES in card["sha256"]:
        with open_npz(Source(where / FEATURES)) as arrays:
            attributes = {"x": features_from(arrays) if features else None, "y": arrays.get("y")}
    if "weight" in edges.column_names:
        attributes["edge_weight"] = check_values(graph.name, "edge_weight", edges["weight"].to_numpy(), len(pairs))
    return graph.with_attributes(origin=origin, **attributes)


def _integers(table: "pa.Table", column: str) -> npt.NDArray[np.int64]:
    values = table[column].to_numpy()
    if values.dtype.kind not in "iu":
        raise ValueError(f"{column} holds something else than whole numbers")
    return np.asarray(values, np.int64)


def _places(nodes: "pa.Table", column: str, least: int) -> npt.NDArray[np.int32]:
    values = _integers(nodes, column)
    if values.min(initial=0) < least or values.max(initial=-1) >= len(nodes):
        raise ValueError(f"{column} of a node does not exist")
    return values.astype(np.int32)


def _edge_table(graph: Graph, origin: Origin) -> "pa.Table":
    import pyarrow as pa

    source, target = graph.edges.T
    copy = origin.copy[source]
    columns = {
        "source": source,
        "target": target,
        "kind": pa.array(EDGE_KINDS).take(pa.array(origin.edge_kind)),
        "copy": pa.array(copy, mask=copy != origin.copy[target]),
    }
    return pa.table(columns if graph.edge_weight is None else columns | {"weight": graph.edge_weight})


def _node_table(origin: Origin) -> "pa.Table":
    import pyarrow as pa

    nodes = np.arange(len(origin.copy), dtype=np.int32)
    return pa.table({"node": nodes, "copy": origin.copy, "original": origin.original, "twin_of": origin.twin_of})


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
