"""Each perturbation drops what it says, as often as it says."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch_geometric")

import scipy.sparse
import torch

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.toys import karate
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.product import Matrix
from edgeorbit.models.perturbation_kinds import D1, AdaEdge, D1Uniform, Perturbation, cosines, draw_path_edges
from edgeorbit.models.perturbations import PERTURBATIONS, check_perturbation, make_perturbation
from tests.oracles import graphs, grid_edges, naive_orbit_sizes, naive_rounds

OF_EDGES = ["dropedge", "droppath", "adaedge", "d1", "d1-uniform"]
OF_FEATURES = ["dropnode", "d1", "d1-uniform"]
WEIGHTED = ["d1", "d1-uniform"]


def made(name: str, rate: float) -> Perturbation:
    perturbation = make_perturbation(name, rate)
    assert perturbation is not None
    return perturbation


def some_inputs(graph: Graph, channels: int = 3, *, sparse: bool = False) -> Inputs:
    x = np.random.default_rng(0).random((graph.num_nodes, channels), np.float32) + 0.1
    return Inputs.of(graph, Matrix.from_scipy(scipy.sparse.csr_array(x)) if sparse else torch.from_numpy(x))


def dense(inputs: Inputs) -> np.ndarray:
    x = inputs.x
    return x.multiply(np.eye(x.shape[1], dtype=np.float32)) if isinstance(x, Matrix) else x.numpy()


@pytest.fixture(scope="module")
def grid() -> Inputs:
    """A grid of 10,000 nodes and 19,800 edges."""
    return some_inputs(Graph.from_edges(grid_edges(100, 100)))


def bound(rate: float, count: int) -> float:
    """Five standard deviations of a share."""
    return 5 * math.sqrt(rate * (1 - rate) / count)


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.37, 0.5, 0.8])
@pytest.mark.parametrize("name", OF_EDGES)
def test_the_share_of_dropped_edges_is_the_rate(name: str, rate: float, grid: Inputs) -> None:
    torch.manual_seed(1)
    left, count = made(name, rate)(grid), grid.graph.num_edges
    assert 1 - left.graph.num_edges / count == pytest.approx(rate, abs=bound(rate, count) + 1e-6)


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.37, 0.5, 0.8])
@pytest.mark.parametrize("name", OF_FEATURES)
def test_the_share_of_nodes_without_features_is_the_rate(name: str, rate: float, grid: Inputs) -> None:
    torch.manual_seed(1)
    lost, count = (dense(made(name, rate)(grid)) == 0).all(axis=1), grid.graph.num_nodes
    assert lost.mean() == pytest.approx(rate, abs=bound(rate, count) + 1e-6)


@pytest.mark.parametrize("name", PERTURBATIONS)
@given(graph=graphs(), rate=st.floats(0, 0.99), seed=st.integers(0, 99), sparse=st.booleans())
@settings(max_examples=15)
def test_what_is_left_is_part_of_what_was_given(name: str, graph: Graph, rate: float, seed: int, sparse: bool) -> None:
    inputs = some_inputs(graph, sparse=sparse)
    before = dense(inputs).tolist(), graph.edges.tolist()
    torch.manual_seed(seed)
    left = made(name, rate)(inputs)
    assert (dense(inputs).tolist(), inputs.graph.edges.tolist()) == before
    edges = left.graph.edges.tolist()
    assert all(edge in before[1] for edge in edges) and left.graph.num_nodes == graph.num_nodes
    assert name in OF_EDGES or left.graph is graph
    # One draw for both directions: the matrix is symmetric, and has the edges of the graph.
    matrix = left.adjacency.multiply(np.eye(graph.num_nodes, dtype=np.float32))
    assert np.array_equal(matrix, matrix.T)
    assert np.argwhere(np.triu(matrix)).tolist() == edges
    assert np.allclose(left.degree.numpy()[:, 0], matrix.sum(axis=1), rtol=1e-6)
    assert name in WEIGHTED or set(np.unique(matrix)) <= {0, 1}
    factor = 1 / (1 - rate) if name == "dropnode" else 1
    for row, was in zip(dense(left), np.array(before[0]), strict=True):
        assert (row == 0).all() or (row == pytest.approx(was * factor, rel=1e-5))
    assert name in OF_FEATURES or np.array_equal(dense(left), before[0])


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_draws_follow_from_the_generator(name: str, grid: Inputs) -> None:
    def draw() -> tuple[list[list[int]], list[list[float]]]:
        left = made(name, 0.3)(grid)
        return left.graph.edges.tolist(), dense(left).tolist()

    torch.manual_seed(7)
    first, second = draw(), draw()
    torch.manual_seed(7)
    assert draw() == first != second


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_what_was_derived_from_another_graph_is_not_taken_over(name: str, grid: Inputs) -> None:
    def count(graph: Graph) -> int:
        return graph.num_edges

    assert grid.derive(count) == grid.graph.num_edges
    left = made(name, 0.5)(grid)
    assert left.derive(count) == left.graph.num_edges
    assert grid.derive(count) == grid.graph.num_edges


def mean_of(name: str, inputs: Inputs, draws: int = 800) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean adjacency and the mean features over draws."""
    perturb, unit = made(name, 0.3), np.eye(inputs.graph.num_nodes, dtype=np.float32)
    adjacency, x = np.zeros_like(unit), np.zeros_like(dense(inputs))
    for _ in range(draws):
        left = perturb(inputs)
        adjacency += left.adjacency.multiply(unit) / draws
        x += dense(left) / draws
    return adjacency, x


