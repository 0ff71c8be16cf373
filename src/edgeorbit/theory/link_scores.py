"""The lobster experiment: how trained models score links that have a look-alike, and links that have none.

Links are held out and scored on the graph without them; which of them look alike is decided on the whole graph, as in
the paper. On a tree that alone would compare two things at once: links with a look-alike mostly end in a leaf, which
is cut off when its link is held out. So links that end in a leaf and inner ones are kept apart.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.edge_orbits import edge_orbits
from edgeorbit.orbits.refine import refine

MODELS = ("gcn", "ncn", "eo-gnn")
RATIOS = (0.7, 0.1, 0.2)  # many test links: there are few of every kind
EPOCHS = 40
TRAINING = {  # one for all models; NCN's own rate would need ten times as many epochs
    "metric": "auc",
    "learning_rate": 0.01,
    "batch_size": 64,  # a batch hides its links; more at once would leave another graph than the one that is scored on
}
KINDS = ("automorphic", "other", "negative")
PLACES = ("all", "leaf", "inner")
THRESHOLD = 0.5  # of the probability, below which a link is predicted to be none


@dataclass(frozen=True, eq=False)
class LinkScores:
    """What one trained model makes of the test links of one seed.

    Attributes
    ----------
    model, seed
        Which model, and the seed of split, weights and negatives.
    links
        The probabilities of test links.
    automorphic, leaf
        Whether each looks like another link of the whole graph, and whether it ends in a node without any other.
    negatives
        The probabilities of random pairs that are no links.
    """

    model: str
    seed: int
    links: npt.NDArray[np.float64]
    automorphic: npt.NDArray[np.bool_]
    leaf: npt.NDArray[np.bool_]
    negatives: npt.NDArray[np.float64]

    def of(self, kind: str, place: str = "all") -> npt.NDArray[np.float64]:
        """Return the probabilities of one of `KINDS`, at one of `PLACES`; negatives have no place."""
        if kind == "negative":
            return self.negatives
        chosen = self.automorphic if kind == "automorphic" else ~self.automorphic
        if place != "all":
            chosen = chosen & (self.leaf if place == "leaf" else ~self.leaf)
        return self.links[chosen]


def score_links(
    graph: Graph,
    models: Sequence[str] = MODELS,
    seeds: int = 5,
    *,
    epochs: int = EPOCHS,
    features: str = "constant",
    threads: int | None = 1,
    report: Callable[[int, int, str], None] | None = None,
) -> list[LinkScores]:
    """Train models on a graph, and let them score held-out links.

    Parameters
    ----------
    graph
        The graph.
    models
        Names of models.
    seeds
        How many: every seed has its own split, weights and negatives, the same for all models.
    epochs
        Epochs of training; the last weights are kept.
    features
        Constant ones leave structure alone to learn from.
    threads
        Number of threads; on a graph as small as a lobster more than one only wait for each other.
    report
        Called with the numbers of trainings done and to do, and the name of the next one.
    """
    from edgeorbit.data.negatives import sample_negatives
    from edgeorbit.models import resolve_model
    from edgeorbit.prediction import LinkPredictor
    from edgeorbit.training.settings import TrainingSettings, training_class

    if seeds < 1:
        raise InvalidParameterError(f"seeds must be at least 1, not {seeds}")
    if epochs < 1:
        raise InvalidParameterError(f"epochs must be at least 1, not {epochs}")
    for name in models:
        if training_class(resolve_model(name)) is not TrainingSettings:
            raise InvalidParameterError(f"{name} gives no probabilities; choose networks such as gcn")
    orbits = edge_orbits(graph, refine(graph))
    found = []
    for place, (seed, name) in enumerate((seed, name) for seed in range(seeds) for name in models):
        if report is not None:
            report(place, seeds * len(models), f"training {name}, seed {seed}")
        # One evaluation, at the end: the weights of the best AUC are often those of an early epoch, when AUC is there
        # and probabilities are not yet.
        training = {**TRAINING, "epochs": epochs, "evaluate_every": epochs}
        predictor = LinkPredictor(name, training=training, seed=seed, threads=threads)
        predictor.fit(graph, kind="random", ratios=RATIOS, features=features)
        test = predictor.split.test
        scorer = predictor.model.on(predictor.split.graph)
        found.append(
            LinkScores(
                model=name,
                seed=seed,
                links=_probabilities(scorer(test)),
                automorphic=orbits.orbit_sizes[orbits.labels_of(test)] > 1,
                leaf=graph.degree[test].min(axis=1) == 1,
                negatives=_probabilities(scorer(sample_negatives(predictor.split, "random", seed).test)),
            )
        )
    return found


@dataclass(frozen=True)
class ScoreSummary:
    """The probabilities that a model gives to links of one kind, over all seeds.

    Attributes
    ----------
    model, kind, place
        The model; `automorphic`, `other` or `negative`; `all`, or whether links end in a `leaf` or are `inner`.
    number
        How many there are.
    mean, deviation, quartiles
        Of the probabilities; None without any.
    share_missed
        Share below 0.5, predicted to be no links.
    auc, auc_deviation
        Mean and deviation over seeds of the area under the ROC curve against random negatives.
    """

    model: str
    kind: str
    place: str
    number: int
    mean: float | None
    deviation: float | None
    quartiles: list[float] | None
    share_missed: float | None
    auc: float | None
    auc_deviation: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes as a dictionary that JSON can hold."""
        return asdict(self)


def summarise_scores(found: Sequence[LinkScores]) -> list[ScoreSummary]:
    """Summarise scores: for every model a row for each kind of links, and for each place.

    >>> one = LinkScores("m", 0, np.array([0.2, 0.8]), np.array([True, False]), np.array([True, True]), np.array([0.1]))
    >>> [(row.kind, row.place, row.mean) for row in summarise_scores([one])][:3]
    [('automorphic', 'all', 0.2), ('automorphic', 'leaf', 0.2), ('automorphic', 'inner', None)]
    """
    rows = []
    for model in dict.fromkeys(one.model for one in found):
        own = [one for one in found if one.model == model]
        for kind in KINDS:
            for place in PLACES if kind != "negative" else PLACES[:1]:
                rows.append(_summarise(own, model, kind, place))
    return rows


def _summarise(found: Sequence[LinkScores], model: str, kind: str, place: str) -> ScoreSummary:
    from edgeorbit.evaluation.metrics import evaluate

    scores = np.concatenate([one.of(kind, place) for one in found])
    if len(scores) == 0:
        return ScoreSummary(model, kind, place, 0, None, None, None, None, None, None)
    areas = [
        evaluate(one.of(kind, place), one.negatives)["auc"]
        for one in found
        if kind != "negative" and len(one.of(kind, place))
    ]
    return ScoreSummary(
        model=model,
        kind=kind,
        place=place,
        number=len(scores),
        mean=float(scores.mean()),
        deviation=float(scores.std()),
        quartiles=np.quantile(scores, [0.25, 0.5, 0.75]).tolist(),
        share_missed=float((scores < THRESHOLD).mean()),
        auc=float(np.mean(areas)) if areas else None,
        auc_deviation=float(np.std(areas)) if areas else None,
    )


def _probabilities(logits: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float64]:
    return 1 / (1 + np.exp(-logits.astype(np.float64)))
