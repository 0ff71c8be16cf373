"""`make` and `sweep`: the EAR that is asked for, by a measure of our own and by one that is slow and obvious."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import Graph, ear
from edgeorbit.data.features import node_features
from edgeorbit.errors import EdgeorbitError, InvalidParameterError, UnreachableTargetError
from edgeorbit.graph import families
from edgeorbit.synthetic import make, sweep
from oracles import graphs, naive_orbit_sizes, naive_rounds

NINE = [round(0.1 * step, 1) for step in range(1, 10)]


def naive_ear(graph: Graph, rounds: int | None) -> float:
    sizes = naive_orbit_sizes(graph, naive_rounds(graph, rounds)[-1])
    return sum(size > 1 for size in sizes) / len(sizes)


def as_set(edges: np.ndarray) -> set[tuple[int, int]]:
    return set(map(tuple, edges.tolist()))


# Reaching a target


@pytest.mark.parametrize("rounds", [2, None])
@pytest.mark.parametrize("name", ["syn-cora", "syn-citeseer"])
def test_nine_targets_of_the_benchmarks_are_reached(name: str, rounds: int | None, data_dir) -> None:
    graphs = sweep(name, NINE, rounds=rounds, seed=3, data_dir=data_dir)
    for graph, target in zip(graphs, NINE, strict=True):
        assert abs(ear(graph, rounds=rounds) - target) <= 0.01
        assert graph.origin.recipe["target"]["reached"] == ear(graph, rounds=rounds)
        assert graph.name == f"{name}-{target:g}"
        assert graph.x.shape[0] == graph.num_nodes
    assert abs(naive_ear(graphs[4], rounds) - 0.5) <= 0.01


@pytest.mark.parametrize("seed", [1, 2**40])
@pytest.mark.parametrize("name", ["syn-cora", "syn-citeseer"])
def test_any_seed_reaches_a_half(name: str, seed: int, data_dir) -> None:
    for rounds in (2, None):
        graph = make(name, ear=0.5, rounds=rounds, seed=seed, data_dir=data_dir)
        assert 0.49 <= ear(graph, rounds=rounds) <= 0.51


@pytest.mark.parametrize("name", ["syn-power", "syn-usair"])
def test_a_power_grid_and_a_dense_graph_are_swept_too(name: str, data_dir) -> None:
    for rounds in (3, None):
        found = [ear(graph, rounds=rounds) for graph in sweep(name, NINE, rounds=rounds, data_dir=data_dir)]
        assert np.abs(np.array(found) - NINE).max() <= 0.01


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rounds", [2, None])
def test_a_graph_file_that_nobody_has_seen_is_swept(tmp_path, seed: int, rounds: int | None) -> None:
    rng = np.random.default_rng(seed)
    lines = [f"node {u},{v} of mine" for u, v in (rng.random((700, 2)) ** 2 * 400).astype(int)]
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    graphs = sweep(f"syn-{tmp_path}/mine.csv", NINE, rounds=rounds, seed=seed)
    assert max(abs(naive_ear(graph, rounds) - target) for graph, target in zip(graphs, NINE, strict=True)) <= 0.01
    assert [graph.name for graph in graphs] == [f"syn-mine-{target}" for target in NINE]
    assert graphs[0].node_names is None


@given(
    graph=graphs(max_nodes=12).filter(lambda graph: graph.num_edges > 0),
    target=st.integers(0, 20).map(lambda step: step / 20),
    rounds=st.sampled_from([0, 1, 2, None]),
    name=st.sampled_from(["twins", "disjoint-copies"]),
    seed=st.integers(0, 9),
)
@settings(max_examples=60)
def test_a_target_is_reached_or_the_nearest_is_told_truly(graph, target, rounds, name, seed) -> None:
    try:
        found = make(name, of=graph, ear=target, rounds=rounds, seed=seed)
    except UnreachableTargetError as error:
        assert abs(error.nearest - target) > 0.01
        assert f"the nearest is {error.nearest:.4f}; " in str(error)
        again = make(name, of=graph, ear=error.nearest, rounds=rounds, seed=seed)
        assert abs(naive_ear(again, rounds) - error.nearest) <= 0.01
    else:
        assert abs(naive_ear(found, rounds) - target) <= 0.01


def test_swaps_reach_a_target_and_keep_every_degree() -> None:
    lattice = make("syn-triangle")
    for target in (0.3, 0.5, 0.9):
        graph = make("syn-triangle", ear=target, rounds=4, dial="swaps")
        assert abs(naive_ear(graph, 4) - target) <= 0.01
        assert np.array_equal(graph.degree, lattice.degree)
        still = graph.origin.recipe["changes"]["still"]
        assert {"nodes", "edges", "mean degree", "largest degree", "degree distribution"} <= set(still)
        assert graph.origin.kind_counts()["added"] == 2 * graph.origin.recipe["parameters"]["swaps"]


def test_twins_reach_a_target_with_no_edge_added() -> None:
    graph = make("twins", of="karate", ear=0.7)
    assert abs(naive_ear(graph, None) - 0.7) <= 0.01
    assert graph.origin.kind_counts()["added"] == 0
    pendant = make("random-tree", nodes=400, ear=0.5, part="pendant", edges=60)
    assert abs(naive_ear(pendant, None) - 0.5) <= 0.01 and pendant.origin.recipe["parameters"]["twins"] > 0


def test_edges_are_dialled_beside_parts_that_they_may_close_into_cycles() -> None:
    for target, twins, rounds in ((0.3, 60, None), (0.5, 120, 3), (0.2, 20, 2)):
        graph = make("random-tree", nodes=400, part="pendant", twins=twins, ear=target, rounds=rounds)
        assert abs(naive_ear(graph, rounds) - target) <= 0.01
    with pytest.raises(UnreachableTargetError, match=r"by turning edges, .*; leaving --twins out reaches it$"):
        make("random-tree", nodes=400, part="pendant", twins=150, ear=0.1)


# Sweeps


@pytest.mark.parametrize("rounds", [2, None])
def test_a_target_gives_the_same_graph_alone_and_within_a_sweep(rounds: int | None) -> None:
    targets = [0.7, 0.2, 0.9, 0.5]
    for target, graph in zip(targets, sweep("syn-two-copies", targets, rounds=rounds, seed=4), strict=True):
        alone = make("syn-two-copies", ear=target, rounds=rounds, seed=4)
        assert np.array_equal(alone.indices, graph.indices) and np.array_equal(alone.indptr, graph.indptr)
        assert alone.origin.recipe == graph.origin.recipe and alone.name == graph.name


def test_the_graphs_of_a_sweep_are_nested(data_dir) -> None:
    edges = [as_set(graph.edges) for graph in sweep("syn-cora", NINE, rounds=2, data_dir=data_dir)]
    assert all(fewer < more for more, fewer in pairwise(edges))
    stable = sweep("syn-cora", NINE[1:], data_dir=data_dir)
    twins = [set(graph.origin.twin_of.tolist()) for graph in stable]
    assert all(fewer < more for fewer, more in pairwise(twins))


def test_a_sweep_may_hold_a_graph_without_a_target() -> None:
    plain, half = sweep("syn-karate", [None, 0.5])
    assert plain.name == "syn-karate" and plain.origin.recipe["target"] is None and ear(plain) == 1
    assert half.name == "syn-karate-0.5"


def test_the_recipe_makes_the_same_graph_again() -> None:
    for graph in sweep("syn-karate", [0.3, 0.6, 0.9], rounds=2, seed=5):
        recipe = graph.origin.recipe
        amounts = {knob: recipe["parameters"][knob] for knob in ("swaps", "edges", "twins")}
        assert recipe["parameters"].keys() >= {"of", "copies", "inter", "part", *amounts}
        if not recipe["parameters"]["skipped_edges"] and not recipe["parameters"]["skipped_twins"]:
            again = make("syn-karate", seed=5, **amounts)
            assert np.array_equal(again.indices, graph.indices)


def test_progress_tells_of_every_graph_that_is_measured() -> None:
    told = []
    make("syn-karate", ear=0.5, rounds=2, progress=lambda amounts, found: told.append((amounts.edges, found)))
    assert told[0] == (0, 1.0) and abs(told[-1][1] - 0.5) <= 0.05 and len(set(told)) == len(told)


def test_features_are_those_that_were_asked_for(data_dir) -> None:
    graph = make("syn-karate", features="degree", edges=5, twins=2)
    assert np.array_equal(graph.x[:, 0], graph.degree) and graph.origin.recipe["features"] == "degree"
    random = make("syn-karate", features="random", seed=3)
    assert np.array_equal(random.x, node_features(random, "random", 3))
    assert make("syn-karate").x is None and make("syn-karate").origin.recipe["features"] is None
    cora = make("syn-cora", data_dir=data_dir)
    assert cora.origin.recipe["features"] == "original" and (cora.x[:2708] != cora.x[2708:]).nnz == 0


# Targets that cannot be reached


K5 = [(u, v) for u in range(5) for v in range(u)]
ODD = {
    "star": families.tree(20, 1),
    "complete": Graph.from_edges(K5),
    "path": families.path(60),
    "triangles": Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]),
    "three edges": families.path(4),
    "one edge": families.path(2),
    "bipartite": Graph.from_edges([(u, 5 + v) for u in range(5) for v in range(8)]),
}
OPTION = re.compile(r"; (?:--(rounds|dial|part|inter) (\S+)|--(stable)|leaving --(edges|twins|swaps) out) reaches ")


def follow(sentence: str, options: dict) -> dict | None:
    """The options that a sentence advises, or None if it advises another graph."""
    found = OPTION.search(sentence)
    if found is None:
        assert sentence.endswith(
            ("take a larger graph, whose EAR moves in smaller steps", "take a graph that is not so dense")
        )
        return None
    key, value, stable, left_out = found.groups()
    if stable:
        return options | {"rounds": None}
    if left_out:
        return {name: amount for name, amount in options.items() if name != left_out}
    return options | {key: int(value) if key in ("rounds", "inter") else value}


@pytest.mark.parametrize("rounds", [1, 2, 3, None])
@pytest.mark.parametrize("graph", ODD)
def test_what_a_refusal_advises_is_true(graph: str, rounds: int | None) -> None:
    for name in ("disjoint-copies", "twins"):
        for target in (0, 0.3, 0.55, 0.8):
            options = {"of": ODD[graph], "rounds": rounds, "seed": 1}
            try:
                found = make(name, ear=target, **options)
            except UnreachableTargetError as error:
                better = follow(str(error), options)
                if better is not None:
                    found = make(name, ear=target, **better)
                    assert abs(naive_ear(found, better["rounds"]) - target) <= 0.01
            else:
                assert abs(naive_ear(found, rounds) - target) <= 0.01


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        (
            "syn-karate",
            {"ear": 0.5, "rounds": 0},
            "syn-karate: EAR@0 0.5 cannot be reached by turning edges and twins, the nearest is 1.0000; "
            "--rounds 2 reaches EAR@2 0.5",
        ),
        (
            "syn-karate",
            {"ear": 0.5, "dial": "twins"},
            "syn-karate: EAR 0.5 cannot be reached by turning twins, the nearest is 1.0000; --dial auto reaches it",
        ),
        (
            "syn-karate",
            {"ear": 0.1, "edges": 0},
            "syn-karate: EAR 0.1 cannot be reached by turning twins, the nearest is 1.0000; "
            "leaving --edges out reaches it",
        ),
        (
            "grid",
            {"ear": 0.04, "rounds": 1},
            "grid: EAR@1 0.04 cannot be reached by turning swaps and twins, the nearest is ",
        ),
        (
            "disjoint-copies",
            {"ear": 0.5, "of": families.path(30), "edges": 0, "twins": 0},
            "disjoint-copies: EAR 0.5 cannot be reached by turning nothing, the nearest is 1.0000; "
            "leaving --edges and --twins out reaches it",
        ),
        (
            "disjoint-copies",
            {"ear": 0.5, "of": Graph.from_edges([(u, v) for u in range(12) for v in range(u)])},
            "the nearest is 1.0000; --inter 1 reaches it",
        ),
        (
            "twins",
            {"ear": 0.5, "of": Graph.from_edges(K5)},
            "the nearest is 1.0000; it has no room for edges, so take a graph that is not so dense",
        ),
        (
            "random-tree",
            {"ear": 0.95, "nodes": 300, "edges": 150, "part": "pendant", "seed": 1},
            "--part node reaches it",
        ),
    ],
)
def test_a_refusal_is_one_sentence_with_the_nearest_and_a_way_out(name: str, options, sentence: str) -> None:
    with pytest.raises(UnreachableTargetError) as caught:
        make(name, **options)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)
    assert isinstance(caught.value, InvalidParameterError)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"ear": 1.5}, "a target EAR lies from 0 to 1, not at 1.5"),
        ({"ear": -0.1}, "a target EAR lies from 0 to 1, not at -0.1"),
        ({"ear": 0.5, "rounds": -1}, "rounds must be 0 or more, not -1"),
        ({"ear": 0.5, "dial": "edges", "edges": 3}, "edges cannot be given and dialled at once; leave one of them out"),
        ({"ear": 0.5, "threads": 0}, "threads must be at least 1, not 0"),
    ],
)
def test_options_outside_their_range_are_refused(options, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        make("syn-karate", **options)


def test_copies_of_a_generated_graph_are_made_by_its_name():
    pair = make("disjoint-copies", of="cycle")
    assert (pair.num_nodes, pair.num_edges, pair.origin.num_copies) == (16, 16, 2)
    with pytest.raises(EdgeorbitError, match="twins"):
        make("disjoint-copies", of="twins")
