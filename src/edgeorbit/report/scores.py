"""How two models score links and their look-alikes: what one cannot tell apart lies on one spot."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.report.palette import DISTINGUISHABLE, FAINT_INK, GRID, INDISTINGUISHABLE, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SHOWN = 300  # dots; more would hide each other
SAME = 1e-3  # difference of scores up to which they count as the same: sums in another order round differently


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
    from matplotlib.figure import Figure

    from edgeorbit.report.stable_layout import StableLayout

    figure = Figure(figsize=(7.5, 1.1 + 1.3 * len(judged)), layout=StableLayout())
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
