"""One cell of an experiment: a model is trained and judged by every kind of negatives."""

import time
from functools import lru_cache
from pathlib import Path
from typing import Any

from edgeorbit.data.directories import resolve_data_dir
from edgeorbit.data.negatives import sample_negatives
from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.evaluation.scoring import evaluate_part
from edgeorbit.experiments.plan import Cell
from edgeorbit.graph.graph import Graph
from edgeorbit.measures.ear import ear
from edgeorbit.models import resolve_model
from edgeorbit.prediction import LinkPredictor

MOST_SAMPLED = 8

Row = dict[str, Any]


def run_cell(cell: Cell) -> list[Row]:
    """Train and judge a model on one thread; return a row for every kind of negatives.

    The weights are those with the best validation metric on random negatives (or those that come with the data),
    whatever they are judged by in the end.
    """
    training = cell.training if resolve_model(cell.model).trainable else None
    predictor = LinkPredictor(cell.model, settings=cell.settings, training=training, seed=cell.seed, threads=1)
    begun = time.perf_counter()
    preparing = {"features_from": cell.source["features_from"]} if "features_from" in cell.source else {}
    predictor.fit(_source(cell), features=None if cell.features == "original" else cell.features, **preparing)
    seconds = time.perf_counter() - begun
    split = predictor.split
    scorer = predictor.model.on(split.graph)
    history = (predictor.info.get("training_result") or {}).get("history") or [{"epoch": 0}]
    shared: Row = {
        "key": cell.key,
        "data": cell.data,
        "features": cell.features,
        "model": cell.model,
        "seed": cell.seed,
        "seconds": seconds,
        "epochs": int(history[-1]["epoch"]),
        "train_ear": predictor.info["train_ear"],
        "colour_ear": ear(split.graph, rounds=cell.orbit_rounds, threads=1),
        "split_digest": split.digest,
    }
    rows = []
    for kind in cell.negatives:
        negatives = _negatives(split, kind, cell.seed, cell.orbit_rounds)
        found = {part: evaluate_part(scorer, split, negatives, part) for part in ("valid", "test")}
        rows.append(shared | {"negatives": kind, **_facts(negatives), **_flat(found)})
    return rows


def _flat(found: dict[str, Any], before: str = "") -> Row:
    """Return nested metrics side by side: `test_auc`, and `test_original_auc` for the original edges alone."""
    flat: Row = {}
    for name, value in found.items():
        flat |= _flat(value, f"{before}{name}_") if isinstance(value, dict) else {before + name: value}
    return flat


def _facts(negatives: Negatives) -> Row:
    """Return what is known of orbit negatives: whom they cover, and what oracles could reach."""
    known = negatives.info.get("test") if negatives.kind == "orbit" else None
    if not known:
        return {}
    bounds = known["bounds"] or {}
    ceilings = {f"bound_{name}": value["ceiling"] for name, value in bounds.items() if isinstance(value, dict)}
    return {"covered": known["covered"], **ceilings}


@lru_cache(maxsize=2)
def _made(generator: str, options: tuple[tuple[str, Any], ...]) -> Graph:
    from edgeorbit.synthetic import make

    return make(generator, **dict(options))


def _source(cell: Cell) -> Graph | Path | str:
    if "generator" in cell.source:
        return _made(cell.source["generator"], tuple(sorted(cell.source.get("options", {}).items())))
    source: str = cell.source["source"]
    within = resolve_data_dir() / source  # such as a folder of HeaRT's, which is no data set with a name
    return within if within.is_dir() else source


_sampled: dict[tuple[Any, ...], Negatives] = {}  # of the last splits: other models on the same one need the same


def _negatives(split: LinkSplit, kind: str, seed: int, orbit_rounds: int | None) -> Negatives:
    key = split.digest, kind, seed, orbit_rounds
    if key not in _sampled:
        if len(_sampled) >= MOST_SAMPLED:
            _sampled.clear()
        options = {"rounds": orbit_rounds} if kind == "orbit" else {}
        come = "official" if kind == "random" and "official" in split.negatives else kind
        _sampled[key] = sample_negatives(split, come, seed, **options)
    return _sampled[key]
