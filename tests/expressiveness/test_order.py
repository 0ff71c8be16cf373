"""The order of models by what they tell apart, and its diagram."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit.errors import InvalidParameterError
from edgeorbit.expressiveness import compare_expressiveness, hasse_diagram
from edgeorbit.graph.families import cycle
from edgeorbit.graph.toys import prism
from edgeorbit.models import make_model
from edgeorbit.report.model_pictures import draw_hasse
from edgeorbit.report.saving import save_figure

SIZE = 7


def table(values):
    """Return a scorer of the edges of a cycle, by their places."""
    return lambda pairs: np.array(values, float)[: len(pairs)]


SCORES = st.lists(st.integers(0, 2), min_size=SIZE, max_size=SIZE)


@given(SCORES, SCORES)
def test_differences_are_those_of_the_listed_pairs(one, two):
    found = compare_expressiveness(cycle(SIZE), {"one": table(one), "two": table(two)}).order("one", "two")
    first, second = ({(i, j) for i, j in combinations(range(SIZE), 2) if row[i] != row[j]} for row in (one, two))
    assert (found.only_first, found.only_second) == (len(first - second), len(second - first))
    assert found.at_least == (first >= second)
    relation = {(True, True): "equal", (True, False): "more", (False, True): "less"}.get(
        (first >= second, first <= second), "incomparable"
    )
    assert found.relation == relation
    places = {tuple(edge): place for place, edge in enumerate(cycle(SIZE).edges.tolist())}
    for example, only in ((found.example_first, first - second), (found.example_second, second - first)):
        assert (example is None) == (not only)
        if example is not None:
            assert tuple(sorted((places[example.first], places[example.second]))) in only


@settings(max_examples=30)
@given(st.lists(SCORES, min_size=1, max_size=5))
def test_the_diagram_has_every_model_once_and_its_paths_are_the_order(rows):
    found = compare_expressiveness(cycle(SIZE), {f"m{i}": table(row) for i, row in enumerate(rows)})
    diagram = hasse_diagram(found)
    assert sorted(name for group in diagram.groups for name in group) == sorted(found.partitions)
    reach = {i: {i} for i in range(len(diagram.groups))}
    for i in sorted(reach, key=lambda i: diagram.levels[i]):
        for upper, lower in diagram.covers:
            if upper == i:
                assert not any(lower in reach[other] for above, other in diagram.covers if above == i != lower != other)
                reach[i] |= reach[lower]
    for i, j in combinations(reach, 2):
        relation = found.order(diagram.groups[i][0], diagram.groups[j][0]).relation
        assert relation == ("more" if j in reach[i] else "less" if i in reach[j] else "incomparable")


def test_ncn_is_strictly_more_expressive_than_gcn_on_the_prism():
    ncn = make_model("ncn", hidden_channels=8)
    found = compare_expressiveness(prism(), ["gcn", ncn, "linkx"], draws=2)
    order = found.order("ncn", "gcn")
    assert (order.relation, order.only_first, order.only_second) == ("more", 18, 0)
    assert order.example_first is not None
    assert found.order("gcn", "ncn").sentences() == order.sentences()
    assert "ncn is strictly more expressive than gcn: 18 pairs more, such as " in order.sentences()[0]
    text = hasse_diagram(found).text().splitlines()
    assert text[0].split() == ["2", "linkx*", "100.0", "%", "of", "pairs", ">", "ncn"]
    assert text[2].split() == ["0", "gcn", "0.0", "%", "of", "pairs"]
    assert text[3].startswith("* depends on the numbering")


def test_equal_and_incomparable_models_are_said_to_be_so():
    found = compare_expressiveness(
        cycle(4), {"a": table([0, 0, 1, 1]), "b": table([0, 1, 1, 0]), "c": table([5, 5, 7, 7])}
    )
    assert found.order("a", "c").sentences() == ["a and c tell the same pairs apart."]
    assert found.order("a", "b").sentences()[0] == "a and b are incomparable."
    assert found.order("a", "b").sentences()[1].startswith("Only a tells 2 pairs apart, such as ")
    assert hasse_diagram(found).groups == [("a", "c"), ("b",)]


def test_the_picture_is_a_file_that_is_the_same_every_time(tmp_path):
    diagram = hasse_diagram(compare_expressiveness(prism(), ["cn", "gcn", "linkx", "aa"], draws=1))
    axes = draw_hasse(diagram).axes[0]
    assert [text.get_text() for text in axes.texts][1:] == ["cn = aa\n50.0 % of pairs", "gcn\n0.0 % of pairs"]
    assert len(axes.lines) == len(diagram.covers) == 2
    heights = [text.get_position()[1] for text in axes.texts]
    assert heights == sorted(heights, reverse=True)
    for name in ("one.png", "two.png"):
        save_figure(draw_hasse(diagram), tmp_path / name)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_progress_reaches_its_end():
    seen = []
    compare_expressiveness(
        prism(), ["cn", "gcn"], draws=2, progress=lambda done, total, doing: seen.append((done / total, doing))
    )
    assert seen[-1] == (1.0, "judging gcn")
    assert [share for share, _ in seen] == sorted(share for share, _ in seen)


def test_models_of_one_name_or_none_are_refused():
    with pytest.raises(InvalidParameterError, match="cn stands twice"):
        compare_expressiveness(prism(), ["cn", "cn"])
    with pytest.raises(InvalidParameterError, match="no model to judge"):
        compare_expressiveness(prism(), [])
    with pytest.raises(InvalidParameterError, match="were not compared"):
        compare_expressiveness(prism(), ["cn"]).order("cn", "gcn")


def test_the_package_is_called_with_any_source_and_an_own_module():
    torch = pytest.importorskip("torch")
    gcn = pytest.importorskip("torch_geometric.nn").GCNConv

    class Net(torch.nn.Module):
        def __init__(self, in_channels):
            super().__init__()
            self.conv = gcn(in_channels, 4)

        def forward(self, x, edge_index):
            return self.conv(x, edge_index)

    import edgeorbit as eo

    for graph in ("prism", eo.to_networkx(prism()), eo.to_pyg(prism()).edge_index):
        found = eo.expressiveness(graph, {"mine": Net, "cn": "cn"}, draws=2)
        assert found.order("cn", "mine").relation == "more"
