"""What theory says that models can and cannot tell apart, on random graphs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import exact_orbits
from edgeorbit.expressiveness import score_partition
from edgeorbit.expressiveness.judging import count_pairs, meet
from edgeorbit.graph.families import cycle, path
from edgeorbit.graph.graph import disjoint_union
from edgeorbit.models import make_model
from oracles import graphs


@settings(max_examples=25)
@given(graphs(max_nodes=16, max_pairs=32), st.sampled_from(["gin", "gat", "sage"]), st.integers(1, 3))
def test_a_network_of_k_layers_tells_no_edges_apart_that_k_rounds_do_not(graph, name, layers):
    model = make_model(name, num_layers=layers, hidden_channels=8)
    assert score_partition(graph, model, rounds=layers, draws=2, relabelling=False).num_discriminated == 0


@settings(max_examples=15)
@given(graphs(max_nodes=16, max_pairs=32), st.integers(1, 3))
def test_a_gcn_of_k_layers_tells_no_edges_apart_that_one_round_more_does_not(graph, layers):
    model = make_model("gcn", num_layers=layers, hidden_channels=8)
    assert score_partition(graph, model, rounds=layers + 1, draws=2, relabelling=False).num_discriminated == 0


def test_the_bounds_are_sharp():
    """One round less and the networks do tell edges apart: the degrees of GCN are worth a round."""
    graph = path(9)
    for name, rounds in (("gin", 1), ("gcn", 2)):
        model = make_model(name, num_layers=2, hidden_channels=8)
        assert score_partition(graph, model, rounds=rounds, draws=4).num_discriminated > 0, name
        assert score_partition(graph, model, rounds=rounds + 1, draws=4).num_discriminated == 0, name


EQUIVARIANT = ["cn", "aa", "ra", "jaccard", "katz", "gcn", "mixhop", "chebgcn", "ncn", "ncnc", "neo-gnn", "nbfnet"]


@settings(max_examples=20)
@given(graphs(max_nodes=10, max_pairs=20), st.sampled_from(EQUIVARIANT))
def test_no_equivariant_model_parts_an_exact_orbit(graph, name):
    found = score_partition(graph, name, draws=1, relabelling=False)
    exact = exact_orbits(graph).edge_labels.astype("int64")
    assert count_pairs(meet(found.classes, exact)) == count_pairs(exact)


@pytest.mark.parametrize("name", ["seal", "ppr", "eo-gnn"])
def test_models_of_subgraphs_and_walks_keep_exact_orbits_too(name):
    graph = disjoint_union([cycle(3), cycle(3), cycle(6), path(5)])
    scorer = make_model(name, hidden_channels=16, tau=0.01) if name == "eo-gnn" else name
    found = score_partition(graph, scorer, draws=4)
    exact = exact_orbits(graph).edge_labels.astype("int64")
    assert count_pairs(meet(found.classes, exact)) == count_pairs(exact)
    assert found.num_discriminated > 0
    assert found.depends_on_numbering is False
