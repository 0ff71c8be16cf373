"""What scorers tell apart inside edge orbits, against brute force over pairs."""

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.nn import GCNConv, SAGEConv

from edgeorbit import Graph, ear, edge_orbits, refine
from edgeorbit.errors import InvalidParameterError
from edgeorbit.expressiveness import DrawnScorer, encoder_scorer, score_partition
from edgeorbit.expressiveness.judging import count_pairs, cut_orbits, meet
from edgeorbit.graph.families import cycle, path
from edgeorbit.graph.toys import prism
from edgeorbit.models import make_model
from oracles import graphs, same_partition

MATCHING = {(0, 3), (1, 4), (2, 5)}


def small(name: str, **more: object):
    return make_model(name, hidden_channels=8, **more)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=12))
def test_pairs_are_counted_as_by_listing_them(labels):
    orbits, scores = (np.array(column, np.int64) for column in zip(*labels, strict=True))
    classes = cut_orbits(orbits, scores.astype(float), 1e-9)
    alike = sum(labels[i] == labels[j] for i, j in combinations(range(len(labels)), 2))
    assert count_pairs(classes) == alike
    assert same_partition(classes.tolist(), labels)
    assert same_partition(meet(orbits, scores).tolist(), labels)


@settings(max_examples=30)
@given(graphs(max_nodes=12, max_pairs=20), st.integers(1, 3), st.integers(0, 3))
def test_a_pair_is_discriminated_if_and_only_if_some_draw_differs(graph, draws, seed):
    def draw(on: Graph, number: int):
        table = np.random.default_rng(number).integers(2, size=(on.num_nodes, on.num_nodes))
        return lambda pairs: table[tuple(pairs.T)]

    found = score_partition(graph, DrawnScorer.of(draw, name="coins"), draws=draws, seed=seed)
    orbits = edge_orbits(graph, refine(graph)).labels
    pairs = [(i, j) for i, j in combinations(range(graph.num_edges), 2) if orbits[i] == orbits[j]]
    told = [(i, j) for i, j in pairs if (found.scores[:, i] != found.scores[:, j]).any()]
    assert found.num_pairs == len(pairs)
    assert found.num_discriminated == len(told)
    assert all((found.classes[i] != found.classes[j]) == ((i, j) in told) for i, j in pairs)
    alone = np.bincount(found.classes)[found.classes] == 1 if graph.num_edges else np.empty(0)
    assert found.ear() == pytest.approx(1 - alone.mean() if graph.num_edges else 0)


def test_ties_broken_by_rounding_do_not_count_and_real_differences_do():
    orbits, base = np.zeros(4, np.int64), np.array([1.0, 1.0, 1.0, 1.0])
    rounded = base + np.array([0, 1, -1, 2]) * 2**-50
    assert cut_orbits(orbits, rounded, 1e-9).max() == 0
    assert cut_orbits(orbits, base + np.array([0, 0, 1e-8, 0]), 1e-9).max() == 1


@pytest.mark.parametrize(("dtype", "noise", "difference"), [(np.float32, 1e-6, 1e-3), (np.float64, 1e-12, 1e-7)])
def test_the_tolerance_follows_the_precision_of_the_scores(dtype, noise, difference):
    def scorer(size: float):
        return lambda pairs: (1 + size * np.arange(len(pairs)) / len(pairs)).astype(dtype)

    assert score_partition(cycle(6), scorer(noise)).num_classes == 1
    assert score_partition(cycle(6), scorer(difference)).num_classes == 6
    assert score_partition(cycle(6), scorer(difference), tolerance=0.1).num_classes == 1


def test_a_draw_whose_scores_cancel_is_measured_by_the_other_draws():
    """Scores near 0 have the rounding of their terms, which is no difference."""

    def draw(graph: Graph, seed: int):
        size = np.random.default_rng(seed).normal()
        return lambda pairs: 1e-8 * size + 1e-14 * (pairs[:, 0] % 2) if seed % 2 else np.full(len(pairs), size)

    assert score_partition(cycle(6), DrawnScorer.of(draw, name="x"), draws=16).num_classes == 1


def test_the_prism_has_one_class_for_gcn_and_two_for_ncn():
    assert score_partition(prism(), "gcn", draws=2).num_classes == 1
    found = score_partition(prism(), small("ncn"), draws=2)
    assert found.num_classes == 2
    matching = [tuple(edge) in MATCHING for edge in found.edges.tolist()]
    assert same_partition(found.classes.tolist(), matching)
    assert (found.num_pairs, found.num_discriminated, found.ear()) == (36, 18, 1.0)


@pytest.mark.parametrize("name", ["cn", "aa", "ra"])
def test_common_neighbours_tell_triangle_edges_of_the_prism_from_matching_edges(name):
    found = score_partition(prism(), name)
    assert same_partition(found.classes.tolist(), [tuple(edge) in MATCHING for edge in found.edges.tolist()])
    example = found.discriminated_pair
    assert example is not None
    assert (example.first in MATCHING) != (example.second in MATCHING)
    assert example.scores[0] != example.scores[1]
    alike = found.indistinguishable_pair
    assert alike is not None
    assert alike.scores[0] == alike.scores[1]


