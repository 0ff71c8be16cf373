"""The look that all curves share."""

from typing import TYPE_CHECKING

from edgeorbit.report.palette import FAINT_INK, GRID, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def prepare_axes(axes: "Axes", title: str, xlabel: str, ylabel: str) -> None:
    """Give axes their title and labels, and the look that all curves share."""
    axes.set_title(title, fontsize=11, fontweight="bold", color=INK, loc="left")
    axes.set_xlabel(xlabel, fontsize=9.5, color=INK)
    axes.set_ylabel(ylabel, fontsize=9.5, color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT_INK)
    axes.tick_params(which="both", color=FAINT_INK, labelcolor=INK, labelsize=9)
    axes.grid(visible=True, color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)
