"""What the report of one graph says about links, against brute force and against the stored results of models."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit.data.loading import load_graph
from edgeorbit.experiments.tables import read_results
from edgeorbit.graph.families import cycle
from edgeorbit.graph.graph import Graph
from edgeorbit.models import MODELS
from edgeorbit.orbits.edge_orbits import edge_orbits
from edgeorbit.orbits.refine import refine
from edgeorbit.report.graph_page import signals as signals_module
from edgeorbit.report.graph_page.advice import (
    BEYOND,
    CLAIMS,
    COMMON_NEIGHBOURS,
    ENOUGH_LINKS,
    FEATURES,
    LARGE,
    Claim,
    advise,
)
from edgeorbit.report.graph_page.facts import gather_facts
from edgeorbit.report.graph_page.look_alikes import LookAlikes, hide_links
from edgeorbit.report.graph_page.signals import Comparison, Signal, compare

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    num_nodes = draw(st.integers(2, 14))
    pairs = list(combinations(range(num_nodes), 2))
    return Graph.from_edges(draw(st.lists(st.sampled_from(pairs), max_size=30)), num_nodes)


def as_networkx(graph: Graph) -> "nx.Graph[int]":
    made: nx.Graph[int] = nx.Graph(graph.edges.tolist())
    made.add_nodes_from(range(graph.num_nodes))
    return made


@given(graphs(), st.integers(0, 3))
@settings(max_examples=50)
def test_links_and_non_links_of_every_orbit_are_counted_as_by_listing_all_pairs(graph: Graph, rounds: int) -> None:
    colour = refine(graph, rounds).labels
    edges = {tuple(pair) for pair in graph.edges.tolist()}
    links: Counter[tuple[int, int]] = Counter()
    non_links: Counter[tuple[int, int]] = Counter()
    for pair in combinations(range(graph.num_nodes), 2):
        a, b = sorted(colour[list(pair)].tolist())
        (links if pair in edges else non_links)[a, b] += 1
    found = LookAlikes(graph, edge_orbits(graph, refine(graph, rounds)))
    assert found.num_ambiguous == sum(number for orbit, number in links.items() if non_links[orbit])
    assert found.num_comparisons == sum(number * non_links[orbit] for orbit, number in links.items())
    hardest = found.hardest(5)
    expected = sorted((number for orbit, number in links.items() if non_links[orbit]), reverse=True)[:5]
    assert [orbit.num_links for orbit in hardest] == expected
    for orbit in hardest:
        a, b = found.orbits.colours[orbit.orbit].tolist()
        assert (orbit.num_links, orbit.num_non_links) == (links[a, b], non_links[a, b])
        for are_links, shown in ((True, orbit.links), (False, orbit.non_links), (False, orbit.sample.non_links)):
            assert len(shown)
            for u, v in shown.tolist():
                assert ((min(u, v), max(u, v)) in edges) == are_links
                assert (colour[u], colour[v]) in {(a, b), (b, a)}
                lows, highs = zip(*orbit.degrees, strict=True)
                assert min(lows) <= graph.degree[u] <= max(highs)


@given(graphs(), st.integers(0, 3))
@settings(max_examples=50)
def test_hidden_links_are_gone_and_their_look_alikes_are_non_links_of_the_same_colours(g: Graph, rounds: int) -> None:
    found = hide_links(g, rounds)
    assert found.graph.num_edges == g.num_edges - found.num_hidden
    assert found.num_hidden == -(-g.num_edges // 5)
    colour = refine(found.graph, rounds).labels
    edges = {tuple(pair) for pair in g.edges.tolist()}
    left = {tuple(pair) for pair in found.graph.edges.tolist()}
    for comparison in (found.alike, found.at_random):
        for link, other in zip(comparison.links.tolist(), comparison.non_links.tolist(), strict=True):
            assert tuple(link) in edges - left
            assert tuple(sorted(other)) not in edges
            assert other[0] != other[1]
    same = np.sort(colour[found.alike.links], axis=1) == np.sort(colour[found.alike.non_links], axis=1)
    assert same.all()
    assert (found.num_ambiguous > 0) == (len(found.alike) > 0)


@given(graphs(), st.data())
@settings(max_examples=40)
def test_signals_are_those_of_counting_neighbours_and_paths_one_by_one(graph: Graph, data: st.DataObject) -> None:
    edges = {tuple(pair) for pair in graph.edges.tolist()}
    free = [pair for pair in combinations(range(graph.num_nodes), 2) if pair not in edges]
    if not free:
        return
    links = data.draw(st.lists(st.sampled_from(free), min_size=1, max_size=6))
    others = data.draw(st.lists(st.sampled_from(free), min_size=len(links), max_size=len(links)))
    found = compare(graph, Comparison(np.array(links), np.array(others)))
    plain = as_networkx(graph)

    def values(u: int, v: int) -> dict[str, tuple[int, ...]]:
        paths = Counter(len(path) - 1 for path in nx.all_simple_paths(plain, u, v, cutoff=3))
        return {
            "common_neighbours": (paths[2],),
            "paths": (paths[2], paths[3]),
            "connected": (int(nx.has_path(plain, u, v)),),
        }

    for key in ("common_neighbours", "paths", "connected"):
        compared = [(values(*link)[key], values(*other)[key]) for link, other in zip(links, others, strict=True)]
        assert found[key].ahead == pytest.approx(sum(a > b for a, b in compared) / len(links))
        assert found[key].behind == pytest.approx(sum(a < b for a, b in compared) / len(links))
    assert "features" not in found


@pytest.mark.parametrize("sparse", [False, True])
def test_more_similar_features_put_a_pair_ahead(sparse: bool) -> None:
    from scipy.sparse import csr_array

    x = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    graph = Graph.empty(4, x=csr_array(x) if sparse else x)
    found = compare(graph, Comparison(np.array([[0, 1], [0, 3], [0, 2]]), np.array([[0, 2], [1, 3], [1, 0]])))[
        "features"
    ]
    assert (found.ahead, found.equal, found.behind) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


@pytest.mark.parametrize("x", [np.full((3, 2), np.nan), np.full((3, 2), np.inf)])
def test_features_that_are_missing_tell_nothing(x: np.ndarray) -> None:
    found = compare(Graph.empty(3, x=x), Comparison(np.array([[0, 1]]), np.array([[0, 2]])))
    assert found["features"].equal == 1


def test_paths_are_compared_on_fewer_pairs_if_they_cost_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = hide_links(cycle(500), 2)
    whole = compare(hidden.graph, hidden.alike)
    monkeypatch.setattr(signals_module, "WALK_BUDGET", 500.0)
    part = compare(hidden.graph, hidden.alike)
    assert 0 < part["paths"].num_pairs < whole["paths"].num_pairs == len(hidden.alike)
    assert part["common_neighbours"] == whole["common_neighbours"]


def lead(key: str, value: float) -> dict[str, Signal]:
    return {key: Signal(key, (1 + value) / 2, 0.0, (1 - value) / 2, 100)}


def models(share: float, alike: dict[str, Signal], at_random: dict[str, Signal], links: int = 100) -> list[str]:
    advice = advise(cycle(links), share, alike, at_random)
    assert advice is not None
    return [suggestion.model for suggestion in advice.suggestions]


def test_advice_follows_the_rule() -> None:
    strong, weak = lead("common_neighbours", 0.8), lead("common_neighbours", 0.1)
    sighted = ["eo-gnn", "ncn", "ra"]
    assert models(0.9, weak | lead("features", 0.5), weak) == ["gcn", "eo-gnn", "ppr"]
    assert models(0.9, strong | lead("features", 0.5), weak) == ["gcn", "ncn", "ra"]
    assert models(0.9, strong | lead("features", 0.1), weak) == sighted
    assert models(0.9, strong, weak) == sighted
    assert models(0.9, strong, weak, links=LARGE + 1) == ["buddy", "eo-gnn", "ra"]
    assert models(0.9, weak, strong) == ["eo-gnn", "ppr"]
    assert models(0.1, weak, strong) == sighted  # few links have a look-alike, so random non-links decide
    assert advise(Graph.empty(3), 0.0, {}, {}) is None


def test_nobody_is_told_to_train_on_a_handful_of_links() -> None:
    strong = lead("common_neighbours", 0.8)
    few = advise(cycle(ENOUGH_LINKS - 1), 1.0, strong, strong)
    assert few is not None
    assert [suggestion.model for suggestion in few.suggestions] == ["ra"]


def test_commands_quote_what_the_user_calls_the_graph() -> None:
    advice = advise(cycle(100), 1.0, {}, {}, source="my links; rm x.csv")
    assert advice is not None
    assert all("train 'my links; rm x.csv' --model" in step.command for step in advice.suggestions)
    assert all(step.model in MODELS for step in advice.suggestions)


@pytest.mark.skipif(not EXPERIMENTS.is_dir(), reason="the stored results are not part of an installed package")
def test_every_claim_about_models_is_what_the_stored_results_say() -> None:
    found: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for name in ("real", "syn-cora"):
        for row in read_results(EXPERIMENTS / f"{name}.toml").rows:
            if row["negatives"] == "random" and row["test_auc"] is not None:
                place = row["data"], row["features"], row["model"]
                found.setdefault(place, []).append((row["test_auc"], row["test_mrr"]))
    means = {
        place: dict(zip(("auc", "mrr"), 100 * np.mean(rows, axis=0), strict=True)) for place, rows in found.items()
    }
    for claim in CLAIMS:
        one, other = (means[claim.data, claim.features, model][claim.metric] for model in (claim.model, claim.other))
        ahead = one - other
        assert ahead >= claim.points if claim.at_least else ahead <= claim.points, (claim.sentence(), ahead)


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        *(("cora", FEATURES), ("citeseer", FEATURES)),
        *(("ns", COMMON_NEIGHBOURS), ("usair", COMMON_NEIGHBOURS), ("yeast", COMMON_NEIGHBOURS), ("router", BEYOND)),
    ],
)
def test_measured_graphs_fall_under_the_rules_that_the_page_names_for_them(
    data_dir: Path, name: str, evidence: tuple[Claim, ...]
) -> None:
    advice = gather_facts(load_graph(name, data_dir=data_dir)).advice
    assert advice is not None
    assert advice.evidence == evidence


def test_numbers_of_cora_are_those_of_the_specification(data_dir: Path) -> None:
    facts = gather_facts(load_graph("cora", data_dir=data_dir))
    assert facts.measurement.ear == pytest.approx(0.1311, abs=5e-5)
    assert facts.ear_ordered == pytest.approx(0.1393, abs=5e-5)
    assert facts.measurement.num_node_orbits == 2365
