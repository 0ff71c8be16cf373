"""The transform against slow oracles, networks with random weights, and the forms that an edge_index can have."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import Graph, edge_orbits, refine
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.convert import to_pyg
from edgeorbit.graph.toys import karate, path
from oracles import graphs, naive_orbit_sizes, naive_rounds, same_partition, tree_edges

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import torch_geometric.transforms as T  # noqa: E402, N812
from torch_geometric import EdgeIndex  # noqa: E402
from torch_geometric.data import Batch, Data, HeteroData  # noqa: E402
from torch_geometric.loader import DataLoader  # noqa: E402
from torch_geometric.nn import GCNConv, GINConv  # noqa: E402

from edgeorbit.pyg import AddOrbits  # noqa: E402


@st.composite
def loose_data(draw: st.DrawFn) -> Data:
    """Any columns in any order: one direction or both, repeated or not, self-loops among them."""
    num_nodes = draw(st.integers(1, 12))
    node = st.integers(0, num_nodes - 1)
    columns = draw(st.lists(st.tuples(node, node), max_size=30))
    return Data(edge_index=torch.tensor(columns, dtype=torch.long).reshape(-1, 2).T, num_nodes=num_nodes)


def pairs_of(data: Data) -> list[tuple[int, int]]:
    return [tuple(column) for column in data.edge_index.T.tolist()]


def simple(data: Data) -> Graph:
    return Graph.from_edges(np.array(pairs_of(data), np.int64).reshape(-1, 2), data.num_nodes)


@given(data=loose_data(), rounds=st.none() | st.integers(0, 3))
def test_any_edge_index_gets_the_orbits_of_the_definition(data, rounds):
    found = AddOrbits(rounds)(data)
    colours = naive_rounds(simple(data), rounds)[-1]
    assert same_partition(found.node_orbit.tolist(), colours)
    keys = [(u == v, frozenset([colours[u], colours[v]])) for u, v in pairs_of(data)]
    assert same_partition(found.edge_orbit.tolist(), keys)
    for orbit in (found.node_orbit, found.edge_orbit):
        assert orbit.dtype == torch.long
        assert sorted(set(orbit.tolist())) == list(range(len(set(orbit.tolist()))))


@given(data=loose_data(), rounds=st.none() | st.integers(0, 3))
def test_sizes_count_nodes_and_undirected_edges(data, rounds):
    found = AddOrbits(rounds, sizes=True)(data)
    graph = simple(data)
    colours = naive_rounds(graph, rounds)[-1]
    assert found.node_orbit_size.tolist() == [colours.count(colour) for colour in colours]
    of_edge = dict(zip(map(tuple, graph.edges.tolist()), naive_orbit_sizes(graph, colours), strict=True))
    with_loop = {u for u, v in pairs_of(data) if u == v}
    expected = [
        sum(colours[w] == colours[u] for w in with_loop) if u == v else of_edge[min(u, v), max(u, v)]
        for u, v in pairs_of(data)
    ]
    assert found.edge_orbit_size.tolist() == expected


@given(graph=graphs())
def test_orbits_are_numbered_as_everywhere_in_the_package(graph):
    data = AddOrbits(sizes=True)(to_pyg(graph))
    orbits = edge_orbits(graph, refine(graph))
    upper = data.edge_index[0] < data.edge_index[1]
    assert data.node_orbit.tolist() == orbits.node_colours.tolist()
    assert data.edge_orbit[upper].tolist() == orbits.labels.tolist()
    assert data.edge_orbit_size[upper].tolist() == orbits.sizes.tolist()


@given(graph=graphs(), seed=st.integers(0, 2**32))
def test_permuting_columns_permutes_edge_orbits(graph, seed):
    data = to_pyg(graph)
    order = torch.from_numpy(np.random.default_rng(seed).permutation(data.num_edges))
    shuffled = Data(edge_index=data.edge_index[:, order], num_nodes=data.num_nodes)
    found, of_shuffled = AddOrbits(sizes=True)(data), AddOrbits(sizes=True)(shuffled)
    assert torch.equal(of_shuffled.edge_orbit, found.edge_orbit[order])
    assert torch.equal(of_shuffled.edge_orbit_size, found.edge_orbit_size[order])
    assert torch.equal(of_shuffled.node_orbit, found.node_orbit)


@given(data=loose_data())
def test_both_directions_of_an_edge_and_its_repetitions_agree(data):
    both = Data(edge_index=torch.cat([data.edge_index, data.edge_index.flip(0)], dim=1), num_nodes=data.num_nodes)
    once, twice = AddOrbits(sizes=True)(data), AddOrbits(sizes=True)(both)
    for name in ("edge_orbit", "edge_orbit_size"):
        forward, backward = twice[name].reshape(2, -1)
        assert torch.equal(forward, backward)
        assert torch.equal(forward, once[name])
    assert torch.equal(twice.node_orbit, once.node_orbit)


@given(data=loose_data(), seed=st.integers(0, 2**32))
def test_relabelling_nodes_moves_orbits_with_them_and_keeps_their_numbers(data, seed):
    permutation = torch.from_numpy(np.random.default_rng(seed).permutation(data.num_nodes))
    relabelled = Data(edge_index=permutation[data.edge_index], num_nodes=data.num_nodes)
    found, moved = AddOrbits()(data), AddOrbits()(relabelled)
    assert torch.equal(moved.node_orbit[permutation], found.node_orbit)
    assert torch.equal(moved.edge_orbit, found.edge_orbit)


@given(graph=graphs())
def test_self_loops_leave_all_other_orbits_alone(graph):
    data = to_pyg(graph)
    found = AddOrbits(sizes=True)(data)
    looped = T.Compose([T.AddSelfLoops(), AddOrbits(sizes=True)])(data)
    edges, loops = looped.edge_orbit.split([data.num_edges, data.num_nodes])
    assert torch.equal(edges, found.edge_orbit)
    assert torch.equal(looped.node_orbit, found.node_orbit)
    assert torch.equal(loops - (int(edges.max()) + 1 if len(edges) else 0), found.node_orbit)
    assert torch.equal(looped.edge_orbit_size[data.num_edges :], found.node_orbit_size)


@given(graph=graphs(max_nodes=14), rounds=st.integers(0, 3), seed=st.integers(0, 100))
def test_no_network_with_sum_aggregation_tells_edges_of_an_orbit_apart(graph, rounds, seed):
    torch.manual_seed(seed)
    data = AddOrbits(rounds)(to_pyg(graph))
    h = torch.ones(graph.num_nodes, 4, dtype=torch.double)
    for _ in range(rounds):
        layer = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh()).double()
        h = GINConv(layer, train_eps=True)(h, data.edge_index)
    assert_alike_within_orbits(h, data)


@given(graph=graphs(max_nodes=14), layers=st.integers(1, 3), seed=st.integers(0, 100))
def test_the_degree_normalisation_of_gcn_is_worth_one_round_more(graph, layers, seed):
    torch.manual_seed(seed)
    data = AddOrbits(layers + 1)(to_pyg(graph))
    h = torch.ones(graph.num_nodes, 4, dtype=torch.double)
    for _ in range(layers):
        h = GCNConv(4, 4).double()(h, data.edge_index).tanh()
    assert_alike_within_orbits(h, data)


def assert_alike_within_orbits(h, data):
    """Scores of edges, symmetric and of random weights, are those of the first edge of their orbit."""
    u, v = data.edge_index
    scorer = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)).double()
    score = scorer(torch.cat([h[u] * h[v], h[u] + h[v]], dim=1))
    for values, orbit in ((h, data.node_orbit), (score, data.edge_orbit)):
        first = torch.tensor([orbit.tolist().index(one) for one in orbit.tolist()], dtype=torch.long)
        assert torch.allclose(values, values[first], rtol=0, atol=1e-9)


def test_a_network_with_random_weights_tells_the_orbits_of_the_karate_club_apart():
    torch.manual_seed(0)
    data = AddOrbits(rounds=2)(to_pyg(karate()))
    h = torch.ones(34, 8, dtype=torch.double)
    for _ in range(2):
        h = GINConv(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ELU()).double(), train_eps=True)(
            h, data.edge_index
        )
    u, v = data.edge_index
    score = (h[u] * h[v] + (h[u] + h[v]).sin()) @ torch.randn(8, dtype=torch.double)
    distinct = 1 + int((score.sort().values.diff() > 1e-9).sum())
    assert distinct == len(set(data.edge_orbit.tolist()))


def test_a_large_tree_has_the_orbits_of_the_definition():
    graph = Graph.from_edges(tree_edges(30_000, seed=5))
    data = to_pyg(graph)
    order = torch.from_numpy(np.random.default_rng(0).permutation(data.num_edges))
    data.edge_index = data.edge_index[:, order]
    found = AddOrbits(rounds=2)(data)
    colours = np.array(naive_rounds(graph, 2)[-1])
    assert same_partition(found.node_orbit.tolist(), colours.tolist())
    ends = np.sort(colours[data.edge_index.numpy()], axis=0)
    assert same_partition(found.edge_orbit.tolist(), list(zip(*ends.tolist(), strict=True)))


@settings(max_examples=40)
@given(graph=graphs(), seed=st.integers(0, 2**32))
def test_initial_colours_come_from_attributes_degrees_or_tensors(graph, seed):
    rng = np.random.default_rng(seed)
    data = to_pyg(graph)
    data.y = torch.from_numpy(rng.integers(0, 3, graph.num_nodes))
    data.x = torch.from_numpy(rng.integers(0, 2, (graph.num_nodes, 2))).float()
    rows = [tuple(row) for row in data.x.tolist()]
    for initial, start in (
        ("y", data.y.tolist()),
        (data.y, data.y.tolist()),
        (data.y.numpy(), data.y.tolist()),
        ("x", rows),
        (data.x.to_sparse(), rows),
        (data.x.to(torch.bfloat16).requires_grad_(), rows),
        ("degree", graph.degree.tolist()),
    ):
        expected = naive_rounds(graph, 1, start)[-1]
        assert same_partition(AddOrbits(1, initial)(data).node_orbit.tolist(), expected)


@given(data=loose_data())
def test_everything_else_stays_as_it_is(data):
    data.x, data.edge_attr = torch.rand(data.num_nodes, 2), torch.rand(data.num_edges)
    data.label = "as it was"
    before = {key: value.clone() if torch.is_tensor(value) else value for key, value in data.to_dict().items()}
    found = AddOrbits(sizes=True)(data)
    assert set(data.keys()) == set(before)
    added = {"node_orbit", "edge_orbit", "node_orbit_size", "edge_orbit_size"}
    assert set(found.keys()) - set(before) == added
    for key, value in before.items():
        assert torch.equal(found[key], value) if torch.is_tensor(value) else found[key] == value
    assert found.is_node_attr("node_orbit")
    assert set(AddOrbits()(data).keys()) - set(before) == {"node_orbit", "edge_orbit"}


def test_batching_stacks_orbits_and_a_batch_itself_is_the_union_of_its_graphs():
    items = [AddOrbits()(to_pyg(graph)) for graph in (path(), karate())]
    batch = next(iter(DataLoader(items, batch_size=2)))
    assert torch.equal(batch.node_orbit, torch.cat([data.node_orbit for data in items]))
    assert torch.equal(batch.edge_orbit, torch.cat([data.edge_orbit for data in items]))
    twice = AddOrbits(sizes=True)(Batch.from_data_list([to_pyg(path()), to_pyg(path())]))
    assert torch.equal(*twice.node_orbit.reshape(2, -1))
    assert torch.equal(*twice.edge_orbit.reshape(2, -1))
    assert twice.edge_orbit_size.min() == 2  # the middle edge of the other path is no different


def test_edge_indices_of_other_kinds_are_read():
    plain = AddOrbits()(Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3))
    own = AddOrbits()(Data(edge_index=EdgeIndex([[0, 1, 1, 2], [1, 0, 2, 1]], sparse_size=(3, 3))))
    short = AddOrbits()(Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]], dtype=torch.int32), num_nodes=3))
    for data in (own, short):
        assert data.node_orbit.tolist() == plain.node_orbit.tolist() == [0, 1, 0]
        assert data.edge_orbit.tolist() == plain.edge_orbit.tolist() == [0, 0, 0, 0]
    assert isinstance(own.edge_index, EdgeIndex)
    empty = AddOrbits(sizes=True)(Data(edge_index=torch.empty(2, 0), num_nodes=3))
    assert (empty.node_orbit.tolist(), empty.edge_orbit.tolist()) == ([0, 0, 0], [])


def test_the_settings_are_shown():
    assert repr(AddOrbits(2, "y")) == "AddOrbits(rounds=2, initial='y', sizes=False)"
    assert repr(AddOrbits(initial=torch.zeros(3, 2))) == (
        "AddOrbits(rounds=None, initial=<values of shape (3, 2)>, sizes=False)"
    )


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (HeteroData(), InvalidParameterError, "takes a homogeneous Data, not HeteroData; .* to_homogeneous"),
        ((Data(), Data()), InvalidParameterError, "takes a homogeneous Data, not tuple"),
        (Data(num_nodes=3), GraphFormatError, "this Data has no edge_index; put AddOrbits before"),
        (Data(edge_index=torch.eye(3).to_sparse()), GraphFormatError, "this Data has a sparse edge_index"),
        (Data(edge_index=torch.zeros(3, 2).long(), num_nodes=3), GraphFormatError, r"edge_index has shape \(3, 2\)"),
        (Data(edge_index=torch.zeros(2, 3), num_nodes=3), GraphFormatError, "give whole numbers"),
        (Data(edge_index=torch.tensor([[0], [3]]), num_nodes=3), GraphFormatError, "node number 3 is outside"),
        (Data(edge_index=torch.tensor([[0], [-1]]), num_nodes=3), GraphFormatError, "-1 is negative"),
    ],
)
def test_what_is_no_homogeneous_graph_gets_a_sentence(data, error, message):
    with pytest.raises(error, match=message):
        AddOrbits()(data)


@pytest.mark.parametrize(
    ("initial", "message"),
    [
        ("z", "initial 'z' is neither 'degree' nor an attribute of this Data, which has x"),
        ("graph_label", r"initial 'graph_label' has shape \(1,\); give a value or a row for each of the 34 nodes"),
        (torch.zeros(33), r"initial has shape \(33,\)"),
        (3, r"initial has shape \(\)"),
        (torch.full((34,), float("nan")), "initial colours contain NaN"),
    ],
)
def test_initial_colours_that_do_not_fit_get_a_sentence(initial, message):
    data = to_pyg(karate())
    data.x, data.graph_label = torch.ones(34, 1), torch.tensor([1])
    with pytest.raises(InvalidParameterError, match=message):
        AddOrbits(initial=initial)(data)


def test_negative_rounds_are_refused_at_once():
    with pytest.raises(InvalidParameterError, match="rounds must be 0 or more, not -1"):
        AddOrbits(-1)
