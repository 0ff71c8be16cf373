"""What can happen to a bench: cells that raise or are killed, kills of the bench itself, a second bench, a full disk."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from edgeorbit.experiments.executors import LocalPool
from edgeorbit.experiments.running import Progress, run_cells
from edgeorbit.experiments.store import Store

HERE = Path(__file__).parent
pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs Unix signals")

BENCH = """
import sys
from pathlib import Path
from edgeorbit.experiments.executors import LocalPool
from edgeorbit.experiments.running import run_cells
from edgeorbit.experiments.store import Store
from faulty_cells import make_cell, run
log, number, do, seconds, jobs = Path(sys.argv[1]), *sys.argv[2:]
cells = [make_cell(log, seed, do if not seed else "", float(seconds)) for seed in range(int(number))]
store = Store(log.with_name("r.parquet"))
with store.alone():
    run_cells(cells, store, LocalPool(int(jobs)), run=run)
"""


@pytest.fixture
def faulty(monkeypatch):
    monkeypatch.syspath_prepend(HERE)  # new processes have the path of this one
    import faulty_cells

    return faulty_cells


def environment() -> dict[str, str]:
    paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def start_bench(log: Path, number: int, do: str = "", seconds: float = 0.0, jobs: int = 2) -> subprocess.Popen:
    command = [sys.executable, "-c", BENCH, *map(str, (log, number, do, seconds, jobs))]
    return subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE)


def wait_until(condition, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)


def lines(log: Path, what: str) -> list[list[str]]:
    return [line.split() for line in log.read_text().splitlines() if line.startswith(what)] if log.exists() else []


def seeds(log: Path, what: str) -> list[int]:
    return sorted(int(line[1]) for line in lines(log, what))


def test_what_ends_a_cell_ends_no_other(faulty, tmp_path) -> None:
    log, store = tmp_path / "log", Store(tmp_path / "r.parquet")
    fates = ["raise", "die", "", "die once", "no memory", "", ""]
    cells = [faulty.make_cell(log, seed, do) for seed, do in enumerate(fates)]
    told: list[Progress] = []
    handed = []
    run_cells(
        cells,
        store,
        LocalPool(2),
        run=faulty.run,
        report=told.append,
        on_rows=lambda cell, rows: handed.append(cell.seed),
    )
    reasons = {row["seed"]: row["failed"] for row in Store(store.path).rows}
    assert {seed for seed, reason in reasons.items() if reason is None} == {2, 3, 5, 6}
    assert "ZeroDivisionError: a defect of a model" in reasons[0]
    assert reasons[1] == "was killed (signal 9), most likely for memory; it was tried twice"
    assert reasons[4].startswith("MemoryError")
    assert seeds(log, "begin") == [0, 1, 1, 2, 3, 3, 4, 5, 6]
    assert sorted(handed) == list(range(7))
    assert (told[-1].done, told[-1].failed, told[-1].left, told[-1].running) == (7, 3, 0, ())
    assert [path.name for path in tmp_path.iterdir() if path.is_dir() and "cache" not in path.name] == []
    before = log.read_text()
    run_cells(cells, store, LocalPool(2), run=faulty.run)
    assert log.read_text() == before, "what is there, failed or not, is not run again"
    run_cells(cells[:1] + cells[2:3], store, LocalPool(2), run=faulty.run, again={cells[0].key})
    assert seeds(log, "begin").count(0) == 2 and seeds(log, "begin").count(2) == 1


def test_a_killed_cell_is_tried_again_when_nothing_else_is_running(faulty, tmp_path) -> None:
    log, store = tmp_path / "log", Store(tmp_path / "r.parquet")
    cells = [faulty.make_cell(log, 0, "die once", 0.3)] + [faulty.make_cell(log, seed, "", 0.3) for seed in (1, 2, 3)]
    run_cells(cells, store, LocalPool(2), run=faulty.run)
    assert not any(row.get("failed") for row in store.rows)
    second = float(lines(log, "begin 0")[1][3])
    assert all(float(line[3]) <= second for line in lines(log, "end") if line[1] != "0")
    assert len(lines(log, "end")) == 4


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell a process's memory")
def test_a_cell_that_takes_too_much_memory_fails_once_and_alone(faulty, tmp_path) -> None:
    log, store = tmp_path / "log", Store(tmp_path / "r.parquet")
    cells = [faulty.make_cell(log, 0, "grow"), faulty.make_cell(log, 1)]
    run_cells(cells, store, LocalPool(2, 400 << 20), run=faulty.run)
    reasons = {row["seed"]: row["failed"] for row in store.rows}
    assert reasons == {0: "MemoryError: took more memory than the limit of 400 MB", 1: None}
    assert seeds(log, "begin") == [0, 1], "a process that had run nothing before needs no second try"


INTERRUPTED = """
import multiprocessing, signal, time
from concurrent.futures import ProcessPoolExecutor
from edgeorbit.experiments.executors import LocalPool
submit = ProcessPoolExecutor.submit
def interrupted(*given):
    signal.raise_signal(signal.SIGINT)
    return submit(*given)
