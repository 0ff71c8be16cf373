"""Random graphs: trees, regular graphs, and graphs grown by preferential attachment."""

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.randomness import Random
from edgeorbit.synthetic.node_pairs import pair_keys

TRIES = 50  # random partners for a pair that must change


def random_tree(nodes: int = 1000, seed: int = 0) -> Graph:
    """A random recursive tree: every node hangs on one of the nodes before it.

    >>> random_tree(100).num_edges
    99
    """
    if nodes < 1:
        raise InvalidParameterError(f"a tree has at least 1 node, not {nodes}")
    child = np.arange(1, nodes)
    return Graph.from_edges(
        np.stack([Random(seed, "random tree").below(child), child], axis=1), nodes, name="random-tree"
    )


def random_regular(nodes: int = 1000, degree: int = 3, seed: int = 0) -> Graph:
    """A random graph in which every node has the same degree, so that EAR is 1.

    Stubs are paired at random; pairs that join a node to itself or repeat another one exchange an end with a random
    other one, until there are none.

    >>> set(random_regular(50, 4).degree.tolist())
    {4}
    """
    if not 0 <= degree < max(nodes, 1) or nodes * degree % 2:
        raise InvalidParameterError(
            f"no graph of {nodes} nodes is {degree}-regular; the degree must be below the number of nodes, and one of "
            "the two even"
        )
    if degree > (nodes - 1) // 2:  # few pairs are free then; those of the complement are many
        pairs = _pair_stubs(nodes, nodes - 1 - degree, Random(seed, "random regular"))
        upper = np.triu(np.ones((nodes, nodes), bool), 1)
        upper[pairs[:, 0], pairs[:, 1]] = False
        pairs = np.argwhere(upper)
    else:
        pairs = _pair_stubs(nodes, degree, Random(seed, "random regular"))
    return Graph.from_edges(pairs, nodes, name="random-regular")


def _pair_stubs(nodes: int, degree: int, random: Random) -> npt.NDArray[np.int64]:
    """Return pairs `(u, v)` with `u < v`, all different, in which every node occurs `degree` times."""
    stubs = np.repeat(np.arange(nodes), degree)
    first, second = stubs[random.permutation(len(stubs))].reshape(2, -1).tolist()
    while bad := _bad(first, second, nodes):
        taken = set(pair_keys(first, second, nodes).tolist())
        for place in bad:
            for _ in range(TRIES):
                other = int(random.one() * len(first))
                a, b, c, d = first[place], second[place], first[other], second[other]
                keys = {min(a, d) * nodes + max(a, d), min(b, c) * nodes + max(b, c)}
                if a != d and b != c and len(keys) == 2 and taken.isdisjoint(keys):
                    break
            taken |= keys
            second[place], second[other] = d, b  # after so many tries whatever it is, to get away from here
    return np.sort(np.array([first, second], np.int64).T, axis=1)


def _bad(first: list[int], second: list[int], nodes: int) -> list[int]:
    """Return the places of pairs that are loops or stand at an earlier place already."""
    keys = pair_keys(first, second, nodes)
    bad = np.ones(len(keys), bool)
    bad[np.unique(keys, return_index=True)[1]] = False
    bad |= np.equal(first, second)
    return np.flatnonzero(bad).tolist()


def barabasi_albert(nodes: int = 1000, links: int = 2, seed: int = 0) -> Graph:
    """A graph grown node by node; each new one is linked to `links` others, chosen by their degree.

    It begins with a star of `links + 1` nodes.

    >>> barabasi_albert(100, 2).num_edges
    196
    """
    if not 1 <= links < nodes:
        raise InvalidParameterError(f"links must be at least 1 and below the number of nodes, {nodes}, not {links}")
    random = Random(seed, "barabasi albert")
    ends = [node for leaf in range(1, links + 1) for node in (0, leaf)]
    for node in range(links + 1, nodes):
        chosen: dict[int, None] = {}
        while len(chosen) < links:
            chosen[ends[int(random.one() * len(ends))]] = None
        ends += [end for other in chosen for end in (other, node)]
    return Graph.from_edges(np.array(ends).reshape(-1, 2), nodes, name="barabasi-albert")
