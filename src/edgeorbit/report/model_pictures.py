"""Pictures of models: which one distinguishes more links, and how two of them score links and their look-alikes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.expressiveness.order import STAR, HasseDiagram
from edgeorbit.report.saving import new_figure
from edgeorbit.report.style import DISTINGUISHABLE, FAINT_INK, GRID, INDISTINGUISHABLE, INK, drawable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LETTER, LINE = 0.085, 0.2  # inches that a letter is wide, and a line of text high
GAP, STOREY, MARGIN = 0.4, 1.15, 0.35  # inches between boxes, from level to level, and around all
HEADING = 0.75  # inches
SHOWN = 300  # dots; more would hide each other
SAME = 1e-3  # difference of scores up to which they count as the same: sums in another order round differently


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


class JudgedLinks(NamedTuple):
    """The scores of held-out links and of their look-alikes, one row of these for each, and how well they are told."""

    links: npt.NDArray[np.floating]
    look_alikes: npt.NDArray[np.floating]
    auc: float


def draw_scores(judged: Mapping[str, JudgedLinks]) -> "Figure":
    """Draw for every model how far the score of a link lies above those of its look-alikes.

    Each dot is a held-out link and one of its look-alikes, a pair of nodes that is no link and that no message-passing
    network tells from it. To the right of the line the link is scored higher, to the left the look-alike; on the line
    the model cannot tell.

    Parameters
    ----------
    judged
        By the name of the model, its scores; look-alikes that are missing are NaN.

    Examples
    --------
    >>> figure = draw_scores({"gcn": JudgedLinks(np.array([1.0]), np.array([[1.0, np.nan]]), 0.5)})
    >>> figure.axes[0].get_title(loc="left")
    'gcn: AUC 0.50'
    """
    figure = new_figure((7.5, 1.1 + 1.3 * len(judged)))
    random = np.random.default_rng(0)
    all_axes = figure.subplots(len(judged), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (name, found) in zip(all_axes, judged.items(), strict=True):
        difference = (found.links[:, None] - found.look_alikes).ravel()
        difference = difference[~np.isnan(difference)]
        told = np.abs(difference) > SAME
        shown = random.permutation(len(difference))[:SHOWN]
        for kind, colour in ((told[shown], DISTINGUISHABLE), (~told[shown], INDISTINGUISHABLE)):
            dots = difference[shown][kind]
            axes.scatter(dots, random.uniform(-1, 1, len(dots)), s=14, color=colour, alpha=0.7, linewidth=0)
        axes.axvline(0, color=INK, linewidth=1, zorder=0)
        axes.set_ylim(-1.6, 1.6)
        axes.set_yticks([])
        axes.set_axisbelow(True)
        axes.grid(axis="x", color=GRID)
        axes.spines[["left", "right", "top"]].set_visible(False)
        axes.set_title(f"{name}: AUC {found.auc:.2f}", loc="left", fontsize=11, color=INK)
        axes.set_title(f"{np.mean(~told):.0%} not told apart", loc="right", fontsize=9, color=FAINT_INK)
    reach = 1.05 * max([1.0, *(np.abs(axes.dataLim.intervalx).max() for axes in all_axes)])
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("score of a link less that of a look-alike", color=FAINT_INK)
    return figure
