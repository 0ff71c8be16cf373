"""BUDDY: what it sees, what it learns, and what it is refused."""

import numpy as np
import pytest
import scipy.sparse

pytest.importorskip("torch_geometric")
import torch

from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.models import buddy as module
from edgeorbit.models.buddy import BUDDY
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.pairwise import sketches
from edgeorbit.pairwise.sketches import NeighbourhoodSketches
from edgeorbit.training.loop import Trainer
from edgeorbit.training.settings import TrainingSettings


def some_graph(num_edges: int = 120, seed: int = 0, **attributes: object) -> Graph:
    """A graph whose last nodes have no edges."""
    generator = np.random.default_rng(seed)
    graph = Graph.from_edges(generator.integers(0, 55, (num_edges, 2)), 60)
    x = generator.random((60, 8), np.float32)
    return graph.with_attributes(**{"x": x} | attributes)


def all_pairs() -> np.ndarray:
    return np.argwhere(np.ones((60, 60)))


def built(graph: Graph, seed: int = 0, **settings: object) -> BUDDY:
    model = BUDDY(**{"hidden_channels": 16} | settings)
    network = model.build(graph, seed)
    with torch.no_grad():  # norms that do nothing would hide mistakes
        for name, value in network.named_buffers():
            if name.endswith("running_mean"):
                value.uniform_(-0.1, 0.1)
    return model


SORTS = [{}, {"sign_k": 2}, {"hops": 3}, {"hops": 1}, {"zero_one": True}, {"minhash": 7, "hll_p": 4}]


@pytest.mark.parametrize("settings", SORTS)
@pytest.mark.parametrize("identity", [False, True])
def test_scores_do_not_depend_on_the_order_of_a_pair(settings: dict, identity: bool) -> None:
    graph = some_graph(**{"x": scipy.sparse.eye_array(60, format="csr")} if identity else {})
    score = built(graph, **settings).on(graph)
    there, back = score(all_pairs()), score(all_pairs()[:, ::-1])
    assert np.isfinite(there).all() and len(np.unique(there)) > 100
    assert np.array_equal(there, back)


@pytest.mark.parametrize("settings", SORTS)
def test_every_weight_learns(settings: dict) -> None:
    graph = some_graph()
    network = built(graph, **settings | {"label_dropout": 0.0, "feature_dropout": 0.0}).network.train()
    inputs, pairs = Inputs.of(graph), torch.from_numpy(all_pairs()[::7].copy())
    logits = network.decode(network.encode(inputs), inputs, pairs)
    (logits * torch.rand(len(pairs))).sum().backward()
    for name, weight in network.named_parameters():
        assert weight.grad is not None and torch.isfinite(weight.grad).all(), name
        assert weight.grad.abs().sum() > 0, name


@pytest.mark.parametrize("dropped", ["label_dropout", "feature_dropout", "sign_dropout"])
def test_each_dropout_changes_training_and_no_score(dropped: str) -> None:
    graph = some_graph()
    rates = {"label_dropout": 0.0, "feature_dropout": 0.0, "sign_dropout": 0.0, "sign_k": 1}
    inputs, pairs = Inputs.of(graph), torch.from_numpy(all_pairs()[::7].copy())
    for rate in (0.0, 0.5):
        network = built(graph, **rates | {dropped: rate}).network
        for training in (True, False):
            network.train(training)
            with torch.no_grad():
                first, second = (network.decode(network.encode(inputs), inputs, pairs) for _ in range(2))
            assert torch.equal(first, second) == (rate == 0 or not training)


def test_both_halves_count() -> None:
    graph = some_graph()
    model = built(graph)
    inputs, pairs = Inputs.of(graph), torch.from_numpy(all_pairs())
    with torch.no_grad():
        embedding = model.network.eval().encode(inputs)
        plain = model.network.decode(embedding, inputs, pairs)
        other_nodes = model.network.decode(embedding.flip(0), inputs, pairs)
        other_graph = model.network.decode(embedding, Inputs.of(some_graph(seed=5)), pairs)
    assert not torch.allclose(plain, other_nodes) and not torch.allclose(plain, other_graph)


def test_the_network_is_the_one_of_the_paper() -> None:
    """Both halves go through a linear layer, a batch norm and a ReLU, and one linear layer joins them."""
    graph = some_graph()
    network = built(graph).network.eval()
    inputs, pairs = Inputs.of(graph), torch.from_numpy(all_pairs()[:50])
    with torch.no_grad():
        embedding = network.encode(inputs)
        halves = []
        given = network.find_structure(inputs, pairs), embedding[pairs[:, 0]] * embedding[pairs[:, 1]]
        for part, x in zip((network.structure, network.product), given, strict=True):
            hidden = x @ part[0].weight.T + part[0].bias
            hidden = (hidden - part[1].running_mean) / (part[1].running_var + part[1].eps).sqrt()
            halves.append((hidden * part[1].weight + part[1].bias).clamp(min=0))
        expected = torch.cat(halves, dim=1) @ network.final.weight[0] + network.final.bias
        assert torch.allclose(network.decode(embedding, inputs, pairs), expected, atol=1e-5)


@pytest.fixture
def sketched(monkeypatch) -> list[Graph]:
    """The graphs that sketches are made of."""
    found = []

    def record(graph: Graph, **options: object) -> NeighbourhoodSketches:
        found.append(graph)
        return NeighbourhoodSketches(graph, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "NeighbourhoodSketches", record)
    return found


