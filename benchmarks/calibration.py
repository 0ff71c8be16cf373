"""Are the probabilities of predicted links true? Hidden links of eight graphs say; writes docs/calibration.md.

python -m benchmarks.calibration --seeds 0 1 2          runs what is missing in benchmarks/calibration.json
python -m benchmarks.calibration --page                 writes the page alone
"""

import argparse
import json
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from edgeorbit import Graph, LinkPredictor, load
from edgeorbit._files import atomic_path
from edgeorbit._randomness import Random
from edgeorbit.evaluation.calibration import brier_score, expected_calibration_error, sigmoid
from edgeorbit.graph.node_pairs import are_among, pair_keys

GRAPHS = ["NS", "Power", "Router", "USAir", "Yeast", "Celegans", "PB", "Ecoli"]
MODELS = ["ra", "ppr", "gcn"]
HIDDEN = 0.158  # of all links: of the others as many for each as validation links for each training link, 15 to 80
RARE = 3  # in the second future only every third of them comes true
TOP = 200
TRAINING = {"epochs": 40, "patience": 4, "batch_size": 1024, "learning_rate": 0.01}
HERE = Path(__file__).parent
RESULTS, PAGE = HERE / "calibration.json", HERE.parent / "docs" / "calibration.md"
GOAL, QUARTER = 0.1, 0.25

Row = dict[str, Any]


def measure(name: str, model: str, seed: int) -> Row:
    """Hide links of a graph, predict on the rest, and compare the list with what was hidden."""
    graph = load(name)
    edges = graph.edges.astype(np.int64)
    order = Random(seed, "links of the future").permutation(len(edges))
    number = round(HIDDEN * len(edges))
    hidden, known = edges[order[:number]], edges[order[number:]]
    network = model in ("gcn", "eo-gnn")
    settings = {"settings": {"hidden_channels": 32}, "training": TRAINING} if network else {}
    predictor = LinkPredictor(model, seed=seed, **settings)
    predictor.fit(Graph.from_edges(known, graph.num_nodes, name=name), features="constant")
    tested = predictor.backtest()
    found = predictor.predict(TOP, probability=True)
    listed = pair_keys(*np.asarray(found.pairs, np.int64).T, graph.num_nodes)
    true, rarer = (
        are_among(listed, np.sort(pair_keys(*links.T, graph.num_nodes))) for links in (hidden, hidden[::RARE])
    )
    row: Row = {
        "graph": name,
        "model": model,
        "seed": seed,
        "precision": float(true.mean()),
        "sigmoid": expected_calibration_error(sigmoid(found.scores), true),
        "backtest": tested.model_dump(exclude={"reliability"}),
        "reliability": None if tested.reliability is None else tested.reliability.model_dump(exclude={"curve"}),
        "why": found.meaning,
    }
    if found.probability is None:
        return row
    told = predictor.predict(TOP, probability=True, missing=len(hidden) / RARE).probability
    return row | {
        "method": predictor.calibrate().method,
        "mean": float(found.probability.mean()),
        "ece": expected_calibration_error(found.probability, true),
        "brier": brier_score(found.probability, true),
        "rare": expected_calibration_error(found.probability, rarer),
        "rare_told": expected_calibration_error(told, rarer),
    }


