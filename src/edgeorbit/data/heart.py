"""A split from files in the layout of HeaRT (Li et al. 2023): a directory with the edges of each part as text.

| file | content |
|---|---|
| `train_pos.txt`, `valid_pos.txt`, `test_pos.txt` | the edges, two node numbers on a line |
| `valid_neg.txt`, `test_neg.txt` | a pool of random negatives for each part; optional |
| `heart_valid_samples.npy`, `heart_test_samples.npy` | for each edge, in order, its hard negatives; optional |

A self-loop in `train_pos.txt` stands for a node without training edges. `train_neg.txt` is not read: negatives to
train with are drawn anew in every epoch.
"""

from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import require_memory
from edgeorbit._text import shown
from edgeorbit.data.splits.split import LinkSplit, Negatives, Pairs
from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import MAX_NODES, Graph
from edgeorbit.graph.node_pairs import are_edges
from edgeorbit.graph.reading.node_ids import is_whole_number
from edgeorbit.graph.reading.source import Source
from edgeorbit.graph.reading.stored_arrays import open_npy

POSITIVES = {part: f"{part}_pos.txt" for part in ("train", "valid", "test")}
POOLS = {part: f"{part}_neg.txt" for part in ("valid", "test")}
SAMPLES = {part: f"heart_{part}_samples.npy" for part in ("valid", "test")}
BLOCK_BYTES = 1 << 20
BYTES_PER_BYTE = 32  # of a block: its lines and numbers as Python objects
BYTES_PER_NUMBER = 24  # of 64 bits, and the tables of edges that they are compared with
LAYOUT = (*POSITIVES.values(), *POOLS.values(), *SAMPLES.values())


def is_heart_directory(path: Path) -> bool:
    """Tell whether a directory holds the edges of a split in HeaRT's layout."""
    return all((path / name).is_file() for name in POSITIVES.values())


def read_heart(path: Path) -> LinkSplit:
    """Read a split and the negatives that come with it: `random` and `heart`, as far as they are there.

    Raises
    ------
    GraphFormatError
        If a file is damaged, or does not go with the others.
    """
    split = _read_edges(path)
    negatives: dict[str, Negatives] = {}
    if pools := _present(path, POOLS):
        pairs = {part: _read_pairs(pools[part]) for part in pools}
        negatives["random"] = _negatives("random", split, pairs, pools)
    if samples := _present(path, SAMPLES):
        arrays = {part: _read_samples(samples[part]) for part in samples}
        for part in ("valid", "test"):
            _check_samples(samples[part], arrays[part], split.positives(part), path / POSITIVES[part])
        negatives["heart"] = _negatives("heart", split, arrays, samples)
    return LinkSplit(split.graph, split.valid, split.test, negatives, protocol=split.protocol)


def read_heart_graph(path: Path) -> Graph:
    """Read the graph of all edges, those of training, validation and test."""
    return _read_edges(path).whole


def _read_edges(path: Path) -> LinkSplit:
    parts = {part: _read_pairs(path / name) for part, name in POSITIVES.items()}
    for part in ("valid", "test"):
        loops = np.flatnonzero(parts[part][:, 0] == parts[part][:, 1])
        if len(loops):
            node = parts[part][loops[0], 0]
            raise GraphFormatError(f"{path / POSITIVES[part]}: joins node {node} to itself; only train_pos.txt may")
    num_nodes = max(int(pairs.max()) for pairs in parts.values()) + 1
    if num_nodes > MAX_NODES:
        raise GraphFormatError(f"{path}: node {num_nodes - 1} is too large; number nodes from 0 without gaps")
    require_memory(str(path), 16 * num_nodes)
    name = path.resolve().name
    graph = Graph.from_edges(parts["train"], num_nodes, name=name)
    protocol = {"split": "files", "layout": "HeaRT", "directory": name}
    split = LinkSplit(graph, parts["valid"], parts["test"], protocol=protocol)
    split.check()
    return split


