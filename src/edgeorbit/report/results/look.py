"""How charts look by day and by night, and which models stand out in them."""

from collections import defaultdict
from typing import Any

from edgeorbit.experiments.tables.results import Results
from edgeorbit.experiments.tables.table import Table
from edgeorbit.report.palette import FAINT_INK, GRID, INDISTINGUISHABLE, INK, ORBITS

OURS = ("eo-gnn", "eo-gnn-paper")
OTHERS_SHOWN = 4  # models beside ours that stand out from the beginning

# Hues that people who do not see red or green tell apart; every model has a shape and a dash besides its colour, and
# as 8, 7 and 5 have no common factor, the first 56 models differ in colour or shape.
BY_DAY = (INDISTINGUISHABLE, ORBITS[0], "#7a4fb5", "#a87400", "#0d8f8a", ORBITS[3], "#4f5b6b", ORBITS[7])
BY_NIGHT = ("#ff8a3d", "#62b0f0", "#b79cf0", "#f2c43d", "#4fd0c4", "#ee9fd2", "#b9c2cf", "#f08fa8")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
DASHES = ((1, 0), (6, 2), (2, 2), (8, 2, 2, 2), (4, 4))
# Bounds are grey lines, each with a dash of its own, in the order of `records.BOUNDS`.
BOUND_DASHES = ((1, 3), (3, 3), (7, 3), (7, 3, 1, 3), (12, 4))
OTHERS = "#9aa1ab"  # models that do not stand out
NIGHT_INK, NIGHT_FAINT, NIGHT_GRID = "#e6e8eb", "#a3abb6", "#343a43"


def chart_config(night: bool) -> dict[str, Any]:
    """Return the configuration of Vega-Lite for one of both schemes."""
    ink, faint, grid = (NIGHT_INK, NIGHT_FAINT, NIGHT_GRID) if night else (INK, FAINT_INK, GRID)
    return {
        "background": "transparent",
        "font": "system-ui, sans-serif",
        "view": {"stroke": None},
        "axis": {
            "labelColor": ink,
            "titleColor": ink,
            "gridColor": grid,
            "domainColor": faint,
            "tickColor": faint,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
        },
        "title": {"color": ink, "anchor": "start", "fontSize": 13, "fontWeight": 600, "offset": 12},
        "rule": {"color": faint},
        "style": {
            "deviation": {"color": ink, "strokeWidth": 1.5},
            "bound": {"color": faint},
        },
        "range": {"category": list(BY_NIGHT if night else BY_DAY), "symbol": list(SHAPES)},
    }


def choose_models(results: Results, tables: list[Table]) -> tuple[list[str], list[str]]:
    """Return all models, those that stand out first, and those that stand out: ours, and the best few of the others.

    The best are those with the best mean place over all columns, of the models that are in at least half as many
    columns as any other.
    """
    places: defaultdict[str, list[float]] = defaultdict(list)
    for table in tables:
        for column in table.columns:
            means = {
                name: table.cells[name, column.graph].mean
                for name in table.models
                if (name, column.graph) in table.cells
            }
            for name, mean in means.items():
                places[name].append(sum(other > mean for other in means.values()) / len(means))
    enough = max(map(len, places.values()), default=0) / 2
    ours = [name for name in OURS if name in places]
    others = sorted(
        (name for name in results.order if name in places and name not in ours and len(places[name]) >= enough),
        key=lambda name: sum(places[name]) / len(places[name]),
    )
    picked = ours + others[:OTHERS_SHOWN]
    return picked + [name for name in results.order if name in places and name not in picked], picked
