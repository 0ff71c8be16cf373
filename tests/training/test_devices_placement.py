"""Where networks are trained: which GPU each process takes, what is moved there, and what comes back.

No GPU is needed: PyTorch is told that there are some, the device `meta` (shapes without numbers) is where networks are,
or the path of other devices is forced on the processor.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from edgeorbit.cli.main import main  # noqa: E402
from edgeorbit.data.splits.split import LinkSplit, Negatives  # noqa: E402
from edgeorbit.errors import EdgeorbitError, InvalidParameterError, LimitExceededError  # noqa: E402
from edgeorbit.graph.graph import Graph  # noqa: E402
from edgeorbit.graph.toys import karate  # noqa: E402
from edgeorbit.models import make_model, resolve_model  # noqa: E402
from edgeorbit.models.neural import device as neural_device  # noqa: E402
from edgeorbit.prediction import LinkPredictor  # noqa: E402
from edgeorbit.training import TrainingSettings, processes  # noqa: E402
from edgeorbit.training.adam import Adam  # noqa: E402
from edgeorbit.training.averaging import make_averager  # noqa: E402
from edgeorbit.training.checkpoint import Progress, pack_state, unpack_state, write_tensors  # noqa: E402
from edgeorbit.training.devices import Placement, Processes, choose_placement  # noqa: E402
from edgeorbit.training.loop import Trainer, seed_generators  # noqa: E402

META = torch.device("meta")
STILL = {"dropout": 0, "hidden_channels": 8}


@pytest.fixture
def gpus(monkeypatch) -> Callable[[int], None]:
    """Let PyTorch say that there are so many GPUs."""

    def pretend(count: int) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
        monkeypatch.setattr(torch.cuda, "get_device_name", lambda number: "Some GPU")

    return pretend


def small_split() -> tuple[LinkSplit, Negatives]:
    edges = karate().edges.astype(np.int64)
    held = np.arange(len(edges)) % 7 == 0
    x = np.random.default_rng(0).normal(size=(34, 5)).astype(np.float32)
    seen = Graph.from_edges(edges[~held], num_nodes=34).with_attributes(x=x)
    pool = np.stack([np.arange(34), (np.arange(34) + 17) % 34], axis=1)
    return LinkSplit(seen, edges[held], edges[held]), Negatives("random", pool, pool)


def trainer(model: str = "gcn", settings: dict[str, Any] | None = None, **options: Any) -> Trainer:
    chosen = {"epochs": 4, "evaluate_every": 4, "batch_size": 20, "exclude_isolated": False}
    chosen |= options.pop("training", {})
    return Trainer(make_model(model, **settings or {}), *small_split(), TrainingSettings(**chosen), seed=5, **options)


@pytest.mark.parametrize("given", ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "cpu:0", "CUDA", "cuda:1 ", "cuda:²"])
def test_what_is_no_device_is_refused(given: str, gpus) -> None:
    gpus(4)
    with pytest.raises(InvalidParameterError, match="device must be auto, cpu, cuda or cuda:N"):
        choose_placement(given, resolve_model("gcn"))


def test_a_gpu_is_taken_where_there_is_one_and_that_is_said(gpus) -> None:
    gcn = resolve_model("gcn")
    gpus(0)
    assert choose_placement("auto", gcn) == Placement()
    with pytest.raises(EdgeorbitError, match="PyTorch finds no GPU for cuda:1; use --device cpu"):
        choose_placement("cuda:1", gcn)
    gpus(2)
    found = choose_placement("auto", gcn)
    assert found.of() == "cuda:0" and "cuda:0 (Some GPU)" in found.remark and "\n" not in found.remark
    assert [choose_placement(given, gcn).of() for given in ("cpu", "cuda", "cuda:1")] == ["cpu", "cuda:0", "cuda:1"]
    assert not choose_placement("cuda", gcn).remark  # it was asked for
    with pytest.raises(InvalidParameterError, match="there is no cuda:2: 2 GPUs are numbered from 0; use cuda:1"):
        choose_placement("cuda:2", gcn)


@pytest.mark.parametrize("name", ["seal", "nbfnet", "ra"])
def test_models_that_cannot_use_a_gpu_refuse_it_and_take_the_processor_if_they_may(name: str, gpus) -> None:
    model = resolve_model(name)
    for count in (0, 2):
        gpus(count)
        found = choose_placement("auto", model)
        assert found.of(1) == "cpu" and bool(found.remark) is (count > 0 and model.trainable)
        with pytest.raises(InvalidParameterError, match=f"{name} runs on the CPU only, not on cuda"):
            choose_placement("cuda", model)


def test_processes_take_gpus_in_turn_by_their_number_on_their_own_machine() -> None:
    assert [Placement(0, 2).of(process) for process in range(5)] == [f"cuda:{i}" for i in (0, 1, 0, 1, 0)]
    assert [Placement(2, 3).of(process) for process in range(3)] == ["cuda:2", "cuda:0", "cuda:1"]
    launched = {"RANK": "5", "WORLD_SIZE": "8", "MASTER_ADDR": "10.0.0.7", "MASTER_PORT": "29500"}
    assert Processes.of(None, launched | {"LOCAL_RANK": "1"})[1:4:2] == (5, 1)
    assert Processes.of(None, launched).local_rank == 5
    alone = Processes.of(2, launched | {"LOCAL_RANK": "1"})  # it starts the other one itself
    assert (alone.size, alone.rank, alone.local_rank, alone.launched) == (2, 0, 0, False)


@pytest.mark.parametrize(
    ("places", "connected"),
    [
        ([("a", "cuda:0"), ("a", "cuda:1")], True),
        ([("a", "cuda:0"), ("b", "cuda:0")], True),
        ([("a", "cuda:0"), ("a", "cuda:0")], False),
        ([("a", "cuda:0"), None], False),
    ],
)
def test_gpus_are_connected_only_if_every_process_has_its_own(places, connected: bool, monkeypatch) -> None:
    gathered = []

    def gather(parts: list[Any], own: Any) -> None:
        gathered.append(own)
        parts[:] = places

    monkeypatch.setattr(torch.distributed, "is_nccl_available", lambda: True)
    monkeypatch.setattr(torch.distributed, "all_gather_object", gather)
    monkeypatch.setattr(torch.distributed, "new_group", lambda backend, timeout: backend)
    assert processes._connect_gpus(2, "cuda:0") == ("nccl" if connected else None)
    assert processes._connect_gpus(2, "cpu") == ("nccl" if connected else None)  # all act on the places of all
    assert gathered[0][1] == "cuda:0" and gathered[1] is None


class EnoughError(Exception):
    pass


@pytest.mark.parametrize("model", ["gcn", "buddy"])
@pytest.mark.parametrize("perturbation", ["", "d1", "adaedge"])
def test_a_step_gives_the_network_what_it_needs_where_it_is(model: str, perturbation: str) -> None:
    made = trainer(model, training={"perturbation": perturbation}, device="meta")
    network = made.model.build(made.split.graph, 5).to(META)
    seen: list[Any] = []

    def losses(embedding, inputs, positives, negatives, objective):
        seen.extend([embedding, inputs.degree, inputs.x, positives, negatives])
        raise EnoughError

    network.losses = losses
    with pytest.raises(EnoughError):
        made._step(network, torch.optim.Adam(network.parameters()), made._positives[:9], made._positives[9:18])
    assert [tensor.device.type for tensor in seen] == ["meta", "meta", "meta", "cpu", "cpu"]


@pytest.mark.parametrize("name", ["gcn", "ncn", "eo-gnn", "buddy", "neo-gnn"])
def test_scores_and_embeddings_come_back_to_the_processor(name: str) -> None:
    graph = small_split()[0].graph
    model = make_model(name, hidden_channels=8)
    model.build(graph, 1).to(META)
    assert model.device == META
    # All is computed on the device; the copy back is what cannot be had from there.
    for back in (lambda: model.on(graph)(graph.edges[:5].astype(np.int64)), lambda: model.embed(graph)):
        with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
            back()
    model.network.to_empty(device="cpu")
    assert model.on(graph)(graph.edges[:5].astype(np.int64)).shape == (5,)


def test_a_state_is_taken_from_the_device_and_put_back_on_it(tmp_path) -> None:
    network = torch.nn.Linear(3, 2)
    optimizer = Adam(network.parameters())
    network(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    average = make_averager("ema", 0.9, 1)
    average.after_step(network, 1)
    state = pack_state(network, network.state_dict(), optimizer, average, Progress(epoch=3))
    assert all(value.is_cpu and not value.requires_grad for value in state.tensors.values())
    moved = torch.nn.Linear(3, 2, device=META)
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
        pack_state(moved, {}, Adam(moved.parameters()), average, Progress())
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
        write_tensors(tmp_path / "weights", dict(moved.state_dict()), {})
    assert not list(tmp_path.iterdir())
    other, another = Adam(moved.parameters()), make_averager("ema", 0.9, 1)
    with pytest.warns(UserWarning, match="meta"):  # weights have no values there; the moments of them do move
        _, progress = unpack_state(state, moved, other, another)
    assert progress.epoch == 3
    moments = [value for name, value in other.state().items() if "exp_avg" in name]
    assert {value.device for value in another.state().values()} == {META}
    assert len(moments) == 4 and all(moment.device == META for moment in moments)


def weights_of(made: Trainer) -> dict[str, Any]:
    return {name: value.numpy() for name, value in made.model.network.state_dict().items()}


@pytest.mark.parametrize("begun_elsewhere", [False, True])
def test_a_run_goes_on_elsewhere(begun_elsewhere: bool, tmp_path, monkeypatch) -> None:
    """Without dropout the weights are those of a run that was never moved, up to rounding."""
    whole = trainer("gcn", STILL)
    whole.train()

    def interrupt(progress: Progress, *_: Any) -> None:
        if progress.epoch == 2:
            raise EnoughError

    def go(elsewhere: bool, report: Any) -> Trainer:
        with monkeypatch.context() as patched:
            if elsewhere:
                patched.setattr(neural_device, "on_cpu", lambda tensor: False)
            patched.setattr("edgeorbit.training.loop.CHECKPOINT_SECONDS", 0.0)
            made = trainer("gcn", STILL, checkpoint=tmp_path / "checkpoint", report=report)
            made.train()
        return made

    with pytest.raises(EnoughError):
        go(begun_elsewhere, interrupt)
    steps: list[int] = []
    moved = go(not begun_elsewhere, lambda progress, *_: steps.append(progress.epoch))
    assert steps[0] >= 1 and steps[-1] == 3  # it did not begin anew
    expected = weights_of(whole)
    for name, value in weights_of(moved).items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-3, atol=1e-4, err_msg=name)


def test_a_device_without_enough_memory_is_told_in_one_sentence() -> None:
    def fail(*_: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB\n...")

    with pytest.raises(LimitExceededError, match=r"gcn needs more memory for .* than cpu has; take fewer"):
        trainer(report=fail).train()


@pytest.mark.parametrize("name", ["gat", "ncnc", "eo-gnn", "neo-gnn", "gcn-rf"])
def test_a_run_elsewhere_is_the_same_every_time(name: str, monkeypatch) -> None:
    monkeypatch.setattr(neural_device, "on_cpu", lambda tensor: False)
    found = []
    for _ in range(2):
        made = trainer(name, {"hidden_channels": 8}, training={"epochs": 1, "evaluate_every": 1})
        found.append((made.train().history, weights_of(made)))
    assert found[0][0] == found[1][0]
    assert all(np.array_equal(value, found[1][1][weight]) for weight, value in found[0][1].items())


def test_a_predictor_says_where_it_trained_and_loads_for_any_device(tmp_path, gpus, monkeypatch) -> None:
    training = {"epochs": 1, "evaluate_every": 1}
    predictor = LinkPredictor("gcn", settings=STILL, training=training, device="auto", threads=1)
    predictor.fit("karate", output=tmp_path / "run")
    assert predictor.info["training_result"]["device"] == "cpu" and predictor.model.device.type == "cpu"
    scores = predictor.score_pairs([[0, 9]]).scores
    assert np.array_equal(LinkPredictor.load(tmp_path / "run", threads=1).score_pairs([[0, 9]]).scores, scores)
    gpus(2)
    moved: list[str] = []
    monkeypatch.setattr(torch.nn.Module, "to", lambda module, where: moved.append(str(where)))
    LinkPredictor.load(tmp_path / "run", threads=1, device="cuda:1")
    LinkPredictor("gcn", settings=STILL, training=training, device="auto", threads=1).fit(
        "karate", output=tmp_path / "run"
    )
    assert moved == ["cuda:1", "cuda:0"]  # a finished run is the same one on every device


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--device", "cuda", "--model", "gcn"], "PyTorch finds no GPU for cuda; use --device cpu or auto"),
        (["--device", "gpu"], "device must be auto, cpu, cuda or cuda:N"),
        (["--device", "cuda", "--model", "seal"], "seal runs on the CPU only, not on cuda"),
        (["--device", "cuda", "--model", "ra"], "ra runs on the CPU only, not on cuda"),
    ],
)
def test_bad_devices_get_one_sentence_and_leave_nothing(
    arguments, sentence: str, gpus, tmp_path, monkeypatch, capsys
) -> None:
    gpus(0)
    monkeypatch.setattr("sys.argv", ["edgeorbit", "train", "karate", *arguments, "-o", str(tmp_path / "run")])
    with pytest.raises(SystemExit) as stop:
        main()
    told = capsys.readouterr().err.strip()
    assert stop.value.code == 2 and sentence in told and "Traceback" not in told and len(told.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_the_command_says_that_a_gpu_is_not_used(gpus, tmp_path, monkeypatch, capsys) -> None:
    gpus(1)
    quick = ["--set", "epochs=1", "--set", "hidden_channels=4", "--threads", "1"]
    monkeypatch.setattr(
        "sys.argv", ["edgeorbit", "train", "karate", "--model", "seal", *quick, "-o", str(tmp_path / "run")]
    )
    with pytest.raises(SystemExit, match="0"):
        main()
    assert "seal runs on the CPU only; the GPU stays idle" in capsys.readouterr().err


def test_each_step_seeds_the_generators_of_gpus_where_a_network_is_on_one(monkeypatch) -> None:
    seeded: list[int] = []
    monkeypatch.setattr(torch.cuda, "manual_seed_all", seeded.append)
    seed_generators(7, torch.device("cpu"))
    drawn = torch.rand(3)
    assert not seeded
    seed_generators(7, torch.device("cuda", 1))
    assert seeded == [7] and torch.equal(torch.rand(3), drawn)
