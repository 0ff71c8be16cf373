"""From a base graph to a synthetic one: what is known about every edge is true, and the changes are counted right."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeorbit import Graph, ear, refine, to_networkx
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import ADDED, ORIGINAL, TWIN
from edgeorbit.synthetic import make
from edgeorbit.synthetic.construction import Amounts, Construction, compare
from edgeorbit.synthetic.generators import disjoint_copies
from oracles import graphs, naive_orbit_sizes, naive_rounds

Made = tuple[Construction, Graph, Amounts]


def as_set(edges: np.ndarray) -> set[tuple[int, int]]:
    return set(map(tuple, edges.tolist()))


@st.composite
def made(draw: st.DrawFn) -> Made:
    """A construction, a graph that it built, and the amounts of moves."""
    graph = draw(graphs(max_nodes=9).filter(lambda graph: graph.num_edges > 0))
    base = disjoint_copies(graph, draw(st.integers(1, 3)))
    inter = draw(st.sampled_from([None, 0.0, 0.5, 1.0])) if base.origin.num_copies > 1 else None
    construction = Construction(
        base, inter=inter, part=draw(st.sampled_from(["node", "pendant"])), seed=draw(st.integers(0, 9))
    )
    amounts = Amounts()
    for knob in ("swaps", "edges", "twins"):
        amounts = amounts.with_more(knob, construction.room(knob, amounts, draw(st.integers(0, 6))))
    return construction, construction.build(amounts, {"note": "kept"}), amounts


@given(made=made())
def test_the_kind_of_every_edge_is_true(made: Made) -> None:
    construction, graph, amounts = made
    base = construction.base
    kinds = graph.origin.edge_kind
    before = as_set(base.edges)
    for (u, v), kind in zip(graph.edges.tolist(), kinds.tolist(), strict=True):
        if v >= base.num_nodes:
            assert kind == TWIN
        else:
            assert kind == (ORIGINAL if (u, v) in before else ADDED)
    counts = graph.origin.kind_counts()
    assert counts["added"] == amounts.edges + 2 * amounts.swaps
    assert counts["original"] == base.num_edges - 2 * amounts.swaps
    assert graph.num_edges == sum(counts.values()) and graph.merged_edges == graph.self_loops == 0
    assert graph.origin.recipe["note"] == "kept"


@given(made=made())
def test_every_clone_has_the_copy_and_the_original_of_its_twin(made: Made) -> None:
    construction, graph, amounts = made
    base = construction.base
    origin = graph.origin
    new = np.arange(base.num_nodes, graph.num_nodes)
    assert len(new) >= amounts.twins
    assert (origin.twin_of[new] >= 0).all() and (origin.twin_of[: base.num_nodes] == -1).all()
    for known in (origin.copy, origin.original):
        assert np.array_equal(known[new], known[origin.twin_of[new]])
    assert np.array_equal(origin.copy[: base.num_nodes], base.origin.copy)
    assert np.array_equal(origin.original[: base.num_nodes], base.origin.original)


@given(made=made())
def test_changes_are_those_that_networkx_counts(made: Made) -> None:
    construction, graph, amounts = made
    base = construction.base
    changes = graph.origin.recipe["changes"]
    assert changes == compare(base, graph)
    for side, one in (("before", base), ("after", graph)):
        theirs = to_networkx(one)
        degrees = [degree for _, degree in theirs.degree]
        assert changes[side] == {
            "nodes": len(theirs),
            "edges": theirs.number_of_edges(),
            "mean degree": pytest.approx(np.mean(degrees)),
            "largest degree": max(degrees),
            "components": nx.number_connected_components(theirs),
        }
    names = [*changes["before"], "degree distribution"]
    assert sorted(changes["still"] + changes["moved"]) == sorted(names)
    for name in changes["before"]:
        assert (name in changes["still"]) == (changes["before"][name] == changes["after"][name])
    shares = [np.bincount(one.degree, minlength=60) / one.num_nodes for one in (base, graph)]
    assert changes["degrees_moved"] == pytest.approx(np.abs(shares[0] - shares[1]).sum() / 2)
    assert ("degree distribution" in changes["moved"]) == (changes["degrees_moved"] > 0)
    if amounts.edges == amounts.twins == 0:
        assert {"nodes", "edges", "mean degree", "largest degree", "degree distribution"} <= set(changes["still"])


@given(graph=graphs(max_nodes=12), data=st.data())
def test_an_edge_added_to_both_copies_at_once_keeps_ear_1(graph: Graph, data: st.DataObject) -> None:
    if graph.num_edges == 0:
        return
    node = st.integers(0, graph.num_nodes - 1)
    extra = np.array(data.draw(st.lists(st.tuples(node, node), max_size=4)), np.int64).reshape(-1, 2)
    pair = disjoint_copies(graph)
    both = Graph.from_edges(np.concatenate([pair.edges, extra, extra + graph.num_nodes]), pair.num_nodes)
    assert min(naive_orbit_sizes(both, naive_rounds(both)[-1])) > 1
    assert ear(both) == 1


def test_an_edge_added_to_one_copy_alone_breaks_it() -> None:
    pair = make("syn-karate")
    missing = nx.complement(to_networkx(make("twins", of="karate"))).edges
    for edge in missing:
        assert ear(Graph.from_edges(np.concatenate([pair.edges, [edge]]))) < 1
    assert len(missing) == 34 * 33 // 2 - 78


@pytest.mark.parametrize(("name", "most"), [("cora", 0.2), ("citeseer", 0.4)])
def test_one_edge_in_the_giant_component_carries_through_it(name: str, most: float, data_dir) -> None:
    found = [ear(make(f"syn-{name}", edges=1, seed=seed, data_dir=data_dir)) for seed in range(3)]
    assert min(found) < most and max(found) < 1


def test_more_edges_lower_ear_at_two_rounds_as_measured_before(data_dir) -> None:
    for edges, expected in ((50, 0.69), (250, 0.32), (1000, 0.13)):
        found = [ear(make("syn-cora", edges=edges, seed=seed, data_dir=data_dir), rounds=2) for seed in range(4)]
        assert np.mean(found) == pytest.approx(expected, abs=0.07)


@given(made=made())
def test_what_is_measured_is_what_is_built(made: Made) -> None:
    construction, graph, amounts = made
    bare = construction.bare(amounts)
    assert np.array_equal(bare.indptr, graph.indptr) and np.array_equal(bare.indices, graph.indices)
    assert bare.num_nodes == len(graph.origin.copy) == len(graph.origin.twin_of)


@given(made=made())
def test_room_is_exactly_what_can_be_built(made: Made) -> None:
    construction, _, amounts = made
    for knob in ("edges", "twins"):
        amounts = amounts.with_more("twins", 0)
        room = construction.room(knob, amounts, 10**6)
        construction.bare(amounts.with_more(knob, room))
        with pytest.raises(InvalidParameterError, match="ask for fewer"):
            construction.bare(amounts.with_more(knob, room + 1))


def test_moves_do_not_depend_on_the_order_in_which_graphs_are_built() -> None:
    base = make("random-regular", nodes=14, degree=6)  # so dense that added edges meet swapped ones
    triples = [(9, 12, 5), (0, 19, 2), (9, 12, 0), (9, 0, 5), (0, 12, 5), (9, 12, 5)]
    wanted = [Amounts(*triple) for triple in triples]
    one = Construction(base, seed=2)
    found = [one.bare(amounts).edges.tobytes() for amounts in wanted]
    assert found == [Construction(base, seed=2).bare(amounts).edges.tobytes() for amounts in wanted]


def test_skipped_moves_are_not_made() -> None:
    base = make("syn-karate")
    construction = Construction(base, seed=1)
    full = as_set(construction.bare(Amounts(edges=6)).edges)
    some = as_set(construction.bare(Amounts(edges=4, skipped_edges=(1, 3))).edges)
    firsts = [as_set(construction.bare(Amounts(edges=count)).edges) for count in range(7)]
    assert full - some == (firsts[2] - firsts[1]) | (firsts[4] - firsts[3])
    amounts = Amounts(edges=1).skipping_next("edges").with_more("edges", 2).skipping_next("edges")
    assert amounts == Amounts(edges=2, skipped_edges=(1, 3))


def test_skipped_moves_take_room() -> None:
    construction = Construction(make("syn-karate"), part="pendant")
    for knob, skipped in (("edges", Amounts(skipped_edges=(0, 2))), ("twins", Amounts(skipped_twins=(0,)))):
        whole, left = (construction.room(knob, amounts, 10**6) for amounts in (Amounts(), skipped))
        assert left == whole - len(getattr(skipped, f"skipped_{knob}"))
        construction.bare(skipped.with_more(knob, left))
        with pytest.raises(InvalidParameterError, match="ask for fewer"):
            construction.bare(skipped.with_more(knob, left + 1))


def test_negative_amounts_are_refused() -> None:
    for knob in ("swaps", "edges", "twins"):
        with pytest.raises(InvalidParameterError, match=f"^{knob} must not be negative, not -1$"):
            make("syn-karate", **{knob: -1})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"edges": 10**20}, r"^grid has room for 260 added edges, not 100,000,000,000,000,000,000; ask for fewer$"),
        ({"twins": 10**20}, "^grid has 25 nodes with neighbours to clone, not 100,000,000,000,000,000,000; ask for fewer$"),
        ({"swaps": 10**20}, r"^grid: \d+ swaps that keep every degree and double no edge were found, not 100,000,000"),
        ({"twins": 1, "part": "pendant"}, "^grid has 0 parts that hang on one node to clone, not 1; ask for fewer$"),
    ],
)  # fmt: skip
def test_more_moves_than_there_is_room_for_are_refused(options, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        make("grid", **options)


def test_a_graph_of_100000_nodes_goes_through_all_moves() -> None:
    pairs = np.random.default_rng(0).integers(0, 50_000, (150_000, 2))
    base = disjoint_copies(Graph.from_edges(pairs, 50_000))
    graph = Construction(base).build(Amounts(swaps=30_000, edges=40_000, twins=50_000))
    assert graph.merged_edges == graph.self_loops == 0 and graph.num_nodes == 150_000
    counts = graph.origin.kind_counts()
    assert counts["added"] == 100_000 and counts["original"] == base.num_edges - 60_000
    added = graph.edges[graph.origin.edge_kind == ADDED]
    assert (graph.origin.copy[added[:, 0]] != graph.origin.copy[added[:, 1]]).sum() > 4000
    colours = refine(graph).labels
    assert np.array_equal(colours[100_000:], colours[graph.origin.twin_of[100_000:]])
    parts = Construction(base, part="pendant").build(Amounts(twins=1000))
    colours = refine(parts).labels
    assert np.array_equal(colours[100_000:], colours[parts.origin.twin_of[100_000:]])
