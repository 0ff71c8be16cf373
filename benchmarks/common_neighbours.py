"""Epochs of NCN and NCNC beside a plain version of the same maths with PyTorch Geometric and torch.sparse.

Run from the repository: python -m benchmarks.common_neighbours [GRAPH...] [--model NAME] [--update]
"""

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

from benchmarks.memory import peak_memory
from benchmarks.report import markdown_table
from benchmarks.training import in_a_process, replaced

RESULTS = Path(__file__).parent / "common_neighbours.json"
# Batches of the published commands, so that times can be laid beside those of the original implementation.
BATCHES = {"cora": 1152, "citeseer": 384, "pubmed": 2048, "ogbl-ddi": 24576}
# Seconds of an epoch of the original with its compiled extensions, on a machine with two cores like the one used here.
ORIGINAL = {("cora", "ncn"): 0.64, ("citeseer", "ncn"): 3.3, ("pubmed", "ncn"): 12.7, ("ogbl-ddi", "ncn"): 420.0}
ORIGINAL |= {("cora", "ncnc"): 1.2, ("citeseer", "ncnc"): 5.6, ("pubmed", "ncnc"): 35.0}
FINAL_LAYERS = {"cora": 1, "pubmed": 1}  # as published; two elsewhere
SETTINGS = {"num_layers": 1, "edge_dropout": 0.0}  # as published for these graphs; the plain version drops no edges
COLUMNS = ["graph", "model", "batch", "edgeorbit", "plain PyTorch", "memory", "memory, plain", "original"]


def measure(graph: str, model: str, ours: bool, limit: float) -> dict[str, Any]:
    """Return the seconds of an epoch and the memory that it takes; a long one is estimated from some of its steps."""
    import numpy as np
    import torch

    from edgeorbit import split
    from edgeorbit.graph.removal import EdgeRemover
    from edgeorbit.models import make_model
    from edgeorbit.models.neural.inputs import Inputs, prepare_features

    def steps_of(name: str, batch: int) -> Any:
        training = split(name).graph
        made: Any = make_model(model, **SETTINGS, final_layers=FINAL_LAYERS.get(name, 2))
        network: Any = made.build(training, 0)
        features = prepare_features(training)
        if not ours:
            from benchmarks.plain_ncn import PlainNCN

            dense = training.x if isinstance(training.x, np.ndarray) else training.x.toarray()
            features = torch.tensor(np.asarray(dense), dtype=torch.float32)
            network = PlainNCN(features.shape[1], made.settings)
        optimizer = torch.optim.Adam(network.parameters(), lr=0.001)
        remover, rng = EdgeRemover(training), np.random.default_rng(0)
        positives = rng.permutation(training.edges.astype(np.int64))
        for low in range(0, len(positives), batch):
            hidden = positives[low : low + batch]
            pairs = torch.from_numpy(np.concatenate([hidden, rng.integers(0, training.num_nodes, hidden.shape)]))
            left = remover.without(hidden)
            given: Any = (Inputs.of(left, features),) if ours else (features, torch.tensor(left.edge_index))
            optimizer.zero_grad()
            embedding = network.encode(*given)
            logits = network.decode(embedding, *(given if ours else given[1:]), pairs)
            label = (torch.arange(len(pairs)) < len(hidden)).float()
            torch.nn.functional.binary_cross_entropy_with_logits(logits, label).backward()
            optimizer.step()
            yield math.ceil(len(positives) / batch)

    for _ in steps_of("karate", 64):
        pass  # compiles and loads what is needed
    seconds, number, total = 0.0, 0, 0
    steps = steps_of(graph, BATCHES[graph])
    total = next(steps)  # the first step brings the data into memory
    with peak_memory() as peak:
        begun = time.perf_counter()
        for _ in steps:
            number += 1
            seconds = time.perf_counter() - begun
            if seconds > limit:
                break
    return {"seconds": seconds * total / max(number, 1), "steps": number, "memory": peak.grown}


def rows_of(stored: list[dict[str, Any]]) -> list[list[str]]:
    """Return the rows of the table."""
    rows = []
    for one in stored:
        ours, plain = one["ours"], one["plain"]
        original = ORIGINAL.get((one["graph"], one["model"]))
        times = [f"{ours['seconds']:.2f} s", _beside(plain["seconds"], ours["seconds"], "s")]
        memory = [f"{part['memory'] / 2**20:,.0f} MiB" for part in (ours, plain)]
        told = "" if original is None else _beside(original, ours["seconds"], "s")
        rows.append([one["graph"], one["model"], str(BATCHES[one["graph"]]), *times, *memory, told])
    return rows


def _beside(value: float, ours: float, unit: str) -> str:
    return f"{value:.2f} {unit} ({value / ours:.1f} x)"


def markdown() -> list[str]:
    """Return the stored measurements as a section of the page of benchmarks."""
    if not RESULTS.exists():
        return []
    return [
        "",
        "## NCN and NCNC",
        "",
        "By `python -m benchmarks.common_neighbours --update`: an epoch with hiding target links, forward, backward",
        "and optimiser, beside the same maths with PyTorch Geometric and torch.sparse; 256 channels, one layer, all",
        "threads. Memory is what the steps take beside the data. The last column is what was once measured for the",
        "original implementation with its compiled extensions, on another machine of two cores: for orientation only.",
        "",
        *markdown_table(COLUMNS, rows_of(json.loads(RESULTS.read_text())), right=range(2, len(COLUMNS))),
    ]


def main() -> None:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.common_neighbours", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("graphs", nargs="*", default=["cora", "citeseer", "pubmed"], choices=list(BATCHES))
    parser.add_argument("--model", action="append", choices=["ncn", "ncnc"], help="one of the two; both by default")
    parser.add_argument("--limit", type=float, default=60, help="seconds after which an epoch is estimated")
    parser.add_argument("--update", action="store_true", help="put what is measured into the stored results")
    options = parser.parse_args()
    found = []
    for graph in options.graphs:
        for model in options.model or ["ncn", "ncnc"]:
            pair = [in_a_process(measure, graph, model, ours, options.limit) for ours in (True, False)]
            found.append({"graph": graph, "model": model, "ours": pair[0], "plain": pair[1]})
            print(*rows_of(found[-1:])[0], sep=" | ", flush=True)
    if options.update:
        old = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
        RESULTS.write_text(json.dumps(replaced(old, found), indent=1) + "\n")


if __name__ == "__main__":
    main()
