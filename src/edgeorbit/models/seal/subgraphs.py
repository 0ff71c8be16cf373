"""The subgraphs of pairs: their memory, measured on a sample before any is stored, and files that keep them."""

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._files import atomic_path, write_npz
from edgeorbit._memory import available_memory, size_in_words
from edgeorbit._randomness import Random
from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.source import Source
from edgeorbit.graph.reading.stored_arrays import open_npz
from edgeorbit.pairwise.enclosing_subgraphs import Subgraphs, count_enclosing, enclosing_subgraphs

PAIRS = 1000  # in the sample: half of them edges, half random pairs, as a batch of training has them
AT_A_TIME = 50
MOST_ENTRIES = 100_000_000  # after which the sample is large enough: they are seconds of counting
GROWTH = 1.25  # arrays of subgraphs grow in steps of a half, so that they are larger than filled by a quarter
CHUNK_BYTES = 1 << 28  # of what is scored at a time: more is no quicker
STEP_BYTES = 1 << 31  # of a training step, above which it is cut
FORMAT = "enclosing subgraphs 1"  # to be changed with whatever changes what a file holds


class SubgraphSizes(NamedTuple):
    """Nodes and entries (twice the edges) of the subgraphs of a sample of pairs."""

    nodes: npt.NDArray[np.int64]
    entries: npt.NDArray[np.int64]

    def num_sorted(self, share: float) -> int:
        """Return the k of sort pooling: a share of the subgraphs have at most k nodes; at least 10."""
        place = max(int(np.ceil(share * len(self.nodes))) - 1, 0)
        return max(10, int(np.sort(self.nodes)[place]) if len(self.nodes) else 0)


class Footprint(NamedTuple):
    """Bytes that the subgraph of a pair takes in a network, per node, per entry and for itself."""

    per_node: float
    per_entry: float
    per_pair: float

    @classmethod
    def of(cls, hidden_channels: int, num_layers: int, k: int, *, training: bool, folded: bool) -> "Footprint":
        """Return what a pair takes when it is scored, or when gradients are to follow.

        Activations are most of it: in training two for each layer, for the product with its weights and for its
        output, and three more for gradients on their way; else the five of the layer at work, in double precision. If
        messages are passed over colours, each layer has a matrix of its own, and its transpose.
        """
        alive, number = (2 * num_layers + 3, 4) if training else (5, 8)
        stored = 4 + 4 + 8  # number, label and place of a node
        per_node = number * hidden_channels * alive + GROWTH * stored + 8 + 8 + number * 16 * 3
        per_entry = GROWTH * 4 + 8 + (16 * (num_layers + 1) if folded else 0)
        return cls(per_node, per_entry, number * k * 16 * (12 if training else 8))

    def total(self, nodes: float, entries: float, pairs: float) -> float:
        """Return the bytes of so many nodes, entries and pairs."""
        return self.per_node * nodes + self.per_entry * entries + self.per_pair * pairs

    def mean(self, sizes: SubgraphSizes) -> float:
        """Return the bytes of a pair, on average."""
        count = max(len(sizes.nodes), 1)
        return self.total(float(sizes.nodes.sum()), float(sizes.entries.sum()), count) / count

    def largest(self, sizes: SubgraphSizes) -> float:
        """Return the bytes of the largest subgraph of the sample."""
        found = self.per_node * sizes.nodes + self.per_entry * sizes.entries + self.per_pair
        return float(found.max(initial=0.0))


def sample_sizes(graph: Graph, hops: int, max_nodes_per_hop: int | None, threads: int | None = None) -> SubgraphSizes:
    """Count the subgraphs of a sample of pairs, or of a part of it where they are very large.

    Examples
    --------
    >>> sizes = sample_sizes(Graph.from_edges([(0, 1), (1, 2), (2, 0)]), 1, None)
    >>> sizes.nodes.max(), sizes.entries.max()
    (np.int64(3), np.int64(4))
    """
    pairs, found = _sample_pairs(graph), []
    for start in range(0, len(pairs), AT_A_TIME):
        part = pairs[start : start + AT_A_TIME]
        found.append(count_enclosing(graph, part, hops=hops, max_nodes_per_hop=max_nodes_per_hop, threads=threads))
        if sum(int(entries.sum()) for _, entries in found) > MOST_ENTRIES:
            break
    nodes, entries = zip(*found, strict=True) if found else ((), ())
    empty = np.empty(0, np.int64)
    return SubgraphSizes(np.concatenate([empty, *nodes]), np.concatenate([empty, *entries]))


