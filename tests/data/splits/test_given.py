"""Splits and negatives that the user brings: taken as they are, and refused if they leak."""

import numpy as np
import pytest

import edgeorbit as eo
from edgeorbit import LinkSplit, Negatives, given_negatives
from edgeorbit.errors import GraphFormatError, InvalidParameterError

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from torch_geometric.data import Data  # noqa: E402
from torch_geometric.transforms import RandomLinkSplit  # noqa: E402

LAYOUTS = [
    {},
    {"split_labels": True},
    {"disjoint_train_ratio": 0.3},
    {"add_negative_train_samples": False},
    {"neg_sampling_ratio": 0.0},
    {"neg_sampling_ratio": 2.0, "split_labels": True, "disjoint_train_ratio": 0.2},
]
TRAIN, VALID, TEST = [[0, 1], [1, 2], [2, 3], [3, 4]], [[0, 2], [1, 4]], [[1, 3]]


def as_set(pairs) -> set[frozenset[int]]:
    return {frozenset(pair) for pair in np.asarray(pairs).tolist()}


@pytest.fixture(scope="module")
def data() -> Data:
    return eo.to_pyg(eo.load("karate").with_attributes(x=np.eye(34, 5, dtype=np.float32)))


def split() -> LinkSplit:
    return LinkSplit.from_edges(TRAIN, VALID, TEST, name="mine")


@pytest.mark.parametrize("options", LAYOUTS, ids=str)
def test_every_layout_of_random_link_split_is_taken_as_it_is(data, options):
    torch.manual_seed(0)
    parts = RandomLinkSplit(0.15, 0.2, is_undirected=True, **options)(data)
    found = LinkSplit.from_pyg(*parts, name="karate")
    whole = as_set(data.edge_index.T)
    positives, negatives = [], []
    for part in parts[1:]:
        if options.get("split_labels"):
            positives.append(as_set(part.pos_edge_label_index.T))
            negatives.append(part.get("neg_edge_label_index", torch.empty(2, 0)).T.tolist())
        else:
            positives.append(as_set(part.edge_label_index[:, part.edge_label > 0].T))
            negatives.append(part.edge_label_index[:, part.edge_label == 0].T.tolist())
    assert [as_set(found.valid), as_set(found.test)] == positives
    assert as_set(found.graph.edges) == whole - positives[0] - positives[1]
    assert np.array_equal(found.graph.x, data.x.numpy()) and found.graph.name == "karate"
    if options.get("neg_sampling_ratio") == 0:
        assert not found.negatives
    else:
        given = found.negatives["given"]
        assert [given.valid.tolist(), given.test.tolist()] == negatives


def test_a_split_that_shows_held_out_links_in_reverse_is_refused(data):
    torch.manual_seed(0)
    parts = RandomLinkSplit(0.15, 0.2, is_undirected=False)(data)
    with pytest.raises(GraphFormatError, match=r"can be seen in val_data.edge_index.*is_undirected=True"):
        LinkSplit.from_pyg(*parts)


def test_test_links_among_the_messages_are_refused(data):
    torch.manual_seed(0)
    train, valid, test = RandomLinkSplit(0.15, 0.2, is_undirected=True)(data)
    leaky = test.clone()
    leaky.edge_index = data.edge_index
    with pytest.raises(GraphFormatError, match=r"test_data.edge_label_index can be seen in test_data.edge_index"):
        LinkSplit.from_pyg(train, valid, leaky)
    with pytest.raises(GraphFormatError, match="is a training edge too"):
        LinkSplit.from_pyg(data, valid, test)


def test_parts_that_do_not_belong_together_are_refused(data):
    train, valid, test = RandomLinkSplit(is_undirected=True)(data)
    with pytest.raises(GraphFormatError, match="test_data has 3 nodes and train_data 34"):
        LinkSplit.from_pyg(train, valid, Data(edge_index=torch.tensor([[0], [1]]), num_nodes=3))
    with pytest.raises(GraphFormatError, match="val_data has no edge_label_index"):
        LinkSplit.from_pyg(train, data, test)
    for other, kind in (({}, "dict"), (None, "NoneType"), (eo.load("karate"), "Graph")):
        with pytest.raises(GraphFormatError, match=f"val_data must be a homogeneous Data.*, got a {kind}"):
            LinkSplit.from_pyg(train, other, test)
    with pytest.raises(GraphFormatError, match="train_data must be a homogeneous Data"):
        LinkSplit.from_pyg(None, valid, test)
    wrong = valid.clone()
    wrong.edge_label = torch.ones(3)
    with pytest.raises(GraphFormatError, match="edge_label must have shape"):
        LinkSplit.from_pyg(train, wrong, test)


@pytest.mark.parametrize(
    ("valid", "test", "message"),
    [
        ([[1, 0]], TEST, "validation edge 0 - 1 is a training edge too"),
        (VALID, [[2, 0]], "0 - 2 is a validation edge and a test edge, in either direction"),
        ([[0, 2], [2, 0]], TEST, "twice in the validation edges"),
        (VALID, [[1, 1]], "joins node 1 to itself"),
        (VALID, [[0.5, 1]], "test edges must be integers"),
        (VALID, [[0, 1, 2]], "must have shape"),
        (VALID, [[0, 1], [2]], "test edges must be an array, got rows of different lengths"),
        (VALID, [[0, -2]], r"test edge \(0, -2\) names a node outside 0 to 4; remove it"),
    ],
)
def test_edges_that_leak_are_refused_with_an_example(valid, test, message):
    with pytest.raises(GraphFormatError, match=message):
        LinkSplit.from_edges(TRAIN, valid, test)


