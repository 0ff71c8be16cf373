"""`LinkPredictor`: fit, evaluate, predict."""

import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt

from edgeorbit._parallel import default_threads, resolve_threads
from edgeorbit._randomness import check_seed
from edgeorbit.data.features import node_features
from edgeorbit.data.negatives import check_kind, sample_negatives
from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.node_pairs import are_edges
from edgeorbit.models import reference_of, resolve_model
from edgeorbit.models.base import LinkModel, Preset
from edgeorbit.prediction import preparing
from edgeorbit.prediction._stored_runs import (
    begin_run,
    describe_run,
    find_run,
    finish_run,
    load_weights,
    model_of_run,
    tidy_run,
)
from edgeorbit.prediction.choosing import AUTO, choose_model, choose_without_graph, divide_settings
from edgeorbit.prediction.evaluating import Kinds, judge, negatives_of, selection_negatives
from edgeorbit.prediction.predictions import Predictions, as_seen_by, graph_with_valid_edges, node_numbers
from edgeorbit.prediction.result import Result, write_result
from edgeorbit.prediction.run_directory import CHECKPOINT, INFO, read_info, read_split
from edgeorbit.prediction.scored_lists import ScoredLists
from edgeorbit.training.devices import Processes, choose_placement
from edgeorbit.training.settings import training_class

if TYPE_CHECKING:
    from edgeorbit.prediction.backtest import Backtest
    from edgeorbit.prediction.calibration import Calibration
    from edgeorbit.training.fitting import Fitter, SmallReport
    from edgeorbit.training.loop import Report, Trainer
    from edgeorbit.training.world import World

Method = TypeVar("Method", bound=Callable[..., Any])


def _with_its_threads(method: Method) -> Method:
    """Let all that a method of `LinkPredictor` calls take the threads of the predictor, and no more."""

    @wraps(method)
    def wrapped(self: "LinkPredictor", *arguments: Any, **options: Any) -> Any:
        with default_threads(self.threads):
            return method(self, *arguments, **options)

    return cast(Method, wrapped)


