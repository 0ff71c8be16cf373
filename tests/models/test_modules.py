"""The user's own modules: three shapes, lazy layers, perturbations, bad output, and runs that are kept."""

import pickle

import numpy as np
import pytest

import edgeorbit as eo
from edgeorbit.errors import GraphFormatError, InvalidParameterError

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from torch import nn  # noqa: E402
from torch_geometric.nn import GCNConv, GraphSAGE, SAGEConv  # noqa: E402

from edgeorbit.models.modules import module_model  # noqa: E402

QUICK = {"epochs": 2, "evaluate_every": 1}


class Encoder(nn.Module):
    def __init__(self, in_channels, hidden_channels=8):
        super().__init__()
        self.conv = GCNConv(in_channels, hidden_channels)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index)


class Autoencoder(Encoder):
    def encode(self, x, edge_index, edge_weight=None):
        return self.conv(x, edge_index, edge_weight)

    def decode(self, z, edge_label_index):
        return (z[edge_label_index[0]] * z[edge_label_index[1]]).sum(dim=-1)


class Pairs(nn.Module):
    """Treats the two ends of a pair differently, and has lazy layers."""

    def __init__(self, hidden_channels: int = 8, dropout=0.1):
        super().__init__()
        self.conv = SAGEConv(-1, hidden_channels)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.LazyLinear(1)

    def forward(self, x, edge_index, edge_label_index):
        z = self.dropout(self.conv(x, edge_index).relu())
        return self.out(torch.cat([z[edge_label_index[0]], 3 * z[edge_label_index[1]]], dim=-1))


SHAPES = {"encoder": Encoder, "autoencoder": Autoencoder, "pairs": Pairs, "of PyG": GraphSAGE}


@pytest.fixture(scope="module")
def split():
    x = np.random.default_rng(0).random((34, 5), np.float32)
    return eo.split(eo.load("karate").with_attributes(x=x), "random", seed=0)


def predictor(model, **options):
    training = QUICK | options.pop("training", {})
    return eo.LinkPredictor(model, training=training, seed=0, threads=1, **options)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_module_of_every_shape_trains_scores_and_predicts(split, shape):
    fitted = predictor(SHAPES[shape]).fit(split)
    result = fitted.evaluate(["random", "orbit"], rounds=0)
    assert 0 <= result["random"].test["auc"] <= 1 and result["orbit"].test["mrr"] > 0
    pairs = np.random.default_rng(1).integers(0, 34, (30, 2))
    there, back = (fitted.score_pairs(order).scores for order in (pairs, pairs[:, ::-1]))
    assert np.allclose(there, back, rtol=1e-5, atol=1e-6)  # also for a module that treats the ends differently
    assert len(fitted.predict(top=5).pairs) == 5


def test_the_same_seed_trains_the_same_and_another_one_differently(split):
    scores = [
        eo.LinkPredictor(Pairs, training=QUICK, seed=seed, threads=1).fit(split).score_pairs([[0, 9], [3, 8]]).scores
        for seed in (0, 0, 1)
    ]
    assert np.array_equal(scores[0], scores[1]) and not np.array_equal(scores[0], scores[2])


def test_an_instance_is_copied_and_stays_as_it_is(split):
    mine = Encoder(5)
    before = {name: value.clone() for name, value in mine.state_dict().items()}
    fitted = predictor(mine).fit(split)
    assert all(value.equal(before[name]) for name, value in mine.state_dict().items())
    assert fitted.model.name.endswith("test_modules:Encoder")


def test_arguments_with_a_default_are_settings(split):
    fitted = predictor(Encoder, settings={"hidden_channels": 3, "decoder": "dot"}).fit(split)
    assert fitted.model.network.module.conv.out_channels == 3
    assert fitted.evaluate().settings == {"hidden_channels": 3, "decoder": "dot", "decoder_layers": 2}
    with pytest.raises(InvalidParameterError, match="has no setting 'hidden'"):
        predictor(Encoder, settings={"hidden": 3})
    with pytest.raises(InvalidParameterError, match="there is no decoder 'cosine'"):
        predictor(Encoder, settings={"decoder": "cosine"})


