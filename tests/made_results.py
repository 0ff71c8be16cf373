"""Results of an experiment that nobody ran: rows of every cell of a file, with numbers that follow from a seed."""

from pathlib import Path

import numpy as np

from edgeorbit.experiments.reading import read_experiment
from edgeorbit.experiments.store import Store

HOSTILE = '<script>alert("1")</script>'
EARS = (0.1, 0.4, 0.7, 1.0)

FILE = """
title = "Made up & <b>bold</b>"
seeds = {seeds}
models = {models}
negatives = ["random", "orbit"]
protocol = "one run of others & <i>another</i> split"
remarks = "gin saw <i>few</i> links"

[variants."eo-gnn without d1"]
model = "eo-gnn"
settings = {{ without = "d1" }}

[variants.'{hostile}']
model = "eo-gnn"
settings = {{ without = "d2" }}

[[data]]
name = 'Cora | {hostile}'
source = "cora"
features = ["original", "constant"]

[[data]]
name = "Citeseer"
source = "citeseer"
features = ["original", "constant"]

{synthetic}
[published.Citeseer.auc.random]
gcn = [70.0, 2.0]
eo-gnn = [91.5]
"""

SYNTHETIC = """
[[data]]
name = "syn-cora, EAR {ear}"
series = "syn-cora"
generator = "syn-cora"
options = {{ ear = {ear} }}
features = ["constant"]
"""

MODELS = ["cn", "ra", "gcn", "sage", "gin", "ncn", "eo-gnn", "eo-gnn without d1", HOSTILE]


def write_results(
    directory: Path, *, seeds: int = 7, ears: tuple[float, ...] = EARS, models: list[str] = MODELS
) -> Path:
    """Write an experiment file and its results, and return the path of the file."""
    path = directory / "made.toml"
    listed = "[" + ", ".join(f"'{name}'" for name in models) + "]"
    synthetic = "".join(SYNTHETIC.format(ear=ear) for ear in ears)
    path.write_text(FILE.format(seeds=seeds, models=listed, synthetic=synthetic, hostile=HOSTILE))
    experiment = read_experiment(path)
    draws = np.random.default_rng(0)
    skill = {name: 0.5 + 0.4 * place / len(models) for place, name in enumerate(models)}
    rows = []
    for cell in experiment.cells:
        ear = float(cell.data.split()[-1]) if "EAR" in cell.data else 0.2
        for kind in cell.negatives:
            value = skill[cell.label] - 0.1 * ear * (kind == "orbit") + draws.normal(0, 0.01)
            rows.append(
                {"key": cell.key, "data": cell.data, "features": cell.features, "model": cell.model, "seed": cell.seed}
                | {"negatives": kind, "seconds": float(10 ** draws.uniform(-2, 3)), "train_ear": ear}
                | {"split_digest": f"{cell.data} {cell.seed}", "code": "aaaa" if cell.seed else "bbbb"}
                | {"test_auc": value, "test_mrr": value / 2, "test_hits@20": value / 3}
                | ({"bound_walks": 0.9, "bound_components": 0.6 + 0.2 * ear} if kind == "orbit" else {})
            )
    store = Store(path.with_suffix(".parquet"))
    store.add(rows)
    return path