ProcessPoolExecutor.submit = interrupted
signal.signal(signal.SIGINT, signal.default_int_handler)
pool = LocalPool(1)
try:
    pool.submit(time.sleep, 60)
except KeyboardInterrupt:
    (process,) = multiprocessing.active_children()
    pool.shutdown(wait=False)
    process.join(30)
    assert process.exitcode == -signal.SIGKILL, process
    print("ended")
"""


def test_an_interruption_while_a_process_is_started_leaves_none_behind() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True, timeout=100)
    assert ended.stdout == "ended\n"


def test_a_killed_bench_loses_nothing_but_what_was_running_and_leaves_no_process(tmp_path) -> None:
    log = tmp_path / "log"
    bench = start_bench(log, 6, "sleep once")
    wait_until(lambda: 0 in seeds(log, "begin") and len(seeds(log, "end")) >= 3)
    children = psutil.Process(bench.pid).children(recursive=True)
    bench.kill()
    bench.wait()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert not alive
    kept = {row["seed"] for row in Store(tmp_path / "r.parquet").rows}
    assert len(seeds(log, "end")) - len(kept) <= 1 and 0 not in kept
    again = start_bench(log, 6, "sleep once")
    assert again.wait(60) == 0
    assert {row["seed"] for row in Store(tmp_path / "r.parquet").rows} == set(range(6))
    assert all(seeds(log, "end").count(seed) == 1 for seed in kept)
    assert not (tmp_path / "r.parquet.unfinished").exists()


def test_a_second_bench_on_a_store_is_refused_until_the_first_one_is_gone(tmp_path) -> None:
    log = tmp_path / "log"
    first = start_bench(log, 1, "sleep once")
    wait_until(lambda: seeds(log, "begin") == [0])
    second = start_bench(log, 1)
    assert second.wait(60) == 1 and b"another bench is running on these results" in second.stderr.read()
    first.kill()
    first.wait()
    assert start_bench(log, 1).wait(60) == 0
    assert seeds(log, "begin") == [0, 0] and seeds(log, "end") == [0]


WRITE = """
import os, resource, signal, sys
from edgeorbit.experiments.store import Store
store = Store(sys.argv[1])
if sys.argv[2] == "kill":
    os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "limit":
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
from edgeorbit.errors import EdgeorbitError
try:
    store.add([{"key": f"new{i}", "data": os.urandom(40).hex(), "model": "ra", "seed": i, "negatives": "random"} for i in range(5000)])
except EdgeorbitError as error:
    sys.exit(f"said: {error}")
"""


def write(path: Path, how: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", WRITE, path, how], capture_output=True, text=True, check=False)


def small_store(directory: Path) -> Store:
    store = Store(directory / "r.parquet")
    store.add([{"key": "a", "data": "d", "model": "m", "seed": 0, "negatives": "random"}])
    return store


def test_a_kill_in_the_middle_of_a_write_leaves_the_store_as_it_was(tmp_path) -> None:
    store = small_store(tmp_path)
    before = store.path.read_bytes()
    assert write(store.path, "kill").returncode == -signal.SIGKILL
    assert store.path.read_bytes() == before
    assert list(tmp_path.glob(".edgeorbit-*")), "the kill came when the new file was not in place yet"
    assert write(store.path, "").returncode == 0 and len(Store(store.path).rows) == 5001


def test_a_file_that_may_not_grow_is_told_in_a_sentence_and_the_store_is_as_it_was(tmp_path) -> None:
    store = small_store(tmp_path)
    before = store.path.read_bytes()
    told = write(store.path, "limit").stderr.strip()
    assert told.startswith("said: ") and "cannot be written" in told and "free some space" in told
    assert "\n" not in told and store.path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["r.parquet"]


def test_a_full_disk_is_told_in_a_sentence_and_the_store_is_as_it_was(tmp_path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        store = small_store(disk)
        before = store.path.read_bytes()
        told = write(store.path, "").stderr.strip()
        assert told.startswith("said: ") and "No space left" in told and "\n" not in told
        assert store.path.read_bytes() == before
        assert [path.name for path in disk.iterdir()] == ["r.parquet"]
    finally:
        subprocess.run(["umount", disk], check=True)
