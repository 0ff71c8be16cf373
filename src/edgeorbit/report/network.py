"""The network: nodes coloured by orbit, links by whether they can be distinguished, and what the colours mean."""

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.report.drawing import MAX_NODES, ColouredGraph, Drawing, colour_graph, lay_out
from edgeorbit.report.style import (
    ALONE,
    BEYOND_PALETTE,
    DISTINGUISHABLE,
    FAINT_INK,
    INDISTINGUISHABLE,
    INK,
    ORBITS,
    count,
    drawable,
    ear_name,
    size_line,
    stable_since,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

POINTS_PER_INCH = 72
POINTS_PER_LETTER = 5.2  # of the lines below a title
MARGIN = 0.05  # of the longer side
NODE_AREA = 0.035  # of a node's share of the panel
SMALLEST_NODE, LARGEST_NODE = 9.0, 150.0  # square points
ROOMY = 60  # links; thinner lines beyond
INCHES_PER_LETTER, INCHES_PER_ENTRY = 0.077, 0.75
DOTTED = (0, (1.5, 2.5))
WIDTHS = {INDISTINGUISHABLE: 2.4, DISTINGUISHABLE: 1.1}  # points


def draw_orbits(
    graph: Graph | ColouredGraph,
    axes: "Axes",
    *,
    rounds: int | None = None,
    initial: str | npt.ArrayLike | None = None,
    positions: npt.NDArray[np.float64] | None = None,
    max_nodes: int = MAX_NODES,
    seed: int = 0,
    title: bool = True,
    legend: bool = True,
) -> Drawing:
    """Draw a graph into matplotlib axes: nodes coloured by orbit, links by whether they can be told apart.

    Colours, counts and EAR belong to the whole graph, also where a sample of it is drawn.

    Parameters
    ----------
    graph
        The graph; or, if it has been coloured by `colour_graph`, that.
    axes
        Where to draw.
    rounds, initial
        As for `edgeorbit.refine`; not used if the graph has been coloured.
    positions : array of shape (num_nodes, 2), optional
        Where nodes are; by default they are laid out.
    max_nodes
        A larger graph is drawn by a sample of so many nodes.
    seed
        Seed of the layout.
    title, legend
        Whether to write the graph's name and size above, and what the colours mean, with EAR, below.

    Returns
    -------
    Drawing
        What was drawn, and where.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from edgeorbit.graph.toys import karate
    >>> drawing = draw_orbits(karate(), Figure().subplots())
    >>> len(drawing.nodes), int(drawing.indistinguishable.sum())
    (34, 22)
    """
    coloured = graph if isinstance(graph, ColouredGraph) else colour_graph(graph, rounds, initial)
    panel = axes.bbox
    drawing = lay_out(
        coloured, positions=positions, max_nodes=max_nodes, seed=seed, aspect=float(panel.width / panel.height)
    )
    colours = np.where(drawing.indistinguishable, INDISTINGUISHABLE, DISTINGUISHABLE)
    paint_network(axes, drawing.positions, drawing.edges, colours.tolist(), drawing.fills)
    if title:
        write_title(axes, coloured.graph.name, size_line(coloured.graph), *sample_lines(axes, drawing))
    if legend:
        _write_legend(axes, drawing)
    return drawing


def paint_network(
    axes: "Axes",
    positions: npt.NDArray[np.float64],
    edges: npt.NDArray[np.integer[Any]],
    edge_colours: "Sequence[str]",
    fills: "Sequence[str]",
) -> None:
    """Draw links and nodes at given places in given colours; thick links lie above thin ones, nodes above both."""
    from matplotlib.collections import LineCollection

    panel = np.array([axes.bbox.width, axes.bbox.height])
    low, high = positions.min(axis=0), positions.max(axis=0)
    extent = high - low + 2 * MARGIN * max(float((high - low).max()), 1.0)
    # Limits with the proportion of the panel: then panels of one size stay so, whatever is drawn in them.
    extent = panel * float((extent / panel).max())
    (left, bottom), (right, top) = (low + high - extent) / 2, (low + high + extent) / 2
    axes.set(xlim=(left, right), ylim=(bottom, top))
    axes.set_aspect("equal", adjustable="box")
    axes.set_axis_off()
    thinner = float(np.clip(np.sqrt(ROOMY / max(len(edges), 1)), 0.4, 1.0))
    colours = np.array(edge_colours, dtype=object)
    # In the order in which they first occur, where widths are equal: that of a set changes from process to process.
    by_width = sorted(dict.fromkeys(edge_colours), key=lambda colour: WIDTHS.get(colour, 2.4))
    for number, colour in enumerate(by_width):
        lines = LineCollection(
            list(positions[edges[colours == colour]]),
            colors=[colour],
            linewidths=max(WIDTHS.get(colour, 2.4) * thinner, 0.5),
            capstyle="round",
            zorder=1 + 0.1 * number,
        )
        axes.add_collection(lines, autolim=False)
    area = _node_area(positions, panel * POINTS_PER_INCH / axes.figure.dpi, extent)
    axes.scatter(
        positions[:, 0],
        positions[:, 1],
        s=area,
        c=list(fills),
        edgecolors=INK,
        linewidths=float(np.clip(np.sqrt(area) / 12, 0.4, 0.9)),
        zorder=2,
        clip_on=False,
    )


def write_title(axes: "Axes", name: str, *lines: str) -> None:
    """Write a name above a panel, and lines of smaller text below it."""
    axes.annotate(
        "\n".join(lines),
        (0.5, 1.0),
        xycoords="axes fraction",
        xytext=(0, 4),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=9.5,
        color=FAINT_INK,
        linespacing=1.4,
    )
    axes.set_title(
        drawable(name),
        fontsize=12,
        fontweight="bold",
        color=INK,
        pad=8 + 14 * len(lines),
        parse_math=False,
        usetex=False,
    )


def sample_lines(axes: "Axes", drawing: Drawing) -> list[str]:
    """Say what is drawn if it is not the whole graph, in lines as wide as the panel."""
    if drawing.sample is None:
        return []
    letters = max(20, int(axes.bbox.width * POINTS_PER_INCH / axes.figure.dpi / POINTS_PER_LETTER))
    text = f"Drawn: {drawing.sample}. Colours and counts are those of the whole graph."
    num_lines = len(wrap(text, letters))
    even = next(width for width in range(len(text) // num_lines, letters + 1) if len(wrap(text, width)) == num_lines)
    return wrap(text, even)


def _node_area(
    positions: npt.NDArray[np.float64], panel: npt.NDArray[np.float64], extent: npt.NDArray[np.float64]
) -> float:
    """Return the area of a node: its share of the panel (in points), but not so large that many nodes touch."""
    from scipy.spatial import KDTree

    area = NODE_AREA * float(panel.prod()) / len(positions)
    if len(positions) > 1:
        nearest = KDTree(positions).query(positions, k=2)[0][:, 1]
        step = float(np.quantile(nearest, 0.05) * panel[0] / extent[0])
        area = min(area, (0.7 * step) ** 2)
    return float(np.clip(area, SMALLEST_NODE, LARGEST_NODE))


def _write_legend(axes: "Axes", drawing: Drawing) -> None:
    axes.legend(
        **legend_entries([drawing], counts=True),
        title=ear_line(drawing.coloured),
        title_fontproperties={"size": 12, "weight": "bold"},
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=2,
        frameon=False,
        fontsize=9.5,
    )


def legend_entries(drawings: Sequence[Drawing], *, counts: bool, dropped: bool = False) -> dict[str, Any]:
    """Return `handles`, `labels` and `handler_map` for a legend: of one drawing with counts, or of several without."""
    from matplotlib.legend_handler import HandlerTuple

    entries: list[tuple[Any, str]] = _entries_with_counts(drawings[0]) if counts else _entries_without_counts(drawings)
    if dropped:
        entries += _dropped_entries()
    return {
        "handles": [handle for handle, _ in entries],
        "labels": [label for _, label in entries],
        "handler_map": {tuple: HandlerTuple(ndivide=None, pad=0.3)},
    }


def legend_columns(entries: dict[str, Any], width: float) -> int:
    """Return how many columns the entries need to fill as few lines of so many inches as they can, evenly."""
    labels = entries["labels"]
    inches = sum(INCHES_PER_ENTRY + INCHES_PER_LETTER * len(label) for label in labels)
    lines = int(np.ceil(inches / (0.95 * width)))
    return -(-len(labels) // lines)


def ear_line(coloured: ColouredGraph) -> str:
    """Return EAR, and after how many rounds, in a line."""
    value = f"{ear_name(coloured.rounds)} = {coloured.ear:.4f}"
    if coloured.graph.num_edges == 0:
        return f"{value} (no links)"
    return value if coloured.rounds is not None else f"{value} ({stable_since(coloured.colouring.rounds)})"


def _entries_with_counts(drawing: Drawing) -> list[tuple[Any, str]]:
    coloured = drawing.coloured
    alike = coloured.num_indistinguishable
    sizes = coloured.colouring.sizes
    alone = int(np.count_nonzero(sizes == 1))
    coloured_sizes = sizes[drawing.orbits_with_colour]
    other_sizes = int(sizes[sizes > 1].sum() - coloured_sizes.sum())
    num_other = int(np.count_nonzero(sizes > 1)) - len(coloured_sizes)
    links: list[tuple[Any, str]] = [
        (_line(INDISTINGUISHABLE), f"{count(alike, 'indistinguishable link')}"),
        (_line(DISTINGUISHABLE), f"{count(coloured.graph.num_edges - alike, 'distinguishable link')}"),
    ]
    nodes: list[tuple[Any, str]] = []
    if alone:
        nodes.append((_dot(ALONE), f"{count(alone, 'node')} with a role of {'its' if alone == 1 else 'their'} own"))
    if len(coloured_sizes):
        roles = "1 shared role" if len(coloured_sizes) == 1 else f"{len(coloured_sizes)} shared roles, a colour each"
        nodes.append((_dots(len(coloured_sizes)), f"{int(coloured_sizes.sum()):,} nodes of {roles}"))
    if num_other:
        nodes.append((_dot(BEYOND_PALETTE), f"{other_sizes:,} nodes of {count(num_other, 'other shared role')}"))
    # Legends are filled column by column; an empty entry keeps links in the first of two, and nodes in the second.
    empty = [(_dot("none", outline="none"), "")] * (len(nodes) - len(links))
    return [*links, *empty, *nodes]


def _entries_without_counts(drawings: Sequence[Drawing]) -> list[tuple[Any, str]]:
    fills = {fill for drawing in drawings for fill in drawing.fills}
    entries: list[tuple[Any, str]] = [
        (_line(INDISTINGUISHABLE), "indistinguishable: another link looks the same"),
        (_line(DISTINGUISHABLE), "distinguishable"),
    ]
    if ALONE in fills:
        entries.append((_dot(ALONE), "node with a role of its own"))
    if fills & set(ORBITS):
        most = max(len(drawing.orbits_with_colour) for drawing in drawings)
        entries.append((_dots(most), "shared roles, a colour each"))
    if BEYOND_PALETTE in fills:
        entries.append((_dot(BEYOND_PALETTE), "smaller shared roles"))
    return entries


def _dropped_entries() -> list[tuple[Any, str]]:
    """Return the entries for links and nodes that were dropped."""
    from matplotlib.lines import Line2D

    ring = _dot("none")
    ring.set_markersize(11)
    return [
        (Line2D([], [], color=FAINT_INK, linewidth=1.2, linestyle=DOTTED), "dropped link"),
        (ring, "dropped node: its features are zeroed"),
    ]


def _line(colour: str) -> "Line2D":
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linewidth=WIDTHS[colour])


def _dot(fill: str, outline: str = INK) -> "Line2D":
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"markerfacecolor": fill, "markeredgecolor": outline, "markeredgewidth": 0.8}
    return Line2D([], [], marker="o", linestyle="", markersize=7, **look)


def _dots(number: int) -> "Line2D | tuple[Line2D, ...]":
    """Return up to three dots in the first colours of the palette."""
    return _dot(ORBITS[0]) if number == 1 else tuple(_dot(fill) for fill in ORBITS[: min(number, 3)])
