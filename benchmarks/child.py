"""The process that measures: `python -m benchmarks.child JOB`, where JOB is a JSON object.

It makes a graph and stores its arrays, or it runs one method on a stored graph. Each step appends a line of JSON to
the job's report, so that the parent knows how far a process came that it had to stop.
"""

import json
import sys
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

import numpy as np

from benchmarks.graphs import UnavailableError, cases
from benchmarks.memory import peak_memory
from benchmarks.methods import METHODS, Outcome, Task
from edgeorbit.graph.graph import Graph

FEWEST_REPEATS, MOST_REPEATS = 5, 50
MANY_SECONDS = 6  # after which fewer repeats will do
MEMORY_REPEATS = 3  # setting the peak back takes longer than a small graph


def main() -> None:
    """Do the job given on the command line."""
    job = json.loads(sys.argv[1])
    report = Path(job["report"])

    def tell(**facts: Any) -> None:
        with report.open("a") as file:
            file.write(json.dumps(facts) + "\n")

    try:
        if "method" in job:
            run_method(job, tell)
        else:
            make_graph(job, tell)
    except (UnavailableError, ImportError) as error:
        tell(status="unavailable", note=str(error))
    except MemoryError:
        tell(status="memory")


def make_graph(job: dict[str, Any], tell: Any) -> None:
    """Make a graph of the suite and store its edges and its CSR arrays."""
    folder = Path(job["folder"])
    edges = cases(job["scale"])[job["graph"]].build()
    graph = Graph.from_edges(edges)
    for name, array in (("edges", edges), ("indptr", graph.indptr), ("indices", graph.indices)):
        np.save(folder / f"{name}.npy", array)
    tell(status="ok", num_nodes=graph.num_nodes, num_edges=graph.num_edges)


def run_method(job: dict[str, Any], tell: Any) -> None:
    """Measure the time and memory of one method on a stored graph."""
    module: Any = import_module(f"benchmarks.methods.{METHODS[job['method']].module}")
    module.run(module.prepare(_warm_up_task(job["threads"])))
    task = _stored_task(Path(job["folder"]), job["threads"], job["rounds"])

    started = perf_counter()
    state = module.prepare(task)
    tell(status="running", conversion=perf_counter() - started, began=monotonic())
    seconds: list[float] = []
    memory: list[int] = []
    while not _enough(seconds, job["patience"]):
        with peak_memory() if len(memory) < MEMORY_REPEATS else nullcontext() as peak:
            started = perf_counter()
            result = module.run(state)
            seconds.append(perf_counter() - started)
        if peak is not None:
            memory.append(peak.grown)
        if len(seconds) == 1:  # told at once, because there may be no time for a second one
            outcome: Outcome = module.outcome(state, result) if hasattr(module, "outcome") else result
            tell(status="ok", seconds=seconds[0], memory=memory[0], repeats=1, **outcome._asdict())
    tell(seconds=min(seconds), memory=min(memory), repeats=len(seconds))


def _enough(seconds: list[float], patience: float) -> bool:
    total = sum(seconds)
    if len(seconds) < FEWEST_REPEATS:
        return total >= MANY_SECONDS
    return total >= patience or len(seconds) >= MOST_REPEATS


def _warm_up_task(threads: int) -> Task:
    """Return a small graph on which code is compiled and loaded: a path and a random part.

    Its CSR arrays are made with numpy, so that a peer's process does not load edgeorbit's code for it.
    """
    random = np.random.default_rng(0).integers(0, 3000, (9000, 2), np.int32)
    path = np.arange(3000, 5999, dtype=np.int32)
    edges = np.concatenate([random, np.stack([path, path + 1], axis=1)])
    both = np.concatenate([edges, edges[:, ::-1]])
    pairs = np.unique(both[both[:, 0] != both[:, 1]], axis=0)
    indptr = np.searchsorted(pairs[:, 0], np.arange(6001)).astype(np.int64)
    return Task(Graph(indptr, np.ascontiguousarray(pairs[:, 1])), edges, threads, 3)


def _stored_task(folder: Path, threads: int, rounds: int) -> Task:
    graph = Graph(np.load(folder / "indptr.npy"), np.load(folder / "indices.npy"))
    return Task(graph, np.load(folder / "edges.npy"), threads, rounds)


if __name__ == "__main__":
    main()
