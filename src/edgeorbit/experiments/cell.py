"""One cell of an experiment: a model is trained and judged by every kind of negatives."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

from edgeorbit._files import atomic_path
from edgeorbit._memory import forget_peak
from edgeorbit._parallel import default_threads
from edgeorbit.data.negatives import sample_negatives
from edgeorbit.data.splits.split import LinkSplit, Negatives, Part
from edgeorbit.errors import GraphFormatError
from edgeorbit.evaluation.scoring import evaluate_part, score_ahead
from edgeorbit.experiments.named_graphs import features_from, find_source
from edgeorbit.experiments.plan import STATISTICS, Cell
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.source import Source
from edgeorbit.measures.ear import ear
from edgeorbit.models import resolve_model
from edgeorbit.prediction import LinkPredictor
from edgeorbit.prediction.result import Judged, Result
from edgeorbit.prediction.run_directory import CHECKPOINT, INFO
from edgeorbit.training.settings import shared_training

RUN = "run"  # of a cell's directory, the run as `edgeorbit train` keeps it
MOST_SAMPLED = 8

# HeaRT's negatives are 500 of each link: those of validation links would be three quarters of the work of judging, and
# nothing is chosen by them.
PARTS: tuple[Part, ...] = ("valid", "test")
PARTS_OF: dict[str, tuple[Part, ...]] = {"heart": ("test",)}

Row = dict[str, Any]


@default_threads(1)
def run_cell(cell: Cell, directory: Path | None = None) -> list[Row]:
    """Train and judge a model on one thread; return a row for every kind of negatives.

    The weights are those with the best validation metric on random negatives (or those that come with the data),
    whatever they are judged by in the end.

    Parameters
    ----------
    cell
        The run.
    directory
        Where a model with weights leaves checkpoints: a run that was killed resumes from there, with the same result.
    """
    if cell.model == STATISTICS:
        return [_measure_graph(cell)]
    forget_peak()
    predictor = _fit(cell, directory)
    fitted = time.perf_counter()
    split = predictor.split
    sampled = {kind: _negatives(split, kind, cell) for kind in cell.negatives}
    parts = {kind: PARTS_OF.get(kind, PARTS) for kind in sampled}
    asked = [(negatives, part) for kind, negatives in sampled.items() for part in parts[kind]]
    scorer = score_ahead(predictor.model.on(split.graph), split, asked)
    judged = {
        kind: Judged.of(negatives, {part: evaluate_part(scorer, split, negatives, part) for part in parts[kind]})
        for kind, negatives in sampled.items()
    }
    remarks = predictor.model.remarks(split.graph)
    result = Result.of(predictor.info, judged, seconds=predictor.seconds, remarks=remarks, synthetic=cell.is_synthetic)
    result.colour_ear = ear(split.graph, rounds=cell.orbit_rounds)
    # Tables find a run by what its file calls the graph and the features.
    named = {"key": cell.key, "data": cell.data, "features": cell.features, "model": cell.model}
    rows = [row | named for row in result.rows()]
    if cell.backtest:  # whatever negatives are, so that it stands in one row
        rows[0] |= {f"test_precision@{each.k}": each.precision for each in predictor.backtest().model.at}
    whole = (predictor.seconds or 0.0) + time.perf_counter() - fitted
    return [row | {"cell_seconds": whole} for row in rows]


def _measure_graph(cell: Cell) -> Row:
    from edgeorbit.data.loading import load_graph
    from edgeorbit.measures.summary import SUMMARY_LABELS, summarise

    begun, source = time.perf_counter(), find_source(cell)
    found = summarise(source if isinstance(source, Graph) else load_graph(source))
    seconds = time.perf_counter() - begun
    told: Row = {"key": cell.key, "data": cell.data, "features": "", "model": cell.model, "seed": cell.seed}
    return (
        told
        | {"negatives": "", "seconds": seconds, "cell_seconds": seconds}
        | {name: found[name] for name in SUMMARY_LABELS}
    )


def _fit(cell: Cell, directory: Path | None) -> LinkPredictor:
    """Fit the model; its seconds include those of an interrupted run before it."""
    model = resolve_model(cell.model)
    trainable, training = model.trainable, shared_training(model, cell.training)
    earlier = _seconds_before(directory) if directory is not None and trainable else 0.0
    output = None if directory is None or not trainable else directory / RUN
    options: dict[str, Any] = {"features": None if cell.features == "original" else cell.features}
    options |= features_from(cell)
    begun = time.perf_counter()
    while True:
        predictor = LinkPredictor(cell.model, settings=cell.settings, training=training, seed=cell.seed, threads=1)
        resuming = output is not None and output.exists()
        try:
            predictor.fit(find_source(cell), output=output, force=True, **options)
            predictor.seconds = earlier + time.perf_counter() - begun
            return predictor
        except GraphFormatError:
            if output is None or not resuming:
                raise
            shutil.rmtree(output)  # a damaged checkpoint is no reason to fail: the run begins anew
            earlier = 0.0


def _seconds_before(directory: Path) -> float:
    """Return the seconds of interrupted runs up to their last checkpoints, and note when this one begins."""
    clock = directory / "clock.json"
    try:
        said = json.loads(Source(clock).document())
        written = [directory / RUN / CHECKPOINT, directory / RUN / INFO]
        last = max((file.stat().st_mtime for file in written if file.exists()), default=0.0)
        earlier = float(said["seconds"]) + max(0.0, last - float(said["begun"]))
    except (OSError, ValueError, KeyError, TypeError):
        earlier = 0.0
    directory.mkdir(parents=True, exist_ok=True)
    with atomic_path(clock) as temporary:
        temporary.write_text(json.dumps({"seconds": earlier, "begun": time.time()}), encoding="utf-8")
    return earlier


_sampled: dict[tuple[Any, ...], Negatives] = {}  # of the last splits: other models on the same one need the same


def _negatives(split: LinkSplit, kind: str, cell: Cell) -> Negatives:
    # The features that a graph brings go with its source; those that a model is given do not matter.
    source = json.dumps([dict(cell.source), dict(cell.content)], sort_keys=True)
    key = split.digest, source, kind, cell.seed, cell.orbit_rounds, cell.exact
    if key not in _sampled:
        if len(_sampled) >= MOST_SAMPLED:
            _sampled.clear()
        options = {"rounds": cell.orbit_rounds, "exact": cell.exact} if kind == "orbit" else {}
        come = "official" if kind == "random" and "official" in split.negatives else kind
        _sampled[key] = sample_negatives(split, come, cell.seed, **options)
    return _sampled[key]
