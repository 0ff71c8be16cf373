"""Signals of orbits: their sizes and densities, and what two nodes share, sorted by the orbits that it lies in.

Two designs of the paper perturb nodes by the size of their orbit. In expectation both are walks between the nodes of a
pair, weighed by the orbit size of the node where two halves of a walk meet; the bins here let a model learn the weight.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.colouring import Colouring
from edgeorbit.orbits.density import OrbitCensus, colours_of_rounds, degree_octaves, orbit_densities
from edgeorbit.orbits.refine import refine
from edgeorbit.pairwise.common_neighbours import common_neighbour_sums
from edgeorbit.pairwise.meeting_walks import meeting_walks
from edgeorbit.signals._structure import Columns, Ends, smaller_and_larger
from edgeorbit.signals.catalogue import BIN_STARTS, BINS, MEETING_LENGTHS, ROUNDS


def colours_by_round(graph: Graph, threads: int | None, shared: dict[str, Any]) -> dict[str, Colouring]:
    """Return the colouring after each of `ROUNDS`; those after the partition is stable are the last one."""
    if "colours" not in shared:
        numbered = [r for r in ROUNDS if r != "stable"]
        rounds = colours_of_rounds(graph, int(numbered[-1]), threads)
        found = {r: rounds[int(r) - 1] for r in numbered}
        found["stable"] = rounds[-1] if rounds[-1].stable else refine(graph, threads=threads)
        shared["colours"] = found
    colours: dict[str, Colouring] = shared["colours"]
    return colours


def _bins(colouring: Colouring) -> npt.NDArray[np.uint8]:
    """Return for every node the bin of the size of its orbit."""
    return np.searchsorted(BIN_STARTS, colouring.sizes, side="right").astype(np.uint8)[colouring.labels]


class Orbits:
    """Sizes of the orbits of both nodes, and links and density of the orbit of the pair."""

    def __init__(
        self, graph: Graph, names: tuple[str, ...], options: Any, threads: int | None, shared: dict[str, Any]
    ) -> None:
        self.graph, self.names, self.kappa = graph, names, options.kappa
        colours = colours_by_round(graph, threads, shared)
        self.log_sizes = {r: np.log(each.sizes)[each.labels] for r, each in colours.items()}
        self.censuses: dict[str, OrbitCensus] = {}
        if any(name.startswith(("orbit_links", "orbit_density")) for name in names):
            self.coarse = OrbitCensus.of(graph, degree_octaves(graph))
            self.censuses = {r: OrbitCensus.of(graph, each.labels) for r, each in colours.items()}

    def compute(self, ends: Ends) -> Columns:
        """Return the signals by name."""
        found: Columns = {}
        for r, sizes in self.log_sizes.items():
            sorted_sizes = smaller_and_larger("orbit_size", sizes, ends)
            found |= {f"{name}_{r}": size for name, size in sorted_sizes.items()}
        for r, census in self.censuses.items():
            found[f"orbit_links_{r}"] = np.log1p(census.links(ends))
        if self.censuses:
            densities = orbit_densities(self.graph, [self.coarse, *self.censuses.values()], ends, self.kappa)
            found |= {f"orbit_density_{r}": each for r, each in zip(self.censuses, densities[1:], strict=True)}
        return {name: found[name] for name in self.names}


class OrbitCommonNeighbours:
    """Common neighbours, counted by the size of their orbit."""

    def __init__(
        self, graph: Graph, names: tuple[str, ...], options: Any, threads: int | None, shared: dict[str, Any]
    ) -> None:
        self.graph, self.names, self.threads = graph, names, threads
        colours = colours_by_round(graph, threads, shared)
        weights = {
            f"common_neighbours_{r}_bin_{i}": bins == i
            for r, bins in ((r, _bins(each)) for r, each in colours.items())
            for i in range(len(BINS))
        }
        self.weights = np.stack([weights[name] for name in names], axis=1).astype(np.float64)

    def compute(self, ends: Ends) -> Columns:
        """Return the signals by name."""
        sums = common_neighbour_sums(self.graph, ends.T, self.weights, threads=self.threads)
        return dict(zip(self.names, sums.T, strict=True))


class OrbitWalks:
    """Walks of length 3 and 4, weighed by the size of the orbit of the node where their halves meet."""

    def __init__(
        self, graph: Graph, names: tuple[str, ...], options: Any, threads: int | None, shared: dict[str, Any]
    ) -> None:
        self.graph, self.names, self.threads = graph, names, threads
        colours = colours_by_round(graph, threads, shared)
        self.rounds = [r for r in ROUNDS if any(f"_{r}_bin_" in name for name in names)]
        self.bins = np.stack([_bins(colours[r]) for r in self.rounds], axis=1)

    def compute(self, ends: Ends) -> Columns:
        """Return the signals by name."""
        sums = meeting_walks(self.graph, ends.T, self.bins, len(BINS), threads=self.threads)
        found = {
            f"walks_{length}_{r}_bin_{i}": sums[:, place, j, i]
            for place, length in enumerate(MEETING_LENGTHS)
            for j, r in enumerate(self.rounds)
            for i in range(len(BINS))
        }
        return {name: found[name] for name in self.names}