def test_scaling_keeps_the_mean_of_features_and_of_messages() -> None:
    inputs = some_inputs(Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4], [1, 5]]))
    whole = inputs.adjacency.multiply(np.eye(6, dtype=np.float32))
    torch.manual_seed(0)
    assert np.allclose(mean_of("dropnode", inputs)[1], dense(inputs), rtol=0.08)
    for name in WEIGHTED:
        adjacency, x = mean_of(name, inputs)
        assert np.allclose(adjacency, whole, atol=0.08)
        assert (x < 0.9 * dense(inputs)).all()  # D1 zeroes features and makes up for nothing
    for name in ("dropedge", "droppath", "adaedge"):
        assert mean_of(name, inputs)[0].sum() == pytest.approx(0.7 * whole.sum(), rel=0.05)


@given(graph=graphs(), rate=st.floats(0, 0.99))
def test_d1_and_its_uniform_comparator_have_the_same_mean_rates(graph: Graph, rate: float) -> None:
    ours, uniform = D1(rate).find_rates(graph), D1Uniform(rate).find_rates(graph)
    for one, other in zip(ours, uniform, strict=True):
        assert len(one) == len(other)
        assert not len(one) or one.mean() == pytest.approx(other.mean(), abs=1e-5) == pytest.approx(rate, abs=1e-5)
        assert len(set(other.tolist())) <= 1


@given(graph=graphs(), rate=st.floats(0.01, 0.4))
def test_rates_of_d1_are_those_of_its_formula_with_some_scale(graph: Graph, rate: float) -> None:
    colours = naive_rounds(graph, 2)[-1]
    node_sizes = [colours.count(colour) for colour in colours]
    found = D1(rate).find_rates(graph)
    for rates, sizes in ((found.nodes, node_sizes), (found.edges, naive_orbit_sizes(graph, colours))):
        shares = np.log1p(np.array(sizes) / max(len(sizes), 1))
        assert (rates <= 0.5 + 1e-6).all()
        scales = rates[rates < 0.499] / shares[rates < 0.499]
        assert scales == pytest.approx(np.full(len(scales), scales[0] if len(scales) else 0), rel=1e-4)


def test_d1_drops_a_large_orbit_more_often_than_a_small_one() -> None:
    """A star of 20 rays, the last of which is longer: 19 rays are one orbit."""
    star = Graph.from_edges([[0, ray] for ray in range(1, 21)] + [[20, 21]])
    rates = D1(0.2).find_rates(star)
    assert len(set(rates.edges[:19].tolist())) == 1
    assert rates.edges[0] > 5 * rates.edges[19] and rates.nodes[1] > 5 * rates.nodes[0]
    assert len(set(D1(0.6).find_rates(star).edges.tolist())) == 1  # beyond p_max there is no room for differences


def test_adaedge_drops_unlike_edges_more_often() -> None:
    """A cycle whose nodes come in runs of five of a kind: a fifth of the edges join two kinds."""
    cycle = Graph.from_edges([[v, (v + 1) % 1000] for v in range(1000)])
    kinds = np.arange(1000) // 5 % 2
    inputs = Inputs.of(cycle, torch.from_numpy(np.eye(2, dtype=np.float32)[kinds]))
    unlike = kinds[cycle.edges[:, 0]] != kinds[cycle.edges[:, 1]]
    assert unlike.mean() == 0.2
    rates = AdaEdge(0.3).find_rates(inputs)
    # Mean ranks of 0.4 and 0.9, whose mean is 0.5.
    assert np.unique(rates[~unlike]) == pytest.approx([0.24], rel=1e-5)
    assert np.unique(rates[unlike]) == pytest.approx([0.54], rel=1e-5)
    torch.manual_seed(0)
    known = {tuple(edge): bool(far) for edge, far in zip(cycle.edges.tolist(), unlike, strict=True)}
    left = [known[tuple(edge)] for _ in range(40) for edge in AdaEdge(0.3)(inputs).graph.edges.tolist()]
    assert sum(left) / 40 / 200 == pytest.approx(1 - 0.54, abs=bound(0.54, 8000))
    assert (len(left) - sum(left)) / 40 / 800 == pytest.approx(1 - 0.24, abs=bound(0.24, 32_000))


