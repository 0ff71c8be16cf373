"""Whole runs on graphs of OGB's sizes: training, evaluation and the 100 likeliest links, in time, memory and faults.

Graphs are generated, with preferential attachment, and have degrees as features. Training makes a few steps and one
evaluation on validation: what is measured is whether a run fits, and what a step and an evaluation take, not how well a
model learns.

Run from the repository, on a quiet machine: python -m benchmarks.large_graphs [--size collab] [--model gcn] [--update]
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.report import markdown_table

RESULTS = Path(__file__).parent / "large_graphs.json"
ROOT = Path(__file__).resolve().parent.parent
SEED, THREADS, STEPS, TOP = 100, 2, 4, 100
MODELS = ("ra", "cn", "gcn", "sage", "ncn", "buddy", "eo-gnn")
COLUMNS = ["size of", "nodes", "edges", "model", "phase", "time", "CPU", "page faults", "peak so far", "estimate"]


class Size(NamedTuple):
    """A graph of preferential attachment as large as a data set of OGB."""

    nodes: int
    degree: int


SIZES = {"collab": Size(236_000, 5), "ppa": Size(576_000, 37), "citation2": Size(2_928_000, 10)}


class Phases:
    """Measures what follows each other in this process."""

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []
        self._begin()

    def _begin(self) -> None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        self._before = time.perf_counter(), usage.ru_utime + usage.ru_stime, usage.ru_minflt

    def end(self, name: str) -> None:
        """Note what the phase took that ends here."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        now = time.perf_counter(), usage.ru_utime + usage.ru_stime, usage.ru_minflt
        seconds, cpu, faults = (after - before for after, before in zip(now, self._before, strict=True))
        memory = usage.ru_maxrss * 1024
        self.found.append({"phase": name, "seconds": seconds, "cpu": cpu, "faults": faults, "memory": memory})
        self._begin()


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Go through all phases in this process."""
    import edgeorbit
    from benchmarks.graphs import barabasi_albert_edges
    from edgeorbit.graph.graph import Graph
    from edgeorbit.models import resolve_model
    from edgeorbit.prediction import LinkPredictor
    from edgeorbit.training.loop import usual_batch_size
    from edgeorbit.training.needs import estimate_needs

    phases, size = Phases(), SIZES[job["size"]]
    graph = Graph.from_edges(barabasi_albert_edges(*size), size.nodes, name=f"{job['size']}-size")
    num_edges = graph.num_edges
    phases.end("generate")
    split = edgeorbit.split(graph, features="degree", seed=SEED)
    del graph
    phases.end("split")
    training, estimate = {}, None
    if resolve_model(job["model"]).trainable:
        # So many links that an epoch has these steps; the size of a step is the default.
        batch = usual_batch_size(split.graph.num_edges)
        training = {"epochs": 1, "evaluate_every": 1, "links_per_epoch": STEPS * batch}
    predictor = LinkPredictor(job["model"], training=training, seed=SEED, threads=THREADS)
    if training:
        estimate = estimate_needs(predictor.model, split.graph, batch).total  # type: ignore[arg-type]
    predictor.fit(split)
    phases.end("train")
    predictor.evaluate()
    phases.end("evaluate")
    links = predictor.predict(TOP)
    phases.end(f"predict --top {TOP}")
    return job | {
        "nodes": size.nodes,
        "edges": num_edges,
        "estimate": estimate,
        "scored": links.num_scored,
        "phases": phases.found,
    }


def rows(runs: list[dict[str, Any]]) -> list[list[str]]:
    """Return the lines of the table."""
    found = []
    for one in runs:
        estimate = "" if one["estimate"] is None else f"{one['estimate'] / 2**30:.1f} GiB"
        for phase in one["phases"]:
            found.append(
                [
                    *(one["size"], f"{one['nodes']:,}", f"{one['edges']:,}", one["model"], phase["phase"]),
                    *(f"{phase['seconds']:.1f} s", f"{phase['cpu']:.1f} s", f"{phase['faults']:,}"),
                    *(f"{phase['memory'] / 2**30:.1f} GiB", estimate),
                ]
            )
    return found


def markdown() -> list[str]:
    """Return the stored measurements as a section of the page of benchmarks."""
    if not RESULTS.exists():
        return []
    return [
        "",
        "## Whole runs on graphs of OGB's sizes",
        "",
        "By `python -m benchmarks.large_graphs --update`, every run in a process of its own, with",
        f"{THREADS} threads: graphs of preferential attachment with degrees as features, {STEPS} steps of training of",
        "the usual size and an evaluation on validation, an evaluation on all held-out links, and the search of likely",
        "links with the usual width. The estimate is what `edgeorbit train` says beforehand.",
        "",
        *markdown_table(COLUMNS, rows(json.loads(RESULTS.read_text())), right=range(5, len(COLUMNS))),
    ]


def in_a_process(job: dict[str, Any]) -> dict[str, Any]:
    """Run a job in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.large_graphs", "--job", json.dumps(job)]
    count = {"OMP_NUM_THREADS": str(THREADS), "NUMBA_NUM_THREADS": str(THREADS)}
    found = subprocess.run(command, cwd=ROOT, env=os.environ | count, stdout=subprocess.PIPE, check=True, text=True)
    return dict(json.loads(found.stdout.splitlines()[-1]))


def main() -> None:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_graphs")
    parser.add_argument("--size", action="append", choices=SIZES, help="by default all")
    parser.add_argument("--model", action="append", metavar="NAME", help=f"by default {', '.join(MODELS)}")
    parser.add_argument("--update", action="store_true", help="put what is measured into the stored results")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(json.dumps(run(json.loads(options.job))))
        return
    for size in options.size or SIZES:
        for model in options.model or MODELS:
            found = in_a_process({"size": size, "model": model})
            for line in rows([found]):
                print(*line, sep=" | ", flush=True)
            if options.update:
                old = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
                stored = {(one["size"], one["model"]): one for one in [*old, found]}
                RESULTS.write_text(json.dumps(list(stored.values()), indent=1) + "\n")


if __name__ == "__main__":
    main()
