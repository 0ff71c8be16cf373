"""D1: rates follow the sizes of orbits, both directions of an edge share a draw, and nothing is dropped in use."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch_geometric")

import torch

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.toys import karate
from edgeorbit.models.eo_gnn.dropout_rates import DropoutRates
from edgeorbit.models.eo_gnn.parts import OrbitDropout, draw_edge_weights, to_entries
from edgeorbit.orbits.refine import refine
from tests.oracles import graphs, naive_rounds


@given(graph=graphs(), rounds=st.integers(0, 3), alpha_p=st.floats(0, 3), p_max=st.floats(0, 0.9))
def test_rates_are_those_of_the_definition(graph: Graph, rounds: int, alpha_p: float, p_max: float) -> None:
    colours = naive_rounds(graph, rounds)[-1]
    orbits = [tuple(sorted((colours[u], colours[v]))) for u, v in graph.edges.tolist()]
    node_sizes, edge_sizes = Counter(colours), Counter(orbits)
    found = DropoutRates.of(graph, refine(graph, rounds), alpha_p, p_max)
    for rate, colour in zip(found.nodes, colours, strict=True):
        assert rate == pytest.approx(min(p_max, alpha_p * math.log(1 + node_sizes[colour] / graph.num_nodes)), abs=1e-6)
    for rate, orbit in zip(found.edges, orbits, strict=True):
        assert rate == pytest.approx(min(p_max, alpha_p * math.log(1 + edge_sizes[orbit] / graph.num_edges)), abs=1e-6)


@given(graph=graphs())
def test_both_entries_of_an_edge_get_its_value(graph: Graph) -> None:
    values = np.arange(1, graph.num_edges + 1, dtype=np.float32)
    entries = to_entries(graph, values)
    dense = np.zeros((graph.num_nodes,) * 2)
    rows = np.repeat(np.arange(graph.num_nodes), graph.degree)
    dense[rows, graph.indices] = entries
    assert np.array_equal(dense, dense.T)
    assert dense[tuple(graph.edges.T)].tolist() == values.tolist()


def test_weights_make_up_for_what_is_dropped() -> None:
    torch.manual_seed(0)
    rates = np.array([0.0, 0.2, 0.5], np.float32)
    drawn = np.stack([draw_edge_weights(rates) for _ in range(4000)])
    assert np.allclose(drawn.mean(axis=0), 1, atol=0.05)
    assert np.allclose((drawn == 0).mean(axis=0), rates, atol=0.03)


def test_in_use_nothing_is_dropped() -> None:
    x, edge_index = torch.ones(34, 2), torch.from_numpy(karate().edge_index)
    assert OrbitDropout().eval()(x, edge_index) == (x, edge_index, None)


def test_columns_in_any_order_and_repeated_share_the_draw_of_their_edge() -> None:
    cycle = torch.arange(40)
    one_way = torch.stack([cycle, (cycle + 1) % 40])
    loops = torch.stack([cycle, cycle])
    edge_index = torch.cat([one_way, one_way.flip(0), one_way, loops], dim=1)[:, torch.randperm(160)]
    torch.manual_seed(1)
    x, left, weight = OrbitDropout(alpha_p=9.0, p_max=0.5, rounds=None)(torch.ones(40, 3), edge_index)
    loop = left[0] == left[1]
    assert loop.sum() == 40 and (weight[loop] == 1).all() and (weight[~loop] == 2).all()
    counts = Counter(tuple(sorted(pair)) for pair in left[:, ~loop].T.tolist())
    assert set(counts.values()) == {3} and 5 < len(counts) < 35
    assert set(x.sum(dim=1).tolist()) == {0.0, 3.0}


def test_a_graph_whose_orbits_are_all_singletons_loses_little() -> None:
    asymmetric = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [2, 4], [2, 6]])
    colouring = refine(asymmetric)
    assert colouring.num_colours == 7
    rates = DropoutRates.of(asymmetric, colouring, alpha_p=1.0, p_max=0.5)
    assert np.allclose(rates.nodes, math.log(1 + 1 / 7)) and np.allclose(rates.edges, math.log(1 + 1 / 7))


@pytest.mark.parametrize(
    "settings", [{"p_max": 1.0}, {"p_max": -0.1}, {"p_max": math.nan}, {"alpha_p": -1.0}, {"alpha_p": math.inf}]
)
def test_rates_that_are_no_probabilities_are_refused(settings) -> None:
    with pytest.raises(InvalidParameterError, match=next(iter(settings))):
        OrbitDropout(**settings)
