"""The enclosing subgraphs of many node pairs: all that is near one of the two nodes, without the link between them.

Every thread extracts the subgraphs of a range of pairs into arrays that grow, in one pass. Beside the result this takes
a few numbers per node and thread.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all
from edgeorbit._randomness import Random
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.drnl import drnl_labels
from edgeorbit.pairwise.pairs import check_pairs, mix_bits

PAIRS_PER_THREAD = 32  # below this a second thread costs more than it saves
MOST_NODES = 2**31 - 1  # of all subgraphs together; their numbers are stored in 32 bits


@kernel
def _collect(indptr, indices, u, v, hops, most, key, place, queue, left_out):
    """List the nodes within some hops of u or v; return how many there are, and how many were left out.

    `place` becomes the number of a node in the list, from 1, and -1 if it was left out; `release` clears it. Nodes are
    found in the same order for (u, v) and (v, u), only the two ends change places.
    """
    ends = 1 if u == v else 2
    queue[0], queue[ends - 1] = u, v
    place[u] = 1
    place[v] = ends
    begin, count, gone = 0, ends, 0
    first, second = np.uint64(min(u, v)), np.uint64(max(u, v))
    own_key = mix_bits(mix_bits(key ^ first) ^ second)
    for hop in range(hops):
        end = count
        for i in range(begin, end):
            turned = hop == 0 and u > v
            node = queue[end - 1 - i] if turned else queue[i]
            for entry in range(indptr[node], indptr[node + 1]):
                other = indices[entry]
                if place[other] == 0:
                    place[other] = -1
                    queue[count] = other
                    count += 1
        if 0 < most < count - end:
            # The least of numbers that belong to the pair and the node are a sample of them.
            fringe = queue[end:count].copy()
            draws = np.empty(len(fringe), np.uint64)
            for i in range(len(fringe)):
                draws[i] = mix_bits(own_key ^ np.uint64(fringe[i]))
            order = np.argsort(draws, kind="mergesort")
            for i in range(most):
                queue[end + i] = fringe[order[i]]
            for i in range(most, len(fringe)):
                left_out[gone] = fringe[order[i]]
                gone += 1
            count = end + most
        for i in range(end, count):
            place[queue[i]] = i + 1
        begin = end
    return count, gone


@kernel
def _release(place, queue, count, left_out, gone):
    for i in range(count):
        place[queue[i]] = 0
    for i in range(gone):
        place[left_out[i]] = 0


@kernel
def _grown(array, needed):
    """Return the array, or a larger one that begins with it."""
    if needed <= len(array):
        return array
    larger = np.empty(max(needed, len(array) + len(array) // 2), array.dtype)
    larger[: len(array)] = array
    return larger


@kernel
def _extract(indptr, indices, first, second, low, high, hops, most, key, storing, sizes, entries):
    """Extract the subgraphs of pairs `low` to `high`, or only count their nodes and their entries."""
    num_nodes = len(indptr) - 1
    place = np.zeros(num_nodes, np.int32)
    queue = np.empty(num_nodes, np.uint32)
    left_out = np.empty(num_nodes if most > 0 else 0, np.uint32)
    nodes, rows, columns = np.empty(1024, np.int32), np.empty(1025, np.int64), np.empty(4096, np.int32)
    base, filled = 0, 0
    rows[0] = 0
    for pair in range(low, high):
        u, v = np.uint32(first[pair]), np.uint32(second[pair])
        count, gone = _collect(indptr, indices, u, v, hops, most, key, place, queue, left_out)
        before = filled
        if storing:
            nodes, rows = _grown(nodes, base + count), _grown(rows, base + count + 1)
        for i in range(count):
            node = queue[i]
            other_end = 2 - i if i < 2 and u != v else 0  # its place, where the link must not lead to
            begin, end = np.uint64(indptr[node]), np.uint64(indptr[node + 1])
            if storing:
                columns = _grown(columns, filled + indptr[node + 1] - indptr[node])
                for entry in range(begin, end):
                    found = place[indices[entry]]
                    columns[filled] = base + found - 1
                    filled += (found > 0) & (found != other_end)
                nodes[base + i] = node
                rows[base + i + 1] = filled
            else:
                for entry in range(begin, end):
                    found = place[indices[entry]]
                    filled += (found > 0) & (found != other_end)
        _release(place, queue, count, left_out, gone)
        sizes[pair], entries[pair] = count, filled - before
        if storing:
            base += count
    return nodes[:base], rows[: base + 1], columns[: filled if storing else 0]


class Subgraphs(NamedTuple):
    """The disjoint union of the subgraphs of pairs, one after the other, as a batch of PyG has it.

    Attributes
    ----------
    offsets : int64 array, one longer than there are pairs
        Where the nodes of every pair start.
    nodes : int32 array
        Which node of the graph each one is; those of the pair come first, in their order.
    indptr : int64 array, one longer than `nodes`
        Where the neighbours of every node of the union start in `indices`.
    indices : int32 array
        The neighbours, as numbers of the union.
    labels : int32 array
        The label of every node, see `edgeorbit.pairwise.drnl`.
    """

    offsets: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int32]
    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    labels: npt.NDArray[np.int32]

    @property
    def batch(self) -> npt.NDArray[np.int64]:
        """The number of the pair that each node belongs to."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def edge_index(self) -> npt.NDArray[np.int64]:
        """Both directions of all edges, as numbers of the union: shape (2, number of entries)."""
        rows = np.repeat(np.arange(len(self.nodes)), np.diff(self.indptr))
        return np.stack([rows, self.indices.astype(np.int64)])


