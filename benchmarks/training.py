"""Training: where its time goes, and a layer of message passing beside PyTorch Geometric's and PyTorch's own.

Run from the repository: python -m benchmarks.training [GRAPH...] [--model NAME] [--epochs N] [--update]
"""

import argparse
import json
import multiprocessing
import resource
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.report import markdown_table

RESULTS = Path(__file__).parent / "training.json"
REPEATS = 15
CHANNELS = 256
OWN = ("recolouring", "signals", "encode", "decode", "backward", "optimiser")  # the parts that are the model's own
WAYS = ("edgeorbit", "PyG, scatter over edges", "PyG, torch.sparse CSR")


class Clock:
    """Adds up the time spent in each part; a part that is called by another is not counted there too."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.calls: Counter[str] = Counter()
        self._running: list[str] = []
        self._since = time.perf_counter()

    def _turn(self) -> None:
        now = time.perf_counter()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now

    def timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, counted as a part."""

        def wrapped(*arguments: Any, **options: Any) -> Any:
            self._turn()
            self._running.append(part)
            self.calls[part] += 1
            try:
                return function(*arguments, **options)
            finally:
                self._turn()
                self._running.pop()

        return wrapped

    @contextmanager
    def watching(self, parts: dict[str, list[tuple[Any, str]]]) -> Iterator[None]:
        """Count calls of functions, given as an owner and a name, while the block runs."""
        patches = [
            patch.object(owner, name, self.timed(part, getattr(owner, name)))
            for part, functions in parts.items()
            for owner, name in functions
        ]
        for one in patches:
            one.start()
        try:
            yield
        finally:
            for one in patches:
                one.stop()


def median_seconds(function: Callable[[], Any]) -> float:
    """Return the median time of a call, after a first one that does not count."""
    function()
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        function()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def measure_layer(name: str) -> dict[str, Any]:
    """Measure a GCN layer, forward and backward, on one graph with three ways to pass messages."""
    import torch
    from torch_geometric.nn import GCNConv

    from edgeorbit import split
    from edgeorbit.models.encoders import GCNLayer
    from edgeorbit.models.neural.inputs import Inputs

    graph = split(name).graph
    inputs, edge_index = Inputs.of(graph), torch.from_numpy(graph.edge_index)
    rows = torch.tensor(graph.indptr), torch.tensor(graph.indices).long(), torch.ones(len(graph.indices))
    adjacency = torch.sparse_csr_tensor(*rows, size=(graph.num_nodes,) * 2)
    ours, theirs = GCNLayer(CHANNELS, CHANNELS), GCNConv(CHANNELS, CHANNELS)
    hidden = torch.randn(graph.num_nodes, CHANNELS, requires_grad=True)
    calls = (
        lambda: ours(hidden, inputs).sum().backward(),
        lambda: theirs(hidden, edge_index).sum().backward(),
        lambda: theirs(hidden, adjacency).sum().backward(),
    )
    seconds = {way: median_seconds(call) for way, call in zip(WAYS, calls, strict=True)}
    return {"graph": name, "seconds": seconds}


def measure_run(name: str, model: str, epochs: int) -> dict[str, Any]:
    """Train a model, and measure how long each part of training takes; memory is that of the whole process."""
    import torch

    from edgeorbit.data.negatives import NegativeSampler
    from edgeorbit.graph.removal import EdgeRemover
    from edgeorbit.models.eo_gnn.model import EOGNNNetwork, OrbitEncoder
    from edgeorbit.prediction import LinkPredictor
    from edgeorbit.training import loop

    def fit(graph: str, limit: int) -> LinkPredictor:
        return LinkPredictor(model, training={"epochs": limit}).fit(graph)

    network = type(fit("karate", 1).model.network)  # type: ignore[attr-defined]  # compiles what is not yet
    parts: dict[str, list[tuple[Any, str]]] = {
        "hiding target links": [(EdgeRemover, "without")],
        "negatives": [(NegativeSampler, "sample")],
        "recolouring": [(OrbitEncoder, "find_orbits")],
        "signals": [(EOGNNNetwork, "find_signals")],
        "encode": [(network, "encode")],
        "decode": [(network, "decode")],
        "backward": [(torch.Tensor, "backward")],
        "optimiser": [(torch.optim.Adam, "step"), (torch.nn.utils, "clip_grad_norm_")],
        "validation": [(loop, "evaluate_part")],
        "all else": [(LinkPredictor, "fit")],
    }
    clock = Clock()
    with clock.watching(parts):
        trained = fit(name, epochs).info["training_result"]
    return {
        "graph": name,
        "model": model,
        "epochs": trained["history"][-1]["epoch"],
        "steps": clock.calls["hiding target links"],
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "parts": {part: clock.seconds[part] for part in parts},
    }


