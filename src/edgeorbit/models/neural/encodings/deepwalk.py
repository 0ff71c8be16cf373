"""DeepWalk: vectors of nodes, learned from random walks as those of words are from sentences."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.encodings.random_walks import random_walks
from edgeorbit.models.neural.encodings.skip_gram import negative_table, train_skip_gram
from edgeorbit.randomness import Random

NEGATIVES = 5  # word2vec's advice for small corpora is 5 to 20
RATES = 0.025, 0.0001  # word2vec's


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
