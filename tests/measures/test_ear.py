"""EAR against its definition, the closed form and the values known for real graphs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.data import load_graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.measures import ear as ear_module
from edgeorbit.measures.ear import ear, ear_by_round, explain, measure
from oracles import graphs, grid_edges, naive_orbit_sizes, naive_rounds


def naive_ear(graph: Graph, colours: list[int], gamma: float = 1.0, ordered: bool = False) -> float:
    """EAR by the definition, one edge at a time."""
    if graph.num_edges == 0:
        return 0.0
    sizes = naive_orbit_sizes(graph, colours)
    within = [colours[u] == colours[v] for u, v in graph.edges.tolist()]
    alike = [size > 1 or (ordered and same) for size, same in zip(sizes, within, strict=True)]
    return float((sum(alike) / graph.num_edges) ** gamma)


@given(
    graph=graphs(), rounds=st.none() | st.integers(0, 4), gamma=st.sampled_from([1.0, 0.5, 0.01]), ordered=st.booleans()
)
def test_ear_is_that_of_the_definition(graph: Graph, rounds: int | None, gamma: float, ordered: bool) -> None:
    expected = naive_ear(graph, naive_rounds(graph, rounds)[-1], gamma, ordered)
    variant = "ordered" if ordered else "multiset"
    assert ear(graph, gamma, rounds, variant) == pytest.approx(expected)
    found = measure(graph, gamma, rounds, variant)
    assert found.ear == pytest.approx(expected)
    assert found.ear_by_round[-1] == found.ear


@given(graph=graphs())
def test_ear_by_round_is_that_of_each_round_and_never_rises(graph: Graph) -> None:
    by_round = ear_by_round(graph)
    assert by_round == [naive_ear(graph, colours) for colours in naive_rounds(graph)]
    assert by_round == sorted(by_round, reverse=True)


def test_a_cycle_and_what_is_left_without_an_edge() -> None:
    cycle, path = load_graph("cycle8"), load_graph("path8")
    assert ear(cycle) == 1
    assert ear(path) == pytest.approx(6 / 7)
    assert ear(path, variant="ordered") == 1


@pytest.mark.parametrize(
    ("name", "multiset", "ordered", "colours"),
    [("cora", 0.1311, 0.1393, 2365), ("citeseer", 0.3135, 0.3264, 2090), ("pubmed", 0.2163, 0.2165, 12998)],
)
def test_planetoid_graphs_have_their_known_ear(data_dir, name, multiset, ordered, colours) -> None:
    graph = load_graph(name, data_dir=data_dir)
    assert round(ear(graph), 4) == multiset
    assert round(ear(graph, variant="ordered"), 4) == ordered
    assert measure(graph).num_node_orbits == colours


def test_more_rounds_than_are_listed_still_give_the_stable_value(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = Graph.from_edges(grid_edges(30, 41))
    whole = measure(grid)
    assert whole.rounds > 10 and len(whole.ear_by_round) == whole.rounds + 1
    for listed in (0, 3, whole.rounds - 1, whole.rounds, whole.rounds + 1):
        monkeypatch.setattr(ear_module, "MAX_ROUNDS_LISTED", listed)
        cut = measure(grid)
        assert cut.ear_by_round == whole.ear_by_round[: listed + 1]
        assert (cut.ear, cut.rounds, cut.stable, cut.num_edge_orbits) == (
            whole.ear, whole.rounds, True, whole.num_edge_orbits,
        )  # fmt: skip
        assert measure(grid, rounds=5).rounds == 5


@pytest.mark.parametrize("gamma", [0, -1, 1.01, float("nan")])
def test_gamma_outside_its_range_gets_a_sentence(gamma: float) -> None:
    with pytest.raises(InvalidParameterError, match="gamma must be above 0 and at most 1, not"):
        ear(Graph.empty(2), gamma)


def test_an_unknown_variant_gets_a_sentence() -> None:
    with pytest.raises(InvalidParameterError, match="unknown variant 'both'; choose from multiset, ordered"):
        ear(Graph.from_edges([(0, 1)]), variant="both")


@pytest.mark.parametrize(
    ("edges", "arguments", "words"),
    [
        ([], {}, "no links"),
        ([(0, 1), (1, 2), (2, 3), (2, 4), (4, 5), (5, 6)], {}, "No two of the 6 links look alike"),
        ([(0, 1), (1, 2)], {}, "Every link has a look-alike"),
        ([(0, 1), (1, 2), (2, 3)], {}, "2 of 3 links (66.7 %)"),
        ([(i, i + 1) for i in range(9)], {"rounds": 1}, "GNN of 1 layer can"),
        ([(i, i + 1) for i in range(9)], {"rounds": 2, "initial": "degree"}, "GNN of 2 layers"),
        ([(0, 1), (1, 2), (2, 3)], {"initial": "degree"}, "by structure and degree"),
        ([(0, 1), (1, 2), (2, 3)], {"initial": [1, 1, 1, 1]}, "by structure and colours"),
    ],
)
def test_the_reading_says_what_was_measured(edges: list, arguments: dict, words: str) -> None:
    graph = Graph.from_edges(edges) if edges else Graph.empty(3)
    assert words in explain(measure(graph, **arguments))
