"""Where names go in a chart: beside what they name, clear of lines, points and each other as far as there is room.

All lengths are those of the picture, in pixels or points, from its upper left corner.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]

STEP = 4.0  # between the points by which a line is an obstacle
MARGIN = 2.0  # around a name
OUTSIDE, ON_NAME = 1e6, 50.0  # costs of what must not be, next to those of crossing a line


class Place(NamedTuple):
    """A place for a name: its anchor, and from there the end (`align` left, right) or the middle (center) of the name.

    `cost` is what speaks against it beforehand, such as that it is far away.
    """

    anchor: tuple[float, float]
    dx: float
    dy: float
    align: str
    cost: float = 0.0


class Name(NamedTuple):
    """A name: its width and height, and where it may be."""

    size: tuple[float, float]
    places: Sequence[Place]


def choose_places(names: Sequence[Name], obstacles: Points, frame: tuple[float, float]) -> list[Place]:
    """Choose a place for one name after the other: within the frame, not on names before it, over few obstacles.

    Parameters
    ----------
    names
        The names, the most important first.
    obstacles
        Rows of x, y and how bad it is to cover that point.
    frame
        Width and height of the picture.

    Examples
    --------
    Of two names at one point, the second gives way:

    >>> beside = [Place((50, 50), 9, 0, "left"), Place((50, 50), -9, 0, "right", 1.0)]
    >>> chosen = choose_places([Name((30, 10), beside)] * 2, np.zeros((0, 3)), (100, 100))
    >>> [place.align for place in chosen]
    ['left', 'right']
    """
    taken: list[tuple[float, float, float, float]] = []
    chosen = []
    for name in names:
        boxes = np.array([_box(place, name.size) for place in name.places])
        costs = np.array([place.cost for place in name.places])
        left, top, right, bottom = boxes.T
        low, (wide, high) = -MARGIN, (side + MARGIN for side in frame)
        beyond = (left < low) | (top < low) | (right > wide) | (bottom > high)
        costs = costs + OUTSIDE * beyond
        for other in taken:
            width = np.minimum(right, other[2]) - np.maximum(left, other[0])
            height = np.minimum(bottom, other[3]) - np.maximum(top, other[1])
            costs += ON_NAME * np.clip(width, 0, None) * np.clip(height, 0, None)
        if len(obstacles):
            x, y, weight = (column[None, :] for column in obstacles.T)
            within = (x > left[:, None]) & (x < right[:, None]) & (y > top[:, None]) & (y < bottom[:, None])
            costs += (within * weight).sum(axis=1)
        best = int(costs.argmin())
        taken.append(tuple(boxes[best].tolist()))
        chosen.append(name.places[best])
    return chosen


def around(anchor: tuple[float, float], gap: float = 9.0, rings: int = 3, ring: float = 13.0) -> list[Place]:
    """Return the places around a point: right, left, above, below and between, in rings from the nearest outwards."""
    places = []
    for number in range(rings):
        reach = gap + number * ring
        far = 8.0 * number
        places += [
            Place(anchor, reach, 0.0, "left", far),
            Place(anchor, -reach, 0.0, "right", far + 1),
            Place(anchor, 0.0, -reach - 3, "center", far + 1),
            Place(anchor, 0.0, reach + 3, "center", far + 1),
            *(
                Place(anchor, 0.8 * side * reach, 0.9 * up * reach, "left" if side > 0 else "right", far + 2)
                for side in (1, -1)
                for up in (-1, 1)
            ),
        ]
    return places


def along(line: Points, gap: float = 8.0) -> list[Place]:
    """Return places above and below the points of a line, near it and farther away, the nearest first."""
    places = []
    for number, distance in enumerate((gap, gap + 7, gap + 16)):
        for x, y in line.tolist():
            for align in ("center", "right", "left"):
                places += [Place((x, y), 0.0, side * distance, align, 12.0 * number) for side in (-1, 1)]
    return places


def beside_rule(y: float, width: float) -> list[Place]:
    """Return the places above and below a line through the whole chart, at its left end first."""
    ends = {
        0.0: ("left", 4.0),
        1.0: ("right", -4.0),
        0.5: ("center", 0.0),
        0.25: ("center", 0.0),
        0.75: ("center", 0.0),
    }
    return [
        Place((share * width, y), dx, side * 8.0, align, number)
        for number, (share, (align, dx)) in enumerate(ends.items())
        for side in (-1, 1)
    ]


def finely(line: Points) -> Points:
    """Return points along a line, its right end first."""
    x = np.linspace(line[-1, 0], line[0, 0], 13 if len(line) > 1 else 1)
    return np.column_stack([x, np.interp(x, line[:, 0], line[:, 1])])


def as_obstacle(line: Points, weight: float) -> Points:
    """Return a line as points that are `STEP` apart; a single point stays one."""
    parts = [line[:1]]
    for begin, end in pairwise(line):
        number = max(1, int(np.hypot(*(end - begin)) / STEP))
        parts.append(begin + (end - begin) * (np.arange(1, number + 1) / number)[:, None])
    points = np.concatenate(parts)
    return np.column_stack([points, np.full(len(points), weight)])


def _box(place: Place, size: tuple[float, float]) -> tuple[float, float, float, float]:
    x, y = place.anchor[0] + place.dx, place.anchor[1] + place.dy
    width, height = size
    left = x - {"left": 0.0, "center": width / 2, "right": width}[place.align]
    return left - MARGIN, y - height / 2 - MARGIN, left + width + MARGIN, y + height / 2 + MARGIN