@pytest.mark.parametrize("perturbation", ["dropedge", "dropnode", "d1"])
def test_perturbations_of_training_reach_a_module(split, perturbation):
    for model in (Autoencoder, Pairs):
        plain = predictor(model).fit(split)
        perturbed = predictor(model, training={"perturbation": perturbation}).fit(split)
        weights = [list(each.model.network.state_dict().values()) for each in (plain, perturbed)]
        assert not all(one.equal(other) for one, other in zip(*weights, strict=True))
        assert np.isfinite(perturbed.score_pairs([[0, 9]]).scores).all()


def test_nodes_without_features_get_an_embedding_that_is_learned(split):
    graph = eo.load("karate")
    fitted = predictor(Encoder).fit(graph)
    assert fitted.split.protocol["features"] == "identity"
    assert fitted.model.network.embedding.shape[0] == 34 and fitted.model.network.module.conv.in_channels < 100
    assert np.isfinite(fitted.score_pairs([[0, 9]]).scores).all()


class Wide(Encoder):
    def __init__(self):
        super().__init__(99)


class Fails(Encoder):
    def forward(self, x, edge_index):
        raise RuntimeError("my own mistake")


class NoTensor(Encoder):
    def forward(self, x, edge_index):
        return None


class OneRow(Encoder):
    def forward(self, x, edge_index):
        return x[:1]


class TwoScores(Pairs):
    def forward(self, x, edge_index, edge_label_index):
        return torch.zeros(edge_label_index.shape[1], 2)


class NaN(Pairs):
    def forward(self, x, edge_index, edge_label_index):
        return super().forward(x, edge_index, edge_label_index) * float("nan")


class NoShape(nn.Module):
    def forward(self, x):
        return x


