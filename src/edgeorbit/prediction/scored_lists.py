"""The scored candidates of a run, which calibration, backtest and probabilities share; each list is scored once."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel
from edgeorbit.prediction.calibration import Calibration, Scale, fit_calibration
from edgeorbit.prediction.scanning import Scanned, scan
from edgeorbit.prediction.stored_calibration import read_calibration, run_digest, write_calibration

Progress = Callable[[int, int], None] | None
NO_LINKS = np.empty((0, 2), np.int64)


class ScoredLists:
    """Scores of candidates by one fitted model.

    Parameters
    ----------
    model, split, info, seed, threads
        Of the run.

    Attributes
    ----------
    directory : Path or None
        Where the calibration is kept.
    """

    def __init__(
        self, model: LinkModel, split: LinkSplit, info: Mapping[str, Any], seed: int, threads: int | None
    ) -> None:
        self._model, self._split, self._info = model, split, info
        self._seed, self._threads = seed, threads
        self._training: Scanned | None = None
        self._calibration: Calibration | None = None
        self.directory: Path | None = None

    def of_training(self, progress: Progress = None) -> Scanned:
        """Return the candidates of the training graph, with validation links apart."""
        if self._training is None:
            self._training = self._scan(self._split.graph, self._split.valid, progress)
        return self._training

    def calibration(self, progress: Progress = None, *, whole: bool = True) -> Calibration:
        """Return the calibration, from the directory if it is there, and write it there if it is new."""
        run = run_digest(self._info, self._model)
        found = self._calibration
        if found is None and self.directory is not None:
            found = read_calibration(self.directory, run)
        stored = found
        if found is None:
            found = fit_calibration(self.of_training(progress), self._split, run=run, seed=self._seed)
        if whole and found.whole is None and not found.too_few:
            found = found.model_copy(update={"whole": self._scale(self._split.whole, progress)})
        self._calibration = found
        if self.directory is not None and found is not stored:
            write_calibration(self.directory, found)
        return found

    def probability(
        self,
        scores: npt.NDArray[np.floating[Any]],
        *,
        other: Graph | None = None,
        training_edges_only: bool = False,
        missing: float | None = None,
        progress: Progress = None,
    ) -> tuple[npt.NDArray[np.float64] | None, str]:
        """Return the probability of links by their scores, None if there are too few to calibrate, and what it means.

        Parameters
        ----------
        scores : array of length k
            What the model gave them on the graph of all known edges.
        other
            Another graph that the model saw instead.
        training_edges_only
            Whether it saw the training edges alone.
        missing
            How many links are missing.
        """
        found = self.calibration(progress, whole=other is None and not training_edges_only)
        if found.too_few:
            return None, found.too_few
        if not len(scores):
            return np.empty(0), ""
        seen = found.train if training_edges_only else None if other is None else self._scale(other, progress)
        return found.probability(scores, missing=missing, seen=seen), found.meaning(missing, seen)

    def _scale(self, graph: Graph, progress: Progress) -> Scale:
        return Scale.of_scanned(self._scan(graph, NO_LINKS, progress), graph.num_edges)

    def _scan(self, graph: Graph, links: npt.NDArray[np.int64], progress: Progress) -> Scanned:
        scorer = self._model.on(graph)
        return scan(
            scorer,
            graph,
            links,
            embedding=scorer.embedding if hasattr(scorer, "embedding") else self._model.embed(graph),
            seed=self._seed,
            progress=progress,
            threads=self._threads,
        )
