"""Which links a model can never distinguish: distinguishable edge sets, and the order of models by them.

`edgeorbit.expressiveness(graph, models)` is short for `compare_expressiveness`.
`partition` is where to begin: it parts edge orbits into classes of equal scores. `scorers` says what can be judged,
and scores it; `networks` draws random weights, and the noise of models that have any. `judging` makes classes of draws,
and finds scores that depend on the numbering of the nodes. `order` compares models, and says who stands above whom.
"""

import sys
import warnings
from types import ModuleType
from typing import Any

from edgeorbit.expressiveness.judging import EdgePair, Relabelling
from edgeorbit.expressiveness.order import Comparison, HasseDiagram, Order, compare_expressiveness, hasse_diagram
from edgeorbit.expressiveness.partition import ScorePartition, score_partition
from edgeorbit.expressiveness.scorers import DrawnScorer, encoder_scorer

__all__ = [
    "Comparison",
    "DrawnScorer",
    "EdgePair",
    "HasseDiagram",
    "Order",
    "Relabelling",
    "ScorePartition",
    "compare_expressiveness",
    "encoder_scorer",
    "hasse_diagram",
    "score_partition",
]


class _Callable(ModuleType):
    """This package, which can be called like the function that it is named after."""

    def __call__(self, graph: Any, models: Any, **options: Any) -> Comparison:
        """Return `compare_expressiveness(graph, models, **options)`."""
        return compare_expressiveness(graph, models, **options)


sys.modules[__name__].__class__ = _Callable


def __getattr__(name: str) -> Any:
    if name == "compare":
        message = "edgeorbit.expressiveness.compare is deprecated; use compare_expressiveness"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return compare_expressiveness
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
