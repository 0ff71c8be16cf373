"""How well scores tell edges from non-edges: `evaluate` for all numbers at once, `ranks` for the ranks behind them."""

from edgeorbit.evaluation.metrics import Ranks, evaluate, ranks

__all__ = ["Ranks", "evaluate", "ranks"]
