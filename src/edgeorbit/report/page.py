"""A page: the network of a graph with its curves beside it, or several graphs side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.report.curves import plot_ear_by_round, plot_orbit_sizes
from edgeorbit.report.drawing import MAX_NODES, ColouredGraph, Drawing, check_max_nodes, colour_graph
from edgeorbit.report.network import draw_orbits, legend_columns, legend_entries, sample_lines, write_title
from edgeorbit.report.saving import new_figure
from edgeorbit.report.style import ear_name, size_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Panel = Literal["all", "network", "rounds", "sizes"]
COLUMNS = 3  # panels side by side, of several graphs
PANEL_SIZE = 4.5  # inches
_PADDING: dict[str, Any] = {"w_pad": 0.12, "h_pad": 0.12, "wspace": 0.04, "hspace": 0.06}
# Where panels will be when room has been made for text. Networks are laid out for the proportion that they have now.
_ROUGHLY = {"left": 0.02, "right": 0.98, "bottom": 0.14, "top": 0.88}


class Page(NamedTuple):
    """A figure, and what is drawn of each graph; nothing of those that only have a curve."""

    figure: "Figure"
    drawings: list[Drawing]


def draw_page(
    graphs: Graph | ColouredGraph | Sequence[Graph | ColouredGraph],
    panel: Panel | None = None,
    *,
    rounds: int | None = None,
    initial: str | npt.ArrayLike | None = None,
    max_nodes: int = MAX_NODES,
    seed: int = 0,
) -> Page:
    """Draw a graph on a page, or several graphs side by side.

    Parameters
    ----------
    graphs
        One graph or several, coloured by `colour_graph` or not.
    panel
        `"network"` (nodes and links), `"rounds"` (EAR by round), `"sizes"` (orbit sizes), or for one graph `"all"`. By
        default all for one graph, and the networks of several.
    rounds, initial, max_nodes, seed
        As for `draw_orbits`.

    Returns
    -------
    Page
        The figure, which `save_figure` writes to a file, and what was drawn.

    Raises
    ------
    InvalidParameterError
        If a graph has no nodes, or a parameter lies outside its range.

    Examples
    --------
    >>> from edgeorbit.graph.toys import karate, lobster
    >>> len(draw_page(karate()).figure.axes)
    3
    >>> len(draw_page([karate(), lobster()]).figure.axes)
    2
    """
    listed = [graphs] if isinstance(graphs, Graph | ColouredGraph) else list(graphs)
    wanted = check_panel(panel, len(listed))
    check_max_nodes(max_nodes)
    coloured = [one if isinstance(one, ColouredGraph) else colour_graph(one, rounds, initial) for one in listed]
    if len(coloured) == 1:
        return _draw_one(coloured[0], wanted, max_nodes, seed)
    return _draw_several(coloured, wanted, max_nodes, seed)


def check_panel(panel: Panel | None, num_graphs: int) -> Panel:
    """Return which panel is drawn of so many graphs; raise `InvalidParameterError` if they cannot be drawn so."""
    if num_graphs == 0:
        raise InvalidParameterError("there is no graph to draw; give at least one")
    if panel is None:
        return "all" if num_graphs == 1 else "network"
    if panel not in get_args(Panel):
        raise InvalidParameterError(f"unknown panel {panel!r}; choose from {', '.join(get_args(Panel))}")
    if panel == "all" and num_graphs > 1:
        raise InvalidParameterError(
            f"panel all shows one graph, not {num_graphs}; choose network, rounds or sizes, or draw them one by one"
        )
    return panel


def _draw_one(coloured: ColouredGraph, panel: Panel, max_nodes: int, seed: int) -> Page:
    if panel == "all":
        figure = new_figure((13.5, 8), **_PADDING)
        places = figure.subplot_mosaic(
            [["network", "rounds"], ["network", "sizes"]], width_ratios=(2, 1), gridspec_kw=_ROUGHLY
        )
        drawing = draw_orbits(coloured, places["network"], max_nodes=max_nodes, seed=seed)
        plot_ear_by_round(coloured, places["rounds"])
        plot_orbit_sizes(coloured, places["sizes"])
        return Page(figure, [drawing])
    figure = new_figure((9, 8) if panel == "network" else (6.5, 4.8))
    axes = figure.subplots(gridspec_kw=_ROUGHLY)
    if panel == "network":
        return Page(figure, [draw_orbits(coloured, axes, max_nodes=max_nodes, seed=seed)])
    _plot_curve(coloured, panel, axes)
    return Page(figure, [])


def _draw_several(coloured: list[ColouredGraph], panel: Panel, max_nodes: int, seed: int) -> Page:
    columns = min(len(coloured), 2 if len(coloured) == 4 else COLUMNS)
    rows = -(-len(coloured) // columns)
    figure = new_figure((columns * PANEL_SIZE, rows * PANEL_SIZE + 0.5), **_PADDING)
    panels = np.ravel(figure.subplots(rows, columns, squeeze=False, gridspec_kw=_ROUGHLY | {"wspace": 0.05}))
    drawings = []
    for one, axes in zip(coloured, panels, strict=False):
        if panel == "network":
            drawing = draw_orbits(one, axes, max_nodes=max_nodes, seed=seed, title=False, legend=False)
            ear = f"{ear_name(one.rounds)} = {one.ear:.4f}"
            write_title(axes, one.graph.name, size_line(one.graph), ear, *sample_lines(axes, drawing))
            drawings.append(drawing)
        else:
            _plot_curve(one, panel, axes)
    for axes in panels[len(coloured) :]:
        axes.set_axis_off()
    if drawings:
        entries = legend_entries(drawings, counts=False)
        ncols = legend_columns(entries, figure.get_figwidth())
        figure.legend(**entries, loc="outside lower center", ncols=ncols, frameon=False, fontsize=9.5)
    return Page(figure, drawings)


def _plot_curve(coloured: ColouredGraph, panel: Panel, axes: "Axes") -> None:
    (plot_ear_by_round if panel == "rounds" else plot_orbit_sizes)(coloured, axes, title=False)
    write_title(axes, coloured.graph.name, size_line(coloured.graph))
