"""The engines from 10^5 edges on: time, memory of all processes, shuffle volume, and what larger graphs would need.

Run from the repository:

    python -m benchmarks.scale --edges 1e5 --edges 1e6 [--engine NAME] [--graph NAME] [--memory-limit SIZE] [--update]
    python -m benchmarks.scale --write docs/scale.md
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import psutil

RESULTS = Path(__file__).parent / "scale.json"
ROOT = Path(__file__).resolve().parent.parent
SEED = 20_261_116
CHUNK = 1 << 22
EDGES_PER_NODE = 5
ENGINES = ("memory", "duckdb", "spark")
GRAPHS = ("random", "skewed", "path")
ID_BYTES = 16  # of an edge as two 8-byte ids
LOOK_EVERY = 0.1  # seconds


def chunks(graph: str, num_edges: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the edges of a graph, some millions at a time, always the same ones.

    `random`: both ends uniform. `skewed`: one end uniform, one drawn towards low numbers, so that degrees are as uneven
    as in a web graph. `path`: as many rounds as half its nodes.
    """
    num_nodes = max(2, num_edges // EDGES_PER_NODE)
    for number, start in enumerate(range(0, num_edges, CHUNK)):
        count = min(CHUNK, num_edges - start)
        rng = np.random.default_rng([SEED, number])
        if graph == "path":
            first = np.arange(start, start + count)
            yield np.stack([first, first + 1])
            continue
        ends = rng.random((2, count))
        if graph == "skewed":
            ends[1] **= 3
        yield (ends * num_nodes).astype(np.int64)


def write_edges(graph: str, num_edges: int, target: Path) -> None:
    """Write a graph to a Parquet file, with never more than a chunk of it in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("source", pa.int64()), ("target", pa.int64())])
    with pq.ParquetWriter(target, schema) as writer:
        for pair in chunks(graph, num_edges):
            writer.write_table(pa.table({"source": pair[0], "target": pair[1]}, schema=schema))


def run_job(job: dict[str, Any]) -> dict[str, Any]:
    """Measure one graph with one engine, in this process."""
    from edgeorbit.engines import _spark_session as spark_session
    from edgeorbit.engines import measure

    events = Path(job["place"]) / "events"
    options: dict[str, Any] = {}
    if job["engine"] != "memory":
        options |= {"work": Path(job["place"]) / "work", "tail_memory": 0 if job["on_tables"] else None}
    if job["engine"] == "duckdb":
        options |= {"memory_limit": job["memory_limit"]}
    if job["engine"] == "spark":
        events.mkdir()
        spark_session.SETTINGS |= {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": events.as_uri(),
            "spark.driver.memory": "4g",
            "spark.local.dir": str(Path(job["place"]) / "spill"),
            # Tables of the graphs that a cluster is for cannot be sent to every executor; here they could.
            "spark.sql.autoBroadcastJoinThreshold": "-1",
        }
        options["session"] = spark_session.start_session(None, Path(job["place"]) / "log")
    begun = time.perf_counter()
    found = measure(job["source"], job["engine"], **options)
    seconds = time.perf_counter() - begun
    if "session" in options:
        options["session"].stop()
    return {
        "seconds": seconds,
        "num_nodes": found.num_nodes,
        "num_edges": found.num_edges,
        "rounds": found.rounds,
        "num_colours": found.num_node_orbits,
        "ear": found.ear,
        "seconds_by_round": found.seconds_by_round,
        "shuffle_bytes": shuffled_bytes(events) if events.exists() else None,
    }


def shuffled_bytes(events: Path) -> int:
    """Return how many bytes all tasks wrote for others to read, from Spark's log of events."""
    total = 0
    for file in events.rglob("*"):
        for line in file.read_text().splitlines() if file.is_file() and not file.name.startswith(".") else []:
            if '"SparkListenerTaskEnd"' in line:
                metrics = json.loads(line).get("Task Metrics") or {}
                total += int(metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0))
    return total


