"""The report of one graph as one HTML page: no script, no file, no network.

`gather_facts` measures, `content` puts what the template shows in words and numbers. Nothing here is HTML but symbols
and pictures.
"""

import shlex
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from edgeorbit import __version__
from edgeorbit.graph.graph import Graph
from edgeorbit.measures.statistics import LABELS
from edgeorbit.report._templating import render, styles
from edgeorbit.report.drawing import Drawing
from edgeorbit.report.graph_page import advice as rules
from edgeorbit.report.graph_page._pictures import draw_network, draw_rounds, draw_sizes
from edgeorbit.report.graph_page.advice import PROTOCOL, SOURCE, UNNAMED
from edgeorbit.report.graph_page.facts import GraphFacts
from edgeorbit.report.graph_page.look_alikes import HIDDEN_SHARE, MAX_LINKS, NON_LINKS_PER_LINK, SEED, HardOrbit
from edgeorbit.report.graph_page.signals import Signal
from edgeorbit.report.style import BEYOND_PALETTE, ORBITS, count, ear_name, shorten, size_line, stable_since

TITLE_LETTERS = 80
ROUNDS_LISTED = 12
NAME_LETTERS = 32
# What is compared, and which models see it.
_SIGNALS = {
    "features": ("Similarity of features", "mlp, gcn and every other network"),
    "common_neighbours": ("Common neighbours", "ncn, buddy, seal, eo-gnn; cn, aa, ra without training"),
    "paths": ("Common neighbours, then paths of three links", "seal, nbfnet, neo-gnn, eo-gnn; katz without training"),
    "connected": ("Connected at all", "nbfnet, gcn-dw, gcn-lap; ppr without training"),
}
RULE = (
    "Links are compared with non-links of the same roles if at least "
    f"{100 * rules.MANY_AMBIGUOUS:.0f} % of hidden links have any, else with random ones. (1) If the link's two ends "
    f"have the more similar features at least {100 * rules.FEATURES_LEAD:.0f} points more often than the non-link's: "
    "gcn. (2) Else, if the link has more common neighbours at least "
    f"{100 * rules.COMMON_LEAD:.0f} points more often than fewer: eo-gnn and ncn, or buddy and eo-gnn "
    f"beyond {rules.LARGE:,} links. (3) Else: eo-gnn, beside personalised PageRank."
)
CAVEAT = (
    "The thresholds were chosen with these results in view (Cora and Citeseer fall under rule 1, NS, USAir and Yeast "
    "under 2, Router under 3), so the results illustrate the rule and do not test it. Take it as where to begin."
)


def graph_page(
    graph: Graph,
    *,
    rounds: int | None = None,
    threads: int | None = None,
    source: str = UNNAMED,
    reading: Sequence[str] = (),
    progress: Callable[[str], None] | None = None,
) -> str:
    """Return a report of a graph as an HTML page.

    The page holds EAR and EAR by round, orbits and their sizes, a picture, the hardest links, what would tell links
    from non-links, which model to try, and statistics. The same graph gives the same page. Where a sample is taken, it
    says so.

    Parameters
    ----------
    graph
        The graph; it may be empty.
    rounds
        Rounds of refinement that EAR and pictures show, and the number of layers that the hardest links and the advice
        are about. By default stable colours, and two layers.
    threads
        Number of threads; by default one per core.
    source
        What the user calls the graph at the command line, for commands on the page.
    reading
        Options by which these commands read it, such as `("--columns", "1,2")`.
    progress
        Called with what is done next, before it is done.

    Raises
    ------
    InvalidParameterError
        If `rounds` is negative.

    Examples
    --------
    >>> from edgeorbit.graph.toys import karate
    >>> "22 of 78 links" in graph_page(karate(), source="karate")
    True
    """
    if graph.num_nodes == 0:
        return _page(graph, "There are no nodes, so there is nothing to report.", None)
    from edgeorbit.measures.ear import explain
    from edgeorbit.report.graph_page.facts import gather_facts

    facts = gather_facts(graph, rounds=rounds, threads=threads, source=source, reading=reading, progress=progress)
    if progress is not None:
        progress("drawing")
    return _page(graph, explain(facts.measurement), content(facts, source, reading))


