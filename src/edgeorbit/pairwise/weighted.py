"""Common neighbours, overlaps, walks and PageRank in a graph whose edges have weights.

Each is, with all weights 1, what its counterpart without weights is. They are products of sparse matrices, and take
longer than the kernels for graphs without weights.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.graph.node_pairs import pair_keys
from edgeorbit.pairwise.pairs import check_pairs

if TYPE_CHECKING:
    import scipy.sparse

ENTRIES = 1 << 22  # of the rows that are compared at a time
CELLS = 1 << 21  # of the dense rows of walks, at a time
MAX_STEPS = 1000  # of PageRank; the tolerance is met long before

Values = npt.NDArray[np.float64]


def weighted_adjacency(graph: Graph) -> "scipy.sparse.csr_array":
    """Return the symmetric matrix of the weights of a graph; an edge of weight 0 is an entry.

    >>> weighted_adjacency(Graph.from_edges([[0, 1], [1, 2]], edge_weight=[2, 5])).toarray().tolist()
    [[0.0, 2.0, 0.0], [2.0, 0.0, 5.0], [0.0, 5.0, 0.0]]
    """
    import scipy.sparse

    edges, weight = graph.edges, graph.edge_weight
    assert weight is not None
    rows = np.repeat(np.arange(graph.num_nodes), graph.degree)
    keys = pair_keys(edges[:, 0], edges[:, 1], graph.num_nodes)
    values = weight[np.searchsorted(keys, pair_keys(rows, graph.indices, graph.num_nodes))]
    return scipy.sparse.csr_array((values, graph.indices, graph.indptr), shape=(graph.num_nodes,) * 2)


def strength(graph: Graph) -> Values:
    """Return the sum of the weights at every node."""
    return np.asarray(weighted_adjacency(graph).sum(axis=1)).ravel()


def weighted_common_neighbours(graph: Graph, pairs: npt.ArrayLike, worth: Values | None = None) -> Values:
    """Return for every pair the sum over common neighbours of their worth times the mean weight of the two edges.

    >>> square = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]], edge_weight=[1, 3, 1, 1])
    >>> weighted_common_neighbours(square, [[0, 2]]).tolist()
    [3.0]
    """
    matrix = weighted_adjacency(graph)
    pattern = matrix.copy()
    pattern.data = np.ones_like(matrix.data)
    found, ends = _prepared(graph, pairs)
    for low, high in _parts(graph, ends):
        u, v = ends[low:high].T
        common = matrix[u] * pattern[v] + pattern[u] * matrix[v]
        found[low:high] = (common @ (np.ones(graph.num_nodes) if worth is None else worth)) / 2
    return found


def weighted_overlap(graph: Graph, pairs: npt.ArrayLike) -> Values:
    """Return for every pair the sum of the smaller weights to each neighbour, over the sum of the larger ones.

    >>> path = Graph.from_edges([[0, 1], [1, 2]], edge_weight=[1, 3])
    >>> weighted_overlap(path, [[0, 2], [0, 1]]).round(3).tolist()
    [0.333, 0.0]
    """
    matrix, total = weighted_adjacency(graph), strength(graph)
    found, ends = _prepared(graph, pairs)
    for low, high in _parts(graph, ends):
        u, v = ends[low:high].T
        smaller = np.asarray(matrix[u].minimum(matrix[v]).sum(axis=1)).ravel()
        larger = total[u] + total[v] - smaller
        found[low:high] = np.divide(smaller, larger, out=np.zeros_like(smaller), where=larger > 0)
    return found


def weighted_walks(graph: Graph, pairs: npt.ArrayLike, *, beta: float, max_length: int) -> Values:
    """Return for every pair the walks between its nodes, each worth beta^length times the weights of its edges.

    Weights count relative to their mean, so that their unit does not matter.

    >>> path = Graph.from_edges([[0, 1], [1, 2]], edge_weight=[1, 3])
    >>> weighted_walks(path, [[0, 2], [0, 1]], beta=0.5, max_length=2).tolist()
    [0.1875, 0.25]
    """
    matrix = weighted_adjacency(graph)
    mean = matrix.data.mean() if len(matrix.data) else 0.0
    matrix = matrix / mean if mean > 0 else matrix

    def walk(rows: Values) -> Values:
        total = np.zeros_like(rows)
        for length in range(1, max_length + 1):
            rows = rows @ matrix
            total += beta**length * rows
        return np.asarray(total)

    return _from_sources(graph, pairs, walk)


def weighted_pagerank(graph: Graph, pairs: npt.ArrayLike, *, alpha: float, tolerance: float) -> Values:
    """Return the probability that a walk from the first node of each pair ends at the second.

    A step goes to a neighbour with a probability in proportion to the weight of the edge; before every step the walk
    ends with the probability `alpha`, and always where all weights are 0.

    >>> path = Graph.from_edges([[0, 1], [1, 2]], edge_weight=[1, 3])
    >>> weighted_pagerank(path, [[1, 0], [1, 2]], alpha=0.5, tolerance=1e-9).round(4).tolist()
    [0.0833, 0.25]
    """
    matrix, total = weighted_adjacency(graph), strength(graph)
    rows = np.repeat(total, graph.degree)
    matrix.data = np.divide(matrix.data, rows, out=np.zeros_like(rows), where=rows > 0)
    ends = np.where(total > 0, alpha, 1.0)
    # After so many steps less is still under way than the tolerance times the least share that a long walk gives.
    least = tolerance * total[total > 0].min(initial=1.0) / max(total.sum(), 1.0)
    steps = min(MAX_STEPS, int(np.ceil(np.log(least) / np.log1p(-alpha))))

    def walk(under_way: Values) -> Values:
        ended = np.zeros_like(under_way)
        for _ in range(steps):
            ended += under_way * ends
            under_way = (under_way * (1 - ends)) @ matrix
        return np.asarray(ended)

    return _from_sources(graph, pairs, walk)


def _prepared(graph: Graph, pairs: npt.ArrayLike) -> tuple[Values, npt.NDArray[np.int64]]:
    ends = np.stack([*check_pairs(graph, pairs)], axis=-1).reshape(-1, 2).astype(np.int64)
    return np.zeros(len(ends)), ends


def _parts(graph: Graph, ends: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of pairs whose rows have not too many entries together."""
    taken = np.cumsum(graph.degree[ends].sum(axis=1) + 1)
    low = 0
    while low < len(ends):
        before = taken[low - 1] if low else 0
        high = max(low + 1, int(np.searchsorted(taken, before + ENTRIES)))
        yield low, high
        low = high


def _from_sources(graph: Graph, pairs: npt.ArrayLike, walk: Any) -> Values:
    """Return a value for every pair from dense rows of their first nodes, each computed once."""
    found, ends = _prepared(graph, pairs)
    sources, place = np.unique(ends[:, 0], return_inverse=True)
    order = np.argsort(place, kind="stable")
    height = max(1, CELLS // max(1, graph.num_nodes))
    for low in range(0, len(sources), height):
        part = sources[low : low + height]
        rows = np.zeros((len(part), graph.num_nodes))
        rows[np.arange(len(part)), part] = 1
        values = walk(rows)
        first, last = np.searchsorted(place[order], [low, low + len(part)])
        chosen = order[first:last]
        found[chosen] = values[place[chosen] - low, ends[chosen, 1]]
    return found
