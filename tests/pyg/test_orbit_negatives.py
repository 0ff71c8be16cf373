"""OrbitNegatives against brute force: all non-edges of the same pair of colours, and nothing else."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.convert import to_pyg
from oracles import graphs, naive_rounds

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from torch_geometric.data import Data  # noqa: E402
from torch_geometric.transforms import RandomLinkSplit  # noqa: E402

from edgeorbit.pyg import OrbitNegatives, score_matrix  # noqa: E402


@settings(max_examples=50)
@given(graph=graphs(), rounds=st.none() | st.integers(0, 2), draw=st.data())
def test_a_positive_gets_all_non_edges_of_its_orbit(graph, rounds, draw):
    pairs = list(combinations(range(graph.num_nodes), 2))
    if not pairs:
        return
    columns = draw.draw(st.lists(st.sampled_from(pairs), max_size=4, unique=True))
    known = draw.draw(st.lists(st.sampled_from(pairs), max_size=4, unique=True))
    data = to_pyg(graph)
    data.edge_label_index = torch.tensor(columns, dtype=torch.long).reshape(-1, 2).T
    given_known = torch.tensor(known, dtype=torch.long).reshape(-1, 2).T
    found = OrbitNegatives(10_000, rounds, known=given_known)(data)
    colours = naive_rounds(graph, rounds)[-1]
    links = {frozenset(pair) for pair in [*graph.edges.tolist(), *columns, *known]}

    def orbit(pair):
        return sorted(colours[node] for node in pair)

    expected = [
        {frozenset(pair) for pair in pairs if frozenset(pair) not in links and orbit(pair) == orbit(positive)}
        for positive in columns
    ]
    drawn = [set() for _ in columns]
    rest = slice(len(columns), None)
    for pair, owner in zip(found.edge_label_index.T[rest].tolist(), found.edge_label_group[rest].tolist(), strict=True):
        drawn[owner].add(frozenset(pair))
    assert drawn == expected
    assert found.edge_label_index.numel() == 0 or found.edge_label_index.min() >= 0
    assert found.edge_label.tolist() == [1] * len(columns) + [0] * sum(map(len, expected))


def test_negatives_of_random_link_split_are_replaced_and_labels_kept():
    ring = torch.arange(30)
    data = Data(edge_index=torch.stack([ring, (ring + 1) % 30]), num_nodes=30)
    data.edge_index = torch.cat([data.edge_index, data.edge_index.flip(0)], dim=1)
    part = RandomLinkSplit(is_undirected=True)(data)[2]
    part.edge_label = part.edge_label * 3
    found = OrbitNegatives(4, rounds=0, known=data.edge_index)(part)
    positive = found.edge_label > 0
    assert found.edge_label_index[:, positive].equal(part.edge_label_index[:, part.edge_label > 0])
    assert found.edge_label.unique().tolist() == [0, 3] and (~positive).sum() == 4 * positive.sum()
    assert "edge_label_group" not in part  # the transform works on a copy
    rows, index = score_matrix(found.edge_label, found)
    assert rows[index[0], index[1]].tolist() == [3.0] * int(positive.sum()) and rows.shape[1] == 5


def test_the_same_seed_draws_the_same():
    data = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=40, edge_label_index=torch.tensor([[2], [3]]))
    first, again, other = (OrbitNegatives(5, seed=seed)(data).edge_label_index for seed in (0, 0, 1))
    assert first.equal(again) and not first.equal(other)


@pytest.mark.parametrize(
    ("columns", "message"),
    [([[0], [0]], "self-loop of node 0"), ([[0], [9]], "nodes are 0 to 4"), ([[-1], [-1]], "nodes are 0 to 4")],
)
def test_positives_that_are_no_pairs_are_refused(columns, message):
    data = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=5, edge_label_index=torch.tensor(columns))
    with pytest.raises(GraphFormatError, match=message):
        OrbitNegatives()(data)


def test_what_cannot_be_labelled_is_refused():
    data = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=5)
    with pytest.raises(GraphFormatError, match="no edge_label_index; split it first"):
        OrbitNegatives()(data)
    with pytest.raises(GraphFormatError, match=r"edge_label must have shape \(1,\)"):
        OrbitNegatives()(Data(**data.to_dict(), edge_label_index=torch.tensor([[0], [2]]), edge_label=torch.ones(2)))
    with pytest.raises(InvalidParameterError, match="per_positive must be >= 1"):
        OrbitNegatives(0)
    with pytest.raises(InvalidParameterError, match="scores must have shape"):
        score_matrix(torch.ones(3), Data(edge_label=torch.ones(2)))
