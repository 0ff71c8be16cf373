"""Generators: each makes what its name says, from a seed, and says what it cannot make."""

import inspect

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import Graph, ear, to_networkx
from edgeorbit.errors import DatasetNotFoundError, InvalidParameterError
from edgeorbit.synthetic import GENERATORS, make
from edgeorbit.synthetic.generators import (
    barabasi_albert,
    disjoint_copies,
    lobster,
    random_regular,
    random_tree,
    resolve_generator,
)
from oracles import graphs, naive_orbit_sizes, naive_rounds

NAMED_IN_THE_ISSUE = (
    "disjoint-copies twins rewired-lattice syn-triangle lobster tree grid cycle prism random-regular barabasi-albert"
)


def source_of(name: str) -> dict[str, str]:
    return {"of": "karate"} if GENERATORS[name].takes_source else {}


def same_graph(first: Graph, second: Graph) -> bool:
    return np.array_equal(first.indptr, second.indptr) and np.array_equal(first.indices, second.indices)


@pytest.mark.parametrize("name", NAMED_IN_THE_ISSUE.split())
def test_every_promised_generator_is_registered(name: str) -> None:
    assert name in GENERATORS


@pytest.mark.parametrize("name", GENERATORS)
def test_every_generator_is_seeded_and_tells_what_it_made(name: str) -> None:
    first, second = (make(name, seed=3, **source_of(name)) for _ in range(2))
    assert same_graph(first, second)
    assert first.merged_edges == first.self_loops == 0
    origin = first.origin
    assert origin is not None and origin.kind_counts() == {"original": first.num_edges, "added": 0, "twin": 0}
    assert len(origin.copy) == len(origin.original) == len(origin.twin_of) == first.num_nodes
    assert origin.recipe["generator"] == name and origin.recipe["seed"] == 3
    generator = GENERATORS[name]
    assert generator.name == name and generator.summary.endswith(".") and generator.summary[0].isupper()
    draws = "seed" in inspect.signature(generator.build).parameters
    assert same_graph(first, make(name, seed=4, **source_of(name))) != draws


def test_the_lattice_of_the_paper() -> None:
    lattice = make("syn-triangle")
    assert (lattice.num_nodes, lattice.num_edges) == (2091, 6090)
    assert nx.faster_could_be_isomorphic(nx.triangular_lattice_graph(50, 80), to_networkx(lattice))


@pytest.mark.parametrize(
    ("name", "parameters", "theirs"),
    [
        ("tree", {"branching": 3, "depth": 3}, nx.balanced_tree(3, 3)),
        ("grid", {"rows": 4, "columns": 7}, nx.grid_2d_graph(4, 7)),
        ("cycle", {"nodes": 9}, nx.cycle_graph(9)),
        ("prism", {"sides": 5}, nx.circular_ladder_graph(5)),
        ("rewired-lattice", {"rows": 3, "columns": 5}, nx.triangular_lattice_graph(3, 5)),
        ("rewired-lattice", {"shape": "square", "rows": 3, "columns": 5}, nx.grid_2d_graph(4, 6)),
    ],
)
def test_shapes_are_those_of_networkx(name: str, parameters: dict[str, int], theirs: nx.Graph) -> None:
    assert nx.is_isomorphic(to_networkx(make(name, **parameters)), theirs)


# Copies


@given(graph=graphs(), copies=st.integers(1, 4))
def test_copies_are_isomorphic_and_know_where_they_come_from(graph: Graph, copies: int) -> None:
    found = disjoint_copies(graph, copies)
    origin = found.origin
    assert found.num_nodes == copies * graph.num_nodes and found.num_edges == copies * graph.num_edges
    assert origin.num_copies == copies
    for copy in range(copies):
        members = np.flatnonzero(origin.copy == copy)
        assert np.array_equal(origin.original[members], np.arange(graph.num_nodes))
        inside = found.edges[(origin.copy[found.edges] == copy).all(axis=1)]
        assert np.array_equal(origin.original[inside], graph.edges)
    assert (origin.twin_of == -1).all()


