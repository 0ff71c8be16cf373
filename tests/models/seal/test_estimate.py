"""Memory is estimated before it is taken, and what cannot fit is refused with the way out."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")
import torch

from benchmarks.memory import peak_memory
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import in_double
from edgeorbit.models.seal import subgraphs as module
from edgeorbit.models.seal.model import SEAL
from edgeorbit.models.seal.subgraphs import PAIRS, SubgraphSizes, sample_sizes
from edgeorbit.pairwise.enclosing_subgraphs import count_enclosing


def hubs(num_nodes: int = 4000, num_edges: int = 12_000) -> Graph:
    """A graph with nodes of very many and of few neighbours."""
    rng = np.random.default_rng(0)
    edges = (rng.random((num_edges, 2)) ** 2 * num_nodes).astype(np.int64)
    return Graph.from_edges(edges, num_nodes, x=np.ones((num_nodes, 3), np.float32))


def batch_of(graph: Graph, links: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [graph.edges[rng.choice(graph.num_edges, links)], rng.integers(0, graph.num_nodes, (links, 2))]
    )


@pytest.mark.parametrize(("hops", "most"), [(1, None), (2, None), (2, 30)])
def test_sizes_of_a_batch_are_within_a_factor_of_two(hops: int, most: int | None) -> None:
    graph = hubs()
    sizes = sample_sizes(graph, hops, most)
    assert len(sizes.nodes) > 0.99 * PAIRS
    for seed in range(3):
        nodes, entries = count_enclosing(graph, batch_of(graph, 128, seed), hops=hops, max_nodes_per_hop=most)
        assert 0.5 < sizes.nodes.mean() / nodes.mean() < 2
        assert 0.5 < sizes.entries.mean() / entries.mean() < 2


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("hidden_channels", [32, 128])
def test_memory_of_a_batch_is_within_a_factor_of_two(training: bool, hidden_channels: int) -> None:
    torch.set_num_threads(1)
    graph = hubs()
    network = SEAL(hops=2, hidden_channels=hidden_channels).build(graph, 0).train(training)
    inputs, links = Inputs.of(graph), 9600 // hidden_channels
    if not training:  # scores are computed in double precision
        network, inputs = in_double(network), inputs.double()
    pairs = torch.from_numpy(batch_of(graph, links, 7)).long()
    expected = network.footprint(training).mean(inputs.derive(network.measure)) * len(pairs)
    inputs.derive(network.source)
    with torch.set_grad_enabled(training):
        for _ in range(2):  # the first compiles, and fills what stays
            with peak_memory() as peak:
                out = network._score(inputs, pairs)
                if training:
                    out.sum().backward()
            del out
    assert expected > 40_000_000
    assert 0.5 < expected / peak.grown < 2, (expected, peak.grown)


def test_k_is_the_percentile_of_the_paper_and_at_least_ten() -> None:
    sizes = SubgraphSizes(np.arange(1, 101), np.zeros(100, np.int64))
    assert sizes.num_sorted(0.6) == 60 and sizes.num_sorted(1.0) == 100 and sizes.num_sorted(0.001) == 10
    nothing = SubgraphSizes(np.empty(0, np.int64), np.empty(0, np.int64))
    assert nothing.num_sorted(0.6) == 10


def test_the_sample_is_the_same_every_time_and_ends_early_on_large_subgraphs(monkeypatch) -> None:
    graph = hubs()
    first, second = sample_sizes(graph, 2, None), sample_sizes(graph, 2, None, threads=1)
    assert np.array_equal(first.nodes, second.nodes)
    monkeypatch.setattr(module, "MOST_ENTRIES", int(first.entries[:120].sum()))
    assert np.array_equal(sample_sizes(graph, 2, None).nodes, first.nodes[:150])


def test_a_graph_without_edges_has_no_sizes() -> None:
    assert len(sample_sizes(Graph.empty(5), 2, None).nodes) == 0


@pytest.mark.parametrize("hops", [1, 2])
def test_what_does_not_fit_is_refused_with_an_option_that_makes_it_fit(hops: int, monkeypatch) -> None:
    graph = hubs()
    needed = SEAL(hops=hops).build(graph, 0).footprint(training=True).largest(sample_sizes(graph, hops, None))
    monkeypatch.setattr(module, "available_memory", lambda: int(needed / 2))
    with pytest.raises(InvalidParameterError, match=r"the subgraph of one pair has up to [\d,]+ nodes") as refusal:
        SEAL(hops=hops).build(graph, 0)
    sentence = str(refusal.value)
    assert "MB of memory" in sentence and sentence.count(". ") == 0
    assert ("--set hops=1 or " in sentence) == (hops > 1)
    most = int(sentence.rpartition("--set max_nodes_per_hop=")[2])
    network = SEAL(hops=hops, max_nodes_per_hop=most).build(graph, 0)
    # Another graph than that of training is looked at as well, when it is to be scored.
    monkeypatch.setattr(module, "available_memory", lambda: 10_000)
    with pytest.raises(InvalidParameterError, match="--set max_nodes_per_hop="):
        network.encode(Inputs.of(graph))


def test_scoring_is_cut_into_chunks_by_the_estimate(monkeypatch) -> None:
    torch.set_num_threads(1)
    graph = hubs(500, 1500)
    model = SEAL()
    network = model.build(graph, 0)
    pairs = batch_of(graph, 150, 1)
    at_once = model.on(graph)(pairs)
    sizes: list[int] = []
    score = type(network).score_subgraphs
    monkeypatch.setattr(
        type(network), "score_subgraphs", lambda self, i, s: sizes.append(len(s.offsets) - 1) or score(self, i, s)
    )
    per_pair = network.footprint(training=False).mean(sample_sizes(graph, 1, None))
    monkeypatch.setattr(module, "available_memory", lambda: int(4 * 40.5 * per_pair))
    in_chunks = model.on(graph)(pairs)
    assert sizes == [40] * 7 + [20] and len(pairs) == sum(sizes)
    assert np.array_equal(at_once, in_chunks)