@pytest.mark.parametrize("value", [1.0, 0.0, 0.1, 1e-30, 3e37])
@pytest.mark.parametrize("sparse", [False, True])
def test_adaedge_is_uniform_with_constant_features(value: float, sparse: bool) -> None:
    x = np.full((34, 7), value, np.float32)
    features = Matrix.from_scipy(scipy.sparse.csr_array(x)) if sparse else torch.from_numpy(x)
    assert set(AdaEdge(0.25).find_rates(Inputs.of(karate(), features)).tolist()) == {0.25}


def test_adaedge_takes_rounding_for_no_difference() -> None:
    """Features that are multiples of one vector have cosines of 1, but for the last digits."""
    random = np.random.default_rng(2)
    x = torch.from_numpy(np.outer(random.random(34) + 0.1, random.random(7)).astype(np.float32))
    inputs = Inputs.of(karate(), x)
    assert len(np.unique(cosines(x, inputs.graph.edges))) > 1
    assert set(AdaEdge(0.25).find_rates(inputs).tolist()) == {0.25}


@pytest.mark.parametrize("at_once", [1, 50, 1 << 22])
@pytest.mark.parametrize("sparse", [False, True])
def test_cosines_are_those_of_the_definition(sparse: bool, at_once: int, monkeypatch) -> None:
    monkeypatch.setattr("edgeorbit.models.perturbation_kinds.ENTRIES_AT_ONCE", at_once)
    x = np.random.default_rng(1).normal(size=(34, 6)).astype(np.float32)
    x[x < 0.3] = 0
    x[3] = 0
    features = Matrix.from_scipy(scipy.sparse.csr_array(x)) if sparse else torch.from_numpy(x)
    pairs = karate().edges
    expected = torch.cosine_similarity(*(torch.from_numpy(x)[pairs[:, end].astype(int)] for end in (0, 1)))
    assert np.allclose(cosines(features, pairs), expected.numpy(), atol=1e-6)
    assert (cosines(features, pairs)[(pairs == 3).any(axis=1)] == 0).all()


def test_dropped_paths_are_walks() -> None:
    """Three steps along a line cross 1 to 3 edges side by side, 2 on average: every second edge has the next one too."""
    torch.manual_seed(0)
    line = Graph.from_edges([[v, v + 1] for v in range(100_000)])
    dropped = np.sort(draw_path_edges(line, 3000))
    assert len(np.unique(dropped)) == 3000
    by_chance = 3000 / 100_000 * 1500  # walks that meet
    assert (np.diff(dropped) == 1).sum() == pytest.approx(1500 + by_chance, abs=100)


def test_walks_begin_with_every_edge_equally_often() -> None:
    """Those that begin with a random node would prefer the edges of nodes that have few."""
    torch.manual_seed(0)
    draws = 3000
    first = np.bincount([draw_path_edges(karate(), 1)[0] for _ in range(draws)], minlength=78)
    assert np.abs(first - draws / 78).max() < 5 * math.sqrt(draws / 78)
    assert np.var(first) < 2 * draws / 78


@given(graph=graphs(), share=st.floats(0, 1), seed=st.integers(0, 99))
def test_as_many_edges_lie_on_paths_as_are_wanted(graph: Graph, share: float, seed: int) -> None:
    torch.manual_seed(seed)
    count = round(share * graph.num_edges)
    found = draw_path_edges(graph, count).tolist()
    assert len(set(found)) == len(found) == count
    assert all(0 <= edge < graph.num_edges for edge in found)


@pytest.mark.parametrize(
    ("name", "rate"), [("dropedges", 0.1), ("D1", 0.1), ("dropedge", 1), ("d1", -0.1), ("", 7), ("", math.nan)]
)
def test_unknown_names_and_rates_get_one_sentence(name: str, rate: float) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        check_perturbation(name, rate)
    message = str(caught.value)
    assert "\n" not in message
    assert all(choice in message for choice in PERTURBATIONS) if name and rate == 0.1 else "0 and below 1" in message
    with pytest.raises(InvalidParameterError):
        make_perturbation(name, rate)


def test_every_perturbation_says_what_it_follows() -> None:
    for name, other in itertools.pairwise(PERTURBATIONS):
        assert len(made(name, 0.1).citation) > 20 and made(name, 0.1).citation != made(other, 0.1).citation
        assert (type(made(name, 0.1)).__doc__ or "").split("\n")[0].endswith(".")
    assert make_perturbation("", 0.1) is None