def page(rows: list[Row]) -> str:
    """Return the page of some results."""
    calibrated = [row for row in rows if "ece" in row]
    seeds = sorted({row["seed"] for row in rows})
    low = sum(row["ece"] < GOAL for row in calibrated)
    quarter = sum(row["ece"] < QUARTER * row["sigmoid"] for row in calibrated)
    networks = [row for row in calibrated if row["model"] not in ("ra", "ppr")]
    lines = [
        "# Probabilities and backtests on eight graphs",
        "",
        "<!-- Written by `python -m benchmarks.calibration`; do not edit. -->",
        "",
        f"Of every graph {HIDDEN:.1%} of the links are hidden before anything else is done: the future. The rest is "
        f"split 80/15/5, a model is fitted, and the {TOP} likeliest links of `predict` are compared with the hidden "
        f"ones (constant features, seeds {', '.join(map(str, seeds))}; gcn has 32 channels and at most "
        f"{TRAINING['epochs']} epochs). ECE is the expected calibration error over ten bins; that of the sigmoid "
        "takes the sigmoid of the score for a probability.",
        "",
        f"- ECE below {GOAL} in {low} of {len(calibrated)} runs; below a quarter of the sigmoid's in {quarter} of "
        f"{len(calibrated)}"
        + (
            f", of the networks alone in {sum(row['ece'] < QUARTER * row['sigmoid'] for row in networks)} of "
            f"{len(networks)}."
            if networks
            else "."
        ),
        f"- Mean ECE {mean(row['ece'] for row in calibrated):.3f}, of the sigmoid "
        f"{mean(row['sigmoid'] for row in calibrated):.3f}.",
        f"- {len(rows) - len(calibrated)} of {len(rows)} runs have too few held-out links among the candidates and "
        "get no probabilities.",
        f"- If only every third of the hidden links comes true, mean ECE is "
        f"{mean(row['rare'] for row in calibrated):.3f}, and with `--missing` and their number "
        f"{mean(row['rare_told'] for row in calibrated):.3f}: how many links are missing cannot be learned from a "
        "graph.",
        "",
        "| graph | model | seeds | precision | mean probability | ECE | largest ECE | ECE of the sigmoid | Brier |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, model, group in _groups(rows):
        shown = [row for row in group if "ece" in row]
        cells = [f"{mean(row['precision'] for row in group):.3f}"]
        if shown:
            cells += [f"{mean(row[key] for row in shown):.3f}" for key in ("mean", "ece")]
            cells += [f"{max(row['ece'] for row in shown):.3f}"]
        else:
            cells += ["too few links", "-", "-"]
        cells += [f"{mean(row['sigmoid'] for row in group):.3f}"]
        cells += [f"{mean(row['brier'] for row in shown):.3f}" if shown else "-"]
        lines.append(f"| {name} | {model} | {len(group)} | {' | '.join(cells)} |")
    lines += [
        "",
        "## Backtests",
        "",
        "`edgeorbit backtest` on the same runs: the model sees the training edges alone, and its list is compared with "
        "the test links (5 % of the links that are not hidden). The heuristic is the one of "
        f"{', '.join(('cn', 'aa', 'ra', 'jaccard', 'katz', 'ppr'))} with the best list on validation links. The last "
        "column is the ECE of the first 500 against test links.",
        "",
        "| graph | model | test links | precision@10 | @50 | @100 | @500 | recall@500 | heuristic@100 | chance | ECE |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, model, group in _groups(rows):
        tests = [row["backtest"] for row in group]
        cells = [f"{mean(test['test_links'] for test in tests):.0f}"]
        for place in range(4):
            cells.append(f"{mean(test['model']['at'][place]['precision'] for test in tests):.3f}")
        cells.append(f"{mean(test['model']['at'][3]['recall'] for test in tests):.3f}")
        cells.append(f"{mean(test['heuristic']['at'][2]['precision'] for test in tests):.3f}")
        cells.append(f"{mean(test['chance'] for test in tests):.5f}")
        told = [row["reliability"]["ece"] for row in group if row["reliability"] is not None]
        cells.append(f"{mean(told):.3f}" if told else "-")
        lines.append(f"| {name} | {model} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _groups(rows: list[Row]) -> list[tuple[str, str, list[Row]]]:
    """Return the rows of every graph and model."""
    models = dict.fromkeys([*MODELS, *(row["model"] for row in rows)])
    found = [
        (name, model, [row for row in rows if (row["graph"], row["model"]) == (name, model)])
        for name in GRAPHS
        for model in models
    ]
    return [each for each in found if each[2]]


def main() -> None:
    """Run what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", nargs="+", default=GRAPHS)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--output", type=Path, default=PAGE)
    parser.add_argument("--page", action="store_true", help="write the page of what there is")
    given = parser.parse_args()
    rows: list[Row] = json.loads(given.results.read_text()) if given.results.exists() else []
    known = {(row["graph"], row["model"], row["seed"]) for row in rows}
    wanted = [(name, model, seed) for model in given.models for seed in given.seeds for name in given.graphs]
    for cell in [] if given.page else wanted:
        if cell not in known:
            rows.append(measure(*cell))
            print(*cell, *(f"{key} {rows[-1].get(key)}" for key in ("precision", "ece", "sigmoid")), flush=True)
            with atomic_path(given.results) as temporary:
                temporary.write_text(json.dumps(rows, indent=1) + "\n")
    with atomic_path(given.output) as temporary:
        temporary.write_text(page(rows))


if __name__ == "__main__":
    main()
