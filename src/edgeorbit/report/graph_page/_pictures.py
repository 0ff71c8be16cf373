"""The pictures of a report as inline SVG that takes its inks from the page, so that it is readable in the dark too."""

import re
from io import StringIO
from typing import TYPE_CHECKING

from edgeorbit.report.curves import plot_ear_by_round, plot_orbit_sizes
from edgeorbit.report.drawing import ColouredGraph, Drawing
from edgeorbit.report.network import draw_orbits
from edgeorbit.report.saving import new_figure
from edgeorbit.report.style import ALONE, DISTINGUISHABLE, FAINT_INK, GRID, INDISTINGUISHABLE, INK, ORBITS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


CURVE_SIZE, NETWORK_SIZE = (5.0, 3.3), (9.6, 5.6)  # inches
MAX_NODES = 400
# The variables of page.css that take the place of colours.
_INKS = {
    INK: "--ink",
    FAINT_INK: "--faint",
    GRID: "--rule",
    ALONE: "--card",
    INDISTINGUISHABLE: "--alike",
    DISTINGUISHABLE: "--apart",
    ORBITS[0]: "--first-orbit",
}


def draw_rounds(coloured: ColouredGraph) -> str:
    """Return the curve of EAR by round as SVG.

    >>> from edgeorbit.graph.toys import karate
    >>> from edgeorbit.report.drawing import colour_graph
    >>> draw_rounds(colour_graph(karate()))[:4]
    '<svg'
    """
    figure = new_figure(CURVE_SIZE)
    plot_ear_by_round(coloured, figure.subplots(), title=False)
    return inline_svg(figure, "rounds", "EAR after every round of refinement")


def draw_sizes(coloured: ColouredGraph) -> str:
    """Return the distribution of orbit sizes as SVG."""
    figure = new_figure(CURVE_SIZE)
    plot_orbit_sizes(coloured, figure.subplots(), title=False)
    return inline_svg(figure, "sizes", "Number of orbits of every size, of nodes and of links")


def draw_network(coloured: ColouredGraph) -> tuple[str, Drawing]:
    """Return the network, or a sample of a large one, as SVG, and what was drawn."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=NETWORK_SIZE)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    drawing = draw_orbits(coloured, axes, max_nodes=MAX_NODES, title=False, legend=False)
    return inline_svg(figure, "network", "The graph, its nodes coloured by orbit", tight=True), drawing


def inline_svg(figure: "Figure", prefix: str, label: str, *, tight: bool = False) -> str:
    """Return a figure as an SVG element for a page.

    Parameters
    ----------
    figure
        The figure, without text that comes from data.
    prefix
        Begins every id, which must be unique on the page.
    label
        What is read to people who do not see the picture.
    tight
        Whether margins are cut off.
    """
    from matplotlib import rc_context

    out = StringIO()
    with rc_context({"svg.hashsalt": "edgeorbit", "svg.fonttype": "none"}):
        figure.savefig(
            out,
            format="svg",
            transparent=True,
            metadata={"Date": None, "Creator": None},
            bbox_inches="tight" if tight else None,
            pad_inches=0.08,
        )
    text = out.getvalue()
    text = text[text.index("<svg") :].strip()
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{prefix}-", text)
    for colour, variable in _INKS.items():
        text = text.replace(colour, f"var({variable})")
    # The size in points gives way to the width of the page.
    text = re.sub(r'^<svg [^>]*?(viewBox="[^"]*")[^>]*>', rf'<svg \1 role="img" aria-label="{label}">', text)
    return text
