"""Link prediction data sets of the Open Graph Benchmark (Hu et al. 2020), with their official splits.

A data set is a folder:

| file | content |
|---|---|
| `raw/num-node-list.csv.gz` | the number of nodes |
| `raw/node-feat.csv.gz` | a line of numbers for every node, if nodes have features |
| `split/<by>/{train,valid,test}.pt` | the edges of each part, and negatives; named after what they were divided by |

`raw/edge.csv.gz` repeats the training edges and is not read. A part holds `edge`, shape (n, 2), and `edge_neg`, one
pool of negatives for all; or, in ogbl-citation2, `source_node` and `target_node`, and `target_node_neg`, 1000 targets
for every source. Years and weights of edges are left aside: graphs are simple and unweighted here.
"""

import gzip
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import require_memory
from edgeorbit._text import shown
from edgeorbit.data.files import RawFile
from edgeorbit.data.splits.split import LinkSplit, Negatives, Pairs
from edgeorbit.data.torch_arrays import Arrays, read_torch_arrays
from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import MAX_NODES, Graph
from edgeorbit.graph.node_pairs import are_edges
from edgeorbit.graph.reading.source import Source

PARTS = ("train", "valid", "test")
WAY_OUT = "fetch the data set again"


class OfficialSplit(NamedTuple):
    """What OGB publishes about a split, which the files must agree with.

    Attributes
    ----------
    by : str
        What the edges were divided by; also the name of the folder.
    train, valid, test : int
        The number of edges of each part, repeated ones included.
    valid_negatives, test_negatives : int
        The number of negatives: of the pool, or of every positive.
    for_each : bool
        Whether every positive has negatives of its own.
    """

    by: str
    train: int
    valid: int
    test: int
    valid_negatives: int
    test_negatives: int
    for_each: bool = False


def ogb_files(folder: str, by: str, *, has_features: bool) -> dict[str, str]:
    """Return the files of a data set below the data directory, by key.

    >>> ogb_files("ogbl_ddi", "target", has_features=False)["test"]
    'ogb/ogbl_ddi/split/target/test.pt'
    """
    files = {"num_nodes": f"ogb/{folder}/raw/num-node-list.csv.gz"}
    if has_features:
        files["x"] = f"ogb/{folder}/raw/node-feat.csv.gz"
    return files | {part: f"ogb/{folder}/split/{by}/{part}.pt" for part in PARTS}


def parse_ogb(raw: Mapping[str, RawFile], name: str, *, official: OfficialSplit, num_features: int) -> Graph:
    """Build the graph of all edges, those of training, validation and test, with the features of the nodes."""
    num_nodes = _read_num_nodes(raw["num_nodes"].path)
    pairs = [_read_part(raw[part].path, part, official, num_nodes)[0] for part in PARTS]
    x = _read_features(raw["x"].path, num_nodes, num_features) if "x" in raw else None
    return Graph.from_edges(np.concatenate(pairs), num_nodes, x=x, name=name)


def read_ogb_split(raw: Mapping[str, RawFile], whole: Graph, official: OfficialSplit) -> LinkSplit:
    """Read the official split of a data set.

    Parameters
    ----------
    raw
        The files of the data set.
    whole
        Its graph of all edges, as `parse_ogb` returns it.
    official
        What is published about the split.

    Returns
    -------
    LinkSplit
        Its graph has the training edges, undirected, repeated ones merged. Validation and test edges are in official
        order, and so are the negatives, called `official`. The protocol counts the held-out edges whose two nodes are
        joined by a training edge already: people who work together again (ogbl-collab), or a citation whose reverse
        is in training. They are part of the official task.
    """
    name, num_nodes = whole.name, whole.num_nodes
    train, _ = _read_part(raw["train"].path, "train", official, num_nodes)
    graph = Graph.from_edges(train, num_nodes, x=whole.x, y=whole.y, name=name)
    valid, valid_negatives = _read_part(raw["valid"].path, "valid", official, num_nodes)
    test, test_negatives = _read_part(raw["test"].path, "test", official, num_nodes)
    repeated = [0, 0]
    if whole.merged_edges > graph.merged_edges:  # otherwise no edge of a part is in another
        repeated = [int(are_edges(graph, pairs).sum()) for pairs in (valid, test)]
    return LinkSplit(
        graph,
        valid,
        test,
        {"official": Negatives("official", valid_negatives, test_negatives)},
        protocol={
            "split": "official",
            "dataset": name,
            "by": official.by,
            "repeated_valid": repeated[0],
            "repeated_test": repeated[1],
        },
    )


