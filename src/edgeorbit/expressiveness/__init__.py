"""Which links a model can never tell apart: distinguishable edge sets, and the order of models by them.

`partition` is where to begin: it parts edge orbits into classes of equal scores. `scorers` says what can be judged,
and scores it; `networks` draws random weights, and the noise of models that have any. `judging` makes classes of draws,
and finds scores that depend on the numbering of the nodes. `order` compares models, and says who stands above whom.
"""

from edgeorbit.expressiveness.judging import EdgePair, Relabelling
from edgeorbit.expressiveness.order import Comparison, HasseDiagram, Order, compare, hasse_diagram
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
    "compare",
    "encoder_scorer",
    "hasse_diagram",
    "score_partition",
]
