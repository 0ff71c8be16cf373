"""`orbit-boost`: LightGBM over pair signals."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from edgeorbit._parallel import resolve_threads
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Pairs, Scorer, Scores, Trained
from edgeorbit.models.fitted import FittedModel, Report, Validation
from edgeorbit.models.orbit_boost.budget import affordable
from edgeorbit.models.orbit_boost.examples import (
    NEGATIVES,
    Signals,
    choose_links,
    draw_negatives,
    make_examples,
    rounded,
    without,
)
from edgeorbit.models.orbit_boost.settings import BoostSettings
from edgeorbit.models.orbit_boost.trees import Trees, grow, loading_lightgbm, require_difference
from edgeorbit.signals import SIGNALS, SignalComputer, default_signals

RANKED = ("mrr", "hits")  # metrics that ask for the order of a link among its negatives
PAIRS_AT_ONCE = 1 << 18  # that are scored: pairs of one node share work


class OrbitBoost(FittedModel):
    """Boosted trees over signals of node pairs: common neighbours, walks, PageRank, orbits, features.

    The links of the training graph are hidden one fold after the other, and the signals of a fold's links and of their
    negatives are those of the graph without the fold. Pairs are scored with the signals of the whole graph.
    """

    name = "orbit-boost"
    citation = (
        "Ke, Meng, Finley, Wang, Chen, Ma, Ye, Liu: LightGBM: A highly efficient gradient boosting decision tree, "
        "NeurIPS 2017; over the pair signals of edgeorbit"
    )
    Settings = BoostSettings
    quick: ClassVar[Mapping[str, Any]] = {"trees": 20, "patience": 0}
    search_space: ClassVar = {
        "learning_rate": [0.02, 0.05, 0.1],
        "leaves": [4, 7, 15, 31],
        "least_pairs": [5, 20, 50],
        "negatives": list(NEGATIVES),
        "negatives_per_link": [2, 4, 8, 16],
        "l2": [0.0, 1.0, 10.0],
        "signal_share": [0.3, 0.5, 0.8, 1.0],
    }

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._trees: Trees | None = None
        self._names: tuple[str, ...] | None = None
        self._threads: int | None = None
        self._whole: SignalComputer | None = None  # while it learns

    def use_threads(self, threads: int) -> None:
        """Let LightGBM take so many threads; the result does not depend on them."""
        self._threads = threads

    @property
    def trees(self) -> Trees:
        """The trees, once they are grown."""
        if self._trees is None:
            raise InvalidParameterError(f"{self.name} has no trees yet; train it, or load a trained one")
        return self._trees

    def check(self, graph: Graph) -> None:
        """Refuse what cannot be learned from, before anything is written."""
        with loading_lightgbm():
            import lightgbm  # noqa: F401
        x = graph.x
        if x is not None and x.dtype.kind == "f" and not np.isfinite(x.data if hasattr(x, "nnz") else x).all():
            raise InvalidParameterError(f"{graph.name}: features hold NaN or infinite numbers; replace them by numbers")

    def remarks(self, graph: Graph) -> list[str]:
        """Say of how many links it learned, and which signals would have taken too long."""
        most, found = self.settings.most_links, []
        if graph.num_edges > most:
            found.append(
                f"learned from a sample of {most:,} of {graph.num_edges:,} training links; "
                "--set most_links=N takes more"
            )
        _, left_out = self._plan(graph)
        if left_out:
            groups = ", ".join(dict.fromkeys(SIGNALS[name].group for name in left_out))
            found.append(
                f"{len(left_out)} signals ({groups}) are left out, as they would take longer than "
                f"{self.settings.signal_seconds:g} s of one core by an estimate; --set signal_seconds=N gives them time"
            )
        return found

    def signals(self, graph: Graph) -> tuple[str, ...]:
        """Return the names of the signals that are learned from on a training graph."""
        return self._plan(graph)[0]

    def _plan(self, graph: Graph) -> tuple[tuple[str, ...], dict[str, float]]:
        """Return the signals to compute, and those that would take too long."""
        settings = self.settings
        left_out = settings.left_out | (set() if _describes_nodes(graph.x) else {"features"})
        wanted = [name for name in default_signals(graph) if SIGNALS[name].group not in left_out]
        num_pairs = min(settings.most_links, graph.num_edges) * settings.rows_per_link
        return affordable(graph, wanted, num_pairs, settings.signal_seconds)

    def inputs(self, graph: Graph, targets: Pairs, pairs: Pairs) -> Signals:
        """Return the signals of pairs on the graph without the targets."""
        names = self.signals(graph) if self._names is None else self._names
        return rounded(SignalComputer(without(graph, targets), names, like=self._whole).compute(pairs).values)

    def fit(self, graph: Graph, validation: Validation, *, seed: int, report: Report | None = None) -> Trained:
        """Grow trees on the edges of a graph; validation decides how many are kept."""
        settings, tell = self.settings, report or (lambda done, total, doing: None)
        self._names = names = self.signals(graph)
        self._whole = whole = SignalComputer(graph, names)
        folds = choose_links(graph, settings.most_links, settings.folds, seed)
        steps = len(folds) + 2
        negatives = draw_negatives(graph, np.concatenate(folds), settings.negatives, settings.negatives_per_link, seed)
        examples = make_examples(
            graph, names, folds, negatives, self.inputs, lambda done: tell(done, steps, "computing signals")
        )
        require_difference(examples.values, graph.name)
        tell(len(folds), steps, "computing signals of validation links")
        measured, self._whole = rounded(whole.compute(validation.pairs).values), None
        self._trees, trained = grow(
            examples,
            names,
            settings,
            self._objective(validation.metric),
            validation,
            measured,
            seed=seed,
            threads=resolve_threads(self._threads),
            report=lambda number: tell(steps - 1, steps, f"{number} trees"),
        )
        return trained

    def _objective(self, metric: str) -> str:
        if self.settings.objective != "auto":
            return str(self.settings.objective)
        return "lambdarank" if metric.startswith(RANKED) else "binary"

    def on(self, graph: Graph) -> Scorer:
        """Return a function that scores node pairs with the signals of this graph."""
        trees = self.trees
        computer = SignalComputer(graph, trees.names)

        def score(pairs: Pairs) -> Scores:
            return trees.score(rounded(computer.compute(pairs).values), resolve_threads(self._threads))

        score.pairs_at_once = PAIRS_AT_ONCE  # type: ignore[attr-defined]
        return score

    def weights(self) -> str:
        """Return the trees as LightGBM writes them."""
        return self.trees.text()

    def load_weights(self, text: str) -> None:
        """Take trees that `weights` returned."""
        self._trees = Trees(text)
        self._names = self._trees.names


def _describes_nodes(x: Any) -> bool:
    """Tell whether features can make two nodes alike or different: not if all rows are one, or each has a column."""
    if x is None or x.ndim != 2 or x.dtype.kind not in "biuf":
        return False
    if isinstance(x, np.ndarray):
        return bool((x != x[:1]).any())
    return not (x.shape[0] == x.shape[1] == x.nnz and (x.diagonal() != 0).all())
