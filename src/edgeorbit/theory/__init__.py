"""The paper's theorems as experiments: what each says in numbers, and what is measured beside it.

Theorem 4.1: `sample_complexity` has its bounds and compares D1 with uniform dropout, `simulation` draws and recolours,
and has its figure of C8. Theorem 4.2: `distances` within and between orbits. `link_scores` is the experiment with the
lobster, `performance` that of models against EAR.
"""

from edgeorbit.theory.distances import OrbitDistances, dominant_nodes, mean_squared_distances, orbit_distances
from edgeorbit.theory.link_scores import LinkScores, ScoreSummary, score_links, summarise_scores
from edgeorbit.theory.performance import Correlation, CurvePoint, correlate, curve_points
from edgeorbit.theory.sample_complexity import (
    DrawsByRate,
    DropoutComparison,
    EdgeCounts,
    compare_with_uniform,
    count_edges,
    d1_rates,
    draws_by_rate,
    draws_for_rates,
    sample_complexity,
    uniform_sample_complexity,
)
from edgeorbit.theory.simulation import Course, DroppedCycle, drop_from_cycle, follow_draws, share_changed

__all__ = [
    "Correlation",
    "Course",
    "CurvePoint",
    "DrawsByRate",
    "DropoutComparison",
    "DroppedCycle",
    "EdgeCounts",
    "LinkScores",
    "OrbitDistances",
    "ScoreSummary",
    "compare_with_uniform",
    "correlate",
    "count_edges",
    "curve_points",
    "d1_rates",
    "dominant_nodes",
    "draws_by_rate",
    "draws_for_rates",
    "drop_from_cycle",
    "follow_draws",
    "mean_squared_distances",
    "orbit_distances",
    "sample_complexity",
    "score_links",
    "share_changed",
    "summarise_scores",
    "uniform_sample_complexity",
]
