"""Figures of the gallery: one family, or all of them on a page."""

from typing import TYPE_CHECKING, NamedTuple

from edgeorbit.errors import InvalidParameterError
from edgeorbit.report.drawing import Drawing
from edgeorbit.report.gallery.families import FAMILIES, Family, Panel
from edgeorbit.report.gallery.panels import PanelResult, draw_panel
from edgeorbit.report.legend import legend_columns, legend_entries
from edgeorbit.report.palette import FAINT_INK, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

PANEL_WIDTH, ROW_HEIGHT, LEGEND_HEIGHT = 3.6, 4.4, 0.5  # inches
# Where panels will be when room has been made for text. Graphs are laid out for the proportion that panels have now.
_ROUGHLY = {"left": 0.02, "right": 0.98, "bottom": 0.12, "top": 0.7, "wspace": 0.05}
ROWS = (("square-grids",), ("triangular-lattices",), ("trees",), ("lobster", "prism"), ("cycle",))


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
    from matplotlib.figure import Figure

    from edgeorbit.report.stable_layout import StableLayout

    panels = {family.name: family.build() for row in rows for family in row}
    widest = max(sum(len(panels[family.name]) for family in row) for row in rows)
    figure = Figure(figsize=(max(widest, 2) * PANEL_WIDTH, len(rows) * ROW_HEIGHT + LEGEND_HEIGHT))
    figure.set_layout_engine(StableLayout(w_pad=0.1, h_pad=0.1, hspace=0.03))
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
