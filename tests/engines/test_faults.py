"""What goes wrong on the way changes no result: executors that die, disks that are full, masters that are silent."""

import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from edgeorbit import Measurement
from edgeorbit.engines import _spark_session as spark_session
from edgeorbit.engines import measure
from edgeorbit.engines._duckdb import DuckDB
from edgeorbit.engines._spark_session import require_spark, start_session
from edgeorbit.engines._work import SPILL
from edgeorbit.errors import EdgeorbitError, LimitExceededError, MissingExtraError
from engines.cluster import LOOPBACK, free_port
from engines.partitions import assert_same_partition, counts, read_colours


def random_pairs(num_nodes, num_edges):
    return np.random.default_rng(3).integers(0, num_nodes, (num_edges, 2))


@pytest.fixture
def small_disk(tmp_path):
    """A disk of a few megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here: " + mounted.stderr.decode().strip())
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place):
    with (place / "filler").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 12))


def test_a_full_disk_leaves_the_last_round_as_it_was(small_disk, edges_file, tmp_path, monkeypatch) -> None:
    source = edges_file(random_pairs(3000, 5000))
    settings = {"engine": "duckdb", "tail_memory": 0, "work": small_disk / "work"}

    def full_after_round_1(made, _):
        if made == 1:
            fill(small_disk)

    with pytest.raises(LimitExceededError, match=r"the disk is full.*go on from the last complete round"):
        measure(source, progress=full_after_round_1, **settings)
    (small_disk / "filler").unlink()
    rounds_seen = []
    found = measure(source, progress=lambda made, _: rounds_seen.append(made), **settings)
    assert rounds_seen[0] == 1
    assert counts(found) == counts(measure(source, "memory"))


def test_a_full_spill_disk_gets_one_sentence(small_disk, edges_file, tmp_path) -> None:
    source = edges_file(random_pairs(400_000, 500_000))
    settings = {"engine": "duckdb", "memory_limit": "50MB", "tail_memory": 0, "work": tmp_path / "work", "rounds": 1}
    with pytest.raises(LimitExceededError, match="the disk is full"):
        measure(source, spill=small_disk, **settings)
    found = measure(source, spill=tmp_path / "spill", **settings)
    assert counts(found) == counts(measure(source, "memory", 1))


def test_what_is_spilled_into_the_work_directory_is_left_alone_between_rounds(edges_file, tmp_path) -> None:
    source, work = edges_file(random_pairs(400_000, 500_000)), tmp_path / "work"
    (work / SPILL).mkdir(parents=True)
    (work / SPILL / "left of a run that was killed").touch()
    seen = []

    def look(made: int, _: int) -> None:
        seen.append(sorted(path.name for path in work.glob(f"{SPILL}*")))

    settings = {"engine": "duckdb", "memory_limit": "70MB", "tail_memory": 0, "work": work, "rounds": 2}
    found = measure(source, progress=look, **settings)
    assert seen[0] == [] and seen[-1] == [SPILL], "DuckDB did not need its directory, or lost it"
    assert counts(found) == counts(measure(source, "memory", 2))
    assert list(work.iterdir()) == []


def test_an_executor_that_dies_in_the_middle_of_a_round_changes_nothing(edges_file, tmp_path) -> None:
    try:
        require_spark()
    except MissingExtraError as error:
        pytest.skip(str(error))
    source = edges_file(random_pairs(40, 200))
    expected = measure(source, "memory", colours=tmp_path / "expected")
    script = Path(__file__).with_name("losing_an_executor.py")
    ended = subprocess.run(
        [sys.executable, script, source, tmp_path],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(script.parent.parent), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found.pop("died")
    assert counts(Measurement(**found)) == counts(expected)
    assert_same_partition(read_colours(tmp_path / "colours"), read_colours(tmp_path / "expected"))


def test_a_master_that_nobody_runs_is_said_at_once(tmp_path) -> None:
    with pytest.raises(EdgeorbitError, match="the master did not answer within"):
        start_session(f"spark://{LOOPBACK}:{free_port()}", tmp_path / "log", seconds=5)


def test_a_master_that_is_silent_is_given_up(tmp_path, monkeypatch) -> None:
    """Somebody listens and never says a word; here building the session stands for Spark's own long patience."""
    monkeypatch.setattr(spark_session, "require_spark", lambda: None)
    ended, built = threading.Event(), []
    monkeypatch.setattr(spark_session, "_build", lambda master: ended.wait(300) or built.append(master))
    silence = pytest.raises(EdgeorbitError, match="the master did not answer within 1 seconds")
    with socket.create_server((LOOPBACK, 0)) as silent, silence:
        start_session(f"spark://{LOOPBACK}:{silent.getsockname()[1]}", tmp_path / "log", seconds=1)
    assert not built and not ended.is_set()
    ended.set()


@pytest.mark.parametrize("address", ["spark://host:port", "spark://[::1"])
def test_an_address_that_is_none_is_refused(tmp_path, monkeypatch, address) -> None:
    monkeypatch.setattr(spark_session, "require_spark", lambda: None)
    with pytest.raises(EdgeorbitError, match="is no address of a master"):
        start_session(address, tmp_path / "log", seconds=1)


def test_what_java_writes_does_not_reach_the_screen(tmp_path, capfd) -> None:
    with spark_session._messages_to(tmp_path / "log"):
        subprocess.run(["sh", "-c", "echo noise; echo more >&2"], check=True)
    os.write(1, b"clean\n")
    assert capfd.readouterr() == ("clean\n", "")
    assert (tmp_path / "log").read_text() == "noise\nmore\n"


def test_duckdb_refuses_a_memory_limit_that_is_too_small(tmp_path) -> None:
    with pytest.raises(EdgeorbitError, match="a memory limit of 10MB is too small to start; give at least 50MB"):
        DuckDB(tmp_path, memory_limit=10_000_000)


def test_a_session_that_cannot_start_says_why(tmp_path, monkeypatch) -> None:
    def fail(master):
        subprocess.run(
            ["sh", "-c", "echo 'java.net.BindException: in use' >&2; echo '  at x.Exception' >&2"], check=True
        )
        raise RuntimeError("gateway\nmore")

    monkeypatch.setattr(spark_session, "require_spark", lambda: None)
    monkeypatch.setattr(spark_session, "_build", fail)
    monkeypatch.setattr(spark_session, "_end_gateway", lambda: None)
    with pytest.raises(EdgeorbitError) as caught:
        start_session("local[1]", tmp_path / "log", seconds=30)
    assert str(caught.value) == (
        "Spark did not start on local[1] (java.net.BindException: in use); check the master's name and Java"
    )
