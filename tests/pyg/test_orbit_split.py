"""OrbitSplit against the definition: no link in two parts or two directions, negatives that are none, no sight of test."""

import networkx as nx
import numpy as np
import pytest

import edgeorbit as eo
from edgeorbit.errors import EdgeorbitError, InvalidParameterError
from edgeorbit.synthetic import make

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from torch_geometric.data import Data, HeteroData  # noqa: E402
from torch_geometric.transforms import RandomLinkSplit  # noqa: E402

from edgeorbit.pyg import AddOrbits, OrbitSplit  # noqa: E402
from edgeorbit.pyg.made_data import made_data  # noqa: E402


def links(columns, chosen=slice(None)):
    return {frozenset(pair) for pair in columns.T[chosen].tolist()}


@pytest.fixture(scope="module")
def data():
    graph = eo.load(nx.powerlaw_cluster_graph(80, 3, 0.5, seed=1))
    return eo.to_pyg(graph.with_attributes(x=np.random.default_rng(0).random((80, 4), np.float32)))


@pytest.mark.parametrize("negatives", ["random", "heart", "orbit"])
def test_no_link_is_in_two_parts_and_no_negative_is_a_link(data, negatives):
    options = {"rounds": 1} if negatives == "orbit" else {}
    train, valid, test = OrbitSplit(seed=3, negatives=negatives, **options)(data)
    whole = links(data.edge_index)
    held = [links(part.edge_label_index, part.edge_label > 0) for part in (train, valid, test)]
    assert set.union(*held) == whole and sum(map(len, held)) == len(whole)
    assert links(train.edge_index) == links(valid.edge_index) == links(test.edge_index) == held[0]
    assert train.edge_label.all() and train.x is data.x
    for part, known in ((valid, held[0] | held[1]), (test, whole)):
        others = links(part.edge_label_index, part.edge_label == 0)
        assert others and not others & known and part.edge_label_index.min() >= 0


def test_validation_negatives_avoid_test_links_only_if_asked():
    data = eo.to_pyg(eo.load(nx.complete_bipartite_graph(3, 3)))  # few non-edges: test links are among them
    ratios = (0.5, 0.25, 0.25)
    drawn = {True: set(), False: set()}
    for avoids in drawn:
        for seed in range(20):
            _, valid, test = OrbitSplit(ratios=ratios, seed=seed, validation_avoids_test=avoids)(data)
            held = links(test.edge_label_index, test.edge_label > 0)
            drawn[avoids] |= links(valid.edge_label_index, valid.edge_label == 0) & held
    assert drawn[False] and not drawn[True]


def test_test_links_influence_neither_messages_nor_validation_negatives(data):
    _, valid, _ = OrbitSplit(seed=1, negatives="orbit", rounds=1)(data)
    split = eo.LinkSplit.from_edges(
        eo.from_edge_index(valid.edge_index, 80), valid.edge_label_index[:, valid.edge_label > 0], np.empty((0, 2), int)
    )
    alone = eo.sample_negatives(split, "orbit", 1, rounds=1, bounds=False).valid
    own = {frozenset(pair) for pair in alone.reshape(-1, 2).tolist() if pair[0] >= 0}
    assert own == links(valid.edge_label_index, valid.edge_label == 0) and own


def test_own_negatives_are_numbered_by_their_positive(data):
    _, _, test = OrbitSplit(negatives="heart", per_positive=7)(data)
    p = int(test.edge_label.sum())
    assert test.edge_label_group[:p].tolist() == list(range(p))
    assert torch.bincount(test.edge_label_group[p:]).tolist() == [7] * p


def test_the_split_is_that_of_edgeorbit_and_is_taken_as_it_is(data):
    parts = OrbitSplit(seed=5)(data)
    found, expected = eo.LinkSplit.from_pyg(*parts), eo.split(data, "random", seed=5)
    assert found.digest == expected.digest
    assert np.array_equal(found.negatives["given"].test, eo.sample_negatives(expected, "random", 5).test)


def test_validation_links_are_messages_of_the_test_data_if_asked(data):
    train, valid, test = OrbitSplit(with_valid_edges=True)(data)
    assert links(test.edge_index) == links(train.edge_index) | links(valid.edge_label_index, valid.edge_label > 0)
    messages = RandomLinkSplit(is_undirected=True)(data)[2].edge_index
    assert test.edge_index.dtype == messages.dtype


def test_twins_stay_together_and_edge_kinds_are_divided():
    made = make("syn-karate", edges=3)
    train, _, test = OrbitSplit("twin", negatives="random")(made_data(made, None, None))
    expected = eo.split(made, "twin")
    assert links(test.edge_label_index, test.edge_label > 0) == {frozenset(pair) for pair in expected.test.tolist()}
    assert len(train.edge_kind) == train.edge_index.shape[1]
    kinds = dict(zip(map(tuple, made.edges.tolist()), made.origin.edge_kind.tolist(), strict=True))
    pairs = train.edge_index.T.sort(dim=1).values.tolist()
    assert train.edge_kind.tolist() == [kinds[tuple(pair)] for pair in pairs]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: RandomLinkSplit()(data)[0], "split already"),
        (AddOrbits(), "node_orbit of this Data was computed"),
        (
            lambda data: Data(edge_index=data.edge_index, num_nodes=80, edge_attr=torch.rand(data.num_edges, 9)),
            "attribute edge_attr",
        ),
        (lambda data: HeteroData(), "homogeneous Data, not HeteroData"),
        (lambda data: Data(x=data.x), "has no edge_index"),
    ],
)
def test_what_would_leak_is_refused(data, change, message):
    with pytest.raises(EdgeorbitError, match=message):
        OrbitSplit()(change(data))


def test_settings_that_there_are_not_are_refused(data):
    with pytest.raises(InvalidParameterError, match="split 'time' is unknown"):
        OrbitSplit("time")
    with pytest.raises(InvalidParameterError, match="negatives 'hard' are unknown"):
        OrbitSplit(negatives="hard")
    with pytest.raises(InvalidParameterError, match="no option 'rounds'"):
        OrbitSplit(rounds=3)
    with pytest.raises(InvalidParameterError, match="which links correspond"):
        OrbitSplit("twin")(data)
