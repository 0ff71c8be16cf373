"""Training on a graph of millions of links: a step's time, page faults and memory, beside an older code and PyG.

A step is measured by what the trainer reports, so that any version of the package can be: give the folder of another
version's sources by --peer. An epoch's time is that of some steps, scaled to all its links.

Run from the repository: python -m benchmarks.training_scale GRAPH [--model NAME] [--peer FOLDER] [--update]
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.report import markdown_table

RESULTS = Path(__file__).parent / "training_scale.json"
ROOT = Path(__file__).resolve().parent.parent
THREADS, WARM_UP, STEPS = 2, 3, 8
MODELS = ("gcn", "sage", "eo-gnn", "ncn", "buddy")
PYG = "PyG, torch.sparse"
COLUMNS = [
    "graph",
    "model",
    "code",
    "links a step",
    "a step",
    "CPU",
    "page faults a step",
    "peak memory",
    "an epoch",
    "CPU of it",
]


class EnoughError(Exception):
    """All steps are measured."""


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Train some steps in this process, and return what one takes."""
    import torch

    torch.set_num_threads(THREADS)
    graph = _graph(job["graph"])
    marks: list[tuple[float, float, int]] = []

    def mark(*_: Any) -> None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        marks.append((time.perf_counter(), usage.ru_utime + usage.ru_stime, usage.ru_minflt))
        if len(marks) > job["warm_up"] + job["steps"]:
            raise EnoughError

    links, steps = (_train_pyg if job["code"] == PYG else _train)(graph, job, mark)
    kept = marks[job["warm_up"] :]
    seconds, cpu, faults = ([after[i] - before[i] for before, after in pairwise(kept)] for i in range(3))
    return job | {
        "links": links,
        "steps_of_epoch": steps,
        "seconds": statistics.median(seconds),
        "cpu": statistics.median(cpu),
        "faults": statistics.median(faults),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def _graph(name: str) -> Any:
    """Return the training graph of a file of edges or a data set, with degrees as features if it has none."""
    import numpy as np

    import edgeorbit
    from edgeorbit.graph.graph import Graph

    if name.endswith(".npz"):
        graph = Graph.from_edges(np.load(name)["edges"])
    elif Path(name).exists():
        graph = edgeorbit.read_graph(name)
    else:
        return edgeorbit.split(name).graph
    held = np.random.default_rng(100).random(graph.num_edges) < 0.2
    known = Graph.from_edges(graph.edges[~held], num_nodes=graph.num_nodes)
    return known.with_attributes(x=known.degree[:, None].astype(np.float32), name=Path(name).name.split("-")[0])


def _train(graph: Any, job: dict[str, Any], mark: Any) -> tuple[int, int]:
    import numpy as np

    from edgeorbit.data.splits.split import LinkSplit, Negatives
    from edgeorbit.models import make_model, resolve_model
    from edgeorbit.training.loop import Trainer
    from edgeorbit.training.settings import TrainingSettings

    pairs = np.array([[0, 1]])
    preset = resolve_model(job["model"]).preset_for(graph.name)
    settings = {**preset.settings, **job["settings"]}
    training = {**preset.training, **job["training"]}
    trainer = Trainer(
        make_model(job["model"], **settings),
        LinkSplit(graph, pairs, pairs),
        Negatives("random", pairs, pairs),
        TrainingSettings(**training),
        report=mark,
        seed=100,
    )
    with suppress(EnoughError):
        trainer.train()
    return trainer.batch_size, trainer.steps


def _train_pyg(graph: Any, job: dict[str, Any], mark: Any) -> tuple[int, int]:
    """Train the same network of PyG's layers: torch.sparse messages on all nodes, the links of a batch hidden."""
    import numpy as np
    import torch
    from torch import nn
    from torch_geometric.nn import GCNConv, SAGEConv

    conv = {"gcn": GCNConv, "sage": SAGEConv}[job["model"]]
    layers = job["settings"].get("num_layers", 1)
    width, edges = 256, torch.from_numpy(graph.edges.astype(np.int64))
    torch.manual_seed(100)
    norms = [nn.LayerNorm(width) if number else nn.Identity() for number in range(layers)]
    convs = nn.ModuleList(conv(width if number else graph.x.shape[1], width) for number in range(layers))
    head = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Dropout(0.3), nn.Linear(width, 1))
    every = nn.ModuleList([*norms, convs, head])
    optimizer = torch.optim.Adam(every.parameters(), lr=0.005, fused=True)
    x, num_links = torch.from_numpy(graph.x), max(16_384, len(edges) // 64)
    while True:
        chosen = torch.randperm(len(edges))[:num_links]
        left = torch.ones(len(edges), dtype=torch.bool)
        left[chosen] = False
        both = torch.cat([edges[left], edges[left].flip(1)]).T
        ones = torch.ones(both.shape[1])
        adjacency = torch.sparse_coo_tensor(both, ones, (graph.num_nodes,) * 2).to_sparse_csr()
        hidden = x
        for number, (layer, norm) in enumerate(zip(convs, norms, strict=True)):
            hidden = norm(layer(torch.relu(hidden) if number else hidden, adjacency))
            hidden = nn.functional.dropout(hidden, 0.3)
        pairs = torch.cat([edges[chosen], torch.randint(graph.num_nodes, (num_links, 2))])
        logits = head(hidden[pairs[:, 0]] * hidden[pairs[:, 1]]).squeeze(1)
        label = (torch.arange(len(pairs)) < num_links).float()
        optimizer.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(logits, label).backward()
        torch.nn.utils.clip_grad_norm_(every.parameters(), 1.0)
        optimizer.step()
        try:
            mark()
        except EnoughError:
            return num_links, -(-len(edges) // num_links)


def in_a_process(job: dict[str, Any], sources: Path) -> dict[str, Any]:
    """Measure in a process of its own, with the package of some folder."""
    environment = os.environ | {"PYTHONPATH": f"{sources}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": str(THREADS)}
    command = [sys.executable, "-m", "benchmarks.training_scale", "--job", json.dumps(job)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def rows(runs: list[dict[str, Any]]) -> list[list[str]]:
    """Return the rows of the table; where another code was measured, its time beside ours."""
    ours = {_key(run): run for run in runs if run["code"] == "edgeorbit"}
    found = []
    for run in runs:
        own = ours.get(_key(run))
        epochs = []
        for unit in ("seconds", "cpu"):
            epoch = run[unit] * run["steps_of_epoch"]
            beside = "" if own in (None, run) else f" ({epoch / (own[unit] * own['steps_of_epoch']):.1f} x)"
            epochs.append(f"{epoch:,.0f} s{beside}")
        options = ", ".join(f"{name} {value}" for name, value in {**run["settings"], **run["training"]}.items())
        found.append(
            [
                *(
                    run["graph"],
                    f"{run['model']}{f' ({options})' if options else ''}",
                    run["code"],
                    f"{run['links']:,}",
                ),
                *(f"{run['seconds']:.2f} s", f"{run['cpu']:.2f} s", f"{run['faults']:,.0f}"),
                *(f"{run['memory'] / 2**30:.1f} GiB", *epochs),
            ]
        )
    return found


def _key(run: dict[str, Any]) -> str:
    return json.dumps([run["graph"], run["model"], run["settings"], run["training"]])


def markdown() -> list[str]:
    """Return the stored measurements as a section of the page of benchmarks."""
    if not RESULTS.exists():
        return []
    return [
        "",
        "## Training on large graphs",
        "",
        "By `python -m benchmarks.training_scale GRAPH --peer FOLDER --update`, every measurement in a process of its",
        f"own, codes in turns, {THREADS} threads: the median of some steps after two others; an epoch is that, times",
        "its steps. Degrees are the features. `before` is the code of 0.2, which passed messages on all nodes in every",
        f"step; `{PYG}` is the same network of PyG's layers. Beside their epochs: how many times as long as ours.",
        "CPU is that of both threads, user and system. The machine was busy with other work, so that times differ from",
        "run to run by far more than CPU does.",
        "",
        *markdown_table(COLUMNS, rows(json.loads(RESULTS.read_text())), right=range(3, len(COLUMNS))),
    ]


def main() -> None:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training_scale", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("graph", nargs="?", help="a file of edges, or a data set")
    parser.add_argument("--name", help="of the graph in the table")
    parser.add_argument("--model", action="append", metavar="NAME", help=f"by default {', '.join(MODELS)}")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the model")
    parser.add_argument("--train", action="append", default=[], metavar="NAME=VALUE", help="a setting of training")
    parser.add_argument("--peer", type=Path, metavar="FOLDER", help="the sources of another version")
    parser.add_argument("--pyg", action="store_true", help="measure PyG, too")
    parser.add_argument("--only-peers", action="store_true", help="measure no code of ours")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--warm-up", type=int, default=WARM_UP)
    parser.add_argument("--update", action="store_true", help="put what is measured into the stored results")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        job = json.loads(options.job)
        print(json.dumps(measure(job) | {"graph": job["name"]}))
        return
    codes = {} if options.only_peers else {"edgeorbit": ROOT / "src"}
    codes |= {"before": options.peer} if options.peer else {}
    codes |= {PYG: ROOT / "src"} if options.pyg else {}
    runs = []
    for model in options.model or MODELS:
        for code, sources in codes.items():
            job = {"graph": options.graph, "name": options.name or options.graph, "model": model, "code": code}
            job |= {"settings": _values(options.set), "training": _values(options.train)}
            runs.append(in_a_process(job | {"steps": options.steps, "warm_up": options.warm_up}, sources))
            print(*rows(runs)[-1], sep=" | ", flush=True)
    if options.update:
        old = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
        stored = {(_key(run), run["code"]): run for run in [*old, *runs]}
        RESULTS.write_text(json.dumps(list(stored.values()), indent=1) + "\n")


def _values(given: list[str]) -> dict[str, Any]:
    return {name: json.loads(value) for name, _, value in (one.partition("=") for one in given)}


if __name__ == "__main__":
    main()
