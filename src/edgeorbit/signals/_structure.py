"""Signals of the neighbourhoods of two nodes: common neighbours, degrees, components, core numbers, clustering."""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.components import smallest_members
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.common_neighbours import common_neighbour_sums
from edgeorbit.pairwise.triangles import core_numbers, round_for_exact_sums, triangles_per_node

Ends = npt.NDArray[np.int32]
Columns = dict[str, npt.NDArray[Any]]


def smaller_and_larger(name: str, values: npt.NDArray[Any], ends: Ends) -> Columns:
    """Return by name the smaller and the larger of a value of the two nodes."""
    first, second = values[ends[0]], values[ends[1]]
    return {f"{name}_min": np.minimum(first, second), f"{name}_max": np.maximum(first, second)}


class CommonNeighbours:
    """Common neighbours, counted, weighed by their degrees, and as a share of all neighbours."""

    def __init__(
        self, graph: Graph, names: tuple[str, ...], options: Any, threads: int | None, shared: dict[str, Any]
    ) -> None:
        self.graph, self.names, self.threads = graph, names, threads
        self.degree = degree = graph.degree
        columns = {
            "adamic_adar": np.where(degree > 1, 1 / np.log(np.maximum(degree, 2)), 0.0),
            "resource_allocation": 1 / np.maximum(degree, 1),
        }
        self.weighed = [name for name in columns if name in names]
        weights = [round_for_exact_sums(graph, columns[name]) for name in self.weighed]
        self.weights = np.stack([np.ones(graph.num_nodes), *weights], axis=1)

    def compute(self, ends: Ends) -> Columns:
        """Return the signals by name."""
        sums = common_neighbour_sums(self.graph, ends.T, self.weights, threads=self.threads)
        found: Columns = dict(zip(self.weighed, sums.T[1:], strict=True))
        count = sums[:, 0]
        if "common_neighbours" in self.names:
            found["common_neighbours"] = count
        if "jaccard" in self.names:
            found["jaccard"] = count / np.maximum(self.degree[ends].sum(axis=0) - count, 1)
        return found


class Degrees:
    """The degrees of both nodes and their product."""

    def __init__(
        self, graph: Graph, names: tuple[str, ...], options: Any, threads: int | None, shared: dict[str, Any]
    ) -> None:
        self.names, self.degree = names, graph.degree

    def compute(self, ends: Ends) -> Columns:
        """Return the signals by name."""
        found = smaller_and_larger("degree", self.degree, ends)
        found["preferential_attachment"] = self.degree[ends].prod(axis=0)
        return {name: found[name] for name in self.names}


class Components:
    """Whether a path joins the two nodes, and how large their components are."""

    def __init__(
        self, graph: Graph, names: tuple[str, ...], options: Any, threads: int | None, shared: dict[str, Any]
    ) -> None:
        self.names = names
        rows = np.repeat(np.arange(graph.num_nodes, dtype=np.int32), graph.degree)
        self.root = smallest_members(graph.num_nodes, rows, graph.indices)
        self.log_size = np.log(np.bincount(self.root, minlength=graph.num_nodes)[self.root])

    def compute(self, ends: Ends) -> Columns:
        """Return the signals by name."""
        found = smaller_and_larger("component_size", self.log_size, ends)
        found["same_component"] = self.root[ends[0]] == self.root[ends[1]]
        return {name: found[name] for name in self.names}


class Structure:
    """The core numbers and the local clustering coefficients of both nodes."""

    def __init__(
        self, graph: Graph, names: tuple[str, ...], options: Any, threads: int | None, shared: dict[str, Any]
    ) -> None:
        self.names = names
        self.values: dict[str, npt.NDArray[Any]] = {}
        if any(name.startswith("core") for name in names):
            self.values["core"] = core_numbers(graph)
        if any(name.startswith("clustering") for name in names):
            degree = graph.degree
            self.values["clustering"] = triangles_per_node(graph, threads) / np.maximum(degree * (degree - 1) // 2, 1)

    def compute(self, ends: Ends) -> Columns:
        """Return the signals by name."""
        found: Columns = {}
        for name, values in self.values.items():
            found |= smaller_and_larger(name, values, ends)
        return {name: found[name] for name in self.names}
