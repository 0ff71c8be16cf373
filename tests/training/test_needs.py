"""What a run needs is estimated before it begins, and a setting that fits is named where it does not."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgeorbit
from edgeorbit import Graph, LinkPredictor
from edgeorbit.errors import LimitExceededError
from edgeorbit.models import make_model
from edgeorbit.training import needs

GRAPH = Graph.from_edges(np.random.default_rng(0).integers(0, 500, (2000, 2)), 500, name="made")


def with_degrees(graph=GRAPH):
    return graph.with_attributes(x=graph.degree[:, None].astype(np.float32))


@settings(max_examples=30)
@given(
    st.sampled_from(["gcn", "sage", "ncn", "buddy", "eo-gnn", "linkx"]),
    st.sampled_from([16, 64, 256]),
    st.integers(64, 4096),
)
def test_more_channels_links_or_nodes_never_need_less(name, channels, batch):
    def total(width, links, graph):
        return needs.estimate_needs(make_model(name, hidden_channels=width), graph, links).total

    graph = with_degrees()
    larger = with_degrees(Graph.from_edges(GRAPH.edges, 700))
    least = total(channels, batch, graph)
    assert least <= min(
        total(2 * channels, batch, graph), total(channels, 2 * batch, graph), total(channels, batch, larger)
    )


def test_weights_are_those_of_the_network():
    graph = with_degrees().with_attributes(x=np.ones((500, 300), np.float32))
    model = make_model("gcn", num_layers=2)
    size = sum(weights.numel() * 4 for weights in model.build(graph, 0).parameters())
    estimate = needs.estimate_needs(model, graph, 1024).weights / needs.COPIES
    assert size <= estimate < 3 * size


def test_a_graph_that_does_not_fit_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    split = edgeorbit.split(GRAPH, features="degree")
    model = make_model("gcn", num_layers=3, hidden_channels=1024)
    needed = needs.estimate_needs(model, split.graph, 800).total - needs.PROGRAM
    monkeypatch.setattr(needs, "available_memory", lambda: needed // 20)
    options = {"settings": {"num_layers": 3, "hidden_channels": 1024}, "training": {"epochs": 1}}
    predictor = LinkPredictor("gcn", **options)
    with pytest.raises(LimitExceededError, match=r"made .*needs about .* of memory and .* available; set") as error:
        predictor.fit(split, output=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    proposed = dict(re.findall(r"(\w+)=(\d+)", str(error.value)))
    batch = int(proposed.pop("batch_size", 800))
    fitting = make_model("gcn", **{"num_layers": 3, "hidden_channels": 1024} | proposed)
    assert needs.estimate_needs(fitting, split.graph, batch).total - needs.PROGRAM <= needed // 20


def test_where_no_setting_helps_the_graph_is_named(monkeypatch):
    monkeypatch.setattr(needs, "available_memory", lambda: 0)
    for mode, way_out in (("identity", "degree features"), ("degree", "a part of the graph")):
        split = edgeorbit.split(GRAPH, features=mode)
        with pytest.raises(LimitExceededError, match=way_out):
            LinkPredictor("gcn", training={"epochs": 1}).fit(split)


def test_large_graphs_are_announced_in_one_line(monkeypatch):
    lines = []
    LinkPredictor("gcn", training={"epochs": 1}).fit(GRAPH, say=lines.append)
    assert lines == []
    monkeypatch.setattr(needs, "LARGE_GRAPH", 100)
    LinkPredictor("gcn", training={"epochs": 1}).fit(GRAPH, say=lines.append)
    (line,) = lines
    assert re.fullmatch(
        r"gcn: 500 nodes, 1,\d+ training edges; 2 steps of \d+ edges in an epoch; about .* of memory", line
    )
