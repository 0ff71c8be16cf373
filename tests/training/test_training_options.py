"""Settings of the loop that are off by default: what they do, that a killed run resumes with them, and bad ones."""

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from edgeorbit.data.negatives import sample_negatives  # noqa: E402
from edgeorbit.data.splits.random import random_split  # noqa: E402
from edgeorbit.data.splits.split import LinkSplit, Negatives  # noqa: E402
from edgeorbit.errors import GraphFormatError, InvalidParameterError  # noqa: E402
from edgeorbit.evaluation.scoring import evaluate_part  # noqa: E402
from edgeorbit.graph.graph import Graph  # noqa: E402
from edgeorbit.graph.toys import karate  # noqa: E402
from edgeorbit.models import make_model  # noqa: E402
from edgeorbit.prediction import LinkPredictor  # noqa: E402
from edgeorbit.training import TrainingSettings, loop, precision  # noqa: E402
from edgeorbit.training.adam import Adam  # noqa: E402
from edgeorbit.training.loop import Trainer  # noqa: E402

SPLIT = random_split(karate().with_attributes(x=np.random.default_rng(0).normal(size=(34, 5)).astype(np.float32)))
SMALL = {"hidden_channels": 8}
NEEDS_BF16 = pytest.mark.skipif(
    not precision.has_bf16(torch.device("cpu")), reason="needs a CPU that multiplies in bfloat16"
)


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def trainer(
    model: str = "gcn", split: LinkSplit = SPLIT, checkpoint: Any = None, report: Any = None, **given
) -> Trainer:
    chosen = {"epochs": 6, "evaluate_every": 2, "batch_size": 31} | given
    made = make_model(model, **SMALL)
    return Trainer(
        made, split, sample_negatives(split, "random"), TrainingSettings(**chosen), checkpoint=checkpoint, report=report
    )


def weights(trained: Trainer) -> list[torch.Tensor]:
    return list(trained.model.network.state_dict().values())


def same(first: Trainer, second: Trainer) -> bool:
    return all(torch.equal(*both) for both in zip(weights(first), weights(second), strict=True))