@given(graph=graphs())
def test_copies_without_added_edges_have_ear_1(graph: Graph) -> None:
    if graph.num_edges:
        pair = make("disjoint-copies", of=graph)
        assert min(naive_orbit_sizes(pair, naive_rounds(pair)[-1])) > 1
        assert ear(pair) == ear(pair, rounds=1) == 1


@pytest.mark.parametrize("name", ["cora", "citeseer", "usair", "power"])
def test_copies_of_real_graphs_have_ear_1(name: str, data_dir) -> None:
    pair = make(f"syn-{name}", data_dir=data_dir)
    assert ear(pair) == 1 > ear(make("twins", of=name, data_dir=data_dir))


def test_features_and_labels_travel_with_copies_and_twins() -> None:
    dense = np.arange(12, dtype=np.float32).reshape(4, 3)
    labels = np.array(["a", "bb", "a", "ccc"])
    for x in (dense, scipy.sparse.csr_array(dense)):
        graph = Graph.from_edges([[0, 1], [1, 2], [2, 3]], x=x, y=labels)
        made = make("disjoint-copies", of=graph, copies=3, edges=2, twins=5)
        got = made.x if isinstance(made.x, np.ndarray) else made.x.toarray()
        assert type(made.x) is type(x)
        assert np.array_equal(got, dense[made.origin.original])
        assert np.array_equal(made.y, labels[made.origin.original])
        assert np.array_equal(made.origin.original[12:], made.origin.original[made.origin.twin_of[12:]])
        assert np.array_equal(made.origin.copy[12:], made.origin.copy[made.origin.twin_of[12:]])


def test_copies_of_a_graph_with_twins_have_the_same_twins_each() -> None:
    source = make("syn-karate", edges=3, twins=4)
    pair = make("disjoint-copies", of=source, copies=3)
    assert pair.origin.kind_counts() == {kind: 3 * count for kind, count in source.origin.kind_counts().items()}
    twins = np.flatnonzero(pair.origin.twin_of >= 0)
    assert len(twins) == 12
    assert np.array_equal(pair.origin.copy[twins], pair.origin.copy[pair.origin.twin_of[twins]])
    here = pair.origin.twin_of[twins] - pair.origin.copy[twins] * source.num_nodes
    assert np.array_equal(here, source.origin.twin_of[pair.origin.original[twins]])


def test_source_names_are_data_sets_files_and_graph_directories(tmp_path) -> None:
    (tmp_path / "My Links.CSV").write_text("ann,bob\nbob,cid\ncid,ann\ncid,dan\n")
    made = make(f"syn-{tmp_path / 'My Links.CSV'}")
    assert (made.name, made.num_nodes, made.num_edges) == ("syn-My Links", 8, 8)
    assert make("SYN-Karate").name == make("syn-karate").name == "syn-karate"
    with pytest.raises(DatasetNotFoundError, match="koora: no such file, and no data set of that name; did you mean"):
        make("syn-koora")


# Random graphs


@given(nodes=st.integers(1, 60), seed=st.integers(0, 99))
def test_random_trees_are_trees(nodes: int, seed: int) -> None:
    tree = random_tree(nodes, seed)
    assert nx.is_tree(to_networkx(tree)) and tree.num_nodes == nodes


@given(length=st.integers(1, 12), legs=st.integers(0, 4), claws=st.integers(0, 4), seed=st.integers(0, 99))
def test_lobsters_are_lobsters(length: int, legs: int, claws: int, seed: int) -> None:
    found = to_networkx(lobster(length, legs, claws, seed))
    assert nx.is_tree(found)
    assert nx.is_path(found, list(range(length)))
    away = nx.multi_source_dijkstra_path_length(found, set(range(length)))
    assert max(away.values()) <= 2
    assert all(sum(away[leg] == 1 for leg in found[joint]) <= legs for joint in range(length))
    assert all(sum(away[leaf] == 2 for leaf in found[leg]) <= claws for leg in found if away[leg] == 1)


