"""What subgraphs will take, measured on a sample of pairs before any is stored."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import available_memory, size_in_words
from edgeorbit._randomness import Random
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.enclosing_subgraphs import count_enclosing

PAIRS = 1000  # in the sample: half of them edges, half random pairs, as a batch of training has them
AT_A_TIME = 50
MOST_ENTRIES = 100_000_000  # after which the sample is large enough: they are seconds of counting
GROWTH = 1.25  # arrays of subgraphs grow in steps of a half, so that they are larger than filled by a quarter
CHUNK_BYTES = 1 << 28  # of what is scored at a time: more is no quicker
STEP_BYTES = 1 << 31  # of a training step, above which it is cut


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
