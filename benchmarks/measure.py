"""The parent of the measuring processes: it starts one, watches its time and memory, and reads its report."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parent.parent
MEMORY_SHARE = 0.75  # of the machine's memory; a process that wants more is stopped
LOOK_EVERY = 0.05  # seconds


@dataclass
class Measurement:
    """What came out of measuring one method on one graph.

    `status` is `ok`, `time` or `memory` (stopped at that limit), `unavailable` or `failed`. The limit counts from the
    start of the process; `stopped_after` counts from the start of what is measured, and is None if it was not reached.
    """

    graph: str
    method: str
    threads: int
    status: str
    limit: float
    seconds: float | None = None
    stopped_after: float | None = None
    conversion: float | None = None
    memory: int | None = None
    repeats: int = 0
    colours: int | None = None
    rounds: int | None = None
    value: Any = None
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return what is stored in the file of results."""
        return asdict(self)

    @property
    def at_least(self) -> float | None:
        """The time, or the time after which it was stopped."""
        return self.stopped_after if self.status == "time" else self.seconds


def measure(
    graph: str, method: str, threads: int, *, folder: Path, rounds: int, limit: float, patience: float = 0.5
) -> Measurement:
    """Measure one method on the graph stored in `folder`, repeated for `patience` seconds."""
    job = {"method": method, "folder": str(folder), "threads": threads, "rounds": rounds, "patience": patience}
    facts = run_child(job, limit, threads)
    began = facts.pop("began", None)
    if facts["status"] == "time" and began is not None:
        facts["stopped_after"] = time.monotonic() - began
    if facts["status"] == "running":
        facts["status"] = "failed"
    return Measurement(graph, method, threads, limit=limit, **facts)


def run_child(job: dict[str, Any], limit: float, threads: int = 1) -> dict[str, Any]:
    """Run a job in a process of its own and return what it told."""
    with tempfile.TemporaryDirectory() as place:
        report, errors = Path(place) / "report", Path(place) / "errors"
        command = [sys.executable, "-m", "benchmarks.child", json.dumps(job | {"report": str(report)})]
        count = {"OMP_NUM_THREADS": str(threads), "NUMBA_NUM_THREADS": str(threads)}
        with errors.open("wb") as stderr:
            process = subprocess.Popen(
                command, cwd=ROOT, env=os.environ | count, stderr=stderr, stdout=stderr, start_new_session=True
            )
            stopped = _watch(process, limit)
        facts: dict[str, Any] = {"status": "failed"}
        for line in report.read_text().splitlines() if report.exists() else []:
            facts |= json.loads(line)
        if stopped and "seconds" not in facts:
            facts["status"] = stopped
        elif process.returncode and not stopped and facts["status"] != "ok":
            last = errors.read_text(errors="replace").strip().splitlines()[-1:]
            facts |= {"status": "failed", "note": "".join(last)[:200] or f"ended with code {process.returncode}"}
        return facts


def _watch(process: "subprocess.Popen[bytes]", limit: float) -> str:
    """Wait for the process; stop it at the limit of time or memory, and return which one it was."""
    deadline = time.monotonic() + limit
    most = MEMORY_SHARE * psutil.virtual_memory().total
    reached = ""
    try:
        while process.poll() is None and not reached:
            time.sleep(LOOK_EVERY)
            if time.monotonic() > deadline:
                reached = "time"
            elif _resident(process.pid) > most:
                reached = "memory"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return reached


def _resident(pid: int) -> int:
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0
