"""DeepWalk: vectors of nodes, learned from random walks as those of words are from sentences.

Vectors are alike for nodes that walks meet soon after each other: skip-gram with negative sampling. Its steps are made
one after the other, by one thread, as in word2vec; so the result follows from the seed alone, on every machine.
"""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import inlined, kernel
from edgeorbit._randomness import Random
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.pairs import mix_bits

STEP = np.uint64(0x9E37_79B9_7F4A_7C15)  # between the states of a stream of random bits, as in SplitMix64
LANES = 8  # partial sums; a compiler that may not reorder additions cannot make several of one
LARGE = np.float32(15)  # beyond it the sigmoid is 0 or 1 in single precision
NEGATIVES = 5  # word2vec's advice for small corpora is 5 to 20
RATES = 0.025, 0.0001  # word2vec's


@inlined
def below(bits, bound):
    """Return a number from 0 to `bound` - 1; bounds are below 2^32."""
    return np.int64(((bits >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@kernel
def _walk(indptr, indices, starts, state, walks):
    for i in range(len(starts)):
        node = starts[i]
        walks[i, 0] = node
        for step in range(1, walks.shape[1]):
            state += STEP
            first = indptr[node]
            node = np.int64(indices[first + below(mix_bits(state), indptr[node + 1] - first)])
            walks[i, step] = node


def random_walks(graph: Graph, starts: npt.NDArray[np.int64], length: int, seed: int) -> npt.NDArray[np.int32]:
    """Return a walk from each of the given nodes.

    Parameters
    ----------
    graph
        The graph.
    starts
        Node numbers; none of these nodes may be isolated.
    length
        Nodes of a walk.
    seed
        From 0 to 2^64 - 1.

    Returns
    -------
    int32 array of shape (len(starts), length)

    Examples
    --------
    >>> random_walks(Graph.from_edges([[0, 1]]), np.array([0, 1]), 4, seed=0).tolist()
    [[0, 1, 0, 1], [1, 0, 1, 0]]
    """
    walks = np.empty((len(starts), length), np.int32)
    _walk(graph.indptr, graph.indices, starts, np.uint64(seed), walks)
    return walks


@inlined
def inner_product(left, right, sums):
    """Return the inner product of two vectors; `sums` is an array of `LANES` numbers to write to."""
    whole = len(left) - len(left) % LANES
    for lane in range(LANES):
        sums[lane] = 0
    for start in range(0, whole, LANES):
        a, b = left[start : start + LANES], right[start : start + LANES]
        for lane in range(LANES):
            sums[lane] += a[lane] * b[lane]
    for channel in range(whole, len(left)):
        sums[0] += left[channel] * right[channel]
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))


@inlined
def _sigmoid(logit):
    return np.float32(1) / (np.float32(1) + np.exp(-min(max(logit, -LARGE), LARGE)))


@kernel
def _train(walks, vectors, contexts, table, window, negatives, first_rate, last_rate, state):
    """Go once over all walks, with a learning rate that falls from the first to the last.

    The nodes that are near another one in a walk are told from the same few random nodes: these stay in the cache.
    """
    num_walks, length = walks.shape
    width = vectors.shape[1]
    targets = np.empty(negatives + 1, np.int64)
    change, sums = np.empty(width, np.float32), np.empty(LANES, np.float32)
    for i in range(num_walks):
        rate = np.float32(first_rate + (last_rate - first_rate) * i / num_walks)
        for centre in range(length):
            targets[0] = walks[i, centre]
            for k in range(1, negatives + 1):
                state += STEP
                targets[k] = table[below(mix_bits(state), len(table))]
            state += STEP
            reach = 1 + below(mix_bits(state), window)  # so that nearer nodes count more often
            for near in range(max(0, centre - reach), min(length, centre + reach + 1)):
                if near == centre:
                    continue
                vector = vectors[walks[i, near]]
                for channel in range(width):
                    change[channel] = 0
                for k in range(negatives + 1):
                    if k > 0 and targets[k] == targets[0]:
                        continue
                    context = contexts[targets[k]]
                    error = rate * (np.float32(k == 0) - _sigmoid(inner_product(vector, context, sums)))
                    for channel in range(width):
                        change[channel] += error * context[channel]
                    for channel in range(width):
                        context[channel] += error * vector[channel]
                for channel in range(width):
                    vector[channel] += change[channel]


def negative_table(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Return a table in which nodes stand about in proportion to their counts to the power of 3/4, as in word2vec.

    >>> np.bincount(negative_table(np.array([0, 16, 1]))).tolist()
    [0, 58254, 7282]
    """
    weight = np.cumsum(counts.astype(np.float64) ** 0.75)
    size = max(1 << 16, 4 * len(counts))
    table: npt.NDArray[np.int32] = np.searchsorted(weight, (np.arange(size) + 0.5) / size * weight[-1]).astype(np.int32)
    return table


def train_skip_gram(
    walks: npt.NDArray[np.int32],
    vectors: npt.NDArray[np.float32],
    contexts: npt.NDArray[np.float32],
    table: npt.NDArray[np.int32],
    *,
    window: int,
    negatives: int,
    rates: tuple[float, float],
    seed: int,
) -> None:
    """Train vectors on walks, in place.

    Parameters
    ----------
    walks
        Node numbers, a walk per row.
    vectors, contexts
        Two vectors for every node: what is looked for, and what is only needed in training.
    table
        What random nodes are drawn from.
    window
        Largest distance in a walk of two nodes that are near each other.
    negatives
        Random nodes for each place of a walk.
    rates
        The learning rate at the beginning and at the end.
    seed
        From 0 to 2^64 - 1.
    """
    _train(walks, vectors, contexts, table, window, negatives, *rates, np.uint64(seed))


def deepwalk(
    graph: Graph, channels: int, *, walks_per_node: int, walk_length: int, window: int, seed: int
) -> npt.NDArray[np.float32]:
    """Return a vector for every node, such that nodes which random walks meet together have similar ones.

    Parameters
    ----------
    graph
        The graph.
    channels
        Length of the vectors.
    walks_per_node
        Walks from every node. One from each makes a pass; memory is for the walks of one.
    walk_length
        Nodes of a walk.
    window
        Largest distance in a walk of two nodes that are met together.
    seed
        Decides walks, first vectors and negatives; the result does not depend on the number of threads.

    Returns
    -------
    float32 array of shape (num_nodes, channels)
        Columns of mean 0 and, all together, mean square 1 over nodes with neighbours; rows of isolated nodes are 0.

    References
    ----------
    Perozzi, Al-Rfou, Skiena: DeepWalk: online learning of social representations, KDD 2014. Mikolov et al.: Distributed
    representations of words and phrases and their compositionality, NeurIPS 2013, for negative sampling.

    Examples
    --------
    >>> two_edges = Graph.from_edges([[0, 1], [2, 3]], num_nodes=5)
    >>> found = deepwalk(two_edges, 4, walks_per_node=200, walk_length=10, window=2, seed=0)
    >>> bool(found[0] @ found[1] > found[0] @ found[2]), found[4].tolist()
    (True, [0.0, 0.0, 0.0, 0.0])
    """
    nodes = np.flatnonzero(graph.degree)
    out = np.zeros((graph.num_nodes, channels), np.float32)
    if not len(nodes):
        return out
    random = Random(seed, "deepwalk")
    start = (random.uniform(out.size) - 0.5) / channels
    vectors, contexts = start.astype(np.float32).reshape(out.shape), np.zeros_like(out)
    table = negative_table(graph.degree)  # walks meet a node about in proportion to its degree
    rates = np.linspace(*RATES, walks_per_node + 1)
    for first, last in pairwise(rates.tolist()):
        order = nodes[random.permutation(len(nodes))]
        walk_seed, train_seed = random.below(np.array([2**53, 2**53])).tolist()
        walks = random_walks(graph, order, walk_length, walk_seed)
        train_skip_gram(
            *(walks, vectors, contexts, table),
            window=window,
            negatives=NEGATIVES,
            rates=(first, last),
            seed=train_seed,
        )
    found = vectors[nodes] - vectors[nodes].mean(axis=0)
    scale = np.sqrt(np.mean(found**2))
    out[nodes] = found / scale if scale > 0 else found
    return out
