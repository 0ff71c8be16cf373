"""Signals of the ways between two nodes: walks by length, PageRank, the shortest distance."""

from typing import Any

import numpy as np

from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise.distances import distances
from edgeorbit.pairwise.pagerank import personalised_pagerank
from edgeorbit.pairwise.pair_pagerank import pair_pagerank
from edgeorbit.pairwise.walks import short_walks
from edgeorbit.signals._structure import Columns, Ends
from edgeorbit.signals.catalogue import SMALL

EXACT = 1e-5  # of solved PageRank, relative to the value of a long walk without end


class Walks:
    """Walks by length, weighed by the degrees on their way."""

    def __init__(
        self, graph: Graph, names: tuple[str, ...], options: Any, threads: int | None, shared: dict[str, Any]
    ) -> None:
        self.graph, self.threads = graph, threads
        self.lengths = {name: int(name.removeprefix("walks_")) for name in names}

    def compute(self, ends: Ends) -> Columns:
        """Return the signals by name."""
        longest = max(self.lengths.values())
        weights = short_walks(self.graph, ends.T, max_length=longest, threads=self.threads)
        return {name: weights[:, length - 2] for name, length in self.lengths.items()}


class PageRank:
    """Personalised PageRank from either node at the other."""

    def __init__(
        self, graph: Graph, names: tuple[str, ...], options: Any, threads: int | None, shared: dict[str, Any]
    ) -> None:
        self.graph, self.names, self.threads = graph, names, threads
        self.alpha, self.tolerance = options.alpha, options.tolerance

    def compute(self, ends: Ends) -> Columns:
        """Return the signals by name."""
        options = {"alpha": self.alpha, "threads": self.threads}
        if self.graph.num_nodes <= SMALL:
            # On an undirected graph both directions are the same but for the degrees. They are solved both, so that
            # rounding does not depend on which node comes first.
            both = np.concatenate([ends.T, ends[::-1].T])
            there, back = personalised_pagerank(self.graph, both, tolerance=EXACT, **options).reshape(2, -1)
            degree = np.maximum(self.graph.degree, 1)[ends]
            values = (there / degree[1] + back / degree[0]) / 2 * degree
        else:
            values = pair_pagerank(self.graph, ends.T, tolerance=self.tolerance, **options).T
        found = {"pagerank_min": values.min(axis=0), "pagerank_max": values.max(axis=0)}
        found["pagerank_sum"] = values.sum(axis=0)
        return {name: found[name] for name in self.names}


class Distance:
    """The length of a shortest path, up to a bound."""

    def __init__(
        self, graph: Graph, names: tuple[str, ...], options: Any, threads: int | None, shared: dict[str, Any]
    ) -> None:
        self.graph, self.threads, self.bound = graph, threads, options.max_distance

    def compute(self, ends: Ends) -> Columns:
        """Return the signal by name."""
        return {"distance": distances(self.graph, ends.T, bound=self.bound, threads=self.threads)}
