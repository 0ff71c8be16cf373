"""Messages over colours are those over nodes: fewer rows, the same scores."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")
import torch

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.product import multiply
from edgeorbit.models.neural.rows import gather
from edgeorbit.models.seal import model as module
from edgeorbit.models.seal.messages import normalised_adjacency, plan_messages
from edgeorbit.models.seal.model import SEAL
from edgeorbit.pairwise.enclosing_subgraphs import enclosing_subgraphs
from oracles import tree_edges


def bushy(num_nodes: int) -> Graph:
    """A graph with many leaves, whose subgraphs overlap."""
    rng = np.random.default_rng(0)
    edges = np.concatenate([tree_edges(num_nodes, 0), rng.integers(0, num_nodes, (num_nodes // 5, 2))])
    return Graph.from_edges(edges, num_nodes, x=rng.random((num_nodes, 4), np.float32))


def test_rows_that_are_folded_unfold_to_those_of_all_nodes() -> None:
    graph = bushy(800)
    found = enclosing_subgraphs(graph, graph.edges[::4], hops=2)
    adjacency, labels = normalised_adjacency(found), torch.from_numpy(found.labels).float()[:, None]
    for features in (False, True):
        plan = plan_messages(found, 1000, 4, wide=True, features=features)
        rows, all_rows = torch.from_numpy(plan.labels).float()[:, None], labels
        if features:
            rows, all_rows = (
                rows + torch.from_numpy(plan.nodes)[:, None],
                labels + torch.from_numpy(found.nodes)[:, None],
            )
        sizes = [len(rows)]
        kept = rows
        for step, parent in zip(plan.steps, plan.parents, strict=True):
            rows, all_rows = torch.tanh(multiply(step, rows) / 50), torch.tanh(multiply(adjacency, all_rows) / 50)
            kept = gather(kept, parent)
            sizes.append(len(rows))
        assert torch.allclose(rows, all_rows, atol=1e-6)
        beginning = labels + torch.from_numpy(found.nodes)[:, None] if features else labels
        assert torch.equal(kept, beginning)  # through all parents every node finds what it began with
        assert sizes == sorted(sizes) and sizes[-1] == len(found.nodes)
        assert sizes[1] < (0.8 if features else 0.5) * len(found.nodes)


def test_narrow_layers_pass_messages_node_by_node() -> None:
    graph = bushy(100)
    found = enclosing_subgraphs(graph, graph.edges[:9], hops=2)
    plan = plan_messages(found, 5, 3, wide=False, features=True)
    assert plan.parents == [None] * 3 and len(plan.labels) == len(found.nodes) and plan.labels.max() == 4


@pytest.mark.parametrize("use_features", [False, True])
def test_scores_of_a_large_batch_are_the_same_either_way(use_features: bool, monkeypatch) -> None:
    torch.set_num_threads(1)
    graph = bushy(3000)
    pairs = np.concatenate([graph.edges[:400].astype(np.int64), np.random.default_rng(1).integers(0, 3000, (400, 2))])
    model = SEAL(hops=3, use_features=use_features)
    model.build(graph, 0)
    node_by_node = model.on(graph)(pairs)
    monkeypatch.setattr(module, "WIDE", 1)
    assert np.allclose(model.on(graph)(pairs), node_by_node, atol=1e-5)