OPTIONS: dict[str, dict[str, Any]] = {
    "cosine": {"schedule": "cosine", "warmup_steps": 3},
    "several negatives": {"negatives_per_link": 3, "objective": "softmax", "negatives": "shared-end"},
    "ranking": {"objective": "auc"},
    "ema": {"averaging": "ema", "averaging_decay": 0.5},
    "last": {"averaging": "last", "averaged_evaluations": 2},
    "steps": {"evaluate_every_steps": 3},
    "last in steps": {"averaging": "last", "evaluate_every_steps": 1, "schedule": "cosine"},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_changes_what_is_learned_and_a_killed_run_resumes_with_it(name: str, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(loop, "CHECKPOINT_SECONDS", -1.0)
    whole = trainer(**OPTIONS[name])
    trained = whole.train()
    if "last" not in name:  # its first evaluation may be the best, of a single one
        usual = trainer()
        usual.train()
        assert name == "steps" or not same(usual, whole)
    steps: list[int] = []

    def kill(*_: Any) -> None:
        steps.append(1)
        if len(steps) in (4, 10):
            raise KeyboardInterrupt

    often = [trainer(checkpoint=tmp_path / "checkpoint", report=kill, **OPTIONS[name]) for _ in range(3)]
    for stopped in often[:2]:
        with pytest.raises(KeyboardInterrupt):
            stopped.train()
    assert often[2].train() == trained and same(whole, often[2])


def test_a_checkpoint_of_other_averages_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(loop, "CHECKPOINT_SECONDS", -1.0)
    path = tmp_path / "checkpoint"
    trainer(checkpoint=path, averaging="ema").train()
    for other in ({}, {"averaging": "last"}):
        with pytest.raises(GraphFormatError, match="delete it to begin anew"):
            trainer(checkpoint=path, **other).train()


def raw_weights(monkeypatch, **given: Any) -> tuple[Trainer, Any, list[dict[str, torch.Tensor]]]:
    """Return a trained model, what came out, and the weights after every step."""
    made = trainer(**given)
    seen: list[dict[str, torch.Tensor]] = []
    step = made._step

    def noting(network, *rest: Any) -> float:
        loss = step(network, *rest)
        seen.append({name: value.clone() for name, value in network.state_dict().items()})
        return loss

    monkeypatch.setattr(made, "_step", noting)
    return made, made.train(), seen


def test_the_moving_average_is_kept_and_evaluated(monkeypatch) -> None:
    made, trained, raw = raw_weights(monkeypatch, averaging="ema", averaging_decay=0.6, evaluate_every=6)
    for name, found in made.model.network.state_dict().items():
        average = raw[0][name].double()
        for number, step in enumerate(raw[1:], start=2):
            decay = min(0.6, (1 + number) / (10 + number))
            average = decay * average + (1 - decay) * step[name].double()
        torch.testing.assert_close(found.double(), average, rtol=1e-5, atol=1e-6)
        assert not torch.equal(found, raw[-1][name])
    value = evaluate_part(made.model.on(SPLIT.graph), SPLIT, made.negatives, "valid")["mrr"]
    assert value == trained.best == trained.history[-1]["mrr"]


def test_the_mean_of_the_last_evaluations_is_kept(monkeypatch) -> None:
    # Two steps an epoch, an evaluation after each epoch, patience that never ends.
    given = {"averaging": "last", "averaged_evaluations": 3, "evaluate_every": 1, "patience": 99}
    made, trained, raw = raw_weights(monkeypatch, **given)
    assert made.steps == 2 and len(trained.history) == 6
    last = trained.best_epoch
    for name, found in made.model.network.state_dict().items():
        kept = [raw[2 * epoch - 1][name].double() for epoch in range(max(1, last - 2), last + 1)]
        torch.testing.assert_close(found.double(), torch.stack(kept).mean(dim=0), rtol=1e-5, atol=1e-6)


def test_training_takes_the_raw_weights_whatever_is_averaged(monkeypatch) -> None:
    courses = [raw_weights(monkeypatch, patience=99, **given)[2] for given in ({}, {"averaging": "ema"})]
    assert all(
        torch.equal(value, theirs[name]) for ours, theirs in zip(*courses, strict=True) for name, value in ours.items()
    )


@pytest.mark.parametrize(("every", "expected"), [(1, range(1, 13)), (5, [5, 10, 12]), (4, [4, 8, 12]), (99, [12])])
def test_evaluation_in_steps_is_at_those_steps_and_at_the_end(every: int, expected) -> None:
    history = trainer(evaluate_every_steps=every, patience=99).train().history
    assert [entry["step"] for entry in history] == list(expected)
    assert [entry["epoch"] for entry in history] == [-(-step // 2) for step in expected]


def test_patience_ends_a_run_in_the_middle_of_an_epoch(monkeypatch) -> None:
    made = trainer(batch_size=4, evaluate_every_steps=2, patience=2)
    monkeypatch.setattr(loop, "evaluate_part", lambda *_: {"mrr": 0.5})
    trained = made.train()
    assert made.steps > 6 and [entry["step"] for entry in trained.history] == [2, 4, 6]


def test_every_negative_belongs_to_its_link(monkeypatch) -> None:
    seen: list[tuple[np.ndarray, np.ndarray]] = []
    made = trainer(negatives="shared-end", negatives_per_link=5, epochs=2)
    monkeypatch.setattr(made, "_step", lambda network, optimizer, *pairs: seen.append(pairs) or 0.0)
    made.train()
    edges = {tuple(edge) for edge in SPLIT.graph.edges.tolist()}
    shared = []
    for positives, negatives in seen:
        assert negatives.shape == (len(positives), 5, 2) and (negatives[..., 0] < negatives[..., 1]).all()
        assert not edges & {tuple(pair) for pair in negatives.reshape(-1, 2).tolist()}
        shared += [
            set(link) & set(pair)
            for link, own in zip(positives.tolist(), negatives.tolist(), strict=True)
            for pair in own
        ]
    assert np.mean([len(ends) == 1 for ends in shared]) > 0.99


@pytest.mark.parametrize("model", ["gcn", "neo-gnn", "ncn", "seal", "eo-gnn"])
def test_models_of_all_sorts_learn_by_each_objective(model: str) -> None:
    for objective in ("auc", "softmax"):
        made = trainer(model, objective=objective, negatives_per_link=2, epochs=1, evaluate_every=1)
        assert len(made.train().history) == 1


@pytest.mark.parametrize("kind", ["random", "heart", "orbit"])
def test_the_checkpoint_is_selected_by_the_negatives_that_are_asked_for(kind: str) -> None:
    training = {"epochs": 4, "evaluate_every": 2, "select_on": kind}
    predictor = LinkPredictor("gcn", settings=SMALL, training=training, threads=1).fit("karate")
    assert predictor.info["validation_negatives"] == kind
    options = {"rounds": 2} if kind == "orbit" else {}
    found = predictor.evaluate(kind, **options)
    assert found[kind].valid["mrr"] == pytest.approx(predictor.info["training_result"]["best"])


def test_selection_by_an_unknown_kind_is_refused_before_anything_is_written(tmp_path) -> None:
    predictor = LinkPredictor("gcn", settings=SMALL, training={"select_on": "hard"})
    with pytest.raises(InvalidParameterError, match="negatives 'hard' are unknown; choose from random, heart, orbit"):
        predictor.fit("karate", output=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_selection_by_negatives_that_no_link_has_is_refused() -> None:
    none = Negatives("orbit", np.full((len(SPLIT.valid), 3, 2), -1), np.full((len(SPLIT.test), 3, 2), -1))
    with pytest.raises(InvalidParameterError, match="none of 12 validation edges has orbit negatives"):
        Trainer(make_model("gcn"), SPLIT, none, TrainingSettings())


def test_a_star_has_random_negatives_where_an_end_has_no_others() -> None:
    """Every node is a neighbour of the centre."""
    star = Graph.from_edges([[0, leaf] for leaf in range(1, 20)])
    from edgeorbit.data.negatives import NegativeSampler

    found = NegativeSampler(star, "shared-end").sample(1000, 0)
    assert (found > 0).all() and (found[:, 0] < found[:, 1]).all()


@NEEDS_BF16
@pytest.mark.parametrize("model", ["gcn", "sage", "gat", "gin", "ncn", "neo-gnn", "buddy", "seal", "nbfnet", "eo-gnn"])
def test_a_step_in_bf16_is_that_in_float32_up_to_its_rounding(model: str) -> None:
    losses, gradients = [], []
    for kind in ("float32", "bf16"):
        made = trainer(model, precision=kind)
        network = made.model.build(SPLIT.graph, 0)
        torch.manual_seed(0)
        positives = made._positives[:16]
        losses.append(
            made._step(network, Adam(network.parameters()), positives, np.stack([positives[::-1]] * 2, axis=1))
        )
        assert all(weight.dtype is torch.float32 for weight in network.parameters())
        gradients.append(torch.cat([one.grad.flatten() for one in network.parameters() if one.grad is not None]))
    assert losses[0] != losses[1] and losses[1] == pytest.approx(losses[0], rel=0.05)
    assert torch.cosine_similarity(*gradients, dim=0) > 0.97


def test_a_machine_without_bf16_says_so(monkeypatch) -> None:
    monkeypatch.setattr(precision, "has_bf16", lambda device: False)
    with pytest.raises(
        InvalidParameterError, match=r"needs a CPU with AVX-512 BF16 or AMX.*leave precision at float32"
    ):
        trainer(precision="bf16")


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"objective": "hinge"}, "there is no objective 'hinge'; choose from bce, auc, softmax"),
        ({"schedule": "step"}, "there is no schedule 'step'; choose from constant, cosine"),
        ({"averaging": "swa"}, "there is no averaging 'swa'; choose from '', ema, last"),
        ({"precision": "fp16"}, "there is no precision 'fp16'; choose from float32, bf16"),
        ({"negatives": "easy"}, "there are no negatives 'easy'; choose from random, orbit, heart, shared-end"),
        ({"negatives_per_link": 0}, "negatives_per_link must be at least 1, not 0"),
        ({"averaging_decay": 1.0}, "averaging_decay must lie between 0 and 1, got 1.0"),
        ({"averaged_evaluations": 0}, "averaged_evaluations must be at least 1, not 0"),
        ({"warmup_steps": -1}, "warmup_steps must be at least 0, not -1"),
        ({"evaluate_every_steps": "often"}, "evaluate_every_steps is a whole number, not 'often'"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(given: dict[str, Any], part: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        TrainingSettings.from_mapping(given, "training")
    assert part in str(caught.value) and "\n" not in str(caught.value)
