"""The states between sources and targets, against distances of networkx and dense message passing."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit.data.loading import load_graph
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.pairwise import reach
from edgeorbit.pairwise.reach import Plan, Trace, plan_reach
from tests.oracles import graphs


def distances(graph: Graph) -> np.ndarray:
    found = np.full((graph.num_nodes,) * 2, 10**6)
    net = nx.Graph(graph.edges.tolist())
    net.add_nodes_from(range(graph.num_nodes))
    for source, lengths in nx.all_pairs_shortest_path_length(net):
        found[source, list(lengths)] = list(lengths.values())
    return found


def walked(plan: Plan, trace: Trace) -> np.ndarray:
    """Pass numbers along the trace: those of a source start at 100, and backgrounds at 0; every step adds a loop and 1."""
    n = plan.graph.num_nodes
    looped = np.eye(n)
    looped[plan.graph.edges[:, 0], plan.graph.edges[:, 1]] = looped[plan.graph.edges[:, 1], plan.graph.edges[:, 0]] = 1
    told, begun, background = np.full(n, 101.0), np.full(n, 100 + 50 + 7 + 1.0), np.ones(n)
    states = np.concatenate([told, begun])
    for step in trace.steps:
        table = np.concatenate([states, background])
        assert len(table) == step.num_columns
        rows = np.split(step.reads, step.indptr[1:-1]) if len(step.nodes) else []
        new = np.array([table[row].sum() for row in rows]) + 1 + 0.5 * table[step.own]
        new[step.at_source] += 7
        states, background = new, looped @ background + 1 + 0.5 * background
    return np.concatenate([states, background])[trace.found]


def walked_densely(graph: Graph, source: int, length: int) -> np.ndarray:
    looped = np.eye(graph.num_nodes)
    looped[graph.edges[:, 0], graph.edges[:, 1]] = looped[graph.edges[:, 1], graph.edges[:, 0]] = 1
    state, boundary = np.zeros(graph.num_nodes), np.zeros(graph.num_nodes)
    state[source], boundary[source] = 100, 7
    for _ in range(length):
        state = looped @ state + 1 + 0.5 * state + boundary
    return state


@given(graph=graphs(), length=st.integers(1, 6), seed=st.integers(0, 99))
def test_targets_get_what_message_passing_over_all_nodes_gives_them(graph: Graph, length: int, seed: int) -> None:
    if graph.num_nodes == 0:
        return
    pairs = np.random.default_rng(seed).integers(0, graph.num_nodes, (7, 2))
    plan = plan_reach(graph, pairs, length=length)
    expected = np.array([walked_densely(graph, u, length)[v] for u, v in pairs.tolist()])
    middle = len(plan.queries.sources) // 2
    parts = [(0, middle), (middle, len(plan.queries.sources))]
    found = np.concatenate([walked(plan, plan.trace(*part)) for part in parts])
    assert np.allclose(found, expected[plan.queries.order])
    whole = plan.trace(0, len(plan.queries.sources))
    assert np.allclose(walked(plan, whole), found)


@given(graph=graphs(), length=st.integers(1, 5), seed=st.integers(0, 99))
def test_states_are_those_near_enough_to_both_ends_and_no_others(graph: Graph, length: int, seed: int) -> None:
    if graph.num_nodes == 0:
        return
    pairs = np.random.default_rng(seed).integers(0, graph.num_nodes, (6, 2))
    plan, apart = plan_reach(graph, pairs, length=length), distances(graph)
    for number, source in enumerate(plan.queries.sources):
        targets = pairs[pairs[:, 0] == source, 1]
        trace = plan.trace(number, number + 1)
        assert plan.states[number].shape == plan.entries[number].shape == (length - 1,)
        for i, step in enumerate(range(2, length + 1)):
            near = (apart[source] <= step) & (apart[:, targets].min(axis=1) <= length - step)
            assert plan.states[number, i] == near.sum()
            assert plan.entries[number, i] == (graph.degree[near] + 1).sum()
            assert sorted(trace.steps[i].nodes.tolist()) == np.flatnonzero(near).tolist()


def test_a_large_graph_is_traced_the_same_by_any_number_of_threads_with_a_small_part_of_all_states(
    data_dir, monkeypatch
) -> None:
    graph = load_graph("pubmed", data_dir=data_dir)
    pairs = np.random.default_rng(0).integers(0, graph.num_nodes, (200, 2))
    plan = plan_reach(graph, pairs, length=4, threads=1)
    again = plan_reach(graph, pairs, length=4, threads=3)
    assert np.array_equal(plan.states, again.states) and np.array_equal(plan.entries, again.entries)
    assert plan.states.sum() < 0.01 * 5 * graph.num_nodes * len(plan.queries.sources)
    one, three = (plan.trace(0, len(plan.queries.sources), threads=count) for count in (1, 3))
    assert np.array_equal(one.found, three.found)
    for there, here in zip(one.steps, three.steps, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(there, here, strict=True))


def test_no_pairs_need_no_states() -> None:
    plan = plan_reach(Graph.empty(3), np.empty((0, 2), np.int64), length=2)
    trace = plan.trace(0, 0)
    assert plan.states.shape == (0, 1) and len(trace.found) == 0


@pytest.mark.parametrize(("pairs", "length", "said"), [([[0, 9]], 2, "node 9"), ([[0, 1]], 0, "length must be")])
def test_bad_input_is_told(pairs, length, said) -> None:
    with pytest.raises(InvalidParameterError, match=said):
        plan_reach(Graph.empty(3), pairs, length=length)


def test_work_is_shared_among_threads_only_where_it_is_worth_it() -> None:
    assert reach._share(3, 4) == [(0, 3)] and len(reach._share(100, 4)) == 4