class NoDefault(Encoder):
    def __init__(self, in_channels, depth):
        super().__init__(in_channels)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Wide, r"Wide fails on karate \(RuntimeError: .*\): x has shape \(34, 5\); .*with an argument in_channels"),
        (Wide(), r"Wide fails on karate"),
        (Fails, "my own mistake"),
        (NoTensor, r"must return an embedding of every node, shape \(34, channels\), got a NoneType"),
        (OneRow, r"shape \(34, channels\), got shape \(1, 5\)"),
        (TwoScores, r"must return one score per pair, shape \(\d+,\), got shape \(\d+, 2\)"),
        (NaN, "returns NaN or infinite scores before training"),
        (NoShape, r"forward\(x\) has an unknown shape; give forward\(x, edge_index, edge_label_index\)"),
        (NoDefault, "its argument 'depth' has no default; give it one, or give an instance"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_module_that_cannot_be_used_is_refused_in_one_sentence(split, model, message):
    with pytest.raises(InvalidParameterError, match=message) as caught:
        predictor(model).fit(split)
    assert "\n" not in str(caught.value)


class Single(Encoder):
    """Tied to single precision."""

    def forward(self, x, edge_index):
        return self.conv(x.float(), edge_index) @ torch.ones(8, 8)


def test_a_module_that_is_tied_to_single_precision_says_so(split):
    fitted = predictor(Single).fit(split)
    assert np.isfinite(fitted.score_pairs([[0, 9]]).scores).all()
    assert any("double precision" in remark for remark in fitted.evaluate().remarks)
    assert predictor(Encoder).fit(split).evaluate().remarks == []


@pytest.mark.parametrize("shape", SHAPES)
def test_a_run_is_loaded_with_its_model_and_not_without(split, shape, tmp_path):
    model = SHAPES[shape]
    fitted = predictor(model).fit(split, output=tmp_path / "run")
    pairs = [[0, 9], [3, 8]]
    loaded = eo.LinkPredictor.load(tmp_path / "run", threads=1, model=model)
    assert np.array_equal(loaded.score_pairs(pairs).scores, fitted.score_pairs(pairs).scores)
    with pytest.raises(InvalidParameterError, match="give it by LinkPredictor"):
        eo.LinkPredictor.load(tmp_path / "run")
    with pytest.raises(GraphFormatError, match="train again"):
        eo.LinkPredictor.load(tmp_path / "run", model=Autoencoder if shape != "autoencoder" else Pairs)


class StoppedError(Exception):
    pass


def test_an_interrupted_run_resumes_with_the_same_weights(split, tmp_path):
    training = {"epochs": 4, "evaluate_every": 1}
    whole = predictor(Pairs, training=training).fit(split, output=tmp_path / "whole")

    def stop(progress, step, loss):
        if progress.epoch == 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        predictor(Pairs, training=training).fit(split, output=tmp_path / "run", report=stop)
    resumed = predictor(Pairs, training=training).fit(split, output=tmp_path / "run")
    weights = [each.model.network.state_dict() for each in (whole, resumed)]
    assert all(weights[0][name].equal(weights[1][name]) for name in weights[0])
    assert (tmp_path / "run" / "weights.safetensors").exists() == (tmp_path / "whole" / "weights.safetensors").exists()


def test_a_trained_module_is_evaluated_as_it_is(split):
    module = Autoencoder(5).train()
    with torch.no_grad():
        z = module.encode(torch.tensor(split.graph.x), torch.tensor(split.graph.edge_index))
    scores = (z @ z.T).numpy()
    expected = eo.evaluate(lambda pairs: scores[pairs[:, 0], pairs[:, 1]], split, "random")
    found = eo.evaluate(module, split, "random")
    assert found.test["auc"] == pytest.approx(expected.test["auc"], abs=0.02) and module.training


def test_a_trained_module_that_fails_is_refused_with_the_features_it_was_given(split):
    with pytest.raises(
        InvalidParameterError, match=r"mine fails on karate \(.*\): x has shape \(34, 5\); give a split"
    ):
        eo.evaluate(Autoencoder(7), split, name="mine")
    with pytest.raises(
        InvalidParameterError, match=r"x has shape \(34, 34\), a column for every node, as the graph has no"
    ):
        eo.evaluate(Autoencoder(7), "karate")
    with pytest.raises(
        InvalidParameterError, match=r"x has shape \(34, 64\), an embedding that is learned, as the graph"
    ):
        predictor(Autoencoder(7)).fit("karate")


class Weighted(Encoder):
    """Keeps what it was given."""

    seen: list

    def forward(self, x, edge_index, edge_weight=None):
        type(self).seen.append((edge_index.clone(), None if edge_weight is None else edge_weight.clone()))
        return self.conv(x, edge_index, edge_weight)


def test_a_module_is_given_the_messages_that_a_perturbation_leaves_and_their_weights(split):
    Weighted.seen = []
    predictor(Weighted).fit(split)
    assert all(weight is None for _, weight in Weighted.seen)
    assert max(index.shape[1] for index, _ in Weighted.seen) == 2 * split.graph.num_edges
    Weighted.seen = []
    predictor(Weighted, training={"perturbation": "d1", "perturbation_rate": 0.5}).fit(split)
    weighted = [(index, weight) for index, weight in Weighted.seen if weight is not None]
    assert weighted and all(len(weight) == index.shape[1] for index, weight in weighted)
    assert any(index.shape[1] < 2 * split.graph.num_edges for index, _ in weighted)


def test_a_module_can_be_sent_to_other_processes_if_its_class_can_be_imported() -> None:
    class Local(GraphSAGE):
        pass

    sent = pickle.loads(pickle.dumps(module_model(GraphSAGE, "mine")(hidden_channels=8)))
    assert sent.name == "mine" and sent.settings.hidden_channels == 8
    with pytest.raises(InvalidParameterError, match="cannot be sent to other processes"):
        eo.LinkPredictor(Local, devices=2, threads=2).fit("karate", features="degree")
