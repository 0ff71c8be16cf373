"""What is promised about synthetic graphs, claim by claim."""

import hashlib
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import Graph, ear, ear_by_round, load_graph
from edgeorbit.errors import InvalidParameterError, UnreachableTargetError
from edgeorbit.graph.toys import karate
from edgeorbit.synthetic import make, save_graph, save_sweep, sweep
from edgeorbit.synthetic.dial import TOLERANCE
from oracles import graphs, naive_rounds

TENTHS = [i / 10 for i in range(1, 10)]


def with_edges(graph: Graph, *pairs: tuple[int, int]) -> Graph:
    return Graph.from_edges(np.concatenate([graph.edges, np.array(pairs)]), graph.num_nodes)


@given(graphs().filter(lambda graph: graph.num_edges > 0), st.integers(2, 4))
def test_copies_without_added_edges_have_ear_1(source: Graph, copies: int) -> None:
    assert ear(make("disjoint-copies", of=source, copies=copies)) == 1


@given(graphs().filter(lambda graph: graph.num_edges > 1), st.integers(0, 3), st.sampled_from(["node", "pendant"]))
@settings(max_examples=60)
def test_every_twin_pair_shares_a_colour_whatever_else_is_added(source: Graph, edges: int, part: str) -> None:
    try:
        made = make("disjoint-copies", of=source, edges=edges, inter=0.5, twins=2, part=part)
        again = make("disjoint-copies", of=made, edges=edges, inter=0.5, swaps=1)  # twins of a source stay twins too
    except InvalidParameterError:
        return  # no room for so many
    for graph in (made, again):
        origin = graph.origin
        clones = np.flatnonzero(origin.twin_of >= 0)
        assert len(clones) > 0
        for colours in naive_rounds(graph):
            assert all(colours[v] == colours[origin.twin_of[v]] for v in clones.tolist())


def test_an_edge_in_both_copies_keeps_ear_1_and_in_one_alone_breaks_it() -> None:
    copies = make("syn-karate")
    assert ear(with_edges(copies, (4, 25), (4 + 34, 25 + 34))) == 1
    assert ear(with_edges(copies, (4, 25))) < 0.5


@pytest.mark.parametrize("rounds", [2, None])
def test_a_small_graph_reaches_every_tenth(rounds: int | None) -> None:
    for target, graph in zip(TENTHS, sweep("syn-karate", TENTHS, rounds=rounds, seed=5), strict=True):
        assert abs(ear(graph, rounds=rounds) - target) <= TOLERANCE


@pytest.mark.parametrize("name", ["syn-cora", "syn-citeseer", "syn-usair"])
@pytest.mark.parametrize("rounds", [2, None])
@pytest.mark.parametrize("seed", [0, 7])
def test_real_graphs_reach_every_tenth(data_dir, name: str, rounds: int | None, seed: int) -> None:
    for target, graph in zip(TENTHS, sweep(name, TENTHS, rounds=rounds, seed=seed, data_dir=data_dir), strict=True):
        assert abs(ear(graph, rounds=rounds) - target) <= TOLERANCE
        assert graph.x is None or graph.x.shape[0] == graph.num_nodes


def test_a_lattice_is_dialled_with_every_degree_held_still() -> None:
    lattice = make("syn-triangle")
    for graph in sweep("syn-triangle", [0.3, 0.7], rounds=4):
        assert np.array_equal(graph.degree, lattice.degree)
        assert graph.origin.recipe["changes"]["moved"] == []


def test_a_target_gives_the_same_graph_alone_and_in_a_sweep() -> None:
    alone, among = make("syn-karate", ear=0.6), sweep("syn-karate", [0.2, 0.6])[1]
    assert np.array_equal(alone.edges, among.edges)


