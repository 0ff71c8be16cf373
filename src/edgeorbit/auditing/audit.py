"""`audit`: a table of checks, each with a verdict and an example."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from edgeorbit._parallel import default_threads, resolve_threads
from edgeorbit._randomness import check_seed
from edgeorbit.auditing._case import Case, Metrics, Outcome, skipped
from edgeorbit.auditing._scoring_checks import (
    STOP,
    check_batch_size,
    check_finite,
    check_node_order,
    check_other_pairs,
    check_pair_order,
    check_scored_twice,
    check_ties,
)
from edgeorbit.auditing._split_checks import check_split, cleaned
from edgeorbit.auditing._training_checks import (
    check_node_numbers,
    check_repeatable,
    check_target_links,
    check_test_links,
    check_validation_links,
)
from edgeorbit.auditing.findings import Audit, Finding
from edgeorbit.auditing.subjects import Train, resolve_subject
from edgeorbit.data.features import node_features
from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.errors import InvalidParameterError
from edgeorbit.evaluation.metrics import evaluate
from edgeorbit.prediction.predictor import LinkPredictor
from edgeorbit.prediction.preparing import as_split

TOLERANCE = 1e-5  # of the largest score: what single precision rounds, and little more
NUM_PAIRS = 500


__all__ = ["CHECKS", "Audit", "Check", "audit"]


class Check(NamedTuple):
    """A check: a function, whose docstring is the claim that it verifies, and the checks that it relies on."""

    run: Callable[[Case], Outcome]
    needs: tuple[str, ...] = ("finite scores", "same scores twice")

    @property
    def claim(self) -> str:
        """What the check verifies."""
        return " ".join((self.run.__doc__ or "").split())


RETRAINED = ("finite scores", "same scores twice", "same seed")
# By name, in the order of the table; one that others need stands before them.
CHECKS: Mapping[str, Check] = {
    "split": Check(check_split, needs=()),
    "ties": Check(check_ties, needs=()),
    "finite scores": Check(check_finite, needs=()),
    "same scores twice": Check(check_scored_twice, needs=("finite scores",)),
    "other pairs": Check(check_other_pairs),
    "order of pairs": Check(check_pair_order),
    "batch size": Check(check_batch_size),
    "order of nodes": Check(check_node_order),
    "same seed": Check(check_repeatable),
    "target links": Check(check_target_links),
    "validation links": Check(check_validation_links, needs=RETRAINED),
    "test links": Check(check_test_links, needs=RETRAINED),
    "node numbers": Check(check_node_numbers),
}


def audit(
    model: Any = None,
    split: Any = None,
    *,
    train: Train | None = None,
    seed: int = 0,
    checks: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    training: Mapping[str, Any] | None = None,
    metrics: Metrics = evaluate,
    exceptions: Mapping[str, str] | None = None,
    tolerance: float = TOLERANCE,
    num_pairs: int = NUM_PAIRS,
    threads: int | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> Audit:
    """Check whether a model or its evaluation leaks.

    A model that edgeorbit trains is trained several times, always for the same few epochs, so that validation links
    cannot select the checkpoint. The verdicts therefore hold for training without checkpoint selection.

    Parameters
    ----------
    model
        Whatever `LinkPredictor` takes: a name, `module:Class`, a class or instance of `torch.nn.Module` (its weights
        are drawn anew), a `LinkModel`. A `LinkPredictor`; if it is fitted, its own scores are audited, and the split
        may be left out. Or a function from pairs of shape (k, 2) to k scores, which is called as it is; checks
        that need training are skipped, unless `train` is given.
    split
        A `LinkSplit`, which is audited too and may be built without checks, or whatever `edgeorbit.split` takes.
    train : callable, optional
        For a model that is trained outside edgeorbit: a function from a `LinkSplit` to a scorer, that is a function
        from pairs to scores, a trained `nn.Module` or a `LinkModel`. It is called with the same training links and
        other test links, and must return the same scores. Global random generators are seeded before every call.
    seed
        Decides training and all pairs, and the split where none is given.
    checks
        Names of checks, see `edgeorbit.auditing.audit.CHECKS`; by default all of them.
    settings, training
        As for `LinkPredictor`, instead of the defaults; `epochs` is 3 unless given.
    metrics : callable, optional
        Your own metrics: a function from scores of positives and negatives to a mapping with `auc`, `mrr` or `hits@K`,
        which must give ties the middle rank. By default those of edgeorbit.
    exceptions : mapping, optional
        By name of a check, why your model or split breaks it by design; it is reported as an exception, not as a
        failure. Those of the models of edgeorbit are known.
    tolerance
        How much two scores of a pair may differ by rounding, as a share of the largest score.
    num_pairs
        How many pairs are scored, at most half of them held-out links.
    threads
        Number of threads; by default one per core.
    progress
        Called with the number of checks done, of all checks, and what is being checked.

    Returns
    -------
    Audit
        A finding for every check: its verdict, and an example of a pair where the claim does not hold.

    Raises
    ------
    InvalidParameterError
        If there is nothing to audit or a check is unknown, or the user's code fails.

    Examples
    --------
    >>> findings = audit("cn", "karate")
    >>> findings.passed, findings["order of nodes"].verdict
    (True, 'passed')
    >>> audit(lambda pairs: pairs[:, 0], "karate").failed[0].check
    'order of nodes'
    """
    check_seed(seed)
    chosen = _chosen(checks)
    _chosen([*chosen, *(exceptions or {})])
    if split is None:
        if not (isinstance(model, LinkPredictor) and model.info):
            raise InvalidParameterError("give a split, or whatever edgeorbit.split takes, such as 'karate'")
        split = model.split
    threads = resolve_threads(threads)
    with default_threads(threads):
        torch = sys.modules.get("torch")
        if torch is not None:
            torch.set_num_threads(threads)
        subject = resolve_subject(model, train, settings=settings, training=training, seed=seed, threads=threads)
        given = as_split(split, seed=seed)
        case = Case(
            *(subject, given, _usable(given)),
            num_pairs=num_pairs,
            seed=seed,
            tolerance=tolerance,
            metrics=metrics,
        )
        findings = _run(case, chosen, exceptions or {}, progress)
    about = {"protocol": dict(given.protocol), "training": dict(subject.training or {}), "tolerance": tolerance}
    return Audit(subject.name, given.graph.name, seed, findings, about)


def _chosen(checks: Sequence[str] | None) -> list[str]:
    wanted = [checks] if isinstance(checks, str) else list(CHECKS if checks is None else checks)
    unknown = next((name for name in wanted if name not in CHECKS), None)
    if unknown is not None or not wanted:
        raise InvalidParameterError(f"there is no check {unknown!r}; choose from {', '.join(CHECKS)}")
    return [name for name in CHECKS if name in wanted]


def _usable(split: LinkSplit) -> LinkSplit:
    """Return a split that a model can be trained on: without what leaks, and with features."""
    usable = cleaned(split)
    if usable.graph.x is None:
        usable = usable.with_features(node_features(usable.graph, "identity"), "identity")
    return usable


def _run(
    case: Case,
    chosen: list[str],
    exceptions: Mapping[str, str],
    progress: Callable[[int, int, str], None] | None,
) -> list[Finding]:
    findings = []
    # A check that others need runs even if it is not reported.
    needed = [name for name in CHECKS if any(name in (each, *CHECKS[each].needs) for each in chosen)]
    for number, name in enumerate(needed):
        if progress is not None:
            progress(number, len(needed), f"checking {name}")
        outcome = _outcome(case, CHECKS[name])
        if outcome.verdict == "failed" and name in exceptions:
            outcome = outcome._replace(verdict="exception", note=exceptions[name])
        if name in chosen:
            findings.append(Finding(name, CHECKS[name].claim, *outcome))
    if progress is not None:
        progress(len(needed), len(needed), "checked")
    return findings


def _outcome(case: Case, check: Check) -> Outcome:
    needs_split = check.run not in (check_split, check_ties)
    if needs_split and not (len(case.split.valid) and len(case.split.test)):
        return skipped("no validation link or no test link is left that does not leak")
    if check.needs and STOP in case.stops:
        return skipped(case.stops[STOP])
    return check.run(case)