def test_edges_are_taken_in_either_shape():
    expected = split()
    pyg = LinkSplit.from_edges(*(torch.tensor(part).T for part in (TRAIN, VALID, TEST)))
    graph = LinkSplit.from_edges(eo.Graph.from_edges(TRAIN), VALID, TEST)
    assert pyg.digest == graph.digest == expected.digest
    with pytest.raises(GraphFormatError, match="names a node outside 0 to 4"):
        LinkSplit.from_edges(eo.Graph.from_edges(TRAIN), [[0, 7]], TEST)


def test_a_split_that_is_given_is_never_split_again(data):
    torch.manual_seed(1)
    parts = RandomLinkSplit(is_undirected=True)(data)
    given = LinkSplit.from_pyg(*parts)
    fitted = eo.LinkPredictor("ra").fit(given)
    for same in (
        eo.split(given),
        eo.split(parts),
        eo.split(list(parts)),
        fitted.split,
        eo.LinkPredictor("ra").fit(parts).split,
    ):
        assert same.digest == given.digest
    assert eo.evaluate("ra", given).split_digest == fitted.evaluate().split_digest == given.digest
    assert fitted.evaluate().keys() == {"given"}
    for options in ({"ratios": (0.8, 0.1, 0.1)}, {"kind": "random"}, {"data_dir": "x"}):
        with pytest.raises(InvalidParameterError, match=f"is split already; leave {next(iter(options))} out"):
            eo.split(given, **options)
    with pytest.raises(InvalidParameterError, match="one part of a split"):
        eo.split(parts[0])


NON_EDGES = {"valid": [[0, 3], [2, 4], [0, 4]], "test": [[0, 3], [2, 4], [0, 4]]}


def test_a_pool_and_own_negatives_are_taken(data):
    pool = given_negatives(split(), NON_EDGES)
    assert pool.kind == "given" and pool.valid.shape == pool.test.shape == (3, 2)
    columns = given_negatives(split(), {part: torch.tensor(pairs).T for part, pairs in NON_EDGES.items()})
    assert np.array_equal(columns.test, pool.test)
    own = {"valid": [[[0, 3], [-1, -1]], [[0, 4], [2, 4]]], "test": [[[2, 4], [-1, -1]]]}
    assert given_negatives(split(), own).valid.shape == (2, 2, 2)
    named = Negatives("mine", np.array(NON_EDGES["valid"]), np.array(NON_EDGES["test"]))
    assert given_negatives(split(), named) is named
    assert set(eo.evaluate(lambda pairs: pairs.sum(axis=1), split(), [named, "random"])) == {"mine", "random"}


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ([[0, 1]], r"test negatives hold 1 links of the graph, such as \(0, 1\)"),
        ([[3, 1]], r"hold 1 links of the graph, such as \(3, 1\)"),
        ([[0, 2]], r"hold 1 links of the graph, such as \(0, 2\)"),
        ([[0, 9]], r"name the pair \(0, 9\), and nodes are 0 to 4"),
        ([[-1, -1]], r"name the pair \(-1, -1\)"),
        ([[[0, -1]]], r"name the pair \(0, -1\)"),
        ([[2, 2]], r"hold the self-loop \(2, 2\)"),
        ([[[0, 3]], [[0, 3]]], "are for 2 positives, but the split has 1; give one row for each"),
        ([[0.5, 3]], "must be integers"),
        ([[[0, 3, 1]]], "must be integers of shape"),
        ([0, 3], "must have shape"),
        ([], "test negatives are empty, but the split has 1 positives"),
        ([[[0, 3]], [[0, 3], [2, 4]]], "rows of different lengths"),
    ],
)
def test_negatives_that_are_none_are_refused(test, message):
    with pytest.raises(GraphFormatError, match=message):
        given_negatives(split(), {"valid": NON_EDGES["valid"], "test": test})


def test_a_validation_negative_may_be_a_test_link_but_no_other():
    given_negatives(split(), {"valid": TEST, "test": [[0, 3]]})
    with pytest.raises(GraphFormatError, match="validation negatives hold 1 links"):
        given_negatives(split(), {"valid": [[0, 2]], "test": [[0, 3]]})
    for other, got in (([[0, 3]], "list"), ({"test": [[0, 3]]}, "'test'")):
        with pytest.raises(InvalidParameterError, match=f"a mapping with 'valid' and 'test', got {got}"):
            given_negatives(split(), other)


@pytest.mark.parametrize(
    ("options", "empty", "full"), [({"num_val": 0.0}, "valid", "test"), ({"num_test": 0.0}, "test", "valid")]
)
def test_a_part_without_links_has_no_metrics_and_the_other_keeps_its_negatives(data, options, empty, full):
    torch.manual_seed(0)
    split = LinkSplit.from_pyg(*RandomLinkSplit(is_undirected=True, **options)(data))
    result = eo.evaluate("ra", split)["given"]
    assert result[empty]["auc"] is None and result[empty]["num_positives"] == 0
    assert 0 <= result[full]["auc"] <= 1 and result[full]["num_negatives"] == len(split.negatives["given"].of(full))
    if empty == "valid":
        with pytest.raises(InvalidParameterError, match="no validation edges, which select the checkpoint of gcn"):
            eo.LinkPredictor("gcn").fit(split)
