"""C8 under dropout, against colours by the definition."""

import numpy as np
import pytest

from edgeorbit.graph.families import cycle
from edgeorbit.graph.graph import Graph
from edgeorbit.theory import drop_from_cycle
from oracles import naive_orbit_sizes, naive_rounds


def _ear(graph, rounds, initial) -> float:
    sizes = naive_orbit_sizes(graph, naive_rounds(graph, rounds, initial)[-1])
    return sum(size > 1 for size in sizes) / len(sizes)


def test_all_values_agree_with_colours_by_definition() -> None:
    rows = {row.dropped: row for row in drop_from_cycle()}
    assert list(rows) == ["nothing", "edge", "node", "both"]
    whole = cycle(8)
    broken = Graph.from_edges([edge for edge in whole.edges.tolist() if edge != [0, 7]], 8)
    marked = [int(node == 2) for node in range(8)]
    for name, graph, mark in (
        ("nothing", whole, [0] * 8),
        ("edge", broken, [0] * 8),
        ("node", whole, marked),
        ("both", broken, marked),
    ):
        row = rows[name]
        from_degrees = list(zip(graph.degree.tolist(), mark, strict=True))
        assert row.num_edges == graph.num_edges
        assert row.ear == pytest.approx(_ear(graph, None, mark))
        assert row.ear_two_rounds == pytest.approx(_ear(graph, 2, mark))
        assert row.ear_gcn == pytest.approx(_ear(graph, 2, from_degrees))
        sizes = np.bincount(naive_rounds(graph, None, mark)[-1])
        assert (row.num_colours, row.num_unique_nodes) == (len(sizes), (sizes == 1).sum())


def test_the_papers_six_sevenths_need_three_rounds() -> None:
    edge = drop_from_cycle()[1]
    assert edge.ear == edge.ear_gcn == pytest.approx(6 / 7)
    assert edge.ear_two_rounds == 1
    assert [row.ear for row in drop_from_cycle()] == [1, pytest.approx(6 / 7), 1, 0]
