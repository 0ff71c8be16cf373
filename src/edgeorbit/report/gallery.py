"""The paper's gallery: lattices, trees, the lobster, the prism and the cycle, every EAR measured anew.

A figure shows one family, or all of them on a page; every panel is drawn, measured, and says what was found.
"""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError, MissingExtraError
from edgeorbit.report._gallery_families import FAMILIES, Family, Panel
from edgeorbit.report.drawing import ColouredGraph, Drawing, colour_graph, lay_out
from edgeorbit.report.network import DOTTED, draw_orbits, legend_columns, legend_entries, paint_network, write_title
from edgeorbit.report.saving import new_figure
from edgeorbit.report.style import EDGE_ORBITS, FAINT_INK, INK, count, ear_name, size_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["FAMILIES", "Gallery", "PanelResult", "draw_family", "draw_gallery", "draw_panel"]

PANEL_WIDTH, ROW_HEIGHT, LEGEND_HEIGHT = 3.6, 4.4, 0.5  # inches
# Where panels will be when room has been made for text. Graphs are laid out for the proportion that panels have now.
_ROUGHLY = {"left": 0.02, "right": 0.98, "bottom": 0.12, "top": 0.7, "wspace": 0.05}
ROWS = (("square-grids",), ("triangular-lattices",), ("trees",), ("lobster", "prism"), ("cycle",))