def measure_apart(job: dict[str, Any], limit: float) -> dict[str, Any]:
    """Run a job in a process of its own, and watch its memory, that of its children and the disk it takes."""
    report = Path(job["place"]) / "report.json"
    command = [sys.executable, "-m", "benchmarks.scale", "--job", json.dumps(job | {"report": str(report)})]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    deadline, memory, disk = time.monotonic() + limit, 0, 0
    while process.poll() is None:
        time.sleep(LOOK_EVERY)
        memory = max(memory, _resident(process.pid))
        disk = max(disk, _size(Path(job["place"])))
        if time.monotonic() > deadline:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return {"status": "time", "limit": limit, "memory": memory, "disk": disk}
    if process.returncode or not report.exists():
        return {"status": "failed", "memory": memory, "disk": disk}
    return {"status": "ok", "memory": memory, "disk": disk, **json.loads(report.read_text())}


def _resident(pid: int) -> int:
    total = 0
    try:
        family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return 0
    for member in family:
        try:
            total += int(member.memory_info().rss)
        except psutil.Error:
            continue
    return total


def _size(place: Path) -> int:
    total = 0
    for folder, _, names in os.walk(place):
        for name in names:
            try:
                total += (Path(folder) / name).lstat().st_size
            except OSError:
                continue
    return total


def key_of(one: dict[str, Any]) -> tuple[Any, ...]:
    """Return what makes two measurements measurements of the same thing."""
    return one["graph"], one["edges"], one["engine"], one["memory_limit"], one["on_tables"]


def _place_of(one: dict[str, Any]) -> tuple[Any, ...]:
    return one["graph"], one["edges"], ENGINES.index(one["engine"]), str(one["memory_limit"]), one["on_tables"]


def main() -> None:
    """Measure, print and store, or write the page."""
    options = _options()
    if options.job:
        job = json.loads(options.job)
        Path(job["report"]).write_text(json.dumps(run_job(job)))
        return
    if options.write is not None:
        from benchmarks.scale_page import to_markdown

        options.write.write_text(to_markdown(json.loads(RESULTS.read_text())))
        return
    found = []
    for graph in options.graph or ["random"]:
        for size in options.edges or [1e5, 1e6]:
            with tempfile.TemporaryDirectory(dir=options.place) as folder:
                source = Path(folder) / f"{graph}.parquet"
                write_edges(graph, int(size), source)
                for engine in options.engine or ENGINES:
                    found.append(_measure(graph, int(size), engine, source, Path(folder), options))
    if options.update:
        old = json.loads(RESULTS.read_text())["measurements"] if RESULTS.exists() else []
        again = {key_of(one) for one in found}
        merged = sorted([one for one in old if key_of(one) not in again] + found, key=_place_of)
        RESULTS.write_text(json.dumps({"machine": _machine(), "measurements": merged}, indent=1) + "\n")


def _measure(
    graph: str, size: int, engine: str, source: Path, folder: Path, options: argparse.Namespace
) -> dict[str, Any]:
    place = folder / engine
    place.mkdir()
    limit = options.memory_limit if engine == "duckdb" else None
    job = {"engine": engine, "source": str(source), "place": str(place), "memory_limit": limit}
    job["on_tables"] = engine != "memory" and not options.tail
    one = {"graph": graph, "edges": size, "engine": engine, "memory_limit": limit, "on_tables": job["on_tables"]}
    one |= {"date": datetime.now(UTC).date().isoformat(), "load": round(os.getloadavg()[0], 2), "cores": os.cpu_count()}
    one |= measure_apart(job, options.limit)
    told = f"{one['seconds']:.1f} s, {one['rounds']} rounds" if one["status"] == "ok" else one["status"]
    print(f"{graph} {size:,} {engine}: {told}, {one['memory'] / 2**20:,.0f} MiB", flush=True)
    return one


def _machine() -> dict[str, Any]:
    from importlib.metadata import version

    from benchmarks.suite import describe_machine

    described = describe_machine()
    engines = ("numba", "duckdb", "pyspark")
    return described | {"versions": {name: version(name) for name in engines}}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--edges", type=float, action="append", help="number of edges, such as 1e6; may be repeated")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="all three by default")
    parser.add_argument("--graph", action="append", choices=GRAPHS, help="random by default")
    parser.add_argument("--memory-limit", metavar="SIZE", help="of duckdb, such as 1GB")
    parser.add_argument("--tail", action="store_true", help="let duckdb and spark end in memory, as they do for users")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds after which a measurement is stopped")
    parser.add_argument("--place", type=Path, metavar="DIR", help="where graphs and tables go; a disk with room")
    parser.add_argument("--update", action="store_true", help="put what is measured into the stored results")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page of the documentation and do not run")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