def _sample_pairs(graph: Graph) -> npt.NDArray[np.int64]:
    """Return edges and random pairs in turn, the same ones every time."""
    if not graph.num_edges:
        return np.empty((0, 2), np.int64)
    random, count = Random(0, "pairs that subgraphs are measured on"), PAIRS // 2
    entries = random.below(np.full(count, len(graph.indices)))
    edges = np.stack([np.searchsorted(graph.indptr, entries, "right") - 1, graph.indices[entries]], axis=1)
    # Training takes no negatives of isolated nodes.
    ends = np.flatnonzero(graph.degree)
    others = ends[random.below(np.full(2 * count, len(ends)))].reshape(-1, 2)
    others = others[others[:, 0] != others[:, 1]]
    pairs = np.empty((len(edges) + len(others), 2), np.int64)
    turns = np.argsort(np.concatenate([np.arange(len(edges)), np.arange(len(others)) + 0.5]))
    pairs[:] = np.concatenate([edges, others])[turns]
    return pairs


def require_memory(graph: Graph, sizes: SubgraphSizes, footprint: Footprint, hops: int) -> None:
    """Refuse a graph on which a single pair takes more memory than there is.

    Raises
    ------
    InvalidParameterError
        With the estimate, and what makes it fit.
    """
    available, needed = available_memory(), footprint.largest(sizes)
    if available is None or needed <= available:
        return
    fitting = max(int(available / 4 / footprint.per_node / hops), 1)
    fewer = "--set hops=1 or " if hops > 1 else ""
    raise InvalidParameterError(
        f"{graph.name}: the subgraph of one pair has up to {int(sizes.nodes.max()):,} nodes and "
        f"{int(sizes.entries.max()) // 2:,} edges and takes {size_in_words(needed)} of memory, and "
        f"{size_in_words(available)} are available; use {fewer}--set max_nodes_per_hop={fitting}"
    )


def pairs_at_once(bytes_per_pair: float, target: int) -> int:
    """Return how many pairs of a mean size are worked on at a time, so that they take no more than the target.

    >>> pairs_at_once(1e6, 1 << 28), pairs_at_once(1e12, 1 << 28)
    (268, 1)
    """
    available = available_memory()
    bound = target if available is None else min(target, available // 4)
    return max(int(bound / max(bytes_per_pair, 1.0)), 1)


class StoredSubgraphs:
    """Finds the enclosing subgraphs of pairs of one graph.

    Parameters
    ----------
    graph
        The graph.
    directory
        Where to keep them; nowhere if it is empty.
    options
        `hops`, `max_nodes_per_hop` and `seed` of `enclosing_subgraphs`.
    """

    def __init__(self, graph: Graph, directory: str, **options: Any) -> None:
        self.graph, self.directory, self.options = graph, Path(directory) if directory else None, options
        if self.directory is not None:
            state = hashlib.sha256(f"{FORMAT} {sorted(options.items())}".encode())
            for array in (graph.indptr, graph.indices):
                state.update(np.ascontiguousarray(array).data)
            self._state = state

    def find(self, pairs: npt.NDArray[np.int64], *, keep: bool, threads: int | None = None) -> Subgraphs:
        """Return the subgraphs of pairs, read from a file if they were kept before; they are kept if asked for.

        A file that is damaged, or does not hold what its name says, is made anew.

        Raises
        ------
        EdgeorbitError
            If they are to be kept, and cannot be written.
        """
        if self.directory is None or not keep:
            return enclosing_subgraphs(self.graph, pairs, threads=threads, **self.options)
        path = self.path_of(pairs)
        found = _read(path, len(pairs))
        if found is None:
            found = enclosing_subgraphs(self.graph, pairs, threads=threads, **self.options)
            _write(path, found)
        return found

    def path_of(self, pairs: npt.NDArray[np.int64]) -> Path:
        """Return the file for the subgraphs of these pairs, in this order."""
        assert self.directory is not None
        state = self._state.copy()
        state.update(np.ascontiguousarray(pairs, np.int64).data)
        return self.directory / f"subgraphs-{state.hexdigest()[:32]}.npz"


def _write(path: Path, found: Subgraphs) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EdgeorbitError(
            f"{path.parent}: cannot be made ({error.strerror}); set cache to a directory that you may write to"
        ) from None
    with atomic_path(path) as temporary:
        write_npz(temporary, found._asdict())


def _read(path: Path, num_pairs: int) -> Subgraphs | None:
    """Return what a file holds, or None if there is none or it is damaged; the check sums are those of zip files."""
    try:
        with open_npz(Source(path)) as file:
            found = Subgraphs(**{name: np.ascontiguousarray(file[name]) for name in Subgraphs._fields})
    except (OSError, EdgeorbitError):
        return None
    return found if _fits(found, num_pairs) else None


def _fits(found: Subgraphs, num_pairs: int) -> bool:
    arrays: tuple[npt.NDArray[Any], ...] = tuple(found)
    size = len(found.nodes)
    return (
        all(array.ndim == 1 for array in arrays)
        and [array.dtype for array in arrays] == [np.int64, np.int32, np.int64, np.int32, np.int32]
        and len(found.offsets) == num_pairs + 1
        and len(found.labels) == len(found.indptr) - 1 == size == found.offsets[-1]
        and len(found.indices) == found.indptr[-1]
    )
