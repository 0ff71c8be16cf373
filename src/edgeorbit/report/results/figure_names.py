"""The names of bounds in figures for papers, written where no line of the figure strikes through them."""

from typing import TYPE_CHECKING

import numpy as np

from edgeorbit.report.palette import FAINT_INK
from edgeorbit.report.results.label_places import (
    Name,
    Points,
    along,
    around,
    as_obstacle,
    beside_rule,
    choose_places,
    finely,
)
from edgeorbit.report.results.records import Record, bounds_apart, bounds_named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY = 1  # the order in which models are drawn that do not stand out
SIZE = 7  # of letters, in points


def name_bounds(axes: "Axes", bounds: list[Record]) -> None:
    """Write the names of the bounds that axes show; the figure must have been laid out before.

    Bounds with an EAR `x` are lines against it, all others lines through the whole width.
    """
    from matplotlib.patheffects import withStroke

    against_ear = all("x" in bound for bound in bounds)
    kept = bounds_named(bounds, max) if against_ear else bounds_apart(bounds)
    frame = axes.bbox
    point = 72 / axes.figure.dpi

    def pixels(points: Points) -> Points:
        return np.array([frame.x0, frame.y1]) * (-1, 1) + points * (1, -1)

    obstacles = [
        as_obstacle(pixels(line.get_transform().transform(line.get_xydata())), 1.0 if line.zorder == GREY else 3.0)
        for line in axes.lines
    ]
    texts = [axes.text(0, 0, bound["b"], fontsize=SIZE) for bound in kept]
    names = []
    for bound, text in zip(kept, texts, strict=True):
        extent = text.get_window_extent()
        text.remove()
        if against_ear:
            own = sorted((one["x"], one["y"]) for one in bounds if one["b"] == bound["b"])
            line = pixels(axes.transData.transform(finely(np.array(own))))
            places = along(line) if len(own) > 1 else around((line[0, 0], line[0, 1]))
        else:
            height = pixels(axes.transData.transform([(axes.get_xlim()[1], bound["y"])]))[0, 1]
            places = beside_rule(float(height), frame.width)
        names.append(Name((extent.width, extent.height), places))
    chosen = choose_places(names, np.concatenate(obstacles), (frame.width, frame.height))
    for bound, place in zip(kept, chosen, strict=True):
        axes.annotate(
            bound["b"],
            (place.anchor[0] / frame.width, 1 - place.anchor[1] / frame.height),
            xycoords="axes fraction",
            xytext=(point * place.dx, -point * place.dy),
            textcoords="offset points",
            horizontalalignment=place.align,
            verticalalignment="center",
            fontsize=SIZE,
            fontstyle="italic",
            color=FAINT_INK,
            path_effects=[withStroke(linewidth=2, foreground="white")],
        )
