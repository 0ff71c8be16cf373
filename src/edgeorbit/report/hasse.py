"""The Hasse diagram of models as a picture: above is what tells more links apart."""

from typing import TYPE_CHECKING

from edgeorbit.expressiveness.order import STAR, HasseDiagram
from edgeorbit.report.palette import DISTINGUISHABLE, FAINT_INK, INK
from edgeorbit.report.wording import drawable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LETTER, LINE = 0.085, 0.2  # inches that a letter is wide, and a line of text high
GAP, STOREY, MARGIN = 0.4, 1.15, 0.35  # inches between boxes, from level to level, and around all
HEADING = 0.75  # inches


def draw_hasse(diagram: HasseDiagram) -> "Figure":
    """Draw a diagram; a line leads from each group of models down to those that it is strictly more expressive than.

    Examples
    --------
    >>> from edgeorbit.expressiveness import compare_expressiveness, hasse_diagram
    >>> from edgeorbit.graph.toys import prism
    >>> figure = draw_hasse(hasse_diagram(compare_expressiveness(prism(), ["gcn", "cn"], draws=2)))
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['cn\\n50.0 % of pairs', 'gcn\\n0.0 % of pairs']
    """
    from matplotlib.figure import Figure

    names = [_in_lines(diagram.shown(group)) for group in diagram.groups]
    texts = [f"{name}\n{label}" for name, label in zip(names, diagram.labels, strict=True)]
    widths = [LETTER * max(map(len, text.split("\n"))) + 0.3 for text in texts]
    heights = [LINE * (text.count("\n") + 1) + 0.16 for text in texts]
    title = f"What models tell apart in {drawable(diagram.graph)}"
    legend = "a line: the upper one tells apart all that the lower one does, and more"
    star = STAR if diagram.numbered else ""
    rows = [[n for n, at in enumerate(diagram.levels) if at == level] for level in range(max(diagram.levels) + 1)]
    widest = max(sum(widths[n] for n in row) + GAP * (len(row) - 1) for row in rows)
    width = max(widest, 0.1 * len(title), 0.068 * max(len(legend), len(star))) + 2 * MARGIN
    places: dict[int, tuple[float, float]] = {}
    bottom = MARGIN + (LINE if star else 0)
    for row in rows:
        tall = max(heights[n] for n in row)
        left = (width - sum(widths[n] for n in row) - GAP * (len(row) - 1)) / 2
        for n in row:
            places[n] = left + widths[n] / 2, bottom + tall / 2
            left += widths[n] + GAP
        bottom += tall + STOREY - 2 * LINE
    height = bottom - STOREY + 2 * LINE + MARGIN + HEADING
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    for upper, lower in diagram.covers:
        (x, y), (below_x, below_y) = places[upper], places[lower]  # boxes hide the ends
        axes.plot([x, below_x], [y, below_y], color=FAINT_INK, linewidth=1.4, zorder=1)
    box = {"boxstyle": "round,pad=0.45", "facecolor": "white", "edgecolor": DISTINGUISHABLE, "linewidth": 1.6}
    for n, text in enumerate(texts):
        axes.text(*places[n], text, ha="center", va="center", fontsize=10, color=INK, bbox=box, zorder=2)
    figure.text(MARGIN / width, 1 - 0.3 / height, title, fontsize=11, fontweight="bold", color=INK, va="center")
    figure.text(MARGIN / width, 1 - 0.55 / height, legend, fontsize=8.5, color=FAINT_INK, va="center")
    figure.text(MARGIN / width, 0.2 / height, star, fontsize=8.5, color=FAINT_INK, va="center")
    return figure


def _in_lines(group: list[str], most: int = 3) -> str:
    """Return the names of equal models, a few on each line."""
    names = [drawable(name) for name in group]
    lines = [" = ".join(names[start : start + most]) for start in range(0, len(names), most)]
    return " =\n".join(lines)
