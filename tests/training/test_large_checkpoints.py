"""Checkpoints of long runs: a full disk, no second copy in memory, and what a kill in mid-epoch costs."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from typer.testing import CliRunner  # noqa: E402

from edgeorbit.cli.commands import app  # noqa: E402
from edgeorbit.errors import EdgeorbitError  # noqa: E402
from edgeorbit.prediction import LinkPredictor  # noqa: E402
from edgeorbit.training import loop  # noqa: E402
from edgeorbit.training.checkpoint import read_tensors, write_tensors  # noqa: E402


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """A disk of two megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    options = ["-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(["mount", *options], capture_output=True, check=False)
    except OSError:
        pytest.skip("there is no command mount")
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here: " + mounted.stderr.decode().strip())
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_on_a_full_disk_the_last_checkpoint_stays_and_the_run_resumes(small_disk: Path, monkeypatch) -> None:
    monkeypatch.setattr(loop, "CHECKPOINT_SECONDS", -1.0)
    run = small_disk / "run"
    arguments = [
        "train",
        "karate",
        "--model",
        "gcn",
        "-o",
        str(run),
        "--features",
        "degree",
        "--threads",
        "1",
        "--device",
        "cpu",
    ]
    arguments += [*("--set", "hidden_channels=64", "--set", "epochs=4", "--set", "evaluate_every=1")]
    whole = LinkPredictor(
        "gcn", settings={"hidden_channels": 64}, training={"epochs": 4, "evaluate_every": 1}, threads=1
    )
    expected = whole.fit("karate", features="degree").predict(top=3)

    def fill(*_: object) -> None:
        if (run / "checkpoint.safetensors").exists():
            with pytest.raises(OSError, match="No space left"), (small_disk / "filler").open("ab", buffering=0) as file:
                while True:
                    file.write(b"0" * 4096)

    save = loop.save_checkpoint
    monkeypatch.setattr(loop, "save_checkpoint", lambda *given: (fill(), save(*given)))
    failed = CliRunner().invoke(app, arguments)
    assert isinstance(failed.exception, EdgeorbitError) or failed.exit_code == 2
    said = str(failed.exception) if isinstance(failed.exception, EdgeorbitError) else failed.output
    assert "checkpoint.safetensors: cannot be written (No space left on device" in said
    assert sorted(file.name for file in run.iterdir()) == [
        *("checkpoint.safetensors", "graph.npz", "run.json", "split.npz")
    ]
    (small_disk / "filler").unlink()
    monkeypatch.setattr(loop, "save_checkpoint", save)
    resumed = CliRunner().invoke(app, arguments)
    assert resumed.exit_code == 0, resumed.output
    assert np.array_equal(LinkPredictor.load(run, threads=1).predict(top=3).scores, expected.scores)


def test_tensors_that_share_memory_are_written_and_read(tmp_path) -> None:
    values = torch.arange(6.0)
    tensors = {"whole": values, "again": values, "part": values[2:4], "turned": values.view(2, 3).T, "none": values[:0]}
    write_tensors(tmp_path / "file", tensors, {"a": 1})
    found, meta = read_tensors(tmp_path / "file", "")
    assert meta == {"a": 1} and found.keys() == tensors.keys()
    assert all(torch.equal(found[name], value) for name, value in tensors.items())


def test_a_checkpoint_that_takes_long_to_write_is_written_less_often(monkeypatch, tmp_path) -> None:
    """Time stands still but for steps, of a second each, and checkpoints, of ten."""
    now, saved = [0.0], []

    def save(*_: object) -> None:
        now[0] += 10
        saved.append(now[0])

    monkeypatch.setattr(loop.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(loop, "save_checkpoint", save)

    def report(*_: object) -> None:
        now[0] += 1

    training = {"epochs": 300, "evaluate_every": 300, "patience": 300}
    predictor = LinkPredictor("gcn", settings={"hidden_channels": 2}, training=training, threads=1)
    predictor.fit("karate", output=tmp_path / "run", report=report)
    assert np.diff(saved).tolist() == [111.0] * (len(saved) - 1) and len(saved) > 1