class LinkPredictor:
    """A model, the data it is trained on, and what came out.

    Parameters
    ----------
    model
        A name (`edgeorbit models` lists them), one that an installed package offers, or `module:Class`; a class or
        instance of `torch.nn.Module` in one of PyG's shapes (see `edgeorbit.models.modules`); or a `LinkModel`. By
        default `"auto"`: what is best for the graph that is fitted, see `edgeorbit.prediction.choosing`; `settings` may
        then hold those of training, too.
    settings
        Settings of the model instead of its defaults, which may depend on the graph (`LinkModel.presets`).
    training
        Settings of training (`edgeorbit.training.TrainingSettings`) instead of the defaults.
    seed
        Decides the split, the weights, and every other random choice.
    threads
        Number of threads; by default one per core. Results are the same for the same number.
    devices
        Number of processes that train together and share the threads, or "auto"; None: those that torchrun started.
        Without dropout the results are those of one process, up to rounding.
    device
        Device of the network: `cpu`, `cuda`, `cuda:N`, or `auto` for a GPU if there is one that the model can use.
        Several processes take one GPU each, in turn from this one on. A GPU draws other random numbers than the CPU, so
        results differ as between two seeds.

    Examples
    --------
    >>> predictor = LinkPredictor("ra").fit("karate")
    >>> sorted(predictor.evaluate().test)[:3]
    ['ap', 'auc', 'hits@1']
    >>> predictor.predict(top=3).pairs.shape
    (3, 2)
    """

    def __init__(
        self,
        model: Any = AUTO,
        *,
        settings: Mapping[str, Any] | None = None,
        training: Mapping[str, Any] | None = None,
        seed: int = 0,
        threads: int | None = None,
        devices: int | str | None = 1,
        device: str = "cpu",
    ) -> None:
        check_seed(seed)
        if isinstance(model, LinkModel):
            settings = {**asdict(model.settings), **(settings or {})}
        self._given = Preset(settings or {}, training or {})
        self.seed, self.threads = seed, resolve_threads(threads)
        self._processes, self._device_asked = Processes.of(devices), device
        self._chooses = isinstance(model, str) and model == AUTO
        self.choice = ""  # which model was chosen and why, if it was
        self._take(choose_without_graph() if self._chooses else model)
        if not self._chooses:
            self._configure("")
        self.info: dict[str, Any] = {}
        self.seconds: float | None = None  # that `fit` took; None for a run that was loaded
        self.is_first = self._processes.rank == 0  # of those that a launcher started
        self._split: LinkSplit | None = None
        self._lists: ScoredLists | None = None  # of candidates, once they are asked for

    def _take(self, model: Any) -> None:
        """Take a model, with its defaults."""
        self._model_class = resolve_model(model)
        self.reference = reference_of(model, self._model_class)
        self._configure("", Preset())
        self._processes.check_model(self.model)
        self.placement = choose_placement(self._device_asked, self._model_class)

    def _choose(self, split: LinkSplit) -> None:
        """Take the model that is best for a split."""
        choice = choose_model(split.data)
        self.choice = choice.reason
        if choice.model != self.reference:
            self._take(choice.model)
        divided = divide_settings(self.reference, self._model_class, self._given.settings)
        self._given = Preset(divided.settings, {**divided.training, **self._given.training})
        self._chooses = False

    def _configure(self, graph: str, given: Preset | None = None) -> None:
        """Make the model with the settings that were given, and else those that its authors took for this graph."""
        chosen = self._model_class.preset_for(graph) | (self._given if given is None else given)
        self.model: LinkModel = self._model_class(**chosen.settings)
        kind = training_class(self._model_class)
        self.training: Any = None if kind is None else kind.from_mapping(chosen.training, "training")

    @property
    def split(self) -> LinkSplit:
        """The split that the model was fitted to."""
        if self._split is None:
            raise InvalidParameterError(f"{self.model.name} was not fitted yet; call fit first")
        return self._split

    @_with_its_threads
    def fit(
        self,
        source: Any,
        *,
        output: str | os.PathLike[str] | None = None,
        force: bool = False,
        negatives: str | None = None,
        report: "Report | None" = None,
        say: Callable[[str], None] | None = None,
        **options: Any,
    ) -> Self:
        """Split the edges of a graph and train the model on its training edges.

        Parameters
        ----------
        source
            A `LinkSplit`, which is taken as it is; or whatever `edgeorbit.split` takes: a graph, a path, the name of a
            data set, a PyG `Data`, ...
        output
            A directory to keep the run in. If it holds the same run already, a finished one is taken as it is, and an
            unfinished one resumes where it was interrupted.
        force
            Replace another run in that directory.
        negatives
            What it is to be judged by later, so that an unknown kind is refused now.
        report
            Called after every step of training.
        say
            Called with the sentence that names the model, if it is chosen for the graph, and before training on a graph
            of a million edges or more with a line about what it will need.
        **options
            `kind`, `ratios`, `features` and other options of `edgeorbit.split`.
        """
        begun = time.perf_counter()
        if "split" in options:
            warnings.warn("fit(split=...) is deprecated; use kind=...", DeprecationWarning, stacklevel=3)
            options["kind"] = options.pop("split")
        split = preparing.split(source, seed=self.seed, **options)
        if self._chooses:
            self._choose(split)
            if say is not None:
                say(self.choice)
                self.choice = ""  # so that a result does not repeat it
        self._split = _with_default_features(split, self._model_class, options.get("features"))
        self._lists = None
        if negatives is not None:
            check_kind(self._split, negatives)
        self._configure(self._split.graph.name)
        self.info = describe_run(self.model, self.reference, self.training, self._split, self.seed, self.threads)
        directory = None if output is None else Path(output)
        with self._launched_world() as world:
            if self.is_first:
                self._fit(directory, force, report, world, options.get("progress"), say)
                self.seconds = time.perf_counter() - begun
            elif world is not None and world.broadcast(None):  # the first process knows whether the run is finished
                self._train(self._trainer(None, None), world)
        return self

    def _fit(
        self,
        directory: Path | None,
        force: bool,
        report: "Report | None",
        world: "World | None",
        progress: "SmallReport | None",
        say: Callable[[str], None] | None,
    ) -> None:
        """Train, or load a finished run; only the first of several processes does this."""
        stored = None if directory is None else find_run(directory, self.info, force)
        if directory is not None and stored is not None and stored["finished"]:
            self.info = stored
            self._load_weights(directory)
            tidy_run(directory)
            if world is not None:
                world.broadcast(False)
            return
        trainer = None if self.training is None else self._trainer(directory, report, progress, say)
        if directory is not None and stored is None:
            begin_run(directory, self.info, self.split)
        if world is not None:
            world.broadcast(True)
        if trainer is not None:
            self._train(trainer, world)
        self.info["finished"] = True
        if directory is not None:
            finish_run(directory, self.info, self.model)

    def _launched_world(self) -> "AbstractContextManager[World | None]":
        """Connect the processes that a launcher started, if there are any."""
        processes = self._processes
        if not processes.launched:
            return nullcontext()
        from edgeorbit.training.processes import launched_processes

        return launched_processes(processes.rank, processes.size, self._device)

    def _train(self, trainer: Any, world: "World | None") -> None:
        processes = self._processes
        threads = processes.threads_each(self.threads)
        with ExitStack() as stack:
            if world is None and processes.size > 1:
                from edgeorbit.training.processes import started_processes

                world = stack.enter_context(started_processes(trainer, processes.size, threads, self.placement))
            trainer.world = world or trainer.world
            self._use_threads(threads)
            where = {"devices": processes.size, "device": self._device}
            self.info["training_result"] = trainer.train()._asdict() | where

    @property
    def _device(self) -> str:
        """The device of the network in this process."""
        return self.placement.of(self._processes.local_rank)

    def _load_weights(self, directory: Path) -> None:
        load_weights(directory, self.model, self.reference, self.split, self.seed)
        self.model.place(self._device)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], threads: int | None = None, device: str = "cpu", *, model: Any = None
    ) -> "LinkPredictor":
        """Load a run that `fit` wrote, on whatever device.

        Parameters
        ----------
        path
            The directory of the run.
        threads, device
            As for `LinkPredictor`.
        model
            The model, if it is the user's own: what a run's file names is never imported, unless it is part of
            edgeorbit or of an installed package that offers it.

        Raises
        ------
        GraphFormatError
            If the directory holds no finished run, or a file of it is damaged or of another model.
        """
        directory = Path(path)
        info = read_info(directory)
        if not info["finished"]:
            raise GraphFormatError(f"{directory}: training is not finished; give the same train command again")
        options = {key: info[key] for key in ("settings", "training", "seed")}
        kind = model_of_run(directory, info["model"], model)
        try:
            found = cls(kind, **options)
        except InvalidParameterError as error:
            raise GraphFormatError(f"{directory / INFO}: {error}; train again") from None
        found.threads, found.placement = resolve_threads(threads), choose_placement(device, type(found.model))
        found.reference = info["model"]
        found.info, found._split = info, read_split(directory, info["protocol"])
        if found._split.digest != info["split_digest"]:
            raise GraphFormatError(f"{directory}: its edges are not those that the model was trained on; train again")
        found._load_weights(directory)
        return found

    @_with_its_threads
    def evaluate(
        self,
        negatives: Kinds = None,
        *,
        with_valid_edges: bool = False,
        backtest: bool = False,
        progress: Callable[[int, int], None] | None = None,
        output: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> Result:
        """Measure how well the model ranks held-out edges above negatives.

        Parameters
        ----------
        negatives
            `random`, `heart`, `orbit`, those that come with the data, `Negatives` of one's own (see
            `edgeorbit.evaluate`), or a list of these; by default those that come with the data, else random.
        with_valid_edges
            Let the model see validation edges when it scores test edges, as ogbl-collab allows.
        backtest
            Also compare the list of the likeliest links with the test links, see `backtest`.
        progress
            Called with the numbers of pairs scored and to score, for each kind.
        output
            The directory of the run; its `results.json` gets the metrics.
        **options
            Those of the negatives, such as `rounds` of orbit negatives.

        Returns
        -------
        Result
            By kind of negatives the metrics of validation and test edges, as fractions; beside them the protocol.
        """
        split = self.split
        asked = negatives_of(split, negatives, self.seed, options)
        self._use_threads()
        with_valid = graph_with_valid_edges(split) if with_valid_edges else None
        judged = judge(self.model.on, split, asked, with_valid=with_valid, progress=progress)
        try:
            result = Result.of(self.info, judged, seconds=self.seconds, remarks=self._remarks())
        except (KeyError, TypeError, AttributeError, IndexError, ValueError):
            if output is None:
                raise
            raise GraphFormatError(f"{Path(output) / INFO}: is damaged; train again") from None
        if backtest:
            result.backtest = self.backtest(output=output, progress=progress)
        if output is not None:
            write_result(Path(output), result)
        return result

    @_with_its_threads
    def backtest(
        self,
        *,
        output: str | os.PathLike[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> "Backtest":
        """Compare the list of the likeliest links, and its probabilities, with the hidden test links.

        The model sees the training edges alone. Of all candidate pairs that are no validation links the first 10, 50,
        100 and 500 are compared with the test links, beside the list of the heuristic that is best on the validation
        links, and chance.

        Parameters
        ----------
        output, progress
            As for `calibrate`.
        """
        from edgeorbit.prediction.backtest import backtest

        calibration = self.calibrate(output=output, progress=progress, whole=False)
        scanned = self._scored_lists(output).of_training(progress)
        return backtest(
            self.model.name,
            scanned,
            self.split,
            calibration=calibration,
            seed=self.seed,
            threads=self.threads,
            progress=progress,
        )

    @_with_its_threads
    def calibrate(
        self,
        *,
        output: str | os.PathLike[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
        whole: bool = True,
    ) -> "Calibration":
        """Return how likely a link is at every score, by the validation links among all candidate pairs.

        Parameters
        ----------
        output
            The directory of the run, where `calibration.json` is kept.
        progress
            Called with the numbers of pairs scored and to score.
        whole
            Also for the scores on the graph of all known edges, which `predict` gives.

        Raises
        ------
        GraphFormatError
            If `calibration.json` is damaged.
        """
        return self._scored_lists(output).calibration(progress, whole=whole)

    @_with_its_threads
    def predict(
        self,
        top: int = 100,
        *,
        on: Graph | None = None,
        training_edges_only: bool = False,
        exact: bool = False,
        for_node: Any = None,
        candidates: Sequence[Sequence[Any]] | npt.NDArray[Any] | None = None,
        exclude: Sequence[Sequence[Any]] | npt.NDArray[Any] | None = None,
        probability: bool = False,
        missing: float | None = None,
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
        for_node
            The id of a node: only pairs with it are scored, all that are no edges.
        candidates
            Pairs of ids, the only ones that are scored.
        exclude
            Pairs of ids that are not scored.
        probability
            Also how likely each of them is a link, by `calibrate`.
        missing
            How many links you expect to be missing in the whole graph, on which probabilities depend; by default, for
            every known link as many as there were validation links for every training link.
        progress
            Called with the numbers of pairs scored and to score.
        """
        from edgeorbit.prediction.top_links import best_of, top_links

        if not isinstance(top, int | np.integer) or top < 1:
            raise InvalidParameterError(f"top must be a whole number from 1, not {top}")
        known, seen = self._graphs(on, training_edges_only)
        self._use_threads()
        excluded = None if exclude is None else node_numbers(known, exclude)
        chosen = self._chosen_pairs(known, for_node, candidates)
        scorer = self.model.on(seen)
        if chosen is not None:
            found = best_of(scorer, known, chosen, top, exclude=excluded, progress=progress)
        else:
            # Without a search there is nothing to look for in an embedding.
            embedding = None
            if not exact:  # a network that scores has embedded the graph already
                embedding = scorer.embedding if hasattr(scorer, "embedding") else self.model.embed(seen)
            found = top_links(
                scorer,
                known,
                top,
                exact=exact,
                embedding=embedding,
                exclude=excluded,
                progress=progress,
                threads=self.threads,
            )
        predictions = Predictions(known.names(found.pairs), found.scores, found.num_scored, found.source)
        if not probability:
            return predictions
        other = None if on is None else seen
        return self._with_probability(predictions, found.pairs, other, training_edges_only, missing, progress)

    @_with_its_threads
    def score_pairs(
        self,
        pairs: Sequence[Sequence[Any]] | npt.NDArray[Any],
        *,
        on: Graph | None = None,
        training_edges_only: bool = False,
        probability: bool = False,
        missing: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Predictions:
        """Return the scores of given pairs of nodes, named by the user's own ids; the rest is as for `predict`.

        Raises
        ------
        InvalidParameterError
            If a node is not in the graph.
        """
        known, seen = self._graphs(on, training_edges_only)
        ends = node_numbers(known, pairs)
        self._use_threads()
        scores = self.model.on(seen)(ends)
        predictions = Predictions(known.names(ends), scores, len(ends), np.full(len(ends), "given"))
        if not probability:
            return predictions
        other = None if on is None else seen
        return self._with_probability(predictions, ends, other, training_edges_only, missing, progress)

    def score(self, *arguments: Any, **options: Any) -> Predictions:
        """Return `score_pairs`, which this was called before; `score` of scikit-learn is another thing.

        .. deprecated:: 0.2
        """
        warnings.warn("LinkPredictor.score is deprecated; use score_pairs", DeprecationWarning, stacklevel=2)
        return self.score_pairs(*arguments, **options)

    def _trainer(
        self,
        directory: Path | None,
        report: "Report | None",
        progress: "SmallReport | None" = None,
        say: Callable[[str], None] | None = None,
    ) -> "Trainer | Fitter":
        """Make the trainer, which refuses what cannot be trained before anything is written."""
        from edgeorbit.training.fitting import Fitter, make_trainer

        self._use_threads()
        trainer = make_trainer(
            self.model,
            self.split,
            self._selection_negatives(),
            self.training,
            seed=self.seed,
            checkpoint=None if directory is None else directory / CHECKPOINT,
            report=report,
            progress=progress,
            device=self._device,
        )
        self._processes.check_batch(trainer.batch_size)
        if isinstance(trainer, Fitter):
            return trainer
        from edgeorbit.training.needs import LARGE_GRAPH, check_needs, needs_in_words

        described = trainer.model, self.split.graph, trainer.batch_size
        needs = check_needs(*described)
        if say is not None and self.split.graph.num_edges >= LARGE_GRAPH:
            say(needs_in_words(*described, trainer.links_per_epoch, needs))
        return trainer

    @staticmethod
    def _chosen_pairs(known: Graph, for_node: Any, candidates: Any) -> npt.NDArray[np.int64] | None:
        """Return the pairs that alone are scored; None if all may be."""
        pairs = None if candidates is None else node_numbers(known, candidates)
        if for_node is None:
            return pairs
        node = int(node_numbers(known, [[for_node, for_node]])[0, 0])
        if pairs is None:
            others = np.arange(known.num_nodes)
            return np.stack([np.full_like(others, node), others], axis=1)
        return np.asarray(pairs[(pairs == node).any(axis=1)])

    def _selection_negatives(self) -> Negatives:
        """Return the validation negatives that the checkpoint is selected by."""
        kind = selection_negatives(self.split, self.training)
        is_sampled_orbit = kind == "orbit" and kind not in self.split.negatives
        options = {"rounds": self.training.orbit_rounds} if is_sampled_orbit and self.training else {}
        return sample_negatives(self.split, kind, self.seed, **options)

    def _graphs(self, on: Graph | None, training_edges_only: bool) -> tuple[Graph, Graph]:
        """Return the graph whose edges are known, and the one that the model sees."""
        if on is None:
            whole = self.split.whole
            return whole, self.split.graph if training_edges_only else whole
        if training_edges_only:
            raise InvalidParameterError("another graph has no training edges; leave one of the two out")
        return on, as_seen_by(self.model, self.split, on)

    def _scored_lists(self, output: str | os.PathLike[str] | None) -> ScoredLists:
        """Return the lists of candidates that calibration and backtest share, scored when they are first needed."""
        self._use_threads()
        if self._lists is None:
            self._lists = ScoredLists(self.model, self.split, self.info, self.seed, self.threads)
        if output is not None:
            self._lists.directory = Path(output)
        return self._lists

    def _with_probability(
        self,
        found: Predictions,
        pairs: npt.NDArray[np.int64],
        other: Graph | None,
        training_edges_only: bool,
        missing: float | None,
        progress: Callable[[int, int], None] | None,
    ) -> Predictions:
        """Return predictions with probabilities, which known links have none of, and what they mean."""
        likely, meaning = self._scored_lists(None).probability(
            found.scores, other=other, training_edges_only=training_edges_only, missing=missing, progress=progress
        )
        if likely is not None:
            likely = np.where(are_edges(other or self.split.whole, pairs), np.nan, likely)
        return found._replace(probability=likely, meaning=meaning)

    def _use_threads(self, threads: int | None = None) -> None:
        self.model.use_threads(threads or self.threads)

    def _remarks(self) -> list[str]:
        """Return what to say about the model on this graph, and of how it was chosen."""
        return [*([self.choice] if self.choice else []), *self.model.remarks(self.split.graph)]


def _with_default_features(split: LinkSplit, model: type[LinkModel], asked: str | None) -> LinkSplit:
    """Return a split with the features that a model takes where there are none and none were asked for."""
    mode = model.default_features
    usual = LinkModel.default_features
    if asked is not None or mode == usual or split.protocol["features"] != usual:
        return split
    return split.with_features(node_features(split.graph, mode), mode)