def layer_rows(layers: list[dict[str, Any]]) -> list[list[str]]:
    """Return the rows of the table of layers: a graph, and for each way the time and how it compares with ours."""
    return [
        [layer["graph"]]
        + [
            f"{1000 * layer['seconds'][way]:.1f} ms ({layer['seconds'][way] / layer['seconds'][WAYS[0]]:.1f} x)"
            for way in WAYS
        ]
        for layer in layers
    ]


def run_rows(runs: list[dict[str, Any]]) -> list[list[str]]:
    """Return the rows of the table of runs."""
    rows = []
    for run in runs:
        whole = sum(run["parts"].values())
        shares = ", ".join(
            f"{part} {value / whole:.0%}" for part, value in run["parts"].items() if value > 0.005 * whole
        )
        outside = 1 - sum(run["parts"].get(part, 0) for part in OWN) / whole
        row = [
            run["graph"],
            run["model"],
            f"{whole:.1f} s",
            str(run["epochs"]),
            f"{1000 * whole / run['steps']:.1f} ms",
        ]
        rows.append([*row, f"{outside:.0%}", f"{run['memory'] / 2**30:.1f} GiB", shares])
    return rows


LAYER_COLUMNS = ["graph", *WAYS]
RUN_COLUMNS = [
    "graph",
    "model",
    "run",
    "epochs",
    "a step",
    "outside the model",
    "process memory",
    "where the time goes",
]


def markdown() -> list[str]:
    """Return the stored measurements as a section of the page of benchmarks."""
    if not RESULTS.exists():
        return []
    stored = json.loads(RESULTS.read_text())
    return [
        "",
        "## Training",
        "",
        "By `python -m benchmarks.training GRAPH... --model NAME --update`, every measurement in a process of its own.",
        f"A GCN layer of {CHANNELS} channels, forward and backward, median of {REPEATS} (beside edgeorbit's):",
        "",
        *markdown_table(LAYER_COLUMNS, layer_rows(stored["layers"]), right=range(1, len(LAYER_COLUMNS))),
        "",
        "A run with the defaults, early stopping included where the epochs did not end it. The model's own time is",
        f"{', '.join(OWN)}; encoding and decoding for validation count there too.",
        "",
        *markdown_table(RUN_COLUMNS, run_rows(stored["runs"]), right=range(2, len(RUN_COLUMNS) - 1)),
    ]


def replaced(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return old measurements, with those in their place that were made again."""
    found = {(one["graph"], one.get("model")): one for one in [*old, *new]}
    return list(found.values())


def main() -> None:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("graphs", nargs="*", default=["cora"])
    parser.add_argument("--model", action="append", metavar="NAME", help="a model with weights; gcn by default")
    parser.add_argument("--epochs", type=int, default=1000, help="stop a run after so many")
    parser.add_argument("--update", action="store_true", help="put what is measured into the stored results")
    options = parser.parse_args()
    layers, runs = [], []
    for name in options.graphs:
        layers.append(in_a_process(measure_layer, name))
        print(*layer_rows(layers)[-1], sep=" | ")
        for model in options.model or ["gcn"]:
            runs.append(in_a_process(measure_run, name, model, options.epochs))
            print(*run_rows(runs)[-1], sep=" | ", flush=True)
    if options.update:
        old = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"layers": [], "runs": []}
        stored = {"layers": replaced(old["layers"], layers), "runs": replaced(old["runs"], runs)}
        RESULTS.write_text(json.dumps(stored, indent=1) + "\n")


def in_a_process(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns that is called in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


if __name__ == "__main__":
    main()
