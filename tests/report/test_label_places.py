"""Names in charts: within the picture, and clear of each other and of lines where there is room."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.report.results.chart_names import HEIGHT, WIDTHS, name_bounds, name_points
from edgeorbit.report.results.label_places import Name, _box, along, around, as_obstacle, choose_places, finely

FRAME = 300.0, 200.0
SIZE = 50.0, 12.0
NONE = np.zeros((0, 3))


def overlap(one, other) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def boxes_of(points):
    places = choose_places([Name(SIZE, around(point)) for point in points], NONE, FRAME)
    return [_box(place, SIZE) for place in places]


@given(st.lists(st.tuples(st.floats(0, 300), st.floats(0, 200)), min_size=1, max_size=9))
def test_names_of_points_anywhere_are_within_the_picture(points) -> None:
    for left, top, right, bottom in boxes_of(points):
        assert left >= -2 and top >= -2 and right <= 302 and bottom <= 202


@given(st.lists(st.tuples(st.floats(110, 190), st.floats(60, 140)), min_size=2, max_size=4))
def test_names_of_a_few_points_are_apart_however_close_these_are(points) -> None:
    boxes = boxes_of(points)
    assert not any(overlap(box, other) for number, box in enumerate(boxes) for other in boxes[:number])


def test_a_name_gives_way_to_a_line_and_stays_near_its_own() -> None:
    own, other = np.array([[0.0, 100], [300, 100]]), np.array([[0.0, 90], [300, 90]])
    obstacles = np.concatenate([as_obstacle(line, 3.0) for line in (own, other)])
    (place,) = choose_places([Name(SIZE, along(finely(own)))], obstacles, FRAME)
    assert 0 < place.dy < 12  # below: above it there is the other line
    assert len(as_obstacle(own, 1.0)) == 76 and len(as_obstacle(own[:1], 1.0)) == 1


def test_models_that_stand_out_have_names_apart_also_where_all_points_are_close() -> None:
    records = [
        {"f": "constant", "m": "auc", "g": "CiteSeer", "n": name, "s": 5, "y": y, "l": y - 0.5, "h": y + 0.5, "t": t}
        for name, t, y in (("cn", 0.05, 67), ("gcn", 25, 96), ("sage", 35, 97), ("ncn", 64, 97.2), ("eo-gnn", 40, 97.1))
    ]
    picked = ["eo-gnn", "ncn", "sage", "gcn"]
    named, _ = name_points(records, [], picked)
    for key, width in WIDTHS.items():
        left, right = np.log10([0.05, 64])
        room = (right - left) * 18 / (width - 36)
        boxes = []
        for record in (record for record in named if record["n"] in picked):
            dx, dy, align, _ = record[key]
            x = (np.log10(record["t"]) - left + room) / (right - left + 2 * room) * width + dx
            y = (100 - record["y"]) / 35 * HEIGHT + dy
            size = 6.4 * len(record["n"])
            x -= {"left": 0, "center": size / 2, "right": size}[align]
            boxes.append((x, y - 6.5, x + size, y + 6.5))
        assert not any(overlap(box, other) for number, box in enumerate(boxes) for other in boxes[:number])


def test_a_bound_of_one_graph_is_named_beside_its_point() -> None:
    bound = {"f": "constant", "m": "auc", "g": "EAR 1", "b": "any model without features", "x": 1.0, "y": 94.0}
    records = [
        {"f": "constant", "m": "auc", "n": "gcn", "x": x, "y": y, "l": y, "h": y} for x, y in ((0.1, 50), (1, 60))
    ]
    (named,) = name_bounds(records, [bound], ["gcn"])
    for key in WIDTHS:
        dx, _, align, x, y = named[key]
        assert align == "right" and dx < 0 and (x, y) == (1.0, 94.0)