def test_a_model_that_tells_nothing_apart_has_the_ear_of_the_graph():
    graph = path(8)
    found = score_partition(graph, lambda pairs: np.zeros(len(pairs)))
    assert found.ear() == ear(graph)
    assert found.ear(0.5) == ear(graph, 0.5)


def test_examples_carry_the_names_of_the_user():
    graph = Graph.from_edges([(0, 1), (1, 2)], node_names=np.array(["a", "b", "c"]))
    example = score_partition(graph, lambda pairs: pairs[:, 1]).discriminated_pair
    assert example is not None
    assert {example.first, example.second} == {("a", "b"), ("b", "c")}
    assert str(example) == "a-b (1) and b-c (2)"


def test_a_million_edges_of_one_orbit_are_counted_without_listing_pairs():
    graph = cycle(1_000_000)
    found = score_partition(graph, lambda pairs: pairs[:, 0] % 2)
    assert (found.num_orbits, found.num_classes) == (1, 2)
    half = 500_000
    assert abs(found.num_discriminated - half * half) <= 1
    assert score_partition(graph, "cn").num_discriminated == 0


def test_a_users_encoder_and_decoder_are_judged():
    graph = prism()
    assert score_partition(graph, encoder_scorer(lambda: GCNConv(1, 4)), draws=2).num_classes == 1

    class Decoder(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Linear(4, 1)

        def forward(self, embedding, edge_label_index):
            return self.weight(embedding[edge_label_index[0]] * embedding[edge_label_index[1]]).squeeze(-1)

    found = score_partition(path(6), encoder_scorer(lambda: SAGEConv(1, 4), Decoder, name="mine"), rounds=0, draws=3)
    assert (found.scorer, found.num_classes, found.single_precision) == ("mine", 1, False)
    degrees = score_partition(path(6), encoder_scorer(lambda: SAGEConv(1, 4), Decoder), features="degree", rounds=0)
    assert degrees.num_classes > 1


def test_judging_a_trained_model_leaves_its_weights():
    model, graph = small("gcn"), prism().with_attributes(x=np.ones((6, 1), np.float32))
    model.build(graph, 0)
    before = [weight.clone() for weight in model.network.parameters()]
    state = torch.random.get_rng_state()
    score_partition(graph, model, draws=2)
    assert all(torch.equal(*both) for both in zip(before, model.network.parameters(), strict=True))
    assert torch.equal(state, torch.random.get_rng_state())


def test_some_node_pairs_alone_can_be_judged():
    found = score_partition(cycle(6), "cn", edges=[[2, 0], [0, 3], [1, 4]])
    assert found.edges.tolist() == [[0, 2], [0, 3], [1, 4]]
    assert (found.num_orbits, found.num_classes) == (1, 2)


def test_where_every_edge_is_alone_there_is_nothing_to_discriminate():
    graph = path(3)
    found = score_partition(graph, "gcn", initial=[0, 1, 2])
    assert (found.num_pairs, found.share_discriminated, found.discriminated_pair) == (0, 0.0, None)
    assert found.indistinguishable_pair is None
    assert "nothing to discriminate" in found.remarks[0]
    assert score_partition(Graph.empty(3), "cn").ear() == 0


@pytest.mark.parametrize(
    ("scorer", "told"),
    [
        (lambda pairs: np.full(len(pairs), np.nan), "6 of 6 scores are NaN or infinite"),
        (
            lambda pairs: np.full(len(pairs), np.inf),
            "6 of 6 scores are NaN or infinite, the first at 0; return finite scores",
        ),
        (lambda pairs: np.zeros(3), r"must return one score per pair, shape \(6,\), got shape \(3,\)"),
        (lambda pairs: np.zeros((len(pairs), 2)), r"got shape \(6, 2\)"),
        (lambda pairs: ["high"] * len(pairs), "scores must be real numbers"),
        (7, "got int"),
        ("gnc", "did you mean .*gcn"),
    ],
)
def test_a_scorer_without_a_finite_number_for_each_pair_is_refused(scorer, told):
    with pytest.raises(InvalidParameterError, match=told) as caught:
        score_partition(cycle(6), scorer)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"draws": 0}, "draws must be at least 1, not 0"),
        ({"noise_draws": 1}, "noise_draws must be at least 2"),
        ({"tolerance": -1}, "tolerance must be"),
        ({"seed": -1}, "seed"),
        ({"rounds": -1}, "rounds must be 0 or more"),
        ({"features": "none"}, "features 'none' are unknown"),
        ({"edges": [[0, 9]]}, "node 9"),
    ],
)
def test_a_parameter_out_of_its_range_is_refused(given, told):
    with pytest.raises(InvalidParameterError, match=told):
        score_partition(cycle(6), "cn", **given)