def test_all_numbers_of_legs_and_claws_occur_equally_often() -> None:
    found = lobster(500, 3, 2, 1)
    legs = [neighbour for joint in range(500) for neighbour in found.neighbours(joint) if neighbour >= 500]
    on_joints = np.bincount([sum(found.neighbours(joint) >= 500) for joint in range(500)])
    on_legs = np.bincount([found.degree[leg] - 1 for leg in legs])
    assert len(on_joints) == 4 and on_joints.min() > 90
    assert len(on_legs) == 3 and on_legs.min() > 0.28 * len(legs)


@given(data=st.data(), nodes=st.integers(1, 14), seed=st.integers(0, 99))
@settings(max_examples=150)
def test_random_regular_graphs_are_regular_and_simple(data: st.DataObject, nodes: int, seed: int) -> None:
    degree = data.draw(st.sampled_from([d for d in range(nodes) if nodes * d % 2 == 0]))
    found = random_regular(nodes, degree, seed)
    assert found.degree.tolist() == [degree] * nodes
    assert found.num_edges == nodes * degree // 2 and found.merged_edges == found.self_loops == 0


@pytest.mark.parametrize(("nodes", "degree"), [(10_000, 3), (2000, 20), (101, 50), (100, 50), (100, 49), (100, 99)])
def test_random_regular_graphs_of_every_density_are_found(nodes: int, degree: int) -> None:
    assert set(random_regular(nodes, degree, 1).degree.tolist()) == {degree}


def test_all_regular_graphs_occur() -> None:
    def key(graph: Graph) -> bytes:
        return graph.edges.tobytes()

    assert len({key(random_regular(5, 2, seed)) for seed in range(200)}) == 12  # pentagons on five labelled nodes
    assert len({key(random_regular(6, 3, seed)) for seed in range(2000)}) == 70  # 60 prisms and 10 of K3,3


@given(nodes=st.integers(2, 40), seed=st.integers(0, 99), data=st.data())
def test_preferential_attachment_links_every_newcomer_to_as_many_as_asked(nodes, seed, data) -> None:
    links = data.draw(st.integers(1, nodes - 1))
    found = barabasi_albert(nodes, links, seed)
    assert found.num_nodes == nodes and found.num_edges == links * (nodes - links)
    assert nx.is_connected(to_networkx(found))
    earlier = [sum(found.neighbours(node) < node) for node in range(links + 1, nodes)]
    assert earlier == [links] * len(earlier)


def test_preferential_attachment_prefers_what_has_links() -> None:
    degrees = np.sort(barabasi_albert(5000, 2, 0).degree)[::-1]
    uniform = np.sort(np.bincount(np.random.default_rng(0).integers(0, 5000, 20_000)))[::-1]
    assert degrees[0] > 5 * uniform[0]
    expected = nx.barabasi_albert_graph(5000, 2, seed=0)
    theirs = sorted((degree for _, degree in expected.degree), reverse=True)
    assert 0.5 < degrees[:20].mean() / np.mean(theirs[:20]) < 2


