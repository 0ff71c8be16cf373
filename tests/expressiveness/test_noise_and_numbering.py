"""Noise is no expressiveness, and scores that depend on node numbers are named as such."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import Graph
from edgeorbit.expressiveness import DrawnScorer, encoder_scorer, score_partition
from edgeorbit.expressiveness.networks import NetworkDraw
from edgeorbit.graph.families import cycle, path
from edgeorbit.graph.toys import prism
from edgeorbit.models import make_model
from edgeorbit.models.eo_gnn import parts
from oracles import graphs, relabelled


def small(name: str, **more: object):
    return make_model(name, hidden_channels=8, **more)


def test_noise_alone_is_not_called_expressiveness():
    found = score_partition(cycle(30), small("gcn-rf"), draws=4, noise_draws=16)
    assert found.randomised
    assert np.ptp(found.scores, axis=1).min() > 0
    assert found.num_discriminated == 0
    assert found.depends_on_numbering is False
    assert "randomised" in found.remarks[0]


def test_among_many_small_orbits_chance_alone_discriminates_nothing():
    """Two thousand pairs of edges, each compared four times: five errors would not do."""
    graph = Graph.from_edges([edge for i in range(0, 6000, 3) for edge in ((i, i + 1), (i + 1, i + 2))])
    noise = np.random.default_rng(0)
    found = score_partition(
        graph, DrawnScorer.of(lambda on, seed: lambda pairs: noise.normal(size=len(pairs)), name="noise"), noise_draws=4
    )
    assert found.randomised
    assert found.num_discriminated == 0
    assert found.depends_on_numbering is False


def test_a_difference_of_means_is_found_under_noise():
    noise = np.random.default_rng(1)
    found = score_partition(
        cycle(20), lambda pairs: (pairs[:, 0] < 10) + 0.05 * noise.normal(size=len(pairs)), noise_draws=64
    )
    assert found.randomised
    assert found.num_classes == 2
    example = found.discriminated_pair
    assert example is not None
    assert abs(example.scores[0] - example.scores[1]) == pytest.approx(1, abs=0.1)


def test_role_noise_is_redrawn_and_its_seed_put_back():
    graph = prism().with_attributes(x=np.ones((6, 1), np.float32))
    drawn = NetworkDraw(small("eo-gnn-paper"), graph, seed=3)
    pairs = graph.edges.astype(np.int64)
    assert drawn.randomised
    assert not np.allclose(drawn.score(pairs, 0), drawn.score(pairs, 1))
    assert np.allclose(drawn.score(pairs, 1), drawn.score(pairs, 1))
    (role,) = (part for part in drawn.network.modules() if isinstance(part, parts.RoleEmbedding))
    assert role.noise_seed == parts.EVALUATION_SEED
    assert not NetworkDraw(small("eo-gnn-paper", tau=0), graph, seed=3).randomised


@pytest.mark.parametrize("name", ["eo-gnn", "eo-gnn-paper"])
def test_eo_gnn_tells_the_edges_of_the_prism_apart_in_expectation(name):
    found = score_partition(prism(), small(name), draws=4, noise_draws=64)
    assert found.randomised
    assert found.num_classes == 2


@pytest.mark.parametrize("name", ["linkx", "gcn-dw", "gcn-lap"])
def test_models_that_depend_on_the_numbering_are_named_with_an_example(name):
    found = score_partition(prism(), small(name), draws=2)
    assert found.depends_on_numbering
    assert found.relabelling is not None
    before, after = found.relabelling.scores
    assert abs(before - after) > found.tolerance
    u, v = found.relabelling.edge
    assert f"{name} depends on the numbering of the nodes" in found.remarks[-1]
    assert f"edge {u}-{v} " in found.remarks[-1]


@pytest.mark.parametrize(("features", "depends"), [("constant", False), ("degree", False), ("identity", True)])
def test_features_that_name_nodes_are_found_by_relabelling(features, depends):
    assert score_partition(prism(), small("gcn"), draws=2, features=features).depends_on_numbering == depends


def test_features_of_the_graph_go_with_their_nodes():
    graph = prism().with_attributes(x=np.arange(6, dtype=np.float32)[:, None])
    found = score_partition(graph, small("gin"), draws=2, features="original")
    assert found.num_classes > 1
    assert found.depends_on_numbering is False


class Unchanged(torch.nn.Module):
    """Embeds every node by its features."""

    def forward(self, x, edge_index):
        return x


def test_a_score_that_depends_on_which_node_comes_first_depends_on_the_numbering():
    lopsided = encoder_scorer(Unchanged, lambda: lambda z, index: z[index[0], 0] + 2 * z[index[1], 0], name="lopsided")
    found = score_partition(path(6), lopsided, rounds=0, features="degree", draws=1)
    assert found.depends_on_numbering


def test_a_plain_function_cannot_be_relabelled_and_the_check_can_be_left_out():
    assert score_partition(prism(), lambda pairs: pairs[:, 0]).depends_on_numbering is None
    assert score_partition(prism(), small("linkx"), draws=1, relabelling=False).depends_on_numbering is None


@settings(max_examples=12)
@given(graphs(max_nodes=12, max_pairs=24), st.randoms(use_true_random=False), st.sampled_from(["gin", "ncn", "cn"]))
def test_permuting_the_nodes_permutes_the_partition(graph, random, name):
    permutation = list(range(graph.num_nodes))
    random.shuffle(permutation)
    scorer = name if name == "cn" else small(name)
    found = score_partition(graph, scorer, rounds=1, draws=2, relabelling=False)
    moved = score_partition(relabelled(graph, permutation), scorer, rounds=1, draws=2, relabelling=False)
    where = {tuple(edge): place for place, edge in enumerate(moved.edges.tolist())}
    places = [where[tuple(sorted((permutation[u], permutation[v])))] for u, v in found.edges.tolist()]
    both = list(zip(found.classes.tolist(), moved.classes[places].tolist(), strict=True))
    assert len(set(both)) == found.num_classes == moved.num_classes
