"""Signals of node pairs, each against networkx, scikit-learn, dense powers of matrices or its definition."""

import tracemalloc
from collections import Counter
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings

import edgeorbit as eo
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.signals import GROUPS, SIGNALS, SignalComputer, default_signals, pair_signals
from edgeorbit.signals.catalogue import BIN_STARTS, BINS, ROUNDS
from edgeorbit.signals.computer import SignalOptions
from tests.oracles import graphs, naive_rounds, relabelled

sklearn_decomposition = pytest.importorskip("sklearn.decomposition")
OPTIONS = SignalOptions()


def with_features(graph: Graph, width: int = 5, seed: int = 0) -> Graph:
    return graph.with_attributes(x=np.random.default_rng(seed).normal(size=(graph.num_nodes, width)))


def all_pairs(graph: Graph) -> np.ndarray:
    return np.argwhere(np.ones((graph.num_nodes,) * 2))


def random_graph(num_nodes: int = 20_000, num_edges: int = 100_000, seed: int = 0) -> Graph:
    """A graph with hubs, triangles and isolated nodes."""
    rng = np.random.default_rng(seed)
    skewed = (num_nodes * 0.95 * rng.random((num_edges * 7 // 8, 2)) ** 2).astype(np.int64)
    closing = np.stack([skewed[:-1, 0], skewed[1:, 1]], axis=1)[: num_edges // 8]
    return Graph.from_edges(np.concatenate([skewed, closing]), num_nodes)


def dense(graph: Graph) -> np.ndarray:
    return nx.to_numpy_array(eo.to_networkx(graph), nodelist=range(graph.num_nodes))


class Oracle:
    """Every signal of all pairs of a small graph, as matrices, from definitions."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.network, self.a = graph, eo.to_networkx(graph), dense(graph)
        self.degree, self.known = self.a.sum(axis=1), {}
        history = naive_rounds(graph)
        self.colours = {r: np.array(history[min(int(r), len(history) - 1)]) for r in ROUNDS if r != "stable"}
        self.colours["stable"] = np.array(history[-1])
        self.colours["octaves"] = np.array([int(np.floor(np.log2(d + 1))) for d in self.degree])
        root = 1 / np.sqrt(np.maximum(self.degree, 1))
        self.p = root[:, None] * self.a * root

    def matrix(self, name: str) -> np.ndarray:
        stem, _, last = name.rpartition("_")
        if last in ("min", "max") and stem in ("degree", "core", "clustering", "component_size"):
            return self.ends(stem, last)
        if stem == "pagerank":
            return self.pagerank(last)
        if name.startswith(("feature", "neighbour_feature")):
            return self.features(name)
        if "_bin_" in name:
            return self.binned(name)
        if name.startswith("orbit"):
            return self.orbits(name)
        if stem == "walks":
            return np.linalg.matrix_power(self.p, int(last))
        if name == "distance":
            found = dict(nx.all_pairs_shortest_path_length(self.network))
            nodes, bound = range(len(self.a)), OPTIONS.max_distance
            return np.array([[min(found[u].get(v, bound + 1), bound + 1) for v in nodes] for u in nodes])
        if name == "same_component":
            return np.linalg.matrix_power(self.a + np.eye(len(self.a)), len(self.a)) > 0
        if name == "preferential_attachment":
            return np.outer(self.degree, self.degree)
        if name == "jaccard":
            common = self.a @ self.a
            return common / np.maximum(self.degree[:, None] + self.degree - common, 1)
        weight = {
            "common_neighbours": np.ones(len(self.a)),
            "adamic_adar": np.array([1 / np.log(d) if d > 1 else 0.0 for d in self.degree]),
            "resource_allocation": 1 / np.maximum(self.degree, 1),
        }[name]
        return self.a * weight @ self.a

    def ends(self, stem: str, which: str) -> np.ndarray:
        network, nodes = self.network, range(len(self.a))
        of_node = {
            "degree": lambda: dict(network.degree),
            "core": lambda: nx.core_number(network),
            "clustering": lambda: nx.clustering(network),
            "component_size": lambda: {v: np.log(len(nx.node_connected_component(network, v))) for v in nodes},
        }[stem]()
        values = np.array([of_node[v] for v in nodes])
        return (np.minimum if which == "min" else np.maximum).outer(values, values)

    def pagerank(self, which: str) -> np.ndarray:
        step = self.a / np.maximum(self.degree, 1)[:, None]
        step[self.degree == 0, self.degree == 0] = 1.0  # a walk that cannot leave stays
        found = OPTIONS.alpha * np.linalg.inv(np.eye(len(step)) - (1 - OPTIONS.alpha) * step)
        return {"min": np.minimum, "max": np.maximum, "sum": np.add}[which](found, found.T)

    def orbits(self, name: str) -> np.ndarray:
        what, _, r = name.removeprefix("orbit_").rpartition("_")
        if what.startswith("size"):
            colours = self.colours[r].tolist()
            sizes = np.log([colours.count(colour) for colour in colours])
            return (np.minimum if what == "size_min" else np.maximum).outer(sizes, sizes)
        if (what, r) in self.known:
            return self.known[what, r]
        nodes = range(len(self.a))
        density = np.full(self.a.shape, self.graph.num_edges / max(len(self.a) * (len(self.a) - 1) / 2, 1))
        for each in ("octaves", *ROUNDS):
            orbit = [[frozenset([self.colours[each][u], self.colours[each][v]]) for v in nodes] for u in nodes]
            pairs = Counter(orbit[u][v] for u in nodes for v in range(u))
            links = Counter(orbit[u][v] for u, v in self.graph.edges.tolist())
            counts = np.array([[links[orbit[u][v]] for v in nodes] for u in nodes])
            possible = np.array([[pairs[orbit[u][v]] for v in nodes] for u in nodes])
            density = (counts + OPTIONS.kappa * density) / (possible + OPTIONS.kappa)
            self.known["links", each], self.known["density", each] = np.log1p(counts), density
        return self.known[what, r]

    def binned(self, name: str) -> np.ndarray:
        stem, place = name.split("_bin_")
        what, r = stem.rsplit("_", 1)
        sizes = np.bincount(self.colours[r])[self.colours[r]]
        low, high = list(pairwise([1, *BIN_STARTS, 10**9]))[int(place)]
        inside = np.diag((low <= sizes) & (sizes < high)).astype(float)
        if what == "common_neighbours":
            return self.a @ inside @ self.a
        two = self.p @ self.p
        if what == "walks_4":
            return two @ inside @ two
        return (two @ inside @ self.p + self.p @ inside @ two) / 2

    def features(self, name: str) -> np.ndarray:
        x = self.graph.x
        components = np.zeros((len(x), x.shape[1]))
        if len(x) > 1:
            found = sklearn_decomposition.PCA(min(x.shape)).fit_transform(x)
            components[:, : found.shape[1]] = found
        if name.startswith("neighbour"):
            mean = self.a / np.maximum(self.degree, 1)[:, None]
            x, components = mean @ x, mean @ components
        kind = name.partition("feature_")[2]
        if kind == "cosine":
            lengths = np.linalg.norm(x, axis=1)
            scale = np.outer(lengths, lengths)
            return np.where(scale > 0, x @ x.T / np.where(scale > 0, scale, 1), 0)
        if kind == "distance":
            return np.linalg.norm(x[:, None] - x, axis=2)
        column = components[:, int(kind.rpartition("_")[2]) - 1]
        return np.outer(column, column)


def assert_all_are_right(graph: Graph) -> None:
    signals = pair_signals(graph, all_pairs(graph), list(SIGNALS))
    oracle = Oracle(graph)
    for name in SIGNALS:
        expected = oracle.matrix(name).ravel()
        assert np.allclose(signals[name], expected, rtol=1e-4, atol=1e-6), name


@settings(max_examples=15)
@given(graph=graphs(max_nodes=14))
def test_every_signal_of_all_pairs_is_what_its_formula_says(graph: Graph) -> None:
    assert_all_are_right(with_features(graph))


def test_every_signal_is_right_on_a_graph_with_orbits_of_all_sizes() -> None:
    leaves = [(0, i) for i in range(1, 80)] + [(80, i) for i in range(81, 91)] + [(0, 80), (80, 91), (91, 92)]
    assert_all_are_right(with_features(Graph.from_edges([*leaves, (93, 94), (94, 95), (95, 93)], num_nodes=97)))


def test_signals_of_a_large_graph_are_those_of_sparse_products() -> None:
    graph = random_graph()
    rng = np.random.default_rng(1)
    pairs = np.concatenate(
        [rng.integers(0, graph.num_nodes, (300, 2)), graph.edges[rng.integers(0, 10**5 - 30000, 300)]]
    )
    signals = pair_signals(graph, pairs, ["common-neighbours", "walks", "structure", "orbits", "distance"])
    a = eo.to_scipy(graph).astype(float)
    scale = scipy.sparse.diags_array(np.maximum(graph.degree, 1) ** -0.5)
    p = (scale @ a @ scale).tocsr()
    near, far = a[pairs[:, 0]], a[pairs[:, 1]]
    assert np.allclose(signals["common_neighbours"], near.multiply(far).sum(axis=1))
    rows, others = p[pairs[:, 0]] @ p, p[pairs[:, 1]] @ p
    assert np.allclose(signals["walks_4"], rows.multiply(others).sum(axis=1), rtol=1e-5, atol=1e-9)
    for r in ROUNDS:
        binned = sum(signals[f"walks_4_{r}_bin_{i}"] for i in range(len(BINS)))
        assert np.allclose(binned, signals["walks_4"], rtol=1e-4, atol=1e-8)
        assert np.allclose(
            sum(signals[f"common_neighbours_{r}_bin_{i}"] for i in range(4)), signals["common_neighbours"]
        )
    found = scipy.sparse.csgraph.dijkstra(a, unweighted=True, indices=pairs[:, 0], limit=OPTIONS.max_distance)
    assert np.array_equal(signals["distance"], np.minimum(found[np.arange(600), pairs[:, 1]], OPTIONS.max_distance + 1))
    network = eo.to_networkx(graph)
    core, clustering = nx.core_number(network), nx.clustering(network, set(pairs.ravel().tolist()))
    assert np.array_equal(signals["core_min"], [min(core[u], core[v]) for u, v in pairs.tolist()])
    assert np.allclose(signals["clustering_max"], [max(clustering[u], clustering[v]) for u, v in pairs.tolist()])


def test_signals_depend_neither_on_threads_nor_batches_nor_the_order_of_a_pair() -> None:
    graph = with_features(random_graph())
    pairs = np.random.default_rng(2).integers(0, graph.num_nodes, (1200, 2))
    names = default_signals(graph)
    first = pair_signals(graph, pairs, names, threads=1)
    assert np.array_equal(first, pair_signals(graph, pairs, names, threads=3))
    assert np.array_equal(first, pair_signals(graph, pairs[:, ::-1], names, memory=500_000))
    parts = SignalComputer(graph, names)
    assert np.allclose(first, np.concatenate([parts.compute(pairs[:7]), parts.compute(pairs[7:])]), rtol=1e-6, atol=0)


@pytest.mark.parametrize("graph", [random_graph(500, 1500), random_graph(12_000, 40_000)], ids=["solved", "pushed"])
def test_signals_follow_the_nodes_when_they_are_numbered_anew(graph: Graph) -> None:
    rng = np.random.default_rng(3)
    number = rng.permutation(graph.num_nodes)
    pairs = np.concatenate([rng.integers(0, graph.num_nodes, (200, 2)), graph.edges[:200]])
    names = default_signals(graph)
    before, after = pair_signals(graph, pairs, names), pair_signals(relabelled(graph, number), number[pairs], names)
    for name in names:
        if SIGNALS[name].part in ("walks", "orbit-walks"):  # whose sums are rounded in the order of the nodes
            assert np.allclose(before[name], after[name], rtol=1e-6, atol=0), name
        else:
            assert np.array_equal(before[name], after[name]), name


def test_links_among_the_pairs_are_hidden_all_at_once() -> None:
    graph = eo.load("karate")
    pairs = np.concatenate([graph.edges[::5], [[0, 33], [5, 5]]])
    left = Graph.from_edges([edge for i, edge in enumerate(graph.edges.tolist()) if i % 5], graph.num_nodes)
    hidden = pair_signals(graph, pairs, without_pairs=True)
    assert np.array_equal(hidden, pair_signals(left, pairs))
    assert (hidden["distance"] > 1)[:-1].all() and (pair_signals(graph, pairs)["distance"][:-2] == 1).all()


def test_isolated_nodes_and_empty_pairs_have_signals() -> None:
    graph = with_features(Graph.empty(4))
    assert_all_are_right(graph)
    nothing = pair_signals(graph, [])
    assert len(nothing) == 0 and nothing.values.shape == (0, len(default_signals(graph)))
    assert nothing.values.dtype == np.float32 and list(nothing.to_frame().columns) == list(nothing.names)
    assert len(pair_signals(Graph.empty(0), [])) == 0


def test_groups_stand_for_their_signals() -> None:
    graph = with_features(eo.load("karate"))
    computed = [pair_signals(graph, [[0, 1]], group).names for group in GROUPS]
    assert tuple(name for names in computed for name in names) == default_signals(graph)
    assert {SIGNALS[name].group for name in computed[GROUPS.index("orbits")]} == {"orbits"}
    assert pair_signals(graph, [[0, 1]], ["distance", "degree_min", "degrees"]).names[:2] == ("distance", "degree_min")


def test_long_walks_are_left_out_where_they_take_long() -> None:
    complete = eo.from_networkx(nx.complete_graph(150))
    assert not {"walks_3", "walks_4_1_bin_0"} & set(default_signals(complete)) and "walks_2" in default_signals(
        complete
    )
    assert pair_signals(complete, [[0, 1]], ["walks_3"]).values > 0


def test_sparse_features_have_the_components_of_dense_ones() -> None:
    rng = np.random.default_rng(4)
    graph = random_graph(600, 2000)
    x = scipy.sparse.csr_array(rng.random((600, 300)) * (rng.random((600, 300)) < 0.05) * np.geomspace(9, 1, 300))
    pairs = rng.integers(0, 600, (500, 2))
    sparse = pair_signals(graph.with_attributes(x=x), pairs, "features")
    thick = pair_signals(graph.with_attributes(x=x.toarray() + 0.0), pairs, "features")
    assert np.allclose(sparse, thick, rtol=1e-4, atol=1e-5)
    parts = sklearn_decomposition.PCA(4, svd_solver="full").fit_transform(x.toarray())
    assert np.allclose(sparse["feature_product_4"], parts[pairs[:, 0], 3] * parts[pairs[:, 1], 3], rtol=1e-3, atol=1e-4)


def test_seconds_are_told_by_part() -> None:
    computer = SignalComputer(eo.load("karate"), ["orbits", "degrees"])
    assert computer.seconds == {}
    computer.prepare().compute([[0, 1]])
    assert set(computer.seconds) == {"orbits", "orbit-common-neighbours", "orbit-walks", "degrees"}
    assert all(computer.seconds[part] >= computer.pair_seconds[part] > 0 for part in computer.seconds)


def test_memory_beside_the_result_is_bounded() -> None:
    graph = random_graph(2000, 8000)
    pairs = np.random.default_rng(5).integers(0, 2000, (100_000, 2))
    computer = SignalComputer(
        graph, ["common-neighbours", "degrees", "components", "orbits"], memory=1 << 22, threads=1
    )
    computer.compute(pairs[:1000])
    tracemalloc.start()
    result = computer.compute(pairs)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < result.values.nbytes + 64 * len(pairs) + 2 * (1 << 22)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda graph: pair_signals(graph, [[0, 1]], "walk_3"), "there is no signal 'walk_3'; did you mean walks_3"),
        (lambda graph: pair_signals(graph, [[0, 1]], "zebra"), "choose from the groups common-neighbours, walks"),
        (lambda graph: pair_signals(graph, [[0, 99]]), "pairs name node 99; karate has 34 nodes"),
        (lambda graph: pair_signals(graph, [[0, 1]], kapa=1), "no option 'kapa' of pair signals; choose from alpha"),
        (lambda graph: pair_signals(graph, [[0, 1]], kappa=-1), "kappa must be from 0 to 1e+09, got -1"),
        (lambda graph: pair_signals(graph, [[0, 1]], alpha="half"), "alpha must be from 0.001 to 0.999, got 'half'"),
        (lambda graph: pair_signals(graph, [[0, 1]], "features"), "karate has no features that are numbers"),
        (lambda graph: pair_signals(graph, [[0, 1]], "feature_cosine"), "karate has no features that are numbers"),
        (lambda graph: pair_signals(graph, [[0, 1]], [])["distance"], "'distance' is not among the signals"),
        (lambda graph: pair_signals(graph, [[0, 1]], memory=0), "memory must be a number of bytes from 1, got 0"),
        (
            lambda graph: pair_signals(graph.with_attributes(x=np.full((34, 2), np.nan)), [[0, 1]]),
            "features contain NaN or infinite values",
        ),
        (
            lambda graph: pair_signals(with_features(graph, 2), [[0, 1]], "feature_product_3"),
            "karate has 2 columns of features, and so no principal component 3",
        ),
    ],
)
def test_what_is_wrong_is_said(call, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message.replace("+", r"\+").replace("(", r"\(")):
        call(eo.load("karate"))


def test_more_signals_than_memory_are_refused(monkeypatch) -> None:
    monkeypatch.setattr("edgeorbit.signals.computer.available_memory", lambda: 10_000)
    with pytest.raises(LimitExceededError, match="signals of 1000 pairs take about 1 MB of memory"):
        pair_signals(eo.load("karate"), np.zeros((1000, 2), np.int64))
