"""Partitions of nodes, as engines write them and as the definition gives them."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from edgeorbit import Graph, Measurement
from oracles import naive_orbit_sizes, naive_rounds, same_partition

COUNTS = (
    "num_nodes",
    "num_edges",
    "merged_edges",
    "self_loops",
    "rounds",
    "stable",
    "num_node_orbits",
    "alpha_v",
    "num_edge_orbits",
    "num_indistinguishable_edges",
    "colours_by_round",
)


def counts(found: Measurement) -> dict[str, Any]:
    """What every engine must count alike."""
    return {name: getattr(found, name) for name in COUNTS}


def read_colours(path: Path) -> dict[Any, int]:
    """The colour of every node, from what an engine wrote."""
    table = pq.read_table(path)
    nodes, colours = table.column("node").to_pylist(), table.column("colour").to_pylist()
    assert len(set(nodes)) == len(nodes)
    return dict(zip(nodes, colours, strict=True))


def assert_same_partition(first: dict[Any, int], second: dict[Any, int]) -> None:
    """Fail unless the same nodes are together."""
    assert first.keys() == second.keys()
    assert same_partition([first[node] for node in first], [second[node] for node in first])


def assert_by_definition(found: Measurement, colours: dict[Any, int], pairs: Any, rounds: int | None) -> None:
    """Fail unless counts and partition are what the definition gives for pairs of node ids."""
    ids, flat = np.unique(np.array(pairs).reshape(-1), return_inverse=True)
    graph = Graph.from_edges(flat.reshape(-1, 2), len(ids))
    history = naive_rounds(graph, rounds)
    sizes = naive_orbit_sizes(graph, history[-1])
    assert (found.num_nodes, found.num_edges) == (graph.num_nodes, graph.num_edges)
    assert (found.merged_edges, found.self_loops) == (graph.merged_edges, graph.self_loops)
    assert found.colours_by_round == [len(set(colours)) for colours in history]
    assert found.stable == (len(naive_rounds(graph)) == len(history))
    assert found.num_indistinguishable_edges == len(sizes) - sizes.count(1)
    assert found.ear == (sum(size > 1 for size in sizes) / len(sizes) if sizes else 0.0)
    assert_same_partition(colours, dict(zip(ids.tolist(), history[-1], strict=True)))
