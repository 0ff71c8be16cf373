"""What the checks of one audit share: the subject, the split, the pairs that are scored, and the trained subject."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.auditing.findings import Example, Verdict
from edgeorbit.auditing.subjects import Fitted, Subject
from edgeorbit.data.splits.split import LinkSplit, Pairs
from edgeorbit.evaluation.scores import ask_scorer
from edgeorbit.graph.graph import Graph

Scores = npt.NDArray[np.float64]
Metrics = Callable[[Any, Any], Mapping[str, Any]]


class Outcome(NamedTuple):
    """How a check ended; see `Finding`."""

    verdict: Verdict
    note: str = ""
    example: Example | None = None


def skipped(reason: str) -> Outcome:
    """Return the outcome of a check that does not apply."""
    return Outcome("skipped", reason)


@dataclass(eq=False)
class Case:
    """One audit.

    Attributes
    ----------
    subject
        What is audited.
    given_split
        The split as it was given, leaks included.
    split
        The split that the subject is trained on: without what leaks.
    num_pairs
        How many pairs are scored.
    seed
        The seed of training and of all pairs.
    tolerance
        How much two scores of a pair may differ, in units of the largest score.
    metrics
        What turns scores of positives and negatives into metrics.
    """

    subject: Subject
    given_split: LinkSplit
    split: LinkSplit
    num_pairs: int
    seed: int
    tolerance: float
    metrics: Metrics
    stops: dict[str, str] = field(default_factory=dict)  # why later checks cannot be decided

    @cached_property
    def pairs(self) -> Pairs:
        """Held-out links and random pairs, in random order: nothing tells which of them are links."""
        num_nodes = self.split.graph.num_nodes
        random = Random(self.seed, "pairs of the audit")
        held_out = np.concatenate([self.split.valid, self.split.test])
        held_out = held_out[random.permutation(len(held_out))[: self.num_pairs // 2]]
        rest = self.num_pairs - len(held_out)
        first = random.below(np.full(rest, num_nodes))
        second = (first + 1 + random.below(np.full(rest, num_nodes - 1))) % num_nodes
        pairs = np.concatenate([held_out, np.stack([first, second], axis=1)])
        return np.sort(pairs, axis=1)[random.permutation(len(pairs))]

    @cached_property
    def fitted(self) -> Fitted:
        """The subject, as it was given or else trained on the split."""
        if self.subject.given is not None:
            return self.subject.given(self.split)
        return self.trained

    @cached_property
    def trained(self) -> Fitted:
        """The subject, trained on the split by the audit, or just so before it."""
        if self.subject.given_digest == self.split.digest:
            return self.fitted
        assert self.subject.fit is not None
        return self.subject.fit(self.split)

    @cached_property
    def scores(self) -> Scores:
        """The scores of the pairs, all in one call."""
        return self.ask(self.pairs)

    def ask(self, pairs: Pairs, fitted: Fitted | None = None) -> Scores:
        """Return the scores of pairs."""
        scorer = self.fitted if fitted is None else fitted
        return ask_scorer(scorer.score, np.ascontiguousarray(pairs), self.subject.name).astype(np.float64)

    def compare(
        self, pairs: Pairs, first: Scores, second: Scores, text: str, graph: Graph | None = None
    ) -> Example | None:
        """Return the pair whose two scores differ most, if it is by more than rounding."""
        finite = np.concatenate([first[np.isfinite(first)], second[np.isfinite(second)]])
        allowed = self.tolerance * float(np.abs(finite).max(initial=0.0))
        with np.errstate(invalid="ignore"):
            difference = np.abs(first - second)
        same = (first == second) | (np.isnan(first) & np.isnan(second))
        difference = np.where(same, 0.0, np.nan_to_num(difference, nan=np.inf))
        worst = int(np.argmax(difference)) if len(difference) else 0
        if not len(difference) or difference[worst] <= allowed:
            return None
        return self.example(pairs[worst], text, (float(first[worst]), float(second[worst])), graph)

    def example(
        self, pair: Any, text: str, scores: tuple[float, float] | None = None, graph: Graph | None = None
    ) -> Example:
        """Return a pair by the user's own ids."""
        u, v = (graph or self.split.graph).names(np.asarray(pair, np.int64)).tolist()
        return Example((u, v), text, scores)

    def verdict(self, example: Example | None, note: str) -> Outcome:
        """Return that a check passed, or failed by an example."""
        return Outcome("passed" if example is None else "failed", note if example is None else "", example)
