"""Which links a model can never tell apart: distinguishable edge sets, and the order of models by them.

`partition` is where to begin: it parts every edge orbit into classes of equal scores. `scorers` says what can be
judged; `networks` and `encoders` draw random weights, and `noise` redraws the noise of models that have any. `judging`
makes classes of draws: `orbited_edges` are what is judged, `expected_scores` are what is compared, `score_classes` cuts
and counts, `relabelling` finds scores that depend on the numbering of the nodes. `order` compares models, and `hasse`
says who stands above whom.
"""

from edgeorbit.expressiveness.examples import EdgePair
from edgeorbit.expressiveness.hasse import HasseDiagram, hasse_diagram
from edgeorbit.expressiveness.order import Comparison, Order, compare
from edgeorbit.expressiveness.partition import ScorePartition, score_partition
from edgeorbit.expressiveness.relabelling import Relabelling
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