def _page(graph: Graph, headline: str, facts: dict[str, Any] | None) -> str:
    read = []
    if graph.merged_edges:
        read.append(f"{count(graph.merged_edges, 'input edge')} repeated another one, in either direction, and merged")
    if graph.self_loops:
        read.append(f"{count(graph.self_loops, 'self-loop')} dropped")
    return render(
        "graph.html",
        title=shorten(graph.name, TITLE_LETTERS) or "graph",
        size=size_line(graph),
        headline=headline,
        facts=facts,
        read=read,
        version=__version__,
        style=styles("page.css", "graph.css"),
    )


def content(facts: GraphFacts, source: str, reading: Sequence[str] = ()) -> dict[str, Any]:
    """Return what the template shows; `source` and `reading` are what the user calls the graph in commands."""
    return _about_graph(facts) | _about_links(facts) | _about_models(facts, source, reading)


def percent(share: float) -> str:
    """Return a share as a percentage that is 0 or 100 only if the share is.

    >>> [percent(share).replace("\\N{NO-BREAK SPACE}", " ") for share in (0.5, 0.00001, 0.99999, 1.0)]
    ['50.0 %', '< 0.1 %', '> 99.9 %', '100 %']
    """
    if share in (0, 1):
        said = f"{int(100 * share)} %"
    elif share < 0.0005:
        said = "< 0.1 %"
    else:
        said = "> 99.9 %" if share >= 0.9995 else f"{100 * share:.1f} %"
    return said.replace(" ", "\N{NO-BREAK SPACE}")


def number(value: float | None) -> str:
    """Return a number of a table, empty if there is none.

    >>> number(1234), number(0.123456), number(0.0000123), number(None)
    ('1,234', '0.1235', '1.23e-05', '')
    """
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.4g}" if value == 0 or abs(value) >= 1e-3 else f"{value:.2e}"


def _about_graph(facts: GraphFacts) -> dict[str, Any]:
    until_stable = facts.coloured.until_stable
    by_round = [(str(place), f"{value:.4f}") for place, value in enumerate(until_stable.ear_by_round)]
    if until_stable.rounds > ROUNDS_LISTED:
        by_round = [*by_round[: ROUNDS_LISTED + 1], (f"{until_stable.rounds:,} (stable)", f"{until_stable.ear:.4f}")]
    picture, drawing = draw_network(facts.coloured)
    values = facts.statistics.as_dict()
    return {
        "tiles": _tiles(facts),
        "stable_since": stable_since(until_stable.rounds),
        "ear_by_round": by_round,
        "rounds_picture": Markup(draw_rounds(facts.coloured)),
        "sizes_picture": Markup(draw_sizes(facts.coloured)),
        "picture": Markup(picture),
        "sample": drawing.sample,
        "legend": _legend(drawing),
        "statistics": [(LABELS[key], number(values[key])) for key in LABELS],
    }


def _tiles(facts: GraphFacts) -> list[tuple[str, str, str]]:
    """Return title, value and note of the figures that stand out."""
    found, layers = facts.measurement, facts.layers
    name = ear_name(facts.coloured.rounds)
    by_round = facts.coloured.until_stable.ear_by_round
    tiles = [
        (name, f"{found.ear:.4f}", "share of links that look like another link"),
        (f"{name}, ordered", f"{facts.ear_ordered:.4f}", "as in the paper's table"),
    ]
    if facts.coloured.rounds is None:
        at_layers = by_round[min(layers, len(by_round) - 1)]
        tiles.append((ear_name(layers), f"{at_layers:.4f}", f"what {count(layers, 'layer')} see"))
    else:
        tiles.append(("EAR", f"{facts.coloured.until_stable.ear:.4f}", "however many layers"))
    if facts.ear_with_features is not None:
        tiles.append((f"{name} with features", f"{facts.ear_with_features:.4f}", "nodes start from their features"))
    return [
        *tiles,
        (Markup("α<sub>V</sub>"), f"{found.alpha_v:.4f}", "share of nodes that look like another node"),
        ("Orbits of nodes", f"{found.num_node_orbits:,}", f"of {count(found.num_nodes, 'node')}"),
        ("Orbits of links", f"{found.num_edge_orbits:,}", f"of {count(found.num_edges, 'link')}"),
    ]


