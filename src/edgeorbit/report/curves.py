"""Two curves: EAR round by round, and how large orbits are."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph
from edgeorbit.measures.ear import orbit_size_distribution
from edgeorbit.report.drawing import ColouredGraph, colour_graph
from edgeorbit.report.style import (
    FAINT_INK,
    INDISTINGUISHABLE,
    INK,
    ORBITS,
    count,
    ear_name,
    prepare_axes,
    stable_since,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Nodes and links often have as many orbits of a size; the one mark fits into the other.
_HOLLOW_DOT = {"marker": "o", "markersize": 8, "color": ORBITS[0], "markerfacecolor": "none", "markeredgewidth": 1.6}
_DIAMOND = {"marker": "D", "markersize": 4, "color": INDISTINGUISHABLE}


def plot_ear_by_round(
    graph: Graph | ColouredGraph,
    axes: "Axes",
    *,
    rounds: int | None = None,
    initial: str | npt.ArrayLike | None = None,
    title: bool = True,
) -> None:
    """Plot EAR after each round of refinement, until colours are stable.

    Parameters
    ----------
    graph
        The graph; or, if it has been coloured by `colour_graph`, that.
    axes
        Where to plot.
    rounds
        A round to mark: the number of layers of a network. By default the stable value is marked. Not used if the graph
        has been coloured.
    initial
        As for `edgeorbit.refine`; not used if the graph has been coloured.
    title
        Whether to write above what is plotted.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from edgeorbit.graph.families import path
    >>> axes = Figure().subplots()
    >>> plot_ear_by_round(path(6), axes)
    >>> axes.lines[0].get_ydata().tolist()
    [1.0, 1.0, 0.8]
    """
    coloured = graph if isinstance(graph, ColouredGraph) else colour_graph(graph, rounds, initial)
    prepare_axes(axes, "EAR by round" if title else "", "rounds of refinement (layers of a network)", "EAR")
    axes.set_ylim(-0.05, 1.1)
    if coloured.graph.num_edges == 0:
        _say_no_links(axes)
        axes.set_xticks([])
        return
    found = coloured.until_stable
    by_round = found.ear_by_round
    last = len(by_round) - 1
    look: dict[str, Any] = {"color": INDISTINGUISHABLE, "linewidth": 2}
    axes.plot(range(len(by_round)), by_round, marker="o", markersize=5 if last <= 20 else 3, zorder=2, **look)
    end = float(last)
    if found.rounds > last:  # the list of rounds is cut
        end = 1.1 * last
        axes.plot([last, end], [by_round[-1], found.ear], linestyle=":", **look)
    text = f"{ear_name(coloured.rounds)} = {coloured.ear:.4f}"
    if coloured.rounds is None:
        text += f"\n{stable_since(found.rounds)}"
    marked = end if coloured.rounds is None or coloured.rounds > last else coloured.rounds
    axes.axhline(coloured.ear, color=FAINT_INK, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axes.plot(marked, coloured.ear, marker="o", markersize=11, markerfacecolor="none", markeredgecolor=INK, zorder=3)
    # EAR never rises, so there is room above the end of the curve or below it.
    above = found.ear < 0.6
    axes.text(
        *(0.98, 0.95 if above else 0.06),
        text,
        transform=axes.transAxes,
        ha="right",
        va="top" if above else "bottom",
        fontsize=9.5,
        color=INK,
    )
    axes.set_xlim(-0.06 * max(end, 1), 1.06 * max(end, 1))
    step = next(step for step in (1, 2, 5, 10) if last <= 8 * step)
    axes.set_xticks(range(0, max(last, 1) + 1, step))


def plot_orbit_sizes(
    graph: Graph | ColouredGraph,
    axes: "Axes",
    *,
    rounds: int | None = None,
    initial: str | npt.ArrayLike | None = None,
    title: bool = True,
) -> None:
    """Plot how many orbits there are of every size, of nodes and of links, on logarithmic axes.

    Parameters
    ----------
    graph
        The graph; or, if it has been coloured by `colour_graph`, that.
    axes
        Where to plot.
    rounds, initial
        As for `edgeorbit.refine`; not used if the graph has been coloured.
    title
        Whether to write above what is plotted.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from edgeorbit.graph.toys import lobster
    >>> axes = Figure().subplots()
    >>> plot_orbit_sizes(lobster(), axes)
    >>> [line.get_xydata().tolist() for line in axes.lines]
    [[[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]], [[1.0, 2.0], [2.0, 2.0], [3.0, 1.0]]]
    """
    coloured = graph if isinstance(graph, ColouredGraph) else colour_graph(graph, rounds, initial)
    prepare_axes(axes, "Orbit sizes" if title else "", "members of an orbit", "number of orbits")
    series: list[tuple[str, npt.NDArray[np.int64], dict[str, Any]]] = [
        ("nodes", coloured.colouring.sizes, _HOLLOW_DOT),
        ("links", coloured.orbits.orbit_sizes, _DIAMOND),
    ]
    largest_size, largest_number = 1, 1
    for what, orbit_sizes, look in series:
        if len(orbit_sizes) == 0:
            continue
        size, number = orbit_size_distribution(orbit_sizes)
        label = f"{what}: {count(len(orbit_sizes), 'orbit')}"
        axes.plot(size, number, linestyle="", label=label, **look)
        largest_size = max(largest_size, int(size.max()))
        largest_number = max(largest_number, int(number.max()))
    axes.set(xscale="log", yscale="log")
    axes.set_xlim(_limits(largest_size))
    axes.set_ylim(_limits(largest_number))
    _mark_whole_numbers(axes, max(largest_size, largest_number))
    if coloured.graph.num_edges == 0:
        _say_no_links(axes)
    axes.legend(loc="upper right", frameon=False, fontsize=9.5, handletextpad=0.3)


def _limits(largest: int) -> tuple[float, float]:
    return 0.8, 1.6 * max(largest, 8)


def _mark_whole_numbers(axes: "Axes", largest: int) -> None:
    """Write numbers as 1, 2, 5, 10 and so on, not as powers; of many decades only 1, 10, 100."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if largest < 200 else (1.0,)))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _say_no_links(axes: "Axes") -> None:
    axes.text(0.5, 0.5, "no links", transform=axes.transAxes, ha="center", va="center", color=FAINT_INK, fontsize=12)
