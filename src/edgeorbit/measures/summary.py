"""All that is counted and measured of a graph, in one flat table: plain statistics, orbits and EAR by round."""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.measures.ear import ear, measure, orbit_size_distribution
from edgeorbit.measures.statistics import LABELS, statistics
from edgeorbit.orbits.edge_orbits import edge_orbits
from edgeorbit.orbits.refine import refine

LISTED_ROUNDS = 5

# What every number of a summary is called in tables, in the order of printing.
SUMMARY_LABELS = LABELS | {
    "num_node_orbits": "Node orbits",
    "largest_node_orbit": "Largest node orbit",
    "num_edge_orbits": "Edge orbits",
    "largest_edge_orbit": "Largest edge orbit",
    "alpha_v": "alpha_V",
    "ear": "EAR",
    "ear_ordered": "EAR, ordered",
    **{f"ear@{k}": f"EAR@{k}" for k in range(1, LISTED_ROUNDS + 1)},
}


def summarise(graph: Graph, *, threads: int | None = None) -> dict[str, Any]:
    """Measure a graph.

    Parameters
    ----------
    graph
        The graph.
    threads
        As for `edgeorbit.refine`.

    Returns
    -------
    dict
        The numbers that `SUMMARY_LABELS` names (of more rounds than it takes colours to be stable, the last), and
        beside them all of `edgeorbit.measure` and the sizes of orbits, so that JSON can hold it.

    Examples
    --------
    >>> from edgeorbit.graph.families import path
    >>> found = summarise(path(6))
    >>> found["num_edges"], found["ear"], found["ear@1"], found["edge_orbit_sizes"]
    (5, 0.8, 1.0, {'1': 1, '2': 2})
    """
    colouring = refine(graph, threads=threads)
    orbit_sizes = edge_orbits(graph, colouring).orbit_sizes
    measured = measure(graph, threads=threads).as_dict()
    by_round = measured["ear_by_round"]
    return (
        statistics(graph, threads=threads).as_dict()
        | measured
        | {
            "ear_ordered": ear(graph, variant="ordered", threads=threads),
            "largest_node_orbit": int(colouring.sizes.max(initial=0)),
            "largest_edge_orbit": int(orbit_sizes.max(initial=0)),
            "node_orbit_sizes": _as_dict(orbit_size_distribution(colouring.sizes)),
            "edge_orbit_sizes": _as_dict(orbit_size_distribution(orbit_sizes)),
            **{f"ear@{k}": by_round[min(k, len(by_round) - 1)] for k in range(1, LISTED_ROUNDS + 1)},
        }
    )


def show_number(value: float | int | None) -> str:
    """Return a number of a summary as tables print it.

    >>> show_number(1234567), show_number(0.5), show_number(0.00012345), show_number(None)
    ('1,234,567', '0.5000', '0.000123', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3g}" if 0 < abs(value) < 1e-3 else f"{value:,.4f}"


def _as_dict(distribution: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]) -> dict[str, int]:
    sizes, counts = distribution
    return dict(zip(map(str, sizes.tolist()), counts.tolist(), strict=True))
