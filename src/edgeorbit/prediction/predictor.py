"""`LinkPredictor`: fit, evaluate, predict."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from edgeorbit import __version__
from edgeorbit.data.features import node_features, num_channels
from edgeorbit.data.negatives import sample_negatives
from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError
from edgeorbit.evaluation.scoring import evaluate_part
from edgeorbit.files import check_free_directory
from edgeorbit.graph.graph import Graph
from edgeorbit.measures.ear import ear
from edgeorbit.models import make_model
from edgeorbit.models.base import LinkModel
from edgeorbit.parallel import resolve_threads
from edgeorbit.prediction.node_numbers import node_numbers
from edgeorbit.prediction.preparing import prepare_split
from edgeorbit.prediction.run_directory import (
    CHECKPOINT,
    GRAPH,
    INFO,
    SPLIT,
    WEIGHTS,
    read_info,
    read_split,
    write_info,
    write_split,
)

if TYPE_CHECKING:
    from edgeorbit.training.loop import Report
    from edgeorbit.training.settings import TrainingSettings


class Predictions(NamedTuple):
    """Pairs of nodes, by the user's own ids, and their scores."""

    pairs: npt.NDArray[Any]
    scores: npt.NDArray[np.floating[Any]]


class LinkPredictor:
    """A model, the data it is trained on, and what came out.

    Parameters
    ----------
    model
        A name of `edgeorbit.models.MODELS`.
    settings
        Settings of the model in the place of its defaults.
    training
        Settings of training (`edgeorbit.training.TrainingSettings`) in the place of its defaults.
    seed
        Decides the split, the weights, and every other random choice.
    threads
        Number of threads; by default one per core. Results are the same for the same number.

    Examples
    --------
    >>> predictor = LinkPredictor("ra").fit("karate")
    >>> sorted(predictor.evaluate()["test"])[:3]
    ['ap', 'auc', 'hits@1']
    >>> predictor.predict(top=3).pairs.shape
    (3, 2)
    """

    def __init__(
        self,
        model: str = "gcn",
        *,
        settings: Mapping[str, Any] | None = None,
        training: Mapping[str, Any] | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.model: LinkModel = make_model(model, **(settings or {}))
        self.training = _training_settings(training or {}) if self.model.trainable else None
        self.seed, self.threads = seed, resolve_threads(threads)
        self.info: dict[str, Any] = {}
        self._split: LinkSplit | None = None

    @property
    def split(self) -> LinkSplit:
        """The split that the model was fitted to."""
        if self._split is None:
            raise InvalidParameterError(f"{self.model.name} was not fitted yet; call fit first")
        return self._split

    def fit(
        self,
        source: Graph | str | os.PathLike[str],
        *,
        output: str | os.PathLike[str] | None = None,
        force: bool = False,
        report: "Report | None" = None,
        **preparing: Any,
    ) -> Self:
        """Split the edges of a graph and train the model on its training edges.

        Parameters
        ----------
        source
            A graph, or the file, directory or data set to load it from.
        output
            A directory to keep the run in. If it holds the same run already, a finished one is taken as it is, and an
            unfinished one goes on where it was interrupted.
        force
            Replace another run in that directory.
        report
            Called after every step of training.
        **preparing
            `split`, `ratios`, `features` and others of `edgeorbit.prediction.preparing.prepare_split`.
        """
        self._split = prepare_split(source, seed=self.seed, **preparing)
        self.info = self._describe(self._split)
        directory = None if output is None else Path(output)
        if directory is not None and self._take_over(directory, force):
            return self
        negatives = sample_negatives(self._split, default_negatives(self._split), self.seed)
        if self.training is not None:
            self.info["training_result"] = self._train(negatives, directory, report)
        self.info["finished"] = True
        if directory is not None:
            self._save(directory)
        return self

    @classmethod
    def load(cls, path: str | os.PathLike[str], threads: int | None = None) -> "LinkPredictor":
        """Load a run that `fit` wrote.

        Raises
        ------
        GraphFormatError
            If the directory holds no finished run, or a file of it is damaged or of another model.
        """
        directory = Path(path)
        info = read_info(directory)
        if not info.get("finished"):
            raise GraphFormatError(f"{directory}: training is not finished; give the same train command again")
        try:
            found = cls(
                info["model"],
                settings=info["settings"],
                training=info["training"],
                seed=info["seed"],
                threads=threads,
            )
            found.info, protocol = info, info["protocol"]
        except (KeyError, TypeError):
            raise GraphFormatError(f"{directory / INFO}: is damaged; train again") from None
        found._split = read_split(directory, protocol)
        if found._split.digest != info.get("split_digest"):
            raise GraphFormatError(f"{directory}: its edges are not those that the model was trained on; train again")
        if found.model.trainable:
            found._load_weights(directory / WEIGHTS)
        return found

    def evaluate(
        self, negatives: str | None = None, *, with_valid_edges: bool = False, **options: Any
    ) -> dict[str, Any]:
        """Measure how well held-out edges are told from negatives.

        Parameters
        ----------
        negatives
            `random`, `heart`, `orbit` or those that come with the data; by default official ones, else random.
        with_valid_edges
            Let the model see validation edges when it scores test edges, as ogbl-collab allows.
        **options
            Those of the negatives, such as `rounds` of orbit negatives.

        Returns
        -------
        dict
            Under `valid` and `test` all metrics, as fractions; beside them the protocol.
        """
        split = self.split
        sampled = sample_negatives(split, negatives or default_negatives(split), self.seed, **options)
        self._use_threads()
        scorer = self.model.on(split.graph)
        found = {"valid": evaluate_part(scorer, split, sampled, "valid")}
        if with_valid_edges:
            scorer = self.model.on(_joined(split.graph, split.valid))
        found["test"] = evaluate_part(scorer, split, sampled, "test")
        return {
            **{key: self.info[key] for key in ("graph", "model", "seed", "threads", "train_ear")},
            "protocol": {**self.info["protocol"], "with_valid_edges": with_valid_edges},
            "split_digest": self.info["split_digest"],
            "negatives": {"kind": sampled.kind, **sampled.info},
            **found,
        }

    def predict(
        self,
        top: int = 100,
        *,
        on: Graph | None = None,
        training_edges_only: bool = False,
        exact: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Predictions:
        """Return the likeliest missing links, best first.

        Parameters
        ----------
        top
            How many.
        on
            Another graph to predict for, if the model allows it.
        training_edges_only
            Show the model the training edges alone. By default it sees every known edge: nothing has to be hidden any
            more. Known edges, also held-out ones, are never predicted.
        exact
            Score every pair that is no edge, instead of those that are near each other in the graph or in the
            embedding.
        progress
            Called with the numbers of pairs scored and to score.
        """
        from edgeorbit.prediction.top_links import top_links

        known, seen = self._graphs(on, training_edges_only)
        self._use_threads()
        scorer = self.model.on(seen)
        found = top_links(
            scorer, known, top, exact=exact, embedding=self._embedding(seen), progress=progress, threads=self.threads
        )
        return Predictions(known.names(found.pairs), found.scores)

    def score(
        self,
        pairs: Sequence[Sequence[Any]] | npt.NDArray[Any],
        *,
        on: Graph | None = None,
        training_edges_only: bool = False,
    ) -> Predictions:
        """Return the scores of given pairs of nodes, named by the user's own ids.

        Raises
        ------
        InvalidParameterError
            If a node is not in the graph.
        """
        known, seen = self._graphs(on, training_edges_only)
        ends = node_numbers(known, pairs)
        self._use_threads()
        return Predictions(known.names(ends), self.model.on(seen)(ends))

    def _describe(self, split: LinkSplit) -> dict[str, Any]:
        """Return what makes this run the one it is."""
        return {
            "package_version": __version__,
            "graph": split.graph.name,
            "num_nodes": split.graph.num_nodes,
            "num_edges": {"train": split.graph.num_edges, "valid": len(split.valid), "test": len(split.test)},
            "model": self.model.name,
            "settings": asdict(self.model.settings),
            "training": None if self.training is None else asdict(self.training),
            "seed": self.seed,
            "threads": self.threads,
            "protocol": dict(split.protocol),
            "split_digest": split.digest,
            "train_ear": ear(split.graph),
            "validation_negatives": default_negatives(split),
            "finished": False,
        }

    def _take_over(self, directory: Path, force: bool) -> bool:
        """Make the directory ready; return whether it holds this very run, finished."""
        if (directory / INFO).is_file():
            there = read_info(directory)
            same = [key for key in self.info if key not in {"finished", "package_version"}]
            other = next((key for key in same if there.get(key) != _as_json(self.info[key])), None)
            if other is None and there.get("finished"):
                self.info = there
                if self.model.trainable:
                    self._load_weights(directory / WEIGHTS)
                return True
            if other is None:
                return False
            if not force:
                raise InvalidParameterError(
                    f"{directory}: holds another run (its {other} differs); choose another directory, or add --force"
                )
            for name in (INFO, CHECKPOINT, WEIGHTS):
                (directory / name).unlink(missing_ok=True)
        elif not (directory.is_dir() and all(entry.name in {GRAPH, SPLIT} for entry in directory.iterdir())):
            check_free_directory(directory, force)
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EdgeorbitError(f"{directory}: cannot be created ({error.strerror}); choose another") from None
        write_split(directory, self.split)
        write_info(directory, self.info)
        return False

    def _train(self, negatives: Negatives, directory: Path | None, report: "Report | None") -> dict[str, Any]:
        from edgeorbit.training.loop import Trainer

        self._use_threads()
        trainer = Trainer(
            self.model,  # type: ignore[arg-type]
            self.split,
            negatives,
            self.training,  # type: ignore[arg-type]
            seed=self.seed,
            checkpoint=None if directory is None else directory / CHECKPOINT,
            report=report,
        )
        return trainer.train()._asdict()

    def _save(self, directory: Path) -> None:
        if self.model.trainable:
            from edgeorbit.training.checkpoint import write_tensors

            weights = self.model.network.state_dict()  # type: ignore[attr-defined]
            write_tensors(directory / WEIGHTS, weights, {"model": self.model.name})
        write_info(directory, self.info)
        (directory / CHECKPOINT).unlink(missing_ok=True)

    def _load_weights(self, path: Path) -> None:
        from edgeorbit.training.checkpoint import read_tensors

        tensors, meta = read_tensors(path, "train again")
        network = self.model.build(self.split.graph, self.seed)  # type: ignore[attr-defined]
        try:
            if meta.get("model") != self.model.name:
                raise ValueError
            network.load_state_dict(tensors)
        except (RuntimeError, ValueError):
            raise GraphFormatError(f"{path}: holds the weights of another model; train again") from None

    def _graphs(self, on: Graph | None, training_edges_only: bool) -> tuple[Graph, Graph]:
        """Return the graph whose edges are known, and the one that the model sees."""
        if on is None:
            whole = self.split.whole
            return whole, self.split.graph if training_edges_only else whole
        if training_edges_only:
            raise InvalidParameterError("another graph has no training edges; leave one of the two out")
        mode = self.info["protocol"]["features"]
        if self.model.trainable and mode in {"identity", "random"}:
            raise InvalidParameterError(
                f"{self.model.name} was trained with {mode} features, which belong to the nodes of "
                f"{self.info['graph']} and mean nothing on another graph; train it with original, constant or degree "
                "features"
            )
        if not self.model.trainable:
            return on, on
        seen = on.with_attributes(x=node_features(on, mode, self.seed))
        if num_channels(seen) != num_channels(self.split.graph):
            raise InvalidParameterError(
                f"{on.name} has features of {num_channels(seen)} channels and the model was trained with "
                f"{num_channels(self.split.graph)}; give features of the same meaning"
            )
        return on, seen

    def _embedding(self, graph: Graph) -> npt.NDArray[np.float32] | None:
        return self.model.embed(graph) if self.model.trainable else None  # type: ignore[attr-defined]

    def _use_threads(self) -> None:
        if self.model.trainable:
            import torch

            torch.set_num_threads(self.threads)


def default_negatives(split: LinkSplit) -> str:
    """Return the kind of negatives that a split is judged by if nothing else is asked for."""
    return "official" if "official" in split.negatives else "random"


def _joined(graph: Graph, edges: npt.NDArray[np.int64]) -> Graph:
    more = Graph.from_edges(np.concatenate([graph.edges.astype(np.int64), edges]), graph.num_nodes)
    return graph.with_attributes(indptr=more.indptr, indices=more.indices, origin=None)


def _training_settings(given: Mapping[str, Any]) -> "TrainingSettings":
    from edgeorbit.training.settings import TrainingSettings

    settings = TrainingSettings.from_mapping(given, "training")
    return settings  # type: ignore[return-value]


def _as_json(value: Any) -> Any:
    """Return a value as it comes back from a JSON file."""
    return json.loads(json.dumps(value))