@dataclass(frozen=True)
class PanelResult:
    """What was measured for a panel.

    Attributes
    ----------
    panel
        Its title.
    num_nodes, num_edges
        The size of its graph.
    rounds
        Rounds of refinement; None for stable colours and for exact orbits.
    num_edge_orbits, ear
        How many orbits edges have, and the share of edges that are not alone in theirs; None if they were not found.
    message
        Why not.
    """

    panel: str
    num_nodes: int
    num_edges: int
    rounds: int | None
    num_edge_orbits: int | None
    ear: float | None
    message: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes as a dictionary that JSON can hold."""
        return asdict(self)


class Gallery(NamedTuple):
    """A figure, and what was measured in its panels, by the name of their family."""

    figure: "Figure"
    results: dict[str, list[PanelResult]]


def draw_family(name: str) -> Gallery:
    """Draw a family of the gallery.

    Parameters
    ----------
    name
        `"square-grids"`, `"triangular-lattices"`, `"trees"`, `"lobster"`, `"prism"` or `"cycle"`.

    Raises
    ------
    InvalidParameterError
        If there is no such family.

    Examples
    --------
    >>> [round(panel.ear, 4) for panel in draw_family("cycle").results["cycle"]]
    [1.0, 0.8571, 1.0, 0.0]
    """
    return _draw_rows([[_family(name)]])


def draw_gallery() -> Gallery:
    """Draw all families of the gallery on one page."""
    return _draw_rows([[_family(name) for name in names] for names in ROWS])


def _draw_rows(rows: list[list[Family]]) -> Gallery:
    """Draw families in rows, and below them what colours mean."""
    panels = {family.name: family.build() for row in rows for family in row}
    widest = max(sum(len(panels[family.name]) for family in row) for row in rows)
    figure = new_figure(
        (max(widest, 2) * PANEL_WIDTH, len(rows) * ROW_HEIGHT + LEGEND_HEIGHT), w_pad=0.1, h_pad=0.1, hspace=0.03
    )
    results: dict[str, list[PanelResult]] = {}
    drawings: list[Drawing] = []
    for row, place in zip(rows, figure.subfigures(len(rows), 1, squeeze=False)[:, 0], strict=True):
        widths = [len(panels[family.name]) for family in row]
        for family, part in zip(row, place.subfigures(1, len(row), squeeze=False, width_ratios=widths)[0], strict=True):
            drawn = _draw_family(family, panels[family.name], part)
            results[family.name] = [result for result, _ in drawn]
            drawings += [drawing for _, drawing in drawn if drawing is not None]
    if drawings:
        entries = legend_entries(drawings, counts=False, dropped="cycle" in panels)
        ncols = legend_columns(entries, figure.get_figwidth())
        figure.legend(**entries, loc="outside lower center", ncols=ncols, frameon=False, fontsize=9.5)
    return Gallery(figure, results)


def _family(name: str) -> Family:
    known = {family.name: family for family in FAMILIES}
    if name not in known:
        raise InvalidParameterError(f"unknown family {name!r}; choose from {', '.join(known)}")
    return known[name]


def _draw_family(family: Family, panels: list[Panel], figure: "SubFigure") -> list[tuple[PanelResult, Drawing | None]]:
    figure.suptitle(family.title, fontsize=14, fontweight="bold", color=INK)
    figure.supxlabel(family.remark, fontsize=10, color=FAINT_INK)
    places = figure.subplots(1, len(panels), squeeze=False, gridspec_kw=_ROUGHLY)[0]
    return [draw_panel(panel, axes) for panel, axes in zip(panels, places, strict=True)]


def draw_panel(panel: Panel, axes: "Axes") -> tuple[PanelResult, Drawing | None]:
    """Draw a panel; return what was measured, and what was drawn if links are coloured by what can be told apart."""
    coloured = colour_graph(panel.graph, panel.rounds, panel.initial)
    if panel.links_by == "look":
        drawing = draw_orbits(coloured, axes, positions=panel.positions, title=False, legend=False)
        _mark_dropped(panel, drawing, axes)
        alike = f"{coloured.num_indistinguishable} of {count(panel.graph.num_edges, 'link')}"
        write_title(
            axes, panel.title, size_line(panel.graph), f"{ear_name(panel.rounds)} = {coloured.ear:.4f} ({alike})"
        )
        return _result(panel, coloured.orbits.num_orbits, coloured.ear), drawing
    return _draw_by_orbit(panel, coloured, axes), None


def _draw_by_orbit(panel: Panel, coloured: ColouredGraph, axes: "Axes") -> PanelResult:
    """Draw links in the colours of their orbits; without igraph, say that exact orbits need it."""
    labels: npt.NDArray[Any] = coloured.orbits.labels
    if panel.links_by == "group":
        from edgeorbit.orbits.exact import exact_orbits

        try:
            labels = exact_orbits(panel.graph, coloured.colouring).edge_labels
        except MissingExtraError as error:
            axes.set_axis_off()
            write_title(axes, panel.title, size_line(panel.graph), "not found")
            axes.text(
                0.5, 0.5, "needs igraph:\npip install 'edgeorbit[exact]'", ha="center", va="center", color=FAINT_INK
            )
            return _result(panel, None, None, str(error))
    drawing = lay_out(coloured, positions=panel.positions)
    sizes = np.bincount(labels)
    # The edges of a graph that is drawn whole are in the order of the graph's, and so of the labels.
    order = np.argsort(-sizes, kind="stable")
    colour_of = {int(label): EDGE_ORBITS[place % len(EDGE_ORBITS)] for place, label in enumerate(order)}
    paint_network(
        axes, drawing.positions, drawing.edges, [colour_of[label] for label in labels.tolist()], drawing.fills
    )
    ear = float(sizes[sizes > 1].sum() / len(labels))
    write_title(axes, panel.title, size_line(panel.graph), f"{count(len(sizes), 'orbit')} of links, EAR = {ear:.4f}")
    return _result(panel, len(sizes), ear)


def _mark_dropped(panel: Panel, drawing: Drawing, axes: "Axes") -> None:
    for edge in panel.dropped_edges:
        axes.plot(*drawing.positions[list(edge)].T, color=FAINT_INK, linewidth=1.2, linestyle=DOTTED, zorder=0.5)
    for node in panel.dropped_nodes:
        axes.plot(
            *drawing.positions[node],
            marker="o",
            markersize=20,
            markerfacecolor="none",
            markeredgecolor=INK,
            linestyle="",
            zorder=1.5,
            clip_on=False,
        )


def _result(panel: Panel, num_edge_orbits: int | None, ear: float | None, message: str | None = None) -> PanelResult:
    graph = panel.graph
    return PanelResult(panel.title, graph.num_nodes, graph.num_edges, panel.rounds, num_edge_orbits, ear, message)
