"""Training in two processes beside one: whether links are found as well, and what time and memory that takes.

Run from the repository: python -m benchmarks.devices [GRAPH...] [--model NAME] [--seed N] [--epochs N] [--update]
"""

import argparse
import json
import math
import os
import resource
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.report import busy_note, markdown_table

RESULTS = Path(__file__).parent / "devices.json"
MODELS = ("gcn", "ncn", "eo-gnn")
DEVICES = (1, 2)
SEEDS = (0, 1, 2)
THREADS = 2  # of all processes of a run together, so that both have the same cores
COLUMNS = ["graph", "model", "epochs", "seeds", "test AUC, 1 process", "2 processes", "difference", "beside deviation"]
COLUMNS += ["t of pairs", "time, 1 process", "2 processes", "memory, 1 process", "2 processes"]


def measure(graph: str, model: str, seed: int, devices: int, epochs: int) -> dict[str, float]:
    """Train a model with its defaults; the time has the start of the processes in it, and the memory all of them."""
    from edgeorbit.prediction import LinkPredictor

    def fit(source: str, limit: int, processes: int) -> LinkPredictor:
        training = {"epochs": limit}
        return LinkPredictor(model, training=training, seed=seed, threads=THREADS, devices=processes).fit(source)

    fit("karate", 1, 1)  # compiles and loads what is needed
    begun = time.perf_counter()
    predictor = fit(graph, epochs, devices)
    seconds = time.perf_counter() - begun
    own, largest = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {
        "auc": float(predictor.evaluate("random").test["auc"]),
        "epochs": predictor.info["training_result"]["history"][-1]["epoch"],
        "seconds": seconds,
        "memory": 1024 * (own + (devices - 1) * largest),
    }


def compare(graph: str, model: str, seeds: Sequence[int], epochs: int) -> Iterator[dict[str, Any]]:
    """Measure seeds with each number of processes, one right after the other: a busy hour is then shared by both."""
    with ExitStack() as stack:
        # A process for each number has its own peak of memory; those of a multiprocessing.Pool may start no others.
        alone = {one: stack.enter_context(ProcessPoolExecutor(1, get_context("spawn"))) for one in DEVICES}
        for seed in seeds:
            load = os.getloadavg()[0]
            runs = {str(one): alone[one].submit(measure, graph, model, seed, one, epochs).result() for one in DEVICES}
            told = {"graph": graph, "model": model, "seed": seed, "epochs": epochs, "load": round(load, 2)}
            yield told | {"runs": runs}


def replaced(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return old measurements, with those in their place that were made again."""
    return list({(one["graph"], one["model"], one["seed"]): one for one in [*old, *new]}.values())


def differences(one: list[float], two: list[float]) -> tuple[float, float, float]:
    """Return the mean of two values' differences, its deviation, and that of the first values.

    A seed has the same split with any number of processes, so that differences are those of pairs.

    >>> [round(value, 3) for value in differences([0.8, 0.9], [0.81, 0.91])]
    [0.01, 0.0, 0.071]
    """
    pairs = [second - first for first, second in zip(one, two, strict=True)]
    return statistics.mean(pairs), _deviation(pairs), _deviation(one)


def _deviation(values: list[float]) -> float:
    return statistics.stdev(values) if len(values) > 1 else math.nan


def rows_of(stored: list[dict[str, Any]]) -> list[list[str]]:
    """Return the rows of the table; times are the best over seeds and memory the most, with ratios to one process."""
    rows = []
    for graph, model in dict.fromkeys((pair["graph"], pair["model"]) for pair in stored):
        pairs = [pair for pair in stored if (pair["graph"], pair["model"]) == (graph, model)]
        one, two = ([pair["runs"][str(devices)] for pair in pairs] for devices in DEVICES)
        aucs = [[run["auc"] for run in runs] for runs in (one, two)]
        mean, spread, noise = differences(*aucs)
        row = [graph, model, _range([run["epochs"] for run in one + two]), str(len(pairs))]
        row += [f"{statistics.mean(values):.4f} ± {_deviation(values):.4f}" for values in aucs]
        row += [f"{mean:+.4f} ± {spread:.4f}", f"{abs(mean) / noise:.2f} x"]
        row.append(f"{mean * math.sqrt(len(pairs)) / spread:+.1f}" if spread else "-")
        for key, unit, size, summary in (("seconds", "s", 1.0, min), ("memory", "GiB", 2.0**30, max)):
            first, second = (summary(run[key] for run in runs) / size for runs in (one, two))
            row += [f"{first:.2f} {unit}", f"{second:.2f} {unit} ({second / first:.2f} x)"]
        rows.append(row)
    return rows


def markdown() -> list[str]:
    """Return the stored measurements as a section of the page of benchmarks."""
    if not RESULTS.exists():
        return []
    stored = json.loads(RESULTS.read_text())
    busiest, epochs = max(pair["load"] for pair in stored), _range([pair["epochs"] for pair in stored])
    return [
        "",
        "## Two processes beside one",
        "",
        f"By `python -m benchmarks.devices GRAPH --model NAME --epochs {epochs} --update`: `train --devices 2` and",
        f"`--devices 1` in turn, with the defaults of every model, dropout among them, and {THREADS} threads in all. A",
        "seed has the same split with both; what dropout draws differs. The difference is the mean over seeds with its",
        "deviation, and beside it is how large that mean is compared with the deviation over the seeds of one process.",
        "The t statistic of the pairs is stricter, as a split is the same in a pair: with 3 seeds chance takes it",
        "beyond 4.3 in one of 20 cases, and what is beyond needs more seeds before it is called noise.",
        "Time is the best of the seeds, with the start of the processes in it. Memory adds the peaks of the processes;",
        "pages that they share count in each. Training was cut short at these epochs: no AUC here is a model's result.",
        *filter(None, [busy_note({"load": busiest})]),
        *(["Then the ratios of times say little."] if busy_note({"load": busiest}) else []),
        "",
        *markdown_table(COLUMNS, rows_of(stored), right=range(2, len(COLUMNS))),
    ]


def _range(values: list[int]) -> str:
    return "-".join(str(value) for value in sorted({min(values), max(values)}))


def main() -> None:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.devices", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("graphs", nargs="*", default=["cora"])
    parser.add_argument("--model", action="append", metavar="NAME", help=f"{', '.join(MODELS)} by default")
    parser.add_argument("--seed", type=int, action="append", metavar="N", help="0, 1 and 2 by default")
    parser.add_argument("--epochs", type=int, default=1000, help="stop a run after so many")
    parser.add_argument("--update", action="store_true", help="put what is measured into the stored results")
    options = parser.parse_args()
    old = json.loads(RESULTS.read_text()) if RESULTS.exists() and options.update else []
    print(*COLUMNS, sep=" | ")
    for graph in options.graphs:
        for model in options.model or MODELS:
            found = []
            for pair in compare(graph, model, options.seed or SEEDS, options.epochs):
                found.append(pair)
                old = replaced(old, [pair])
                if options.update:
                    RESULTS.write_text(json.dumps(old, indent=1) + "\n")
            print(*rows_of(found)[0], sep=" | ", flush=True)


if __name__ == "__main__":
    main()
