"""Damaged runs: every command that reads one says in one sentence what is wrong with which file."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from edgeorbit import LinkPredictor
from edgeorbit.errors import EdgeorbitError, GraphFormatError, LimitExceededError
from edgeorbit.graph.toys import karate

Arrays = dict[str, np.ndarray]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of a heuristic."""
    path = tmp_path_factory.mktemp("runs") / "whole"
    LinkPredictor("ra").fit(karate(), output=path)
    return path


@pytest.fixture
def damaged(whole: Path, tmp_path: Path) -> Path:
    """A copy of it to damage."""
    return Path(shutil.copytree(whole, tmp_path / "damaged"))


def change_info(run: Path, **values: Any) -> None:
    """Change `run.json`."""
    info = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(info | values))


def change_split(run: Path, change: Callable[[Arrays], Arrays]) -> None:
    """Change `split.npz`."""
    with np.load(run / "split.npz") as arrays:
        held = dict(arrays)
    np.savez(run / "split.npz", **change(held))


WRONG_SPLITS: dict[str, Callable[[Arrays], Arrays]] = {
    "valid has shape (12, 2, 1)": lambda held: held | {"valid": held["valid"][..., None]},
    "test has shape ()": lambda held: held | {"test": np.array(3)},
    "valid is of type float64": lambda held: held | {"valid": held["valid"].astype(float)},
    "test is of type <U8": lambda held: held | {"test": held["test"].astype("U8")},
    "valid names a node outside 0 to 33": lambda held: held | {"valid": held["valid"] + 1000},
    "test is missing": lambda held: {"valid": held["valid"]},
    "valid_kind has shape (3,)": lambda held: held | {"valid_kind": np.zeros(3, np.uint8)},
    "test_kind has a value outside 0 to 2": lambda held: held | {"test_kind": np.full(4, 3)},
    "negatives/official/test is missing": lambda held: held | {"negatives/official/valid": np.zeros((5, 2), int)},
    "neither (n, 2) nor (12, k, 2)": lambda held: held | {"negatives/official/valid": np.zeros((3, 5, 2), int)},
    "has a pair of which one node is missing": lambda held: (
        held | {"negatives/official/valid": np.full((len(held["valid"]), 1, 2), [-1, 5])}
    ),
    "negatives/official/info is missing or damaged": lambda held: (
        held
        | {f"negatives/official/{part}": np.zeros((5, 2), int) for part in ("valid", "test")}
        | {"negatives/official/info": np.array('{"bounds": NaN}')}
    ),
}


@pytest.mark.parametrize("sentence", WRONG_SPLITS)
def test_a_split_of_other_arrays_is_one_sentence_in_every_command(run, damaged, sentence) -> None:
    change_split(damaged, WRONG_SPLITS[sentence])
    for command in (["evaluate", damaged], ["evaluate", damaged, "--json"], ["predict", damaged, "--top", 3]):
        outcome = run(*command)
        assert outcome.code == 2 and not outcome.out
        assert outcome.err.startswith(f"edgeorbit: {damaged / 'split.npz'}: ") and outcome.err.count("\n") == 1
        assert sentence in outcome.err and outcome.err.endswith("train again\n")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"train_ear": float("inf")}, "is damaged (Infinity is no finite number)"),
        ({"train_ear": float("nan")}, "is damaged (NaN is no finite number)"),
        ({"settings": {"x": 1}}, "ra has no setting 'x'"),
        ({"settings": {"self": 1}}, "ra has no setting 'self'"),
        ({"settings": {"name": "x"}}, "ra has no setting 'name'"),
        ({"model": "katz", "settings": {"max_length": 10**400}}, "setting max_length is a whole number"),
        ({"model": "katz", "settings": {"max_length": 10**15}}, "max_length must be at most 2147483647"),
        ({"seed": True}, "'seed' is missing or of another kind"),
        ({"seed": 2**70}, "a seed is a whole number from 0 to 2^63 - 1"),
        ({"training": 3}, "'training' is missing or of another kind"),
        ({"protocol": {"features": "magic"}}, "'protocol' is missing or of another kind"),
        ({"model": "nothing"}, "there is no model 'nothing'"),
    ],
)
def test_what_a_run_says_of_itself_is_checked(run, damaged, values, sentence) -> None:
    change_info(damaged, **values)
    for command in ("evaluate", "predict"):
        outcome = run(command, damaged)
        assert outcome.code == 2 and sentence in outcome.err and outcome.err.count("\n") == 1
        assert outcome.err.startswith(f"edgeorbit: {damaged / 'run.json'}: ")


