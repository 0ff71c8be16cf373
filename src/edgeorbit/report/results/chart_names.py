"""Where the page's charts write the names of models and of bounds, for narrow charts and for wide ones.

A chart is as wide as its place on the page, which is known only there; so every name has two places, `p` in a narrow
chart and `q` in a wide one, each a list: shifts to the right and downwards in pixels, the alignment of the text, and
what else the chart needs to know.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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
from edgeorbit.report.results.records import Record, bounds_named

HEIGHT = 320
WIDTHS = {"p": 280.0, "q": 480.0}  # three charts side by side, or one on a phone; two or one
NARROW = 400  # below which a chart takes the places of narrow ones
LETTERS = 18  # of a model's name
LETTER, LINE = 6.4, 13.0  # width and height of text, roughly: fonts differ between machines
GAP = 9.0  # from the middle of a point to its name
ON_LINE, ON_POINT, ON_GREY = 6.0, 8.0, 1.0  # how bad it is to cover one


def name_bounds(records: Sequence[Record], bounds: Sequence[Record], picked: Sequence[str]) -> list[Record]:
    """Return where lines of bounds against EAR are named: somewhere along the line, `x` and `y` in each place."""
    named = bounds_named(list(bounds), max)
    found = []
    for features, metric in dict.fromkeys((bound["f"], bound["m"]) for bound in named):
        own = [record for record in records if (record["f"], record["m"]) == (features, metric)]
        lines = _lines(bounds, features, "b")
        # A single point has fewer places than a line, and chooses first.
        kept = sorted((b for b in named if b["f"] == features), key=lambda bound: len(lines[bound["b"]]))
        for key, width in WIDTHS.items():
            frame = _frame([*own, *(bound for bound in bounds if bound["f"] == features)], picked, "x", width)
            curves = _lines(own, features, "n")
            obstacles = [as_obstacle(frame.pixels(line), ON_LINE) for line in lines.values()]
            for model, line in curves.items():
                obstacles.append(as_obstacle(frame.pixels(line), ON_LINE if model in picked else ON_GREY))
            names = []
            for bound in kept:
                line = frame.pixels(finely(lines[bound["b"]]))
                places = along(line) if len(line) > 1 else around((line[0, 0], line[0, 1]))
                names.append(Name((LETTER * len(bound["b"]), LINE), places))
            chosen = choose_places(names, np.concatenate(obstacles), (width, HEIGHT))
            for bound, place in zip(kept, chosen, strict=True):
                x, y = frame.values(place.anchor)
                bound[key] = [place.dx, place.dy, place.align, x, y]
        found += kept
    return found


def name_points(
    records: list[Record], bounds: list[Record], picked: Sequence[str]
) -> tuple[list[Record], list[Record]]:
    """Return records of points and of bounds with the places of their names, for every graph, metric and features.

    The last part of a point's place says whether a line leads from it to its name; that of a bound's is how far along
    the chart its name is, from 0 to 1.
    """
    groups: defaultdict[tuple[str, ...], list[Record]] = defaultdict(list)
    ruled: defaultdict[tuple[str, ...], list[Record]] = defaultdict(list)
    for kept, given in ((groups, records), (ruled, bounds)):
        for record in given:
            kept[record["f"], record["m"], record["g"]].append(dict(record))
    for where, own in groups.items():
        # Those that stand out first: they have their names from the beginning, all others when they are asked for.
        order = sorted(own, key=lambda record: picked.index(record["n"]) if record["n"] in picked else len(picked))
        for key, width in WIDTHS.items():
            frame = _frame([*own, *ruled[where]], picked, "t", width)
            heights = [frame.pixels([(record["t"], record["y"])])[0] for record in order]
            obstacles = [as_obstacle(np.array([[0.0, y], [width, y]]), ON_LINE) for y in _rules(frame, ruled[where])]
            for record, point in zip(order, heights, strict=True):
                disc = point + 4.0 * np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)])
                stands_out = record["n"] in picked
                obstacles += [as_obstacle(one[None, :], ON_POINT if stands_out else 2 * ON_GREY) for one in disc]
                if stands_out:
                    ends = frame.pixels([(record["t"], record["l"]), (record["t"], record["h"])])
                    obstacles.append(as_obstacle(ends, ON_LINE))
            names = [
                Name((LETTER * len(bound["b"]), LINE), beside_rule(y, width))
                for bound, y in zip(ruled[where], _rules(frame, ruled[where]), strict=True)
            ]
            names += [
                Name((LETTER * min(LETTERS, len(record["n"])), LINE), around((float(x), float(y)), GAP))
                for record, (x, y) in zip(order, heights, strict=True)
            ]
            places = choose_places(names, np.concatenate(obstacles), (width, HEIGHT))
            for bound, place in zip(ruled[where], places, strict=False):
                bound[key] = [place.dx, place.dy, place.align, place.anchor[0] / width]
            for record, place in zip(order, places[len(ruled[where]) :], strict=True):
                far = math.hypot(place.dx, place.dy) > 1.6 * GAP
                record[key] = [round(place.dx, 1), round(place.dy, 1), place.align, int(far)]
    return [record for own in groups.values() for record in own], [bound for own in ruled.values() for bound in own]


@dataclass(frozen=True)
class _Frame:
    """The area of a chart: what its sides stand for, and how large it is."""

    left: float
    right: float
    bottom: float
    top: float
    width: float
    logarithmic: bool

    def pixels(self, points: "Points | list[tuple[float, float]]") -> Points:
        x, y = np.asarray(points, dtype=float).T
        x = np.log10(x) if self.logarithmic else x
        return np.column_stack(
            [
                (x - self.left) / (self.right - self.left) * self.width,
                (self.top - y) / (self.top - self.bottom) * HEIGHT,
            ]
        )

    def values(self, pixel: tuple[float, float]) -> tuple[float, float]:
        x = self.left + pixel[0] / self.width * (self.right - self.left)
        y = self.top - pixel[1] / HEIGHT * (self.top - self.bottom)
        return float(f"{x:.5g}"), float(f"{y:.5g}")


def _frame(records: Sequence[Record], picked: Sequence[str], across: str, width: float) -> _Frame:
    """Return what Vega makes of the records: a padding of pixels from left to right, round numbers upwards."""
    logarithmic, padding = across == "t", 18.0 if across == "t" else 14.0
    x = [math.log10(record[across]) if logarithmic else record[across] for record in records if across in record]
    y = [record[key] for record in records for key in "ylh" if key == "y" or record.get("n") in picked]
    spread = (max(x) - min(x)) or 1.0
    room = spread * padding / (width - 2 * padding)
    low, high = min(y), max(y)
    rough = (high - low or 1.0) / 10
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.7)
    bottom, top = math.floor(low / step) * step, math.ceil(high / step) * step
    return _Frame(min(x) - room, max(x) + room, bottom, top if top > bottom else bottom + step, width, logarithmic)


def _lines(records: Sequence[Record], features: str, name: str) -> dict[str, Points]:
    found: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for record in records:
        if record["f"] == features:
            found[record[name]].append((record["x"], record["y"]))
    return {key: np.array(sorted(points)) for key, points in found.items()}


def _rules(frame: _Frame, bounds: Sequence[Record]) -> list[float]:
    height = frame.top - frame.bottom
    return [float((frame.top - bound["y"]) / height * HEIGHT) for bound in bounds]