def _legend(drawing: Drawing) -> list[tuple[str, list[str], str]]:
    """Return for every entry the CSS class of its marks, their colours (empty: that of the class), and its text."""
    coloured = drawing.coloured
    alike, sizes = coloured.num_indistinguishable, coloured.colouring.sizes
    alone = int((sizes == 1).sum())
    own = sizes[drawing.orbits_with_colour]
    others = int((sizes > 1).sum()) - len(own)
    entries = [
        ("stroke", [""], count(alike, "link") + " with a look-alike"),
        ("stroke thin", [""], count(coloured.graph.num_edges - alike, "link") + " without"),
    ]
    if alone:
        roles = " with a role of its own" if alone == 1 else " with roles of their own"
        entries.append(("swatch", [""], count(alone, "node") + roles))
    if len(own):
        drawn = f"{int(own.sum()):,} nodes in the {count(len(own), 'largest role')} drawn"
        entries.append(("swatch", list(ORBITS[: min(len(own), 3)]), drawn))
    if others:
        rest = int(sizes[sizes > 1].sum() - own.sum())
        entries.append(("swatch", [BEYOND_PALETTE], f"{rest:,} nodes in {count(others, 'other shared role')}"))
    return entries


def _about_links(facts: GraphFacts) -> dict[str, Any]:
    look_alikes, hidden, links = facts.look_alikes, facts.hidden, facts.graph.num_edges
    comparisons = _most(facts.at_random)
    no_features = "The graph has no features." if facts.graph.x is None else "The features are no numbers."
    return {
        "num_links": links,
        "layers": count(facts.layers, "layer"),
        "hardest": [_hard(facts.graph, orbit, signal) for orbit, signal in facts.hardest],
        "num_ambiguous": look_alikes.num_ambiguous,
        "ambiguous_share": percent(look_alikes.num_ambiguous / links) if links else "",
        "num_comparisons": look_alikes.num_comparisons,
        "seed": SEED,
        "hidden_share": f"{100 * HIDDEN_SHARE:.0f}",
        "num_hidden": f"{hidden.num_hidden:,}",
        "hidden_ambiguous": percent(hidden.ambiguous_share),
        "alike": _bars(facts.alike),
        "at_random": _bars(facts.at_random),
        "no_features": "" if "features" in facts.at_random else no_features,
        "deeper": percent(hidden.deeper),
        "max_links": f"{MAX_LINKS:,}",
        "non_links_per_link": NON_LINKS_PER_LINK,
        "comparisons": f"{comparisons:,}",
        # Two standard errors of a share in percentage points, if the five comparisons of a link count as one.
        "error": f"{100 / max(comparisons / NON_LINKS_PER_LINK, 1) ** 0.5:.0f}",
    }


def _hard(graph: Graph, orbit: HardOrbit, signal: Signal) -> dict[str, Any]:
    first, second = [f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high in orbit.degrees]
    return {
        "num_links": orbit.num_links,
        "num_non_links": orbit.num_non_links,
        "ends": f"{first} and {second}",
        "degrees": f"degree {first}" if first == second else f"degrees {first} and {second}",
        "links": _names(graph, orbit.links),
        "non_links": _names(graph, orbit.non_links),
        "signal": f"{percent(signal.ahead)}, {percent(signal.behind)}",
    }


def _names(graph: Graph, pairs: npt.NDArray[np.int64]) -> list[list[str]]:
    return [[shorten(str(name), NAME_LETTERS) for name in graph.names(pair)] for pair in pairs]


def _bars(signals: dict[str, Signal]) -> list[dict[str, Any]]:
    bars = []
    for key, (name, models) in _SIGNALS.items():
        if key not in signals:
            continue
        signal = signals[key]
        shares = {"ahead": signal.ahead, "equal": signal.equal, "behind": signal.behind}
        bars.append(
            {
                "name": name,
                "models": models,
                "shares": [(kind, f"{100 * share:.2f}") for kind, share in shares.items()],
                "text": ", ".join(f"{percent(share)} {kind}" for kind, share in shares.items()),
                "fewer": f" ({signal.num_pairs:,} comparisons)" if signal.num_pairs < _most(signals) else "",
            }
        )
    return bars


def _most(signals: dict[str, Signal]) -> int:
    return max((signal.num_pairs for signal in signals.values()), default=0)


def _about_models(facts: GraphFacts, source: str, reading: Sequence[str]) -> dict[str, Any]:
    return {
        "advice": facts.advice,
        "clustering": number(facts.statistics.clustering) or "n/a",
        "unnamed": source if source == rules.UNNAMED else "",
        "see": f"edgeorbit expressiveness {shlex.join([source, *reading])} --models gcn,ncn,eo-gnn",
        "protocol": f"{PROTOCOL}; {SOURCE}. {CAVEAT}",
        "rule": RULE,
    }
