"""`edgeorbit ear --engine spark` on a full disk: one sentence, exit code 2, and the last round as it was."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edgeorbit.cli.main import main
from edgeorbit.engines import measure
from edgeorbit.engines._work import STATE, State, WorkDirectory
from engines.quick_session import quick_session

ROUNDS = 2


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A disk of a few megabytes."""
    place = tmp_path_factory.mktemp("disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here: " + mounted.stderr.decode().strip())
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture(scope="module")
def spilling(small_disk: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session that spills to the small disk; commands in this process take it."""
    settings = {
        "spark.cleaner.referenceTracking": "false",  # what is tidied up would make room again
        "spark.local.dir": str(small_disk / "spill"),
    }
    with quick_session(tmp_path_factory.mktemp("spark"), "local[1]", settings) as session:
        yield session


@pytest.fixture
def ear(spilling: Any, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run the command on edges; return its exit code and what it printed."""

    def run(source: Path, work: Path) -> tuple[int, str, str]:
        arguments = ["ear", source, "--engine", "spark", "--work", work, "--rounds", ROUNDS, "--json"]
        monkeypatch.setattr("sys.argv", ["edgeorbit", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        return code, *capfd.readouterr()

    return run


def fill(place: Path) -> None:
    with (place / "filler").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 12))


def test_a_full_spill_disk_gets_one_sentence_and_the_last_round_is_gone_on_from(
    ear, small_disk: Path, edges_file, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, work = edges_file(np.random.default_rng(3).integers(0, 300, (500, 2))), tmp_path / "work"
    monkeypatch.setattr(sys.modules["edgeorbit.engines._measure"], "SPARK_TAIL", 0)  # all rounds are Spark's
    kept: list[int] = []
    save = WorkDirectory.save

    def save_and_fill(directory: WorkDirectory, state: State) -> None:
        save(directory, state)
        kept.append(state.round)
        if kept == [0, 1]:
            fill(small_disk)

    monkeypatch.setattr(WorkDirectory, "save", save_and_fill)
    code, out, err = ear(source, work)
    *rounds, sentence = err.splitlines()
    assert code == 2 and out == "" and all(": round " in line for line in rounds)
    assert sentence.startswith("edgeorbit: the disk of Spark's work or spill directory is full; ")
    assert sentence.endswith(" go on from the last complete round")
    stored = json.loads((work / STATE).read_text())
    assert kept == [0, 1] and len(stored["colours_by_round"]) == 2
    tables = {*stored["tables"].values(), *stored["retired"]}
    assert all((work / table).exists() for table in tables)

    (small_disk / "filler").unlink()
    code, out, err = ear(source, work)
    assert code == 0 and kept[2] == 2, err  # rounds 0 and 1 were not made again
    found, expected = json.loads(out), measure(source, "memory", ROUNDS)
    assert (found["num_edges"], found["rounds"]) == (expected.num_edges, ROUNDS)
    assert found["ear"] == pytest.approx(expected.ear) and found["num_node_orbits"] == expected.num_node_orbits