def test_an_unreachable_target_says_so_and_what_reaches_it() -> None:
    with pytest.raises(
        UnreachableTargetError, match=r"EAR@1 0.5 cannot be reached .* nearest is 0\.\d+; --rounds 2"
    ) as stop:
        make("syn-karate", ear=0.5, rounds=1)
    assert stop.value.nearest > 0.6
    assert abs(ear(make("syn-karate", ear=0.5, rounds=2), rounds=2) - 0.5) <= TOLERANCE


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("lobsta", {}, "did you mean lobster.* disjoint-copies, twins,"),
        ("syn-karat", {}, "did you mean karate"),
        ("syn-karate", {"ear": 1.5}, "from 0 to 1, not at 1.5"),
        ("syn-karate", {"ear": -0.1}, "from 0 to 1"),
        ("tree", {"branching": 30, "depth": 1, "swaps": 1}, "swaps"),
        ("disjoint-copies", {"of": Graph.empty(5)}, "has no edges"),
        ("grid", {"colums": 3}, "no parameter 'colums'.*rows, columns"),
        ("disjoint-copies", {}, "made from another graph"),
        ("syn-karate", {"seed": -1}, "seed"),
        ("syn-karate", {"edges": 10**9}, "room for"),
        ("syn-karate", {"twins": 10**9}, "to clone"),
        ("syn-karate", {"features": "original"}, "no features of its own"),
    ],
)
def test_bad_input_gets_one_sentence(name: str, options: dict, sentence: str) -> None:
    with pytest.raises((InvalidParameterError, LookupError), match=sentence) as stop:
        make(name, **options)
    assert "\n" not in str(stop.value)


def test_the_same_seed_writes_the_same_bytes_and_another_seed_others(tmp_path) -> None:
    for name, seed in (("one", 3), ("same", 3), ("other", 4)):
        save_graph(make("syn-karate", ear=0.5, seed=seed, features="random"), tmp_path / name)
    files = {
        name: {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()}
        for name in ("one", "same", "other")
    }
    assert files["one"] == files["same"]
    assert files["one"]["edges.csv"] != files["other"]["edges.csv"]


def test_a_card_holds_what_a_fresh_measurement_finds(tmp_path) -> None:
    for graph in sweep("syn-karate", [0.3, 0.8], rounds=2):
        save_graph(graph, tmp_path / graph.name)
        card = json.loads((tmp_path / graph.name / "graph.json").read_text())
        read = load_graph(tmp_path / graph.name)
        assert card["ear"] == ear(read)
        assert card["ear_by_round"] == ear_by_round(read)
        assert card["target"]["reached"] == ear(read, rounds=2)
        assert (
            card["sha256"]["edges.csv"]
            == hashlib.sha256((tmp_path / graph.name / "edges.csv").read_bytes()).hexdigest()
        )
        assert (card["num_nodes"], card["num_edges"], card["seed"]) == (read.num_nodes, read.num_edges, 0)


def test_a_directory_comes_back_with_features_labels_and_edge_kinds(tmp_path) -> None:
    source = karate().with_attributes(x=np.eye(34, dtype=np.float32), y=np.arange(34) % 2)
    made = make("disjoint-copies", of=source, edges=5, twins=3)
    save_graph(made, tmp_path / "graph")
    read = load_graph(tmp_path / "graph")
    assert np.array_equal(read.edges, made.edges) and np.array_equal(read.x, made.x) and np.array_equal(read.y, made.y)
    for part in ("edge_kind", "copy", "original", "twin_of"):
        assert np.array_equal(getattr(read.origin, part), getattr(made.origin, part))
    assert np.array_equal(read.x, source.x[read.origin.original])


def test_a_sweep_is_a_directory_of_graphs(tmp_path) -> None:
    save_sweep(sweep("syn-karate", [0.2, 0.9]), tmp_path / "sweep")
    assert sorted(entry.name for entry in (tmp_path / "sweep").iterdir()) == ["ear-0.2", "ear-0.9"]
    with pytest.raises(InvalidParameterError, match=r"ear-0.2"):
        save_sweep(sweep("syn-karate", [0.2, 0.2]), tmp_path / "twice")
    assert not (tmp_path / "twice").exists()
