"""Plain graph statistics: size, density, locality, hierarchy, and how unequal the degrees are."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph

# What every field of `Statistics` is called in tables, in the order of printing.
LABELS = {
    "num_nodes": "Nodes",
    "num_edges": "Edges",
    "density": "Density",
    "isolated_nodes": "Isolated nodes",
    "num_components": "Connected components",
    "largest_component": "Share of largest component",
    "avg_degree": "Average degree",
    "max_degree": "Largest degree",
    "avg_degree_g": "Avg Deg (G)",
    "avg_degree_g2": "Avg Deg (G2)",
    "triangles": "Triangles",
    "clustering": "Clustering",
    "transitivity": "Transitivity",
    "degree_gini": "Degree Gini",
    "max_core": "Largest core number",
    "coreness_gini": "Coreness Gini",
    "heterogeneity": "Heterogeneity",
    "power_law_alpha": "Power law alpha",
}


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of a graph; `LABELS` names them for tables.

    A value that the definition leaves open is None: every mean and share of a graph without nodes, and what is said
    below. Where networkx has the same measure, the values are equal.

    Attributes
    ----------
    num_nodes, num_edges : int
        Number of nodes and of undirected edges.
    density : float
        Share of all node pairs that are edges; 0 if there are fewer than two nodes.
    isolated_nodes : int
        Nodes without a neighbour.
    num_components : int
        Connected components; an isolated node is one.
    largest_component : float or None
        Share of the nodes that the largest component holds.
    avg_degree : float or None
        Mean degree.
    max_degree : int
        Largest degree; 0 without nodes.
    avg_degree_g : float or None
        Mean over nodes of the average degree of their neighbours, which is 0 for an isolated node.
    avg_degree_g2 : float or None
        The same once more: mean over nodes of the average, over their neighbours, of the average degree of *their*
        neighbours.
    triangles : int
        Number of triangles.
    clustering : float or None
        Mean local clustering coefficient; it is 0 for a node with fewer than two neighbours.
    transitivity : float
        Three times the number of triangles over the number of pairs of edges that meet; 0 if no edges meet.
    degree_gini, coreness_gini : float or None
        Gini coefficient of the degrees and of the core numbers of all nodes, isolated ones included: 0 if all are
        equal, near 1 if few nodes have almost everything; None if there are no edges.
    max_core : int
        Largest core number; 0 without nodes.
    heterogeneity : float or None
        log10 of the standard deviation of the degree (of all nodes, not of a sample) over its mean; None if all degrees
        are equal.
    power_law_alpha : float or None
        `1 + n / sum(log((d_i + 1) / (d_min + 1)))` over all nodes, isolated ones included; None if all degrees are
        equal.
    """

    num_nodes: int
    num_edges: int
    density: float
    isolated_nodes: int
    num_components: int
    largest_component: float | None
    avg_degree: float | None
    max_degree: int
    avg_degree_g: float | None
    avg_degree_g2: float | None
    triangles: int
    clustering: float | None
    transitivity: float
    degree_gini: float | None
    max_core: int
    coreness_gini: float | None
    heterogeneity: float | None
    power_law_alpha: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return all values by name, in the order of `LABELS`."""
        return asdict(self)


def statistics(graph: Graph, *, threads: int | None = None) -> Statistics:
    """Compute the statistics of a graph.

    Parameters
    ----------
    graph
        The graph.
    threads
        Number of threads; by default one per core. The values do not depend on it.

    Examples
    --------
    >>> paw = Graph.from_edges([[0, 1], [0, 2], [1, 2], [2, 3]])
    >>> found = statistics(paw)
    >>> found.triangles, found.transitivity, found.avg_degree
    (1, 0.6, 2.0)
    >>> statistics(Graph.empty(2)).heterogeneity is None
    True
    """
    from edgeorbit.graph.components import smallest_members
    from edgeorbit.pairwise.triangles import core_numbers, sums_over_neighbours, triangles_per_node

    num_nodes, num_edges = graph.num_nodes, graph.num_edges
    degree = graph.degree
    rows = np.repeat(np.arange(num_nodes, dtype=np.int32), degree)
    component_sizes = np.bincount(smallest_members(num_nodes, rows, graph.indices))
    del rows
    neighbours = np.maximum(degree, 1)
    neighbour_degree = sums_over_neighbours(graph, degree.astype(np.float64), threads) / neighbours
    neighbour_degree_2 = sums_over_neighbours(graph, neighbour_degree, threads) / neighbours
    triangles = triangles_per_node(graph, threads)
    pairs = degree * (degree - 1) // 2
    num_pairs = int(pairs.sum())
    core = core_numbers(graph)
    return Statistics(
        num_nodes=num_nodes,
        num_edges=num_edges,
        density=2 * num_edges / (num_nodes * (num_nodes - 1)) if num_nodes > 1 else 0.0,
        isolated_nodes=int(np.count_nonzero(degree == 0)),
        num_components=int(np.count_nonzero(component_sizes)),
        largest_component=int(component_sizes.max()) / num_nodes if num_nodes else None,
        avg_degree=2 * num_edges / num_nodes if num_nodes else None,
        max_degree=int(degree.max(initial=0)),
        avg_degree_g=_mean(neighbour_degree),
        avg_degree_g2=_mean(neighbour_degree_2),
        triangles=int(triangles.sum()) // 3,
        clustering=_mean(triangles / np.maximum(pairs, 1)),
        transitivity=int(triangles.sum()) / num_pairs if num_pairs else 0.0,
        degree_gini=gini(degree),
        max_core=int(core.max(initial=0)),
        coreness_gini=gini(core),
        heterogeneity=_heterogeneity(degree),
        power_law_alpha=_power_law_alpha(degree),
    )


def gini(values: npt.NDArray[np.integer[Any]]) -> float | None:
    """Return the Gini coefficient of whole numbers that are not negative; None if their sum is 0.

    It is half the mean difference of two values, over their mean.

    >>> gini(np.array([0, 0, 0, 4]))
    0.75
    """
    total = int(values.sum())
    if total == 0:
        return None
    counts = np.bincount(values).astype(np.float64)
    value = np.arange(len(counts))
    # In ascending order the values from place `first` on are equal; the formula weighs place i by 2 i - n - 1.
    first = np.cumsum(counts) - counts
    weight = counts * (2 * first + counts - len(values))
    return float(weight @ value) / (len(values) * total)


def _mean(values: npt.NDArray[np.float64]) -> float | None:
    return float(values.mean()) if len(values) else None


def _heterogeneity(degree: npt.NDArray[np.int64]) -> float | None:
    if len(degree) == 0 or degree.min() == degree.max():
        return None
    return float(np.log10(degree.std() / degree.mean()))


def _power_law_alpha(degree: npt.NDArray[np.int64]) -> float | None:
    if len(degree) == 0 or degree.min() == degree.max():
        return None
    return 1 + len(degree) / float(np.log((degree + 1) / (degree.min() + 1)).sum())
