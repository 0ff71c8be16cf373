"""What a measurement means for a graph neural network, in one sentence."""

from edgeorbit.measures.ear import Measurement


def explain(found: Measurement) -> str:
    """Say in one sentence what the numbers mean for somebody who wants to predict links.

    >>> from edgeorbit.graph.toys import karate, prism
    >>> from edgeorbit.measures.ear import measure
    >>> explain(measure(prism()))
    'Every link has a look-alike: no message-passing GNN, however deep, can tell all 9 apart by structure.'
    >>> explain(measure(karate()))
    '22 of 78 links (28.2 %) have a look-alike that no message-passing GNN, however deep, can tell from them by ...'
    """
    network = "message-passing GNN, however deep,"
    if not found.stable:
        layers = "1 layer" if found.rounds == 1 else f"{found.rounds} layers"
        network = f"message-passing GNN of {layers}"
    known = {None: "structure", "degree": "structure and degree", "labels": "structure and labels"}
    basis = known.get(
        found.initial, "structure and features" if found.initial == "features" else "structure and colours"
    )
    edges, alike = found.num_edges, found.num_indistinguishable_edges
    if edges == 0:
        return "There are no links, so there is nothing to tell apart."
    if alike == 0:
        return f"No two of the {edges:,} links look alike: a {network} can tell all of them apart by {basis}."
    if alike == edges:
        return f"Every link has a look-alike: no {network} can tell all {edges:,} apart by {basis}."
    return (
        f"{alike:,} of {edges:,} links ({100 * alike / edges:.1f} %) have a look-alike that no {network} can tell from "
        f"them by {basis}."
    )
