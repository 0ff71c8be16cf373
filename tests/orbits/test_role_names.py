"""Names of colours: the same in every graph, and different where colours differ."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.data.loading import load_graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.refine import refine, refine_together
from edgeorbit.orbits.role_names import role_names
from tests.oracles import graphs, relabelled, same_partition


@given(first=graphs(), second=graphs(), rounds=st.integers(0, 4))
def test_names_of_two_graphs_are_equal_exactly_where_colours_refined_together_are(first, second, rounds) -> None:
    colours = np.concatenate([found.labels for found in refine_together([first, second], rounds)])
    names = np.concatenate([role_names(graph, rounds) for graph in (first, second)])
    assert same_partition(colours.tolist(), names.tolist())


@given(graph=graphs(), rounds=st.integers(0, 4), data=st.data())
def test_relabelling_nodes_permutes_names(graph: Graph, rounds: int, data) -> None:
    permutation = data.draw(st.permutations(range(graph.num_nodes)))
    moved = role_names(relabelled(graph, permutation), rounds)
    assert np.array_equal(moved[np.asarray(permutation, int)], role_names(graph, rounds))


@given(graph=graphs(), rounds=st.integers(0, 3), data=st.data())
def test_names_start_from_given_colours(graph: Graph, rounds: int, data) -> None:
    initial = data.draw(st.lists(st.integers(0, 2), min_size=graph.num_nodes, max_size=graph.num_nodes))
    names = role_names(graph, rounds, np.array(initial, np.int64))
    assert same_partition(names.tolist(), refine(graph, rounds, np.array(initial, np.int64)).labels.tolist())


@pytest.mark.parametrize("name", ["cora", "pubmed"])
def test_real_graphs_have_as_many_names_as_colours(name: str, data_dir) -> None:
    graph = load_graph(name, data_dir=data_dir)
    for rounds in (1, 2, 5):
        assert len(np.unique(role_names(graph, rounds))) == refine(graph, rounds).num_colours


def test_names_stay_the_same_from_version_to_version() -> None:
    """Trained tables are looked up by them."""
    path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    assert [int(name) % 4096 for name in role_names(path, 2)] == [3642, 3658, 3658, 3642]


def test_a_negative_number_of_rounds_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="rounds"):
        role_names(Graph.empty(2), -1)
