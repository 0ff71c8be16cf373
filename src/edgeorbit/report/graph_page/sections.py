"""The sections about the graph as a whole: figures that stand out, rounds, the picture, statistics."""

from html import escape

from edgeorbit.measures.statistics import LABELS
from edgeorbit.report.drawing import Drawing
from edgeorbit.report.graph_page.facts import GraphFacts
from edgeorbit.report.graph_page.markup import number, paragraph, section, table
from edgeorbit.report.graph_page.pictures import draw_network, draw_rounds, draw_sizes
from edgeorbit.report.palette import BEYOND_PALETTE, ORBITS
from edgeorbit.report.wording import count, ear_name, stable_since

ROUNDS_LISTED = 12


def tiles(facts: GraphFacts) -> str:
    """Return the figures that stand out."""
    found, layers = facts.measurement, facts.layers
    name = ear_name(facts.coloured.rounds)
    by_round = facts.coloured.until_stable.ear_by_round
    shown = [
        (name, f"{found.ear:.4f}", "share of links that look like another link"),
        (f"{name}, ordered", f"{facts.ear_ordered:.4f}", "as in the paper's table"),
    ]
    if facts.coloured.rounds is None:
        at_layers = by_round[min(layers, len(by_round) - 1)]
        shown.append((ear_name(layers), f"{at_layers:.4f}", f"what {count(layers, 'layer')} see"))
    else:
        shown.append(("EAR", f"{facts.coloured.until_stable.ear:.4f}", "however many layers"))
    if facts.ear_with_features is not None:
        shown.append((f"{name} with features", f"{facts.ear_with_features:.4f}", "nodes start from their features"))
    shown += [
        ("α<sub>V</sub>", f"{found.alpha_v:.4f}", "share of nodes that look like another node"),
        ("Orbits of nodes", f"{found.num_node_orbits:,}", f"of {count(found.num_nodes, 'node')}"),
        ("Orbits of links", f"{found.num_edge_orbits:,}", f"of {count(found.num_edges, 'link')}"),
    ]
    items = [
        f'<div class="tile{" first" if place == 0 else ""}"><dt>{title}</dt><dd>{value} '
        f'<span class="note">{note}</span></dd></div>'
        for place, (title, value, note) in enumerate(shown)
    ]
    return f'<dl class="tiles">{"".join(items)}</dl>'


def rounds_section(facts: GraphFacts) -> str:
    """Return EAR by round and the sizes of orbits."""
    until_stable = facts.coloured.until_stable
    by_round = until_stable.ear_by_round
    rows = [(str(place), f"{value:.4f}") for place, value in enumerate(by_round[: ROUNDS_LISTED + 1])]
    if until_stable.rounds > ROUNDS_LISTED:
        rows.append((f"{until_stable.rounds:,} (stable)", f"{until_stable.ear:.4f}"))
    listed = table([("Rounds", ""), ("EAR", "number")], rows)
    return section(
        "What a network of some layers sees",
        paragraph(
            "Every layer of message passing is one round of colour refinement: nodes that have the same colour after "
            "<i>K</i> rounds get the same embedding from any network of <i>K</i> layers that starts from equal "
            "features, and links with the same two colours get the same score. Here colours are "
            f"{stable_since(until_stable.rounds)}; more layers see nothing more.",
            "lead",
        ),
        '<div class="columns">',
        f'<figure class="picture">{draw_rounds(facts.coloured)}<figcaption>Share of links that have a look-alike, by '
        "number of layers.</figcaption></figure>",
        f'<figure class="picture">{draw_sizes(facts.coloured)}<figcaption>How many orbits have how many members. Far '
        "right: many nodes or links that look the same.</figcaption></figure>",
        "</div>",
        f"<details><summary>EAR by round as a table</summary>{listed}</details>",
    )


def picture_section(facts: GraphFacts) -> str:
    """Return the picture of the graph with its legend."""
    svg, drawing = draw_network(facts.coloured)
    whole = "The whole graph is drawn." if drawing.sample is None else f"Drawn: {escape(drawing.sample)}."
    caption = f"{whole} Colours and counts are those of the whole graph."
    return section(
        "The graph, coloured by what looks alike",
        f'<figure class="picture">{svg}{_legend(drawing)}<figcaption>{caption}</figcaption></figure>',
    )


def _legend(drawing: Drawing) -> str:
    coloured = drawing.coloured
    alike, sizes = coloured.num_indistinguishable, coloured.colouring.sizes
    alone = int((sizes == 1).sum())
    own = sizes[drawing.orbits_with_colour]
    others = int((sizes > 1).sum()) - len(own)
    dots = "".join(f'<span class="swatch" style="background:{colour}"></span>' for colour in ORBITS[: min(len(own), 3)])
    entries = [
        ('<span class="stroke"></span>', count(alike, "link") + " with a look-alike"),
        ('<span class="stroke thin"></span>', count(coloured.graph.num_edges - alike, "link") + " without"),
    ]
    if alone:
        entries.append(
            (
                '<span class="swatch"></span>',
                count(alone, "node") + (" with a role of its own" if alone == 1 else " with roles of their own"),
            )
        )
    if len(own):
        entries.append((dots, f"{int(own.sum()):,} nodes in the {count(len(own), 'largest role')} drawn"))
    if others:
        grey = f'<span class="swatch" style="background:{BEYOND_PALETTE}"></span>'
        rest = int(sizes[sizes > 1].sum() - own.sum())
        entries.append((grey, f"{rest:,} nodes in {count(others, 'other shared role')}"))
    return f'<ul class="legend">{"".join(f"<li><span>{mark}</span>{text}</li>" for mark, text in entries)}</ul>'


def statistics_section(facts: GraphFacts) -> str:
    """Return the plain statistics of the graph."""
    values = facts.statistics.as_dict()
    items = "".join(f"<div><dt>{LABELS[key]}</dt><dd>{number(values[key])}</dd></div>" for key in LABELS)
    return section("Statistics", f'<dl class="pairs">{items}</dl>')
