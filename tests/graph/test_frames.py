"""Graphs from data frames of any library, and what frames are refused for."""

import pyarrow as pa
import pytest

from edgeorbit import from_frame, load
from edgeorbit.errors import EdgeorbitError, GraphFormatError

pandas = pytest.importorskip("pandas")


def polars(columns):
    return pytest.importorskip("polars").DataFrame(columns)


MAKERS = {"pandas": pandas.DataFrame, "pyarrow": pa.table, "polars": polars}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def test_ids_of_text_become_the_names_of_the_nodes(make):
    frame = make({"weight": [0.5, 1.5], "source": ["ann", "bob"], "target": ["bob", "cy"]})
    graph = from_frame(frame, name="friends")
    assert graph.node_names.tolist() == ["ann", "bob", "cy"] and graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.name == "friends"


def test_large_integers_stay_as_they_are(make):
    graph = from_frame(make({"a": [10**15, 7], "b": [7, 3]}))
    assert sorted(graph.names(graph.edges).ravel().tolist()) == [3, 7, 7, 10**15]


def test_columns_are_chosen_by_name_or_place(make):
    frame = make({"day": [1, 2], "who": ["a", "b"], "whom": ["b", "c"]})
    for columns in (("who", "whom"), (1, 2)):
        assert from_frame(frame, columns).num_edges == 2
    assert load(frame, columns=["who", "whom"]).num_edges == 2


@pytest.mark.parametrize(
    ("columns", "chosen", "message"),
    [
        ({"a": [1], "b": [2], "c": [3]}, None, "column"),
        ({"a": [1]}, None, "column"),
        ({"a": [1], "b": [2]}, ("a", "z"), "z"),
        ({"a": [1.5, 2.0], "b": [2, 3]}, None, "a"),
        ({"a": [-1, 2], "b": [2, 3]}, None, "-1"),
        ({"a": ["x", None], "b": ["y", "z"]}, None, "row 2 has no node id in column 'a'"),
        ({"a": [], "b": []}, None, "there are no rows|type|neither"),
    ],
)
def test_a_frame_without_clear_ids_is_refused_in_one_sentence(make, columns, chosen, message):
    with pytest.raises(EdgeorbitError, match=message) as caught:
        from_frame(make(columns), chosen)
    assert "frame" in str(caught.value) and "\n" not in str(caught.value)


def test_missing_integers_of_pandas_are_refused():
    frame = pandas.DataFrame({"source": pandas.array([1, None], dtype="Int64"), "target": [2, 3]})
    with pytest.raises(GraphFormatError, match="source"):
        from_frame(frame)
