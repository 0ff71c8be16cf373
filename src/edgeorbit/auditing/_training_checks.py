"""Checks that train a model again, with other held-out links, hidden target links or renumbered nodes."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from edgeorbit.auditing._case import Case, Outcome, skipped
from edgeorbit.auditing.exceptions import NODE_NUMBERS, TARGET_LINKS, exception_for
from edgeorbit.auditing.findings import Example
from edgeorbit.auditing.subjects import Fitted
from edgeorbit.data.negatives.random_pool import random_negatives
from edgeorbit.data.splits.split import LinkSplit, Negatives, Pairs, Part
from edgeorbit.expressiveness.judging import relabel
from edgeorbit.graph.graph import Graph
from edgeorbit.models.fitted import FittedModel

WORDS: Mapping[Part, str] = {"valid": "validation", "test": "test"}
NOT_REPEATABLE = "repeatable"  # why two trainings cannot be compared
NO_TRAINING = "it cannot be trained again; give train=..., a function that trains it on a split"
NUMBERED_FEATURES = ("identity", "random", "orthogonal")


def check_repeatable(case: Case) -> Outcome:
    """Training again with the same seed gives the same scores."""
    if case.subject.fit is None:
        return skipped(NO_TRAINING)
    again = case.subject.fit(case.split)
    first, second = (case.ask(case.pairs, fitted) for fitted in (case.trained, again))
    example = case.compare(case.pairs, first, second, "after the first or the second training")
    if example is not None:
        case.stops[NOT_REPEATABLE] = "two trainings with the same seed give different scores"
    return case.verdict(example, "")


def check_test_links(case: Case) -> Outcome:
    """Scores do not change when test links are withheld, or swapped with non-links."""
    return _blind(case, "test")


def check_validation_links(case: Case) -> Outcome:
    """Scores after so many epochs do not change when validation links are withheld, or swapped with non-links."""
    if case.subject.uses_validation:
        return skipped("train=... may select its checkpoint by validation links, which changes scores legitimately")
    return _blind(case, "valid")


def check_node_numbers(case: Case) -> Outcome:
    """Renumbering the nodes, with their features, permutes the scores."""
    if case.fitted.on is None and case.subject.fit is None:
        return skipped("a function of pairs alone belongs to one numbering; give train=...")
    split, pairs = _renumbered(case)
    fitted = case.fitted if case.fitted.on is not None else case.trained
    renumbered, scores = fitted.on, case.ask(case.pairs, fitted)
    if renumbered is None:
        assert case.subject.fit is not None
        example = case.compare(case.pairs, scores, case.ask(pairs, case.subject.fit(split)), _NUMBERED)
        if example is None:
            return case.verdict(None, "trained on two numberings")
        return skipped("training draws other random numbers on renumbered nodes; return a model with on(graph)")
    again = case.ask(pairs, Fitted(renumbered(split.graph)))
    example = case.compare(case.pairs, scores, again, _NUMBERED)
    if example is not None:
        return _failed_or_exception(case, NODE_NUMBERS, example)
    features = case.split.protocol.get("features")
    if features in NUMBERED_FEATURES:  # derived from node numbers, so renumbered nodes get others
        graph = split.graph.with_attributes(x=case.split.graph.x)
        example = case.compare(case.pairs, scores, case.ask(pairs, Fitted(renumbered(graph))), _NUMBERED)
        if example is not None:
            note = f"{features} features identify the nodes by number; with features that move along it passes"
            return Outcome("exception", note, example)
    return case.verdict(None, "the weights of one numbering, on two")


_NUMBERED = "before or after renumbering the nodes"


def check_target_links(case: Case) -> Outcome:
    """A training step is the same for a process that never had its target links."""
    model_class = case.subject.model_class
    if model_class is None:
        return skipped("it is trained outside edgeorbit")
    if not model_class.trainable:
        return skipped("it has no weights")
    graph = case.split.graph
    hidden = max(1, min(graph.num_edges // 2, 64))
    order = np.random.default_rng(case.seed).permutation(graph.num_edges)
    edges = graph.edges.astype(np.int64)
    targets, kept = edges[order[:hidden]], edges[np.sort(order[hidden:])]
    attributes: dict[str, Any] = {"x": graph.x, "name": graph.name}
    left = Graph.from_edges(kept, graph.num_nodes, **attributes)
    negatives = _non_links(case.split, "test", case.seed)
    negatives = negatives[np.arange(hidden) % len(negatives)]
    pairs = np.concatenate([targets, negatives])
    text = "with or without the target links among the training links that the process has"
    if issubclass(model_class, FittedModel):
        model = case.fitted.model if isinstance(case.fitted.model, FittedModel) else model_class()
        example = _compare_inputs(case, pairs, *(model.inputs(known, targets, pairs) for known in (graph, left)))
        if example is None:
            return case.verdict(None, f"{hidden} target links hidden")
        return _failed_or_exception(case, TARGET_LINKS, example)
    from edgeorbit.auditing._training_step import step

    with_links, without = (step(case, known, left, targets, negatives) for known in (graph, left))
    example = case.compare(pairs, with_links.logits, without.logits, text)
    if example is None:
        example = case.compare(pairs, with_links.scores, without.scores, f"after a step {text}")
    if example is None and not with_links.same_weights(without):
        example = case.example(targets[0], "weights after a step differ with and without the target links")
    if example is None:
        return case.verdict(None, f"{hidden} target links hidden")
    return _failed_or_exception(case, TARGET_LINKS, example)


def _compare_inputs(case: Case, pairs: Pairs, with_links: Any, without: Any) -> Example | None:
    """Return the pair whose inputs differ most, as the sum over all of them."""
    differ = np.flatnonzero((with_links != without) & ~(np.isnan(with_links) & np.isnan(without)))
    if not len(differ):
        return None
    row, column = divmod(int(differ[0]), with_links.shape[1])
    values = float(with_links[row, column]), float(without[row, column])
    text = f"input {column} with or without the target links among the training links that the process has"
    return case.example(pairs[row], text, values)


def _failed_or_exception(case: Case, check: str, example: Example) -> Outcome:
    model = case.subject.model_class or case.fitted.model
    reason = exception_for(model, check)
    return Outcome("failed", "", example) if reason is None else Outcome("exception", reason, example)


def _blind(case: Case, part: Part) -> Outcome:
    """Train on the same training links with other held-out links of a part, and compare the scores."""
    word = WORDS[part]
    if case.subject.fit is None:
        return skipped(NO_TRAINING)
    if NOT_REPEATABLE in case.stops:
        return skipped(case.stops[NOT_REPEATABLE])
    ordinary = case.ask(case.pairs, case.trained)
    for how, other in _other_splits(case.split, part, case.seed):
        scores = case.ask(case.pairs, case.subject.fit(other))
        text = f"trained with the {word} links as they are or {how}"
        example = case.compare(case.pairs, ordinary, scores, text)
        if example is not None:
            return Outcome("failed", "", example)
    return case.verdict(None, f"{len(case.split.positives(part))} {word} links withheld, and swapped with non-links")


def _other_splits(split: LinkSplit, part: Part, seed: int) -> Iterator[tuple[str, LinkSplit]]:
    """Yield splits of the same training links with other links held out in a part: a single non-link, and as many.

    A part is never empty, since training may require validation links.
    """
    non_links = _non_links(split, part, seed)
    for how, pairs in (("withheld", non_links[:1]), ("swapped with non-links", non_links)):
        negatives = {kind: _for_positives(given, part, len(pairs)) for kind, given in split.negatives.items()}
        changes: dict[str, Any] = {part: pairs, f"{part}_kind": None, "negatives": negatives}
        yield how, replace(split, **changes)


def _for_positives(negatives: Negatives, part: Part, count: int) -> Negatives:
    """Return negatives with a row for each of so many positives of a part."""
    given = negatives.of(part)
    if given.ndim == 2:
        return negatives
    rows: dict[str, Any] = {part: given[np.arange(count) % len(given)]}
    return replace(negatives, **rows)


def _non_links(split: LinkSplit, part: Part, seed: int) -> Pairs:
    """Return as many non-links of the whole graph as the part has links."""
    turned = split if part == "test" else LinkSplit(split.graph, split.test, split.valid)
    return random_negatives(replace(turned, negatives={}), seed).test


def _renumbered(case: Case) -> tuple[LinkSplit, Pairs]:
    """Return the split and the pairs with the nodes in another order."""
    split = case.split
    parts = [split.valid, split.test, case.pairs]
    graph, numbered = relabel(split.graph, np.concatenate(parts), case.seed)
    valid, test, pairs = np.split(numbered, np.cumsum([len(part) for part in parts])[:-1])
    return LinkSplit(graph, valid, test, protocol=split.protocol), pairs
