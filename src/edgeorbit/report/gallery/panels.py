"""A panel of the gallery: draw it, measure it, say what was found."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import MissingExtraError
from edgeorbit.report.drawing import ColouredGraph, Drawing, colour_graph, lay_out
from edgeorbit.report.gallery.families import Panel
from edgeorbit.report.legend import DOTTED
from edgeorbit.report.network import draw_orbits, paint_network, write_title
from edgeorbit.report.palette import EDGE_ORBITS, FAINT_INK, INK
from edgeorbit.report.wording import count, ear_name, size_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