def _read_part(path: Path, part: str, official: OfficialSplit, num_nodes: int) -> tuple[Pairs, Pairs]:
    """Return the edges of a part and its negatives, of which training has none."""
    arrays = read_torch_arrays(path)
    if {"source_node", "target_node"} <= set(arrays):
        source, target = (_numbers(path, arrays, key, (-1,), num_nodes) for key in ("source_node", "target_node"))
        if len(source) != len(target):
            raise GraphFormatError(f"{path}: holds {len(source)} sources and {len(target)} targets; {WAY_OUT}")
        pairs = np.stack([source, target], axis=1)
    else:
        pairs = _writable(_numbers(path, arrays, "edge", (-1, 2), num_nodes))
    _check_count(path, "edges", len(pairs), getattr(official, part))
    if part == "train":
        return pairs, np.empty((0, 2), np.int64)
    count = getattr(official, f"{part}_negatives")
    if not official.for_each:
        negatives = _writable(_numbers(path, arrays, "edge_neg", (-1, 2), num_nodes))
        _check_count(path, "negatives", len(negatives), count)
        return pairs, negatives
    targets = _numbers(path, arrays, "target_node_neg", (len(pairs), count), num_nodes)
    require_memory(str(path), 16 * targets.size)
    negatives = np.empty((*targets.shape, 2), np.int64)
    negatives[..., 0], negatives[..., 1] = pairs[:, :1], targets
    return pairs, negatives


def _numbers(path: Path, arrays: Arrays, key: str, shape: tuple[int, ...], num_nodes: int) -> npt.NDArray[np.int64]:
    """Return an array of node numbers, if it has the shape (-1 is any length) and names nodes of the graph."""
    if key not in arrays:
        raise GraphFormatError(f"{path}: there is no {key}, only {shown(', '.join(arrays) or 'nothing')}; {WAY_OUT}")
    found = arrays.pop(key)
    fits = found.ndim == len(shape) and all(want in (-1, have) for want, have in zip(shape, found.shape, strict=True))
    if not fits or found.dtype.kind not in "iu":
        wanted = " x ".join("n" if length < 0 else str(length) for length in shape)
        raise GraphFormatError(
            f"{path}: {key} has shape {found.shape} and type {found.dtype}, not {wanted} whole numbers; {WAY_OUT}"
        )
    if found.size and not 0 <= int(found.min()) <= int(found.max()) < num_nodes:
        raise GraphFormatError(
            f"{path}: {key} names nodes {found.min()} to {found.max()} of a graph of {num_nodes} nodes; {WAY_OUT}"
        )
    return found.astype(np.int64, copy=False)


def _writable(pairs: Pairs) -> Pairs:
    """Return an array of its own, in rows; what is read from a file is a view of it, which torch warns of."""
    return np.require(pairs, requirements=["C", "W"])


def _check_count(path: Path, what: str, found: int, published: int) -> None:
    if found != published:
        raise GraphFormatError(f"{path}: holds {found} {what}, not {published}; {WAY_OUT}")


def _read_num_nodes(path: Path) -> int:
    try:
        with gzip.open(path, "rb") as file:
            content = file.read(1 << 12)
        number = int(content)
        if not 0 < number <= MAX_NODES:
            raise ValueError
    except (OSError, EOFError, zlib.error, ValueError):
        raise GraphFormatError(f"{path}: does not hold the number of nodes; {WAY_OUT}") from None
    require_memory(str(path), 16 * number)
    return number


def _read_features(path: Path, num_nodes: int, num_features: int) -> npt.NDArray[np.float32]:
    """Read a line of numbers for every node, block by block, so that they are in memory once."""
    import pyarrow as pa
    from pyarrow import csv

    require_memory(str(path), 4 * num_nodes * num_features)
    x = np.empty((num_nodes, num_features), np.float32)
    names = [f"f{i}" for i in range(num_features)]  # as Arrow calls columns without names
    # OGB reads 64 bits and rounds to 32, which is not always the nearest of 32 bits.
    types: Any = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.float64()))
    done = 0
    source = Source(path)
    with source.wrapping("table of features", WAY_OUT), pa.input_stream(path, compression="gzip") as stream:
        blocks = csv.open_csv(
            stream, read_options=csv.ReadOptions(autogenerate_column_names=True), convert_options=types
        )
        for block in blocks:
            if block.num_columns != num_features:
                raise source.error(f"has {block.num_columns} columns, not {num_features}; {WAY_OUT}")
            if done + block.num_rows > num_nodes:
                raise source.error(f"has more lines than the {num_nodes} nodes; {WAY_OUT}")
            rows = x[done : done + block.num_rows]
            with np.errstate(over="ignore"):  # what does not fit 32 bits is not finite
                for place, column in enumerate(block.columns):
                    rows[:, place] = column.to_numpy(zero_copy_only=False)
            finite = np.isfinite(rows).all(axis=1)
            if not finite.all():
                raise source.error(f"a number is missing or not finite; {WAY_OUT}", done + int(finite.argmin()) + 1)
            done += block.num_rows
    if done != num_nodes:
        raise source.error(f"has {done} lines for {num_nodes} nodes; {WAY_OUT}")
    return x
