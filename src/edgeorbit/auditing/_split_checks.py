"""Checks of a split: held-out links must not be visible, and negatives must not be links."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.auditing._case import Case, Outcome
from edgeorbit.auditing.findings import Example
from edgeorbit.data.splits.split import LinkSplit, Pairs, given_negatives
from edgeorbit.errors import EdgeorbitError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.node_pairs import are_edges

Mask = npt.NDArray[np.bool_]


def check_split(case: Case) -> Outcome:
    """No link is in two parts of the split, in either direction, repeated or a self-loop; no negative is a link."""
    split, official = case.given_split, case.given_split.protocol.get("split") == "official"
    counts = f"{split.graph.num_edges} training, {len(split.valid)} validation and {len(split.test)} test links"
    problems = list(_problems(split))
    if not problems:
        problem = _negatives_that_are_links(split)
        if problem is None:
            return Outcome("passed", counts)
        return Outcome("exception" if official else "failed", problem)
    text, pairs = problems[0]
    example = Example(_ids(split.graph, pairs[0]), text)
    note = "; ".join(f"{len(each)} held-out pairs: {what}" for what, each in problems)
    if official:
        return Outcome("exception", f"{note}, as published with this official split", example)
    return Outcome("failed", f"{note}; other checks use the split without them", example)


def cleaned(split: LinkSplit) -> LinkSplit:
    """Return the split without the held-out pairs that `check_split` objects to; the same split if there are none."""
    if split.protocol.get("split") == "official" or not any(True for _ in _problems(split)):
        return split
    kept = {}
    earlier = np.empty((0, 2), np.int64)
    for part, pairs in (("valid", split.valid), ("test", split.test)):
        keep = ~(_outside(split, pairs) | (pairs[:, 0] == pairs[:, 1]))
        keep[keep] &= ~are_edges(split.graph, pairs[keep])
        keep &= ~_repeats(split, np.concatenate([earlier, pairs]))[len(earlier) :]
        earlier = np.concatenate([earlier, pairs])
        kept[part] = pairs[keep]
    weights: dict[str, Any] = {"valid_weight": None, "whole_weight": None}  # of the links as they were
    return replace(
        split, valid=kept["valid"], test=kept["test"], negatives={}, valid_kind=None, test_kind=None, **weights
    )


def _problems(split: LinkSplit) -> Iterator[tuple[str, Pairs]]:
    """Yield what is wrong and the pairs that show it."""
    for what, pairs in (("validation", split.valid), ("test", split.test)):
        outside = _outside(split, pairs)
        inside = pairs[~outside]
        kinds = {
            f"{what} link with a node outside 0 to {split.graph.num_nodes - 1}": pairs[outside],
            f"{what} self-loop": inside[inside[:, 0] == inside[:, 1]],
            f"{what} link and training link": inside[are_edges(split.graph, inside)],
            f"{what} link twice, in either direction": pairs[_repeats(split, pairs)],
        }
        yield from ((text, wrong) for text, wrong in kinds.items() if len(wrong))
    both = split.valid[np.isin(_numbers(split, split.valid), _numbers(split, split.test))]
    if len(both):
        yield "validation link and test link", both


def _outside(split: LinkSplit, pairs: Pairs) -> Mask:
    outside: Mask = np.any((pairs < 0) | (pairs >= split.graph.num_nodes), axis=1)
    return outside


def _repeats(split: LinkSplit, pairs: Pairs) -> Mask:
    """Return which pairs repeat an earlier one, in either direction."""
    _, first = np.unique(_numbers(split, pairs), return_index=True)
    repeated = np.ones(len(pairs), bool)
    repeated[first] = False
    return repeated


def _numbers(split: LinkSplit, pairs: Pairs) -> npt.NDArray[np.int64]:
    ends = np.sort(pairs, axis=1).astype(np.int64)
    numbers: npt.NDArray[np.int64] = ends[:, 0] * max(split.graph.num_nodes, int(ends.max(initial=0)) + 1) + ends[:, 1]
    return numbers


def _negatives_that_are_links(split: LinkSplit) -> str | None:
    """Return what is wrong with the negatives that come with a split."""
    for kind, negatives in split.negatives.items():
        try:
            given_negatives(split, negatives)
        except EdgeorbitError as error:
            return f"negatives {kind!r}: {error}"
    return None


def _ids(graph: Graph, pair: Any) -> tuple[Any, Any]:
    """Return a pair by the user's own ids, or by numbers if they are outside the graph."""
    inside = (pair >= 0).all() and (pair < graph.num_nodes).all()
    u, v = (graph.names(pair) if inside else pair).tolist()
    return u, v