@pytest.mark.parametrize("file", ["graph.npz", "split.npz", "run.json"])
def test_missing_and_cut_files_are_one_sentence(run, damaged, file) -> None:
    content = (damaged / file).read_bytes()
    for left in (content[: len(content) // 2], b"", None):
        if left is None:
            (damaged / file).unlink()
        else:
            (damaged / file).write_bytes(left)
        outcome = run("evaluate", damaged)
        assert outcome.code == 2 and file in outcome.err and outcome.err.count("\n") == 1


@given(st.sampled_from(["model", "settings", "training", "seed", "threads", "protocol", "train_ear", "graph"]), JSON)
@example("settings", {"": []})
@example("protocol", {"features": []})
@settings(max_examples=150)
def test_a_run_that_says_anything_is_loaded_or_refused(whole: Path, tmp_path_factory, key: str, value: Any) -> None:
    path = shutil.copytree(whole, tmp_path_factory.mktemp("any") / "run")
    change_info(path, **{key: value})
    try:
        LinkPredictor.load(path)
    except EdgeorbitError as error:
        assert "\n" not in str(error)
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of a network."""
    pytest.importorskip("torch_geometric")
    path = tmp_path_factory.mktemp("runs") / "trained"
    LinkPredictor("gcn", settings={"hidden_channels": 4}, training={"epochs": 1}).fit(karate(), output=path)
    return path


@pytest.mark.parametrize("width", [10**5, 10**9, 2 * 10**9])
def test_an_absurd_width_is_refused_before_memory_is_taken(run, trained, tmp_path, width) -> None:
    path = Path(shutil.copytree(trained, tmp_path / "run"))
    change_info(path, settings={"hidden_channels": width, "num_layers": 3})
    for command in (
        ["evaluate", path],
        ["train", "karate", "--model", "gcn", "--set", f"hidden_channels={width}", "-o", tmp_path / "x"],
    ):
        outcome = run(*command)
        assert outcome.code == 2 and ("choose fewer channels or layers" in outcome.err or "which fits" in outcome.err)
    deep = run("train", "karate", "--model", "gcn", "--set", "num_layers=1000000", "-o", tmp_path / "x")
    assert deep.code == 2 and "num_layers must be at most 1000" in deep.err


def test_the_weights_that_are_refused_are_those_that_would_not_fit(monkeypatch) -> None:
    torch = pytest.importorskip("torch")
    from edgeorbit.models.neural import model as module

    monkeypatch.setattr(module, "available_memory", lambda: 4 * 4 * (10 * 20 + 20))
    with module.within_memory("gcn"):
        torch.nn.Linear(10, 20)
    with pytest.raises(LimitExceededError, match="gcn: its weights"), module.within_memory("gcn"):
        torch.nn.Linear(11, 20)


@pytest.mark.parametrize("damage", ["nan", "type", "shape", "meta", "name"])
def test_weights_of_another_kind_are_one_sentence(run, trained, tmp_path, damage) -> None:
    from safetensors.torch import load_file, save_file

    path = Path(shutil.copytree(trained, tmp_path / "run"))
    tensors = load_file(path / "model.safetensors")
    first = min(tensors)
    meta = {"edgeorbit": "[]" if damage == "meta" else '{"model": "gcn"}'}
    changed = {"nan": tensors[first] * float("nan"), "type": tensors[first].int(), "shape": tensors[first][:1].clone()}
    if damage == "name":
        tensors["another"] = tensors.pop(first)
    else:
        tensors[first] = changed.get(damage, tensors[first])
    save_file(tensors, path / "model.safetensors", meta)
    for command in ("evaluate", "predict"):
        outcome = run(command, path)
        assert outcome.code == 2 and "model.safetensors" in outcome.err and outcome.err.endswith("train again\n")


@pytest.mark.parametrize(
    "meta",
    ["[]", '{"epoch": "a"}', '{"best": NaN}', '{"losses": [null]}', '{"history": [1]}', '{"more": 1}', "damaged"],
)
def test_a_damaged_checkpoint_is_one_sentence(tmp_path, monkeypatch, meta) -> None:
    pytest.importorskip("torch_geometric")
    from safetensors.torch import load_file, save_file

    from edgeorbit.training import loop

    class StopError(Exception):
        pass

    def stop(progress: Any, steps: int, loss: float) -> None:
        if progress.epoch == 2:
            raise StopError

    monkeypatch.setattr(loop, "CHECKPOINT_SECONDS", 0.0)
    given: dict[str, Any] = {"settings": {"hidden_channels": 4}, "training": {"epochs": 4}}
    with pytest.raises(StopError):
        LinkPredictor("gcn", **given).fit(karate(), output=tmp_path / "run", report=stop)
    checkpoint = tmp_path / "run" / "checkpoint.safetensors"
    tensors = load_file(checkpoint)
    moment = next(name for name in tensors if name.endswith("exp_avg"))
    if meta == "damaged":
        tensors[moment] = tensors[moment].flatten()[:1].clone()
    save_file(tensors, checkpoint, {"edgeorbit": "{}" if meta == "damaged" else meta})
    with pytest.raises(GraphFormatError, match=r"checkpoint\.safetensors: .*delete it to begin anew"):
        LinkPredictor("gcn", **given).fit(karate(), output=tmp_path / "run")


@pytest.mark.parametrize("change", [{"num_edges": 3}, {"training_result": [1]}, {"training_result": {"history": [{}]}}])
def test_a_run_that_no_result_can_be_made_of_is_damaged(tmp_path, change) -> None:
    LinkPredictor("ra").fit("karate", output=tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(GraphFormatError, match="is damaged"):
        LinkPredictor.load(tmp_path / "run").evaluate(output=tmp_path / "run")
