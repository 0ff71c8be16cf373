"""The sections about links: the hardest ones, and what would tell links from non-links."""

from edgeorbit.report.graph_page.facts import GraphFacts
from edgeorbit.report.graph_page.hiding import HIDDEN_SHARE, MAX_LINKS, NON_LINKS_PER_LINK, SEED
from edgeorbit.report.graph_page.look_alikes import HardOrbit
from edgeorbit.report.graph_page.markup import pair_names, paragraph, percent, section, table
from edgeorbit.report.graph_page.signals import Signal
from edgeorbit.report.wording import count

# What is compared, and which models see it.
_SIGNALS = {
    "features": ("Similarity of features", "mlp, gcn and every other network"),
    "common_neighbours": ("Common neighbours", "ncn, buddy, seal, eo-gnn; cn, aa, ra without training"),
    "paths": ("Common neighbours, then paths of three links", "seal, nbfnet, neo-gnn, eo-gnn; katz without training"),
    "connected": ("Connected at all", "nbfnet, gcn-dw, gcn-lap; ppr without training"),
}


def hardest_section(facts: GraphFacts) -> str:
    """Return the largest orbits that hold links and non-links."""
    title = f"The hardest links for {count(facts.layers, 'layer')}"
    look_alikes, links = facts.look_alikes, facts.graph.num_edges
    if not facts.hardest:
        what = "There are no links." if links == 0 else "No link shares its two roles with a non-link."
        return section(title, paragraph(what, "lead"))
    worst = facts.hardest[0][0]
    rows = [_hard_row(facts, orbit, signal) for orbit, signal in facts.hardest]
    network = f"network of {count(facts.layers, 'layer')}"
    return section(
        title,
        paragraph(
            f"Any {network} that sees structure alone gives the same score to "
            f"<b>{'this' if worst.num_links == 1 else 'these'} {count(worst.num_links, 'link')}</b> and "
            f"<b>{count(worst.num_non_links, 'non-link')}</b>, whose ends have {_degrees(worst)}.",
            "callout",
        ),
        paragraph(
            f"{look_alikes.num_ambiguous:,} of {count(links, 'link')} ({percent(look_alikes.num_ambiguous / links)}) "
            f"share their orbit with at least one pair of nodes that is not linked: "
            f"{look_alikes.num_comparisons:,} times a link and a non-link get the same score. These are the largest "
            "such orbits; all counts are exact.",
            "lead",
        ),
        table(
            [
                ("Links", "number"),
                ("Non-links", "number"),
                ("Degrees of the ends", ""),
                ("Links, for example", "stacked"),
                ("Same score: non-links", "stacked"),
                ("More common neighbours: link, non-link", "number"),
            ],
            rows,
        ),
        paragraph(
            "The last column compares a link with a non-link of its orbit, on a sample of up to 1,000 such pairs (seed "
            f"{SEED}): how often the one, and how often the other, has more common neighbours. Where the non-link has "
            "more, they differ but do not speak for the link. GCN's degree normalisation is worth one more round.",
            "faint small",
        ),
    )


def _hard_row(facts: GraphFacts, orbit: HardOrbit, signal: Signal) -> list[str]:
    return [
        f"<b>{orbit.num_links:,}</b>",
        f"{orbit.num_non_links:,}",
        " and ".join(_ends(orbit)),
        pair_names(facts.graph, orbit.links),
        pair_names(facts.graph, orbit.non_links),
        f"{percent(signal.ahead)}, {percent(signal.behind)}",
    ]


def _ends(orbit: HardOrbit) -> list[str]:
    return [f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high in orbit.degrees]


def _degrees(orbit: HardOrbit) -> str:
    first, second = _ends(orbit)
    return f"degree {first}" if first == second else f"degrees {first} and {second}"


def signals_section(facts: GraphFacts) -> str:
    """Return what would tell hidden links from non-links."""
    hidden = facts.hidden
    title = "What would tell links from non-links"
    if not facts.at_random:
        return section(title, paragraph("There is no link, or no non-link, to compare with.", "lead"))
    intro = (
        f"{100 * HIDDEN_SHARE:.0f} % of the links ({hidden.num_hidden:,}) were hidden, as training does, and the rest "
        f"was coloured anew. <b>{percent(hidden.ambiguous_share)}</b> of the hidden links then have the same two roles "
        f"as some pair that is not linked, so {count(facts.layers, 'layer')} of message passing cannot tell them "
        "apart. Other signals can, if the link has more of it than the non-link:"
    )
    keys = (
        '<ul class="legend"><li><i class="key ahead"></i>the link has more</li><li><i class="key equal"></i>equal</li>'
        '<li><i class="key behind"></i>the non-link has more</li></ul>'
    )
    columns = [
        _bars("Against non-links with the same roles", facts.alike, facts),
        _bars("Against any non-link", facts.at_random, facts),
    ]
    deeper = ""
    if facts.alike:
        deeper = (
            f"More layers: in {percent(hidden.deeper)} of the comparisons with the same roles, stable colours differ. "
            "A deep network could tell these pairs apart in principle; that does not say which of the two is the link. "
        )
    first = next(iter(facts.at_random.values()))
    return section(
        title,
        paragraph(intro, "lead"),
        keys,
        f'<div class="columns" style="margin-top:18px">{"".join(columns)}</div>',
        paragraph(
            f"{deeper}Each of up to {MAX_LINKS:,} hidden links was compared with {NON_LINKS_PER_LINK} non-links "
            f"drawn at random (seed {SEED}; "
            f"{first.num_pairs:,} comparisons, so shares are known to about {_error(first.num_pairs)} points). Hidden "
            "links are not seen by any signal.",
            "faint small after",
        ),
    )


def _error(comparisons: int) -> str:
    """Return two standard errors of a share in percentage points, if the five comparisons of a link count as one."""
    return f"{100 / max(comparisons / NON_LINKS_PER_LINK, 1) ** 0.5:.0f}"


def _bars(title: str, signals: dict[str, Signal], facts: GraphFacts) -> str:
    if not signals:
        return f"<div><h3>{title}</h3><p class='faint'>No hidden link has such a non-link.</p></div>"
    rows = []
    for key, (name, models) in _SIGNALS.items():
        signal = signals.get(key)
        if signal is None:
            continue
        shares = [("ahead", signal.ahead), ("equal", signal.equal), ("behind", signal.behind)]
        parts = "".join(f'<i class="{kind}" style="width:{100 * share:.2f}%"></i>' for kind, share in shares)
        text = f"{percent(signal.ahead)} ahead, {percent(signal.equal)} equal, {percent(signal.behind)} behind"
        fewer = f" ({signal.num_pairs:,} comparisons)" if signal.num_pairs < _most(signals) else ""
        rows.append(
            f'<div style="margin-top:14px"><b>{name}</b><div class="bar" role="img" aria-label="{text}">{parts}</div>'
            f'<div class="small">{text}{fewer}</div><div class="small faint">seen by {models}</div></div>'
        )
    if "features" not in signals:
        why = "The graph has no features." if facts.graph.x is None else "The features are no numbers."
        rows.append(f'<p class="small faint" style="margin-top:14px">{why}</p>')
    return f"<div><h3>{title}</h3>{''.join(rows)}</div>"


def _most(signals: dict[str, Signal]) -> int:
    return max(signal.num_pairs for signal in signals.values())