def enclosing_subgraphs(
    graph: Graph,
    pairs: npt.ArrayLike,
    *,
    hops: int = 1,
    max_nodes_per_hop: int | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Subgraphs:
    """Return for every pair the subgraph of all nodes within some hops of either node, without the link between them.

    Parameters
    ----------
    graph
        The graph.
    pairs : integer array of shape (k, 2)
        Node numbers. The subgraph of a node and itself has that node once.
    hops
        How far from the nearer one of the two a node may be.
    max_nodes_per_hop
        Of the nodes at each distance a random sample of so many; by default all. What is left out is not passed either.
    seed
        Decides the samples, together with the pair: they are the same in whatever order, company or direction pairs
        come.
    threads
        Number of threads; by default one per core. The result does not depend on it.

    Raises
    ------
    InvalidParameterError
        If `pairs` is no array of node pairs of the graph, or a number is below 1.
    LimitExceededError
        If all subgraphs together have more nodes than fit into 32 bits.

    Examples
    --------
    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> found = enclosing_subgraphs(square, [[0, 1], [0, 2]], hops=1)
    >>> found.offsets.tolist(), found.nodes.tolist(), found.labels.tolist()
    ([0, 4, 8], [0, 1, 3, 2, 0, 2, 1, 3], [1, 1, 3, 3, 1, 1, 2, 2])
    >>> found.edge_index[:, found.edge_index[0] < 4].tolist()
    [[0, 1, 2, 2, 3, 3], [2, 3, 0, 3, 1, 2]]
    """
    first, second = check_pairs(graph, pairs)
    found, sizes, _ = _run(graph, first, second, (hops, max_nodes_per_hop, seed), True, threads)
    offsets = np.zeros(len(first) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    if offsets[-1] > MOST_NODES:
        raise LimitExceededError(
            f"the subgraphs of {len(first)} pairs of {graph.name} have {offsets[-1]} nodes, and {MOST_NODES} is the "
            "most; give fewer pairs at a time"
        )
    nodes, indptr, indices = found[0]
    if len(found) > 1:
        bases = np.cumsum([0, *(len(part[0]) for part in found)])
        starts = np.cumsum([0, *(len(part[2]) for part in found)])
        nodes = np.concatenate([part[0] for part in found])
        indptr = np.concatenate([[0], *(part[1][1:] + start for part, start in zip(found, starts, strict=False))])
        indices = np.concatenate([part[2] + np.int32(base) for part, base in zip(found, bases, strict=False)])
    labels = drnl_labels(offsets, indptr, indices, np.where(first == second, 1, 2), threads=threads)
    return Subgraphs(offsets, nodes, indptr, indices, labels)


def count_enclosing(
    graph: Graph,
    pairs: npt.ArrayLike,
    *,
    hops: int = 1,
    max_nodes_per_hop: int | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return how many nodes the enclosing subgraph of every pair has, and how many entries (twice its edges).

    Nothing is stored, so this tells beforehand what `enclosing_subgraphs`, with the same arguments, would take.

    Examples
    --------
    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> [counts.tolist() for counts in count_enclosing(square, [[0, 1], [0, 2]])]
    [[4, 4], [6, 8]]
    """
    first, second = check_pairs(graph, pairs)
    _, sizes, entries = _run(graph, first, second, (hops, max_nodes_per_hop, seed), False, threads)
    return sizes, entries


_Part = tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32]]


def _run(
    graph: Graph,
    first: npt.NDArray[np.int32],
    second: npt.NDArray[np.int32],
    options: tuple[int, int | None, int],
    storing: bool,
    threads: int | None,
) -> tuple[list[_Part], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Extract or count, and return what every thread found, and the sizes of all subgraphs."""
    hops, most, seed = options
    if hops < 1:
        raise InvalidParameterError(f"hops must be at least 1, not {hops}")
    if most is not None and most < 1:
        raise InvalidParameterError(f"max_nodes_per_hop must be at least 1, not {most}; leave it out to take all nodes")
    key = np.uint64(int(Random(seed, "samples of enclosing subgraphs").uniform(1)[0] * 2**53))
    sizes, entries = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    parts = min(resolve_threads(threads), 1 + len(first) // PAIRS_PER_THREAD)
    # What a pair costs is not known before; its degrees are a hint.
    work = np.cumsum(graph.degree[first] + graph.degree[second] + 1)
    total = int(work[-1]) if len(work) else 0
    cuts = [0, *np.searchsorted(work, [total * i // parts for i in range(1, parts)]).tolist(), len(first)]
    arguments = graph.indptr, graph.indices.view(np.uint32), first, second
    found = run_all(
        _extract,
        [
            (*arguments, low, high, int(hops), int(most or 0), key, storing, sizes, entries)
            for low, high in pairwise(cuts)
        ],
    )
    return found, sizes, entries
