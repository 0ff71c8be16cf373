"""The layout of figures: matplotlib's constrained layout, with the same positions in every process.

Its solver orders constraints by the addresses of objects in memory, so the last bits of positions vary from process to
process; and with them now and then the bytes of a picture. Rounding removes those bits.
"""

import numpy as np
from matplotlib.figure import Figure, FigureBase
from matplotlib.layout_engine import ConstrainedLayoutEngine

DECIMALS = 9  # of a share of the figure; the noise is near 1e-16


class StableLayout(ConstrainedLayoutEngine):
    """Constrained layout that rounds the positions of axes and subfigures.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> figure = Figure(layout=StableLayout())
    >>> axes = figure.subplots(1, 3)[1]
    >>> figure.draw_without_rendering()
    >>> bounds = axes.get_position().bounds
    >>> bool(np.abs(np.round(bounds, DECIMALS) - bounds).max() < 1e-15)
    True
    """

    def execute(self, fig: Figure) -> None:
        """Lay the figure out."""
        super().execute(fig)
        _round_subfigures(fig)
        for axes in fig.get_axes():
            in_layout = axes.get_in_layout()
            axes.set_position(np.round(axes.get_position(original=True).bounds, DECIMALS).tolist(), which="original")
            axes.set_in_layout(in_layout)  # `set_position` takes axes out of the layout


def _round_subfigures(figure: FigureBase) -> None:
    for part in figure.subfigs:
        part.bbox_relative.set_points(np.round(part.bbox_relative.get_points(), DECIMALS))
        _round_subfigures(part)
