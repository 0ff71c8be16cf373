"""Random negatives: one pool of non-edges for all positives of a part."""

import numpy as np

from edgeorbit._randomness import Random
from edgeorbit.data.negatives.non_edges import NonEdges, draw_distinct
from edgeorbit.data.splits.split import LinkSplit, Negatives, Pairs, Part
from edgeorbit.errors import InvalidParameterError


def random_negatives(split: LinkSplit, seed: int, ratio: float = 1.0) -> Negatives:
    """Draw non-edges uniformly, for each part a pool of different ones.

    Test negatives are no edges of the whole graph; validation negatives are no training or validation edges
    (`LinkSplit.known`). No pair joins a node to itself; the smaller node comes first, as in `graph.edges`.

    Parameters
    ----------
    split
        The split.
    seed
        The same seed gives the same negatives, on every machine.
    ratio
        Size of a pool, in positives of its part; where there is a positive, there is a negative.

    Raises
    ------
    InvalidParameterError
        If the graph has too few non-edges, or the ratio is not positive.

    Examples
    --------
    >>> from edgeorbit import Graph
    >>> path = Graph.from_edges([[0, 1], [2, 3]], num_nodes=4)
    >>> split = LinkSplit(path, np.array([[1, 2]]), np.array([[0, 3]]))
    >>> negatives = random_negatives(split, seed=0, ratio=2)
    >>> sorted(negatives.test.tolist())
    [[0, 2], [1, 3]]
    """
    if not 0 < ratio < np.inf:
        raise InvalidParameterError(f"ratio is a number of negatives per positive above 0, not {ratio}")
    num_nodes, name = split.graph.num_nodes, split.graph.name
    one_class = np.zeros(num_nodes, np.int64)
    any_pair = np.zeros((min(num_nodes, 1), 2), np.int64)

    def pool(part: Part) -> Pairs:
        non_edges = NonEdges(split.known(part), one_class, any_pair)
        available = int(non_edges.counts.sum())
        positives = len(split.positives(part))
        count = max(min(positives, 1), round(ratio * positives))
        if count > available:
            raise InvalidParameterError(
                f"{name} has {available:,} non-edges, too few for {count:,} negatives of {positives:,} {part} "
                f"edges; choose a smaller ratio than {ratio}"
            )
        random = Random(seed, f"random negatives, {part}")
        number = draw_distinct(random, np.array([available]), count)[0]
        return np.sort(non_edges.at(np.zeros(count, np.int64), number), axis=1)

    return Negatives("random", pool("valid"), pool("test"), {"seed": seed, "ratio": ratio})
