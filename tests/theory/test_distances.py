"""Theorem 4.2: distances against all pairs listed, the closed form of noise, and where the theorem is empty."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.data import load_graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.families import cycle, prism
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.toys import karate, lobster
from edgeorbit.orbits.refine import refine
from edgeorbit.synthetic.generators import lobster as random_lobster
from edgeorbit.synthetic.generators import random_tree
from edgeorbit.theory import dominant_nodes, mean_squared_distances, orbit_distances
from edgeorbit.theory.distances import linked_squared_distances
from oracles import graphs, naive_rounds


@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 10**6))
def test_means_of_distances_are_those_of_all_pairs_listed(nodes, colours, seed) -> None:
    random = np.random.default_rng(seed)
    x, labels = random.normal(size=(nodes, 3)), random.integers(0, colours, nodes)
    by_kind = {True: [], False: []}
    for i, j in itertools.combinations(range(nodes), 2):
        by_kind[bool(labels[i] == labels[j])].append(((x[i] - x[j]) ** 2).sum())
    found = mean_squared_distances(x, labels)
    for value, listed in ((found.within, by_kind[True]), (found.between, by_kind[False])):
        assert np.isnan(value) if not listed else value == pytest.approx(np.mean(listed))


def test_equal_rows_far_from_zero_are_at_distance_zero() -> None:
    x = np.repeat([[1e8, 0.1], [1e8, 0.2]], 1000, axis=0)
    assert mean_squared_distances(x, np.repeat([0, 1], 1000)).within == pytest.approx(0, abs=1e-20)


def test_linked_distances_look_at_edges_alone() -> None:
    x, edges = np.array([[0.0], [1.0], [3.0], [7.0]]), np.array([[0, 1], [1, 2], [2, 3]])
    assert linked_squared_distances(x, np.array([0, 0, 1, 1]), edges) == (8.5, 4)


def _row(rows, stage, d2):
    return next(row for row in rows if row.stage == stage and row.d2 == d2)


@pytest.mark.parametrize(("tau", "channels"), [(0.1, 32), (0.5, 8)])
def test_noise_at_the_input_has_the_distance_of_the_closed_form(tau, channels) -> None:
    draws, weights = 60, 5
    given_with = _row(
        orbit_distances(lobster(), tau, role_channels=channels, draws=draws, weights=weights), "input", True
    )
    assert given_with.closed_form == pytest.approx(2 * tau**2 * channels)
    # Of 300 draws of 2 tau^2 chi^2_d, whose relative deviation is sqrt(2 / d); pairs of an orbit share nodes.
    assert given_with.within == pytest.approx(given_with.closed_form, rel=4.5 * (2 / channels / 300) ** 0.5)
    assert given_with.within_of_mean == pytest.approx(given_with.closed_form / draws, rel=0.5)


def test_without_d2_orbits_are_points_and_with_it_they_are_clouds() -> None:
    for graph in (lobster(), karate()):
        rows = orbit_distances(graph, 0.1, draws=5, weights=3)
        assert _row(rows, "input", False).within == _row(rows, "input", False).between == 0
        assert _row(rows, "output", False).within == pytest.approx(0, abs=1e-10)
        assert _row(rows, "output", False).between > 0.01
        for stage in ("input", "output"):
            with_noise = _row(rows, stage, True)
            assert 0.2 < with_noise.within < with_noise.between
            # The mean over draws has lost most of it.
            assert with_noise.within_of_mean < 0.4 * with_noise.within


def test_without_noise_d2_separates_orbits_and_not_their_members() -> None:
    rows = orbit_distances(lobster(), 0.0, draws=2, weights=3)
    assert _row(rows, "output", True).within == pytest.approx(0, abs=1e-10)
    assert _row(rows, "input", True).between == pytest.approx(2, rel=0.25)  # two rows of the table, of length 1 each


def test_large_noise_drowns_the_separation() -> None:
    little, much = (_row(orbit_distances(karate(), tau), "input", True).ratio for tau in (0.1, 3.0))
    assert little == pytest.approx(0.32 / 1.32, rel=0.1) and much > 0.98


def test_a_seed_decides_distances_and_the_callers_random_numbers_are_left_alone() -> None:
    import torch

    torch.manual_seed(3)
    wanted = torch.rand(1)
    torch.manual_seed(3)
    first = orbit_distances(lobster(), draws=2, weights=1)
    assert torch.equal(torch.rand(1), wanted)
    assert orbit_distances(lobster(), draws=2, weights=1) == first
    assert orbit_distances(lobster(), draws=2, weights=1, seed=1) != first


def test_progress_counts_to_the_last_draw_of_weights() -> None:
    seen = []
    orbit_distances(lobster(), draws=1, weights=2, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4)]


@given(graphs())
def test_dominant_nodes_are_those_with_most_neighbours_of_their_colour(graph) -> None:
    colours = naive_rounds(graph)[-1]
    wanted = []
    for node in range(graph.num_nodes):
        same = [colours[other] == colours[node] for other in graph.neighbours(node).tolist()]
        wanted.append(sum(same) > len(same) - sum(same))
    assert dominant_nodes(graph, refine(graph)).tolist() == wanted


@pytest.mark.parametrize("seed", range(8))
def test_no_lobster_and_no_tree_has_a_dominant_node(seed) -> None:
    for graph in (random_lobster(length=15, seed=seed), random_tree(40, seed=seed)):
        assert not dominant_nodes(graph, refine(graph)).any()
    assert dominant_nodes(cycle(8), refine(cycle(8))).all() and dominant_nodes(prism(), refine(prism())).all()


def test_cora_has_distances_within_and_between(data_dir) -> None:
    rows = orbit_distances(load_graph("cora", data_dir=data_dir, features=False), draws=3, weights=2)
    given_with = _row(rows, "input", True)
    assert given_with.num_orbits == 1589
    assert given_with.within == pytest.approx(0.64, rel=0.05)
    assert _row(rows, "output", False).within == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tau": -1.0}, "tau is a deviation"),
        ({"draws": 0}, "draws must be at least 1"),
        ({"weights": 0}, "weights must be at least 1"),
        ({"rounds": -1}, "rounds must be 0 or more"),
        ({"num_layers": 0}, "num_layers must be at least 1"),
    ],
)
def test_bad_settings_are_refused_in_a_sentence(options, message) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        orbit_distances(lobster(), **options)


def test_a_single_node_has_no_distances() -> None:
    with pytest.raises(InvalidParameterError, match="a distance needs at least 2"):
        orbit_distances(Graph.empty(1))