# What is refused


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("gird",), "'gird' is not a generator; did you mean grid? There are disjoint-copies, twins, "),
        (("cora",), "'cora' is not a generator; did you mean syn-cora? There are "),
        (("xyz",), "'xyz' is not a generator; there are disjoint-copies, twins, "),
        (("syn-",), "'syn-' is not a generator; "),
        (("",), "'' is not a generator; there are "),
        (("grid", {"row": 3}), "grid has no parameter 'row'; its parameters are: rows, columns"),
        (("syn-triangle", {"rows": 3}), "syn-triangle has no parameter 'rows'; its parameters are: none"),
        (("twins",), "twins is made from another graph; say which, for instance --of cora"),
        (("grid", {"of": "karate"}), "grid is not made from another graph; leave --of out"),
        (("syn-karate", {"of": "karate"}), "syn-karate names its source already; leave --of out"),
        (("disjoint-copies", {"of": "karate", "copies": 0}), "copies must be at least 1, not 0"),
        (("rewired-lattice", {"shape": "round"}), "a lattice of shape 'round' is unknown; choose from triangular, square"),
        (("random-tree", {"nodes": 0}), "a tree has at least 1 node, not 0"),
        (("lobster", {"legs": -1}), "a lobster needs length >= 1, legs >= 0 and claws >= 0, not 20, -1 and 3"),
        (("random-regular", {"nodes": 5, "degree": 3}), "no graph of 5 nodes is 3-regular; the degree must be below"),
        (("random-regular", {"nodes": 4, "degree": 4}), "no graph of 4 nodes is 4-regular"),
        (("random-regular", {"nodes": 4, "degree": -1}), "no graph of 4 nodes is -1-regular"),
        (("barabasi-albert", {"nodes": 3, "links": 3}), "links must be at least 1 and below the number of nodes, 3, not 3"),
        (("random-tree", {"nodes": 1}), "random-tree has no edges, so it has no EAR to choose; take a graph with edges"),
        (("twins", {"of": Graph.empty(5)}), "has no edges, so it has no EAR to choose"),
        (("grid", {"seed": -1}), "a seed is a whole number from 0 to 2^63 - 1, not -1"),
        (("grid", {"inter": 0.5}), "inter must be 0 and not 0.5: grid has one copy; ask for more copies"),
        (("syn-karate", {"inter": 1.5}), "inter is a share of edges from 0 to 1, not 1.5"),
        (("syn-karate", {"inter": float("nan")}), "inter is a share of edges from 0 to 1, not nan"),
        (("grid", {"part": "leaf"}), "part 'leaf' cannot be cloned; choose from node, pendant"),
        (("grid", {"dial": "more"}), "dial 'more' is unknown; choose from auto, edges, swaps, twins"),
        (("grid", {"features": "none"}), "features 'none' are unknown; choose from original, constant, degree"),
        (("grid", {"features": "original"}), "has no features of its own; choose from constant, degree"),
    ],
)  # fmt: skip
def test_mistakes_get_one_sentence(arguments, sentence: str) -> None:
    name, options = (*arguments, {})[:2]
    with pytest.raises(InvalidParameterError) as caught:
        make(name, **options)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("size", [10**11, 10**30, -(10**30)])
def test_no_size_whatever_gives_another_error_than_ours(name: str, size: int) -> None:
    for parameter in GENERATORS[name].parameters.values():
        if isinstance(parameter.default, int):
            with pytest.raises(InvalidParameterError) as caught:
                make(name, **{parameter.name: size}, **source_of(name))
            assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("grid", {"rows": 2**30, "columns": 2**30}),
        ("rewired-lattice", {"rows": 2**30, "columns": 2**30}),
        ("tree", {"branching": 2, "depth": 31}),
        ("tree", {"branching": 2, "depth": 2**31 - 1}),
        ("tree", {"branching": 1, "depth": 2**31 - 1}),
        ("prism", {"sides": 2**30 + 1}),
        ("disjoint-copies", {"copies": 2**27}),
    ],
)
def test_graphs_with_more_nodes_than_can_be_numbered_are_refused(name: str, sizes: dict[str, int]) -> None:
    with pytest.raises(InvalidParameterError, match="2,147,483,647"):
        make(name, **sizes, **source_of(name))


def test_names_are_resolved_in_any_case() -> None:
    assert resolve_generator("Grid") == (GENERATORS["grid"], None)
    assert resolve_generator("syn-CORA") == (GENERATORS["disjoint-copies"], "CORA")
    assert resolve_generator("syn-triangle")[0].fixed == {"shape": "triangular", "rows": 50, "columns": 80}
