"""Node features: those of the data set, or others in their place."""

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph

FeatureMode = Literal["original", "constant", "degree", "identity", "random", "orthogonal"]
RANDOM_CHANNELS, ORTHOGONAL_CHANNELS = 64, 256
ROWS_AT_ONCE = 1 << 14


def node_features(graph: Graph, mode: str, seed: int = 0) -> Any:
    """Return a feature matrix for the nodes of a graph.

    Parameters
    ----------
    graph
        The graph.
    mode
        `"original"`: those that the graph has. `"constant"`: a one for every node, so that only structure tells nodes
        apart. `"degree"`: the degree. `"identity"`: a column for every node, as a sparse matrix. `"random"`: 64
        numbers of mean 0 and variance 1 for every node, uniform, so that they are the same on every machine.
        `"orthogonal"`: 256 numbers for every node, at most one per node, in columns of norm 1 that are orthogonal to
        each other. The last three distinguish all nodes, twins too.
    seed
        For `"random"` and `"orthogonal"`.

    Examples
    --------
    >>> star = Graph.from_edges([[0, 1], [0, 2]])
    >>> node_features(star, "degree").tolist()
    [[2.0], [1.0], [1.0]]
    """
    match mode:
        case "original":
            if graph.x is None:
                raise InvalidParameterError(
                    f"{graph.name} has no features of its own; choose from {', '.join(get_args(FeatureMode)[1:])}"
                )
            return graph.x
        case "constant":
            return np.ones((graph.num_nodes, 1), np.float32)
        case "degree":
            return graph.degree[:, None].astype(np.float32)
        case "identity":
            import scipy.sparse

            return scipy.sparse.csr_array(scipy.sparse.eye_array(graph.num_nodes, dtype=np.float32))
        case "random":
            numbers = Random(seed, "features").uniform(graph.num_nodes * RANDOM_CHANNELS)
            return ((2 * numbers - 1) * np.sqrt(3)).reshape(graph.num_nodes, RANDOM_CHANNELS).astype(np.float32)
        case "orthogonal":
            return _orthogonal(graph.num_nodes, seed)
    raise InvalidParameterError(f"features {mode!r} are unknown; choose from {', '.join(get_args(FeatureMode))}")


def _orthogonal(num_nodes: int, seed: int) -> npt.NDArray[np.float32]:
    """Return random columns of the cosine transform, with rows in random order and of random sign.

    They are orthonormal by construction, so that no matrix is factorised: that would take long for many nodes, and its
    last bits depend on the machine.
    """
    random = Random(seed, "orthogonal features")
    place, sign = random.permutation(num_nodes), 2 * random.below(np.full(num_nodes, 2)) - 1
    frequency = np.sort(random.permutation(num_nodes)[:ORTHOGONAL_CHANNELS])
    scale = np.sqrt(np.where(frequency == 0, 1, 2) / max(1, num_nodes))
    found = np.empty((num_nodes, len(frequency)), np.float32)
    for start in range(0, num_nodes, ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        angle = (place[rows, None] + 0.5) * frequency * (np.pi / num_nodes)
        found[rows] = sign[rows, None] * scale * np.cos(angle)
    return found


def num_channels(graph: Graph) -> int:
    """Return the number of features of every node.

    Raises
    ------
    InvalidParameterError
        If there are none, or not a row for every node.
    """
    if graph.x is None:
        raise InvalidParameterError(
            f"{graph.name} has no features; choose constant, degree, identity, random or orthogonal features for it"
        )
    if graph.x.ndim != 2:
        raise InvalidParameterError(f"{graph.name}: features have shape {graph.x.shape}; give (nodes, channels)")
    return int(graph.x.shape[1])
