"""Splits hide what they hold out, keep counterparts together, and can be made again."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import edgeorbit as eo
from edgeorbit import Graph, ear
from edgeorbit.data.splits import LinkSplit, random_split, twin_split
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.synthetic import make
from oracles import graphs


def as_set(pairs: np.ndarray) -> set[tuple[int, int]]:
    return {(min(u, v), max(u, v)) for u, v in pairs.tolist()}


@given(graphs(max_nodes=30, max_pairs=120), st.integers(0, 99))
@settings(max_examples=100, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_every_edge_is_in_exactly_one_part(graph: Graph, seed: int) -> None:
    assume(graph.num_edges > 10)
    split = random_split(graph, seed=seed)
    parts = [as_set(split.graph.edges), as_set(split.valid), as_set(split.test)]
    assert set.union(*parts) == as_set(graph.edges) and sum(map(len, parts)) == graph.num_edges
    assert len(parts[1]) == round(0.15 * graph.num_edges) and len(parts[2]) == round(0.05 * graph.num_edges)
    assert as_set(split.whole.edges) == as_set(graph.edges)
    split.check()


def test_the_same_seed_gives_the_same_split_and_another_one_another() -> None:
    graph = make("barabasi-albert")
    assert random_split(graph, seed=1).digest == random_split(graph, seed=1).digest
    assert random_split(graph, seed=1).digest != random_split(graph, seed=2).digest


@given(st.integers(0, 20), st.integers(0, 5), st.integers(0, 9))
@settings(max_examples=30)
def test_a_twin_split_keeps_counterparts_together(edges: int, twins: int, seed: int) -> None:
    graph = make("syn-karate", edges=edges, twins=twins, seed=seed)
    split, origin = twin_split(graph, seed=seed), graph.origin
    part = {}
    for number, pairs in enumerate((split.graph.edges, split.valid, split.test)):
        for u, v in pairs.tolist():
            if origin.copy[u] == origin.copy[v]:
                source = tuple(sorted((int(origin.original[u]), int(origin.original[v]))))
                assert part.setdefault(source, number) == number


def test_a_twin_split_keeps_the_symmetry_that_a_random_one_undoes() -> None:
    graph = make("syn-karate")
    assert ear(twin_split(graph).graph) == 1 > ear(random_split(graph).graph)


def test_kinds_of_held_out_edges_are_kept() -> None:
    graph = make("syn-karate", edges=40)
    split = twin_split(graph)
    kind = {tuple(edge): k for edge, k in zip(graph.edges.tolist(), graph.origin.edge_kind.tolist(), strict=True)}
    for pairs, kinds in ((split.valid, split.valid_kind), (split.test, split.test_kind)):
        assert [kind[tuple(pair)] for pair in pairs.tolist()] == kinds.tolist()
    assert 1 in split.valid_kind


def test_features_are_made_from_training_edges_alone() -> None:
    split = eo.split("karate", features="degree")
    assert np.array_equal(split.graph.x[:, 0], split.graph.degree)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"kind": "halves"}, "choose from auto, random, twin, time, official"),
        ({"ratios": [0.5, 0.5]}, "three shares"),
        ({"ratios": [0.9, 0.2, -0.1]}, "three shares"),
        ({"ratios": [1.0, 0.0, 0.0]}, "no validation edge"),
        ({"kind": "twin"}, "not known to be made of copies"),
        ({"kind": "official"}, "brings no split"),
        ({"features": "nice"}, "choose from original"),
        ({"features": "original"}, "no features of its own"),
    ],
)
def test_bad_splits_get_one_sentence(options, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        eo.split("karate", **options)


def test_a_graph_that_is_too_small_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="too few to split"):
        random_split(Graph.from_edges([[0, 1], [1, 2]]))


def test_a_held_out_edge_that_can_be_seen_is_found() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2]])
    with pytest.raises(GraphFormatError, match="test edge 1 - 2 is a training edge too"):
        LinkSplit(graph, np.array([[0, 2]]), np.array([[2, 1]])).check()