def train(graph: Graph, valid: np.ndarray, **settings: object) -> BUDDY:
    model = BUDDY(**{"hidden_channels": 16} | settings)
    negatives = Negatives("random", np.array([[0, 59], [1, 58]]), np.array([[0, 59]]))
    training = TrainingSettings(epochs=4, evaluate_every=4, batch_size=20)
    Trainer(model, LinkSplit(graph, valid, valid), negatives, training).train()
    return model


def test_training_sketches_the_training_graph_alone_and_once(sketched) -> None:
    graph = some_graph()
    train(graph, np.array([[0, 57], [3, 56]]))
    assert [one is graph for one in sketched] == [True, True]  # for all steps, and for the one evaluation


def test_held_out_edges_change_no_weight_and_no_score() -> None:
    graph, pairs = some_graph(), all_pairs()
    first, second = (train(graph, held) for held in (np.array([[0, 57]]), np.array([[7, 51], [8, 52]])))
    assert np.array_equal(first.on(graph)(pairs), second.on(graph)(pairs))


def test_a_training_link_is_not_told_by_what_is_left_out() -> None:
    """Counts of nodes near to one end and far from the other vanish for links, which `zero_one` alone lets in."""
    graph = some_graph()
    inputs = Inputs.of(graph)
    links, others = torch.from_numpy(graph.edges.astype(np.int64)), torch.from_numpy(all_pairs()[5::31].copy())
    seen = {}
    for zero_one in (False, True):
        network = built(graph, zero_one=zero_one).network
        seen[zero_one] = [network.find_structure(inputs, pairs) for pairs in (links, others)]
    assert seen[False][0].shape[1] == 6 and seen[True][0].shape[1] == 8
    linked, other = (part[:, 4:6].abs().mean() for part in seen[True])  # the sums and gaps of (0, 1) and (1, 0)
    assert linked < other


def test_nodes_without_edges_and_graphs_without_edges_are_scored() -> None:
    graph = some_graph()
    model = built(graph, sign_k=1)
    assert np.isfinite(model.on(graph)(np.array([[58, 59], [59, 59], [0, 59]]))).all()
    empty = Graph.empty(60).with_attributes(x=graph.x)
    assert np.isfinite(model.on(empty)(all_pairs())).all()
    assert model.on(empty)(np.empty((0, 2), np.int64)).shape == (0,)


def test_a_trained_model_scores_another_graph() -> None:
    graph, other = some_graph(), some_graph(seed=9)
    scores = train(graph, np.array([[0, 57]]), sign_k=1).on(other)(all_pairs())
    assert np.isfinite(scores).all() and len(np.unique(scores)) > 100


def test_links_around_which_nodes_gather_are_learned() -> None:
    """In dense groups without features that differ, only the structure tells which pairs are links."""
    generator = np.random.default_rng(0)
    group = np.repeat(np.arange(12), 12)
    pairs = np.argwhere(np.triu(group[:, None] == group, 1))
    order = generator.permutation(len(pairs))
    kept, held = pairs[order[:600]], pairs[order[600:]]
    graph = Graph.from_edges(kept, 144).with_attributes(x=np.ones((144, 1), np.float32))
    strangers = generator.integers(0, 144, (400, 2))
    strangers = strangers[group[strangers[:, 0]] != group[strangers[:, 1]]]
    model = BUDDY(hidden_channels=16)
    settings = TrainingSettings(epochs=10, learning_rate=0.01, batch_size=64, evaluate_every=10)
    Trainer(model, LinkSplit(graph, held, held), Negatives("random", strangers, strangers), settings).train()
    score = model.on(graph)
    assert (score(held)[:, None] > score(strangers)).mean() > 0.95


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"hops": 0}, "hops must be at least 1, not 0"),
        ({"minhash": 0}, "minhash must be at least 1, not 0"),
        ({"hll_p": 3}, "hll_p must be from 4 to 16, not 3"),
        ({"hll_p": 17}, "hll_p must be from 4 to 16, not 17"),
        ({"hidden_channels": 0}, "hidden_channels must be at least 1, not 0"),
        ({"sign_k": -1}, "sign_k must be 0 or more, not -1"),
        ({"label_dropout": 1.0}, "label_dropout must be at least 0 and below 1, not 1.0"),
        ({"feature_dropout": -0.1}, "feature_dropout must be at least 0 and below 1"),
        ({"sign_dropout": "nan"}, "sign_dropout must be finite, not nan"),
        ({"zero_one": "perhaps"}, "zero_one is true or false"),
    ],
)
def test_settings_that_make_no_model_get_one_sentence(settings: dict, sentence: str) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        BUDDY(**settings)


def test_a_graph_whose_sketches_do_not_fit_is_refused_with_a_way_out(monkeypatch) -> None:
    graph = some_graph()
    model = built(graph)
    monkeypatch.setattr(sketches, "available_memory", lambda: 1000)
    with pytest.raises(LimitExceededError, match="--set minhash=64 or --set hll_p=7"):
        model.on(graph)(all_pairs())


@pytest.mark.parametrize("name", BUDDY.presets)
def test_presets_can_be_set(name: str) -> None:
    preset = BUDDY.preset_for(name)
    BUDDY(**preset.settings)
    TrainingSettings.from_mapping(preset.training, "training")


def test_three_hops_of_pubmed_and_the_embedding_of_ddi_come_with_their_names() -> None:
    assert BUDDY.preset_for("PubMed").settings["hops"] == 3
    assert BUDDY.preset_for("ogbl-ddi").settings["sign_k"] == 2
