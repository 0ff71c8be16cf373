"""Link predictors with weights that fit themselves, without a network and without PyTorch."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel, Pairs, Scores, Trained

Report = Callable[[int, int, str], None]  # steps done, steps in all, and what is being done


class Validation(NamedTuple):
    """What a model may know of the validation links: how well scores rank them, and of which pairs.

    Attributes
    ----------
    metric : str
        What is measured; the model may choose its objective by it.
    pairs : int64 array of shape (k, 2)
        The pairs to score. Which of them are links is not said.
    measure : callable
        From their scores to the value of the metric.
    """

    metric: str
    pairs: Pairs
    measure: Callable[[Scores], float]


class FittedModel(LinkModel):
    """A link predictor that learns from the training graph by itself, such as a model of scikit-learn or LightGBM.

    Attributes
    ----------
    quick : mapping
        Settings of a short training whose result does not depend on the validation links, for audits.
    """

    trainable = True
    trains_in_parallel = False
    default_features = "constant"
    quick: ClassVar[Mapping[str, Any]] = {}

    def check(self, graph: Graph) -> None:
        """Refuse a graph that the model cannot be fitted to, with the way out, before anything is written."""

    @abstractmethod
    def fit(self, graph: Graph, validation: Validation, *, seed: int, report: Report | None = None) -> Trained:
        """Learn from the edges of a graph; validation may choose what is kept, and nothing else.

        Parameters
        ----------
        graph
            The training edges, and the features.
        validation
            What measures the validation links.
        seed
            Decides every random choice.
        report
            Called after every step.
        """

    @abstractmethod
    def inputs(self, graph: Graph, targets: Pairs, pairs: Pairs) -> npt.NDArray[np.floating[Any]]:
        """Return what is learned from about pairs while the targets are hidden, a row for each pair.

        Parameters
        ----------
        graph
            The training edges; the targets may be among them.
        targets
            The links that are hidden.
        pairs
            The pairs of that step: the targets and their negatives.
        """

    @abstractmethod
    def weights(self) -> str:
        """Return what was learned as text, which `load_weights` reads; nothing of it is ever executed."""

    @abstractmethod
    def load_weights(self, text: str) -> None:
        """Take weights that `weights` returned.

        Raises
        ------
        ValueError
            If they are damaged, or those of another model.
        """
