"""Which model to try: three rules over measured facts, each with what was measured about models."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from edgeorbit.graph.graph import Graph
from edgeorbit.report.graph_page.evidence import BEYOND, COMMON_NEIGHBOURS, FEATURES, Claim, running_time
from edgeorbit.report.graph_page.signals import Signal
from edgeorbit.report.wording import count

UNNAMED = "GRAPH"  # in commands, if nobody said what the graph is called
ENOUGH_LINKS = 50  # a split of 80/15/5 leaves two links to test on
MANY_AMBIGUOUS = 0.2  # share of links with an equal non-link, from which those decide
# How much more often the link is ahead than behind. Both were set after the results that they are explained by were
# known, on seven graphs, and have not been tried on others.
FEATURES_LEAD, COMMON_LEAD = 0.3, 0.5
LARGE = 200_000  # links; eo-gnn and ncn list common neighbours of every batch, buddy estimates them once


@dataclass(frozen=True)
class Suggestion:
    """A model to try: why, and the command."""

    model: str
    why: str
    command: str


@dataclass(frozen=True)
class Advice:
    """Models to try, best first, with the rule that chose them.

    Attributes
    ----------
    verdict : str
        One sentence.
    reason : str
        The measured facts that the rule looked at.
    suggestions : tuple of Suggestion
        Models, in the order in which to try them.
    evidence : tuple of Claim
        What was measured about these models on other graphs.
    time : str
        How long training takes.
    """

    verdict: str
    reason: str
    suggestions: tuple[Suggestion, ...]
    evidence: tuple[Claim, ...]
    time: str


def advise(
    graph: Graph,
    ambiguous_share: float,
    alike: Mapping[str, Signal],
    at_random: Mapping[str, Signal],
    *,
    layers: int = 2,
    source: str = UNNAMED,
    reading: Sequence[str] = (),
) -> Advice | None:
    """Choose models by rule; None if there are no links.

    Parameters
    ----------
    graph
        The graph.
    ambiguous_share
        Share of hidden links that a network of `layers` layers must score like some non-link.
    alike, at_random
        What tells links from non-links of their orbit, and from random ones (`compare`). The former decide if at least
        `MANY_AMBIGUOUS` of the links have such non-links, else the latter.
    layers
        Number of layers.
    source
        What the user calls the graph at the command line.
    reading
        Options by which commands read it, such as `("--columns", "1,2")`.

    Examples
    --------
    >>> from edgeorbit.graph.families import cycle
    >>> ahead = {"common_neighbours": Signal("common_neighbours", 0.9, 0.1, 0.0, 100)}
    >>> [suggestion.model for suggestion in advise(cycle(100), 1.0, ahead, ahead).suggestions]
    ['eo-gnn', 'ncn', 'ra']
    """
    if graph.num_edges == 0:
        return None
    decisive = alike if ambiguous_share >= MANY_AMBIGUOUS and alike else at_random or alike
    against = "such non-links" if decisive is alike else "random non-links"
    common, features = decisive.get("common_neighbours"), decisive.get("features")
    facts = [
        f"A {layers}-layer network scores {_percent(ambiguous_share)} of hidden links like some non-link, so links "
        f"were compared with {against}"
    ]
    if features is not None:
        facts.append(f"features: {_lead(features)}")
    if common is not None:
        facts.append(f"common neighbours: {_lead(common)}")
    reason = "; ".join(facts) + "."
    has_features = features is not None and features.lead >= FEATURES_LEAD
    known = "original" if has_features else "constant"
    closeness = common is not None and common.lead >= COMMON_LEAD
    overlap = "buddy" if graph.num_edges > LARGE else "ncn"
    yardstick = "ra" if closeness else "ppr"

    def suggest(model: str, why: str) -> Suggestion:
        read = shlex.join([source, *reading])
        command = f"edgeorbit train {read} --model {model} --features {known} -o run-{model}"
        return Suggestion(model, why, command)

    check = suggest(yardstick, "A yardstick without training: a network that does not beat it is not worth its time.")
    if graph.num_edges < ENOUGH_LINKS:
        verdict = f"{count(graph.num_edges, 'link')}: too few to train and to judge a network."
        return Advice(verdict, reason, (check,), (), "no training")
    if has_features:
        second = (
            suggest(overlap, "Adds common neighbours, which tell much here too.")
            if closeness
            else suggest("eo-gnn", "Adds roles, noise and walks, for the pairs that features leave open.")
        )
        return Advice(
            "The features tell links from non-links: a plain GCN is a good start.",
            reason,
            (suggest("gcn", "Features break the symmetry that structure alone leaves."), second, check),
            FEATURES,
            running_time(graph.num_edges),
        )
    if closeness:
        sighted = (
            suggest("eo-gnn", "Sees common neighbours, longer walks and components of each pair."),
            suggest(overlap, "Reads common neighbours pair by pair, which message passing cannot."),
        )
        return Advice(
            "Common neighbours tell most links from non-links: use a model that sees them, and compare two.",
            reason,
            (*(sighted[::-1] if graph.num_edges > LARGE else sighted), check),
            COMMON_NEIGHBOURS,
            running_time(graph.num_edges),
        )
    return Advice(
        "Neither features nor common neighbours settle it: use a model that sees beyond both.",
        reason,
        (
            suggest("eo-gnn", "Sees the walks between the two ends, and whether they are in one component."),
            check,
        ),
        BEYOND,
        running_time(graph.num_edges),
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _lead(signal: Signal) -> str:
    return f"link ahead in {_percent(signal.ahead)}, behind in {_percent(signal.behind)} of {signal.num_pairs:,} cases"