def _present(path: Path, names: dict[str, str]) -> dict[str, Path]:
    """Return the files of both parts, or none if neither is there."""
    files = {part: path / name for part, name in names.items()}
    missing = [file for file in files.values() if not file.is_file()]
    if len(missing) == 1:
        raise GraphFormatError(f"{missing[0]}: is missing, and that of the other part is not; give both or neither")
    return {} if missing else files


def _read_pairs(path: Path) -> Pairs:
    """Read two node numbers from each line."""
    numbers = array("q")
    with _opened(path) as source, source.wrapping("text file", "give pairs of numbers"):
        line = 0
        for block in source.lines(BLOCK_BYTES):
            require_memory(source.shown, BYTES_PER_BYTE * len(block) + 2 * len(numbers) * numbers.itemsize)
            text = block.decode("utf-8-sig" if line == 0 else "utf-8")
            for content in StringIO(text):
                line += 1
                cells = content.replace(",", " ").split()
                if not cells:
                    continue
                if len(cells) != 2 or not all(map(is_whole_number, cells)):
                    raise source.error(
                        f"expected two node numbers, found {shown(content.strip(), 40)!r}; "
                        "separate them by a blank or a tab",
                        line,
                    )
                numbers.extend(map(int, cells))
    if not numbers:
        raise GraphFormatError(f"{path}: holds no pairs; give at least one")
    return np.array(numbers, np.int64).reshape(-1, 2)


def _read_samples(path: Path) -> npt.NDArray[np.int64]:
    with _opened(path) as source, open_npy(source, "fetch it again") as stored:
        if stored.dtype.kind not in "iu":
            raise ValueError("it holds no array of whole numbers")
        if stored.ndim != 3 or stored.shape[2] != 2 or stored.size == 0:
            raise source.error(f"has shape {stored.shape}; give a list of pairs for every edge, (p, k, 2)")
        require_memory(source.shown, stored.nbytes + BYTES_PER_NUMBER * stored.size)
        return stored.read().astype(np.int64, copy=False)


@contextmanager
def _opened(path: Path) -> Iterator[Source]:
    """Open a file, which may be empty; errors of the system become one sentence."""
    try:
        yield Source(path)
    except OSError as error:
        raise GraphFormatError(f"{path}: cannot be read ({error.strerror or error}); check the path") from None


def _check_samples(path: Path, samples: npt.NDArray[np.int64], positives: Pairs, source: Path) -> None:
    """Raise an error unless each negative shares a node with the edge that it belongs to."""
    if len(samples) != len(positives):
        raise GraphFormatError(
            f"{path}: has negatives for {len(samples)} edges and {source.name} has {len(positives)}; give one list each"
        )
    edges = positives[:, None, :]
    belongs = ((samples == edges) | (samples == edges[..., ::-1])).any(axis=2).all(axis=1)
    if not belongs.all():
        place = int(belongs.argmin())
        raise GraphFormatError(
            f"{path}: a negative of edge {place} has no node in common with edge {place} of {source.name}, "
            f"{positives[place].tolist()}; give the negatives in the order of the edges"
        )


def _negatives(
    kind: str, split: LinkSplit, found: dict[str, npt.NDArray[np.int64]], files: dict[str, Path]
) -> Negatives:
    """Check that negatives name nodes, and count those that are edges after all, which HeaRT does not rule out."""
    whole = split.whole
    edges = {}
    for part, pairs in found.items():
        if not 0 <= int(pairs.min()) <= int(pairs.max()) < whole.num_nodes:
            raise GraphFormatError(
                f"{files[part]}: names nodes {pairs.min()} to {pairs.max()} of a graph of {whole.num_nodes} nodes"
            )
        edges[part] = int(are_edges(whole, pairs).sum())
    info: dict[str, Any] = {"edges_among_negatives": edges}
    return Negatives(kind, found["valid"], found["test"], info)
