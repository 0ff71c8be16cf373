"""What tells a link from a non-link: common neighbours, short paths, components, features, compared on samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph

WALK_BUDGET = 1.5e8  # visits of neighbours; pairs beyond are not walked

Pairs = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Signal:
    """How often a number that belongs to a node pair is larger for a link than for a non-link.

    Attributes
    ----------
    key : str
        What it is, for code.
    ahead, equal, behind : float
        Shares of comparisons in which the link has the larger number, the same, and the smaller one.
    num_pairs : int
        Number of comparisons.
    """

    key: str
    ahead: float
    equal: float
    behind: float
    num_pairs: int

    @property
    def apart(self) -> float:
        """Share of comparisons in which the numbers differ."""
        return self.ahead + self.behind

    @property
    def lead(self) -> float:
        """How much more often the link is ahead than behind; twice the AUC of the number, minus one."""
        return self.ahead - self.behind


@dataclass(frozen=True, eq=False)
class Comparison:
    """Links, each with a non-link to be told from it: two arrays of shape (k, 2)."""

    links: Pairs
    non_links: Pairs

    def __len__(self) -> int:
        """Return the number of comparisons."""
        return len(self.links)


def compare(graph: Graph, comparison: Comparison, *, threads: int | None = None) -> dict[str, Signal]:
    """Return what each signal says about links and non-links; nothing without comparisons.

    `common_neighbours`
        Their number.
    `paths`
        The number of common neighbours, and where it is equal, of paths of length three.
    `connected`
        Whether some path joins the two nodes.
    `features`
        The cosine of the two nodes' features, if the graph has any that are numbers.

    Parameters
    ----------
    graph
        The graph in which neighbours and paths are seen, without the links that are compared.
    comparison
        Links and non-links.
    threads
        Number of threads; by default one per core.

    Examples
    --------
    >>> graph = Graph.from_edges([[0, 2], [1, 2]], num_nodes=5)
    >>> found = compare(graph, Comparison(np.array([[0, 1], [3, 4]]), np.array([[0, 3], [0, 4]])))
    >>> found["common_neighbours"].ahead, found["connected"].equal
    (0.5, 0.5)
    """
    if len(comparison) == 0:
        return {}
    from edgeorbit.graph.components import smallest_members
    from edgeorbit.pairwise.common_neighbours import common_neighbour_sums

    both = np.concatenate([comparison.links, comparison.non_links])
    common = common_neighbour_sums(graph, both, threads=threads)
    component = smallest_members(graph.num_nodes, *np.ascontiguousarray(graph.edges.T))
    signals = [
        _signal("common_neighbours", [common], len(comparison)),
        _compare_paths(graph, comparison, common, threads),
        _signal("connected", [component[both[:, 0]] == component[both[:, 1]]], len(comparison)),
    ]
    similarity = _similarities(graph, both)
    if similarity is not None:
        signals.append(_signal("features", [similarity], len(comparison)))
    return {signal.key: signal for signal in signals}


def compare_common_neighbours(graph: Graph, comparison: Comparison, *, threads: int | None = None) -> Signal:
    """Return what common neighbours alone say; a link is not its own common neighbour, so the graph may hold it."""
    from edgeorbit.pairwise.common_neighbours import common_neighbour_sums

    both = np.concatenate([comparison.links, comparison.non_links])
    return _signal("common_neighbours", [common_neighbour_sums(graph, both, threads=threads)], len(comparison))


def _signal(key: str, values: Sequence[npt.NDArray[Any]], count: int) -> Signal:
    """Compare values of links, the first `count`, with those of non-links; where they are equal, the next value."""
    sign = np.zeros(count)
    for value in values:
        sign = np.where(sign == 0, np.sign(value[:count].astype(np.float64) - value[count:]), sign)
    ahead, behind = int((sign > 0).sum()), int((sign < 0).sum())
    return Signal(key, ahead / count, (count - ahead - behind) / count, behind / count, count)


def _compare_paths(graph: Graph, comparison: Comparison, common: npt.NDArray[Any], threads: int | None) -> Signal:
    """Compare paths of length two and three, of as many pairs as the budget allows."""
    from edgeorbit.pairwise.triangles import sums_over_neighbours
    from edgeorbit.pairwise.walks import walk_counts

    degree = graph.degree
    reach = sums_over_neighbours(graph, degree.astype(np.float64), threads)

    def begin_cheaply(pairs: Pairs) -> Pairs:
        turned = reach[pairs[:, 0]] > reach[pairs[:, 1]]
        return np.where(turned[:, None], pairs[:, ::-1], pairs)

    links, non_links = begin_cheaply(comparison.links), begin_cheaply(comparison.non_links)
    work = np.cumsum(sum(reach[pairs[:, 0]] + 3 * degree[pairs].sum(axis=1) for pairs in (links, non_links)))
    count = max(1, int(np.searchsorted(work, WALK_BUDGET)))
    links, non_links = links[:count], non_links[:count]
    count = len(links)
    walks = walk_counts(graph, np.concatenate([links, non_links]), 3, threads=threads)[:, 2]
    # Between nodes that are not linked, every walk of length three is a path.
    shared = np.concatenate([common[:count], common[len(comparison) :][:count]])
    return _signal("paths", [shared, walks], count)


def _similarities(graph: Graph, pairs: Pairs) -> npt.NDArray[np.float64] | None:
    """Return the cosine of the features of two nodes, 0 if one of them has none; None if they are no numbers."""
    x = graph.x
    if x is None or x.dtype.kind not in "biuf" or x.shape[1] == 0:
        return None
    nodes, place = np.unique(pairs, return_inverse=True)
    place = place.reshape(pairs.shape)
    rows: Any = x[nodes].astype(np.float64)
    if isinstance(rows, np.ndarray):
        rows = np.nan_to_num(rows.reshape(len(nodes), -1), posinf=0.0, neginf=0.0)
        lengths = np.sqrt((rows**2).sum(axis=1))
        products = np.einsum("ij,ij->i", rows[place[:, 0]], rows[place[:, 1]])
    else:
        rows.data = np.nan_to_num(rows.data, posinf=0.0, neginf=0.0)
        lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).reshape(-1))
        products = np.asarray(rows[place[:, 0]].multiply(rows[place[:, 1]]).sum(axis=1)).reshape(-1)
    lengths[lengths == 0] = 1.0
    # Rounded, so that equal cosines are equal whatever the order of adding up was.
    cosines: npt.NDArray[np.float64] = np.round(products / (lengths[place[:, 0]] * lengths[place[:, 1]]), 9)
    return cosines
