"""What is tuned, and on which edges: the training and validation parts of one split, without its test part.

A task comes from the command line, or from an experiment file (`read_tasks`).
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from edgeorbit._randomness import check_seed
from edgeorbit.data.negatives import sample_negatives
from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import InvalidParameterError
from edgeorbit.evaluation.scoring import evaluate_part
from edgeorbit.experiments.named_graphs import with_paths
from edgeorbit.experiments.plan import features_of, general_settings, search_ranges, source_of, training_of
from edgeorbit.experiments.tuning.space import Point, Range, Searched, read_range, search_space, searchable
from edgeorbit.models import MODELS, make_model, resolve_model
from edgeorbit.models.base import LinkModel, Preset, Settings
from edgeorbit.prediction.code import code_digest
from edgeorbit.training.settings import TrainingSettings, shared_training, training_class

if TYPE_CHECKING:
    from edgeorbit.experiments.schema import DataSection, ExperimentFile

TUNING_SEED = 1000  # experiments count their seeds from 0
EPOCHS = 100

Watch = Callable[[list[dict[str, float]], int], None]  # the evaluations so far, and the epochs


@dataclass(frozen=True)
class Task:
    """A model to tune for a graph with some features.

    Attributes
    ----------
    data : str
        What the settings file calls the graph.
    source : mapping
        As in an experiment file: `source`, a data set or a file, or `generator` and its `options`.
    model, features, negatives, metric, orbit_rounds
        As for experiments. The metric is that of validation edges against these negatives.
    epochs : int
        The most epochs of a trial, the same for all models.
    seed : int
        Of the search; its split and its weights have the seed 1000 + `seed`.
    settings, training : mapping
        Settings that are not searched.
    space : mapping
        Ranges in the place of the usual ones, or beside them (`edgeorbit.experiments.tuning.space`).
    candidate : Point or None
        If there is one, nothing is searched: it is compared with the defaults, in two trials.
    preparing : mapping
        Other options of `edgeorbit.split`, such as `data_dir`.
    """

    data: str
    source: Mapping[str, Any]
    model: str
    features: str = "original"
    negatives: str = "random"
    metric: str = "mrr"
    epochs: int = EPOCHS
    seed: int = 0
    orbit_rounds: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    space: Mapping[str, Range | list[Any]] = field(default_factory=dict)
    candidate: Point | None = None
    preparing: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what no trial could be made of."""
        check_seed(self.seed)
        if self.epochs < 1:
            raise InvalidParameterError(f"epochs must be at least 1, not {self.epochs}")
        for point in (Point({}, {}), self.candidate or Point({}, {})):
            model = resolve_model(self.model)
            model(**{**self.settings, **point.settings})
            training = {**self.training, **point.training}
            if training.get("select_on", self.negatives) != self.negatives:
                raise InvalidParameterError(
                    f"a search compares validation metrics against {self.negatives} negatives, so select_on cannot be "
                    f"{training['select_on']!r}; choose the negatives of the search instead"
                )
            _training_settings(self, model, training)

    def __str__(self) -> str:
        """Name the task for people."""
        return f"{self.model} on {self.data}, {self.features} features"


class TuningData(NamedTuple):
    """The edges that a search may see, their validation negatives, and the space that it looks through."""

    split: LinkSplit
    negatives: Negatives
    searched: Searched


def prepare(task: Task) -> TuningData:
    """Split a graph by the tuning seed, and forget the test part of the split before any model comes in.

    Test edges count only where negatives are drawn, which are none of them. On the same graph, training edges of this
    split are test edges of other seeds' splits, and the reverse: settings, not weights, are carried over, which is how
    the field does it, but it is not the same as a graph that no trial ever saw. A split that comes with the data is
    the same for every seed; there, trials and evaluation share training and validation edges, and no test edge.

    Raises
    ------
    InvalidParameterError
        If there are no validation edges, or none of them has a negative of this kind.
    """
    from edgeorbit.prediction import preparing

    features = None if task.features == "original" else task.features
    split = preparing.split(_source(task), seed=TUNING_SEED + task.seed, features=features, **task.preparing)
    options = {"rounds": task.orbit_rounds} if task.negatives == "orbit" else {}
    kind = "official" if task.negatives == "random" and "official" in split.negatives else task.negatives
    negatives = sample_negatives(split, kind, TUNING_SEED + task.seed, **options)
    if not len(split.valid) or not (negatives.valid[..., 0] >= 0).any():
        raise InvalidParameterError(
            f"{task.data}: {len(split.valid)} validation edges have no {task.negatives} negatives to tune by; choose "
            "others, or a larger graph"
        )
    fixed = {**task.settings, **task.training}
    links = min(fixed.get("links_per_epoch") or split.graph.num_edges, split.graph.num_edges)
    searched = search_space(task.model, links, task.space, fixed)
    return TuningData(without_test(split), replace(negatives, test=negatives.test[:0], info={}), searched)


def without_test(split: LinkSplit) -> LinkSplit:
    """Return a split whose test edges are withheld."""
    kinds = None if split.test_kind is None else split.test_kind[:0]
    return replace(split, test=split.test[:0], test_kind=kinds, negatives={})


def study_name(task: Task, data: TuningData) -> str:
    """Return a name that no other search has: it ends with a digest of all that decides what trials find.

    The number of trials is not among it, since a search can be continued.
    """
    decisive = asdict(task) | {
        "code": code_digest(
            task.model, synthetic="generator" in task.source
        ),  # trials of other code are not comparable
        "split": data.split.digest,
        "num_negatives": list(data.negatives.valid.shape),
        "space": {name: str(one) for name, one in data.searched.space.items()},
    }
    for incidental in ("data", "source", "preparing"):  # where the edges came from; the digest tells which they are
        del decisive[incidental]
    digest = hashlib.sha256(json.dumps(decisive, sort_keys=True, default=str).encode()).hexdigest()[:16]
    return f"{task} ({digest})"


def judge(task: Task, data: TuningData, point: Point, watch: Watch | None = None) -> float:
    """Train a model with the settings of a point, and return its best validation metric."""
    split, model = data.split, resolve_model(task.model)
    given = Preset({**task.settings, **point.settings}, {**task.training, **point.training})
    chosen = model.preset_for(split.graph.name) | given
    made = make_model(task.model, **chosen.settings)
    if not made.trainable:
        return float(evaluate_part(made.on(split.graph), split, data.negatives, "valid")[task.metric])
    from edgeorbit.training.fitting import make_trainer

    trainer = make_trainer(
        made,
        split,
        data.negatives,
        _training_settings(task, model, chosen.training),
        seed=TUNING_SEED + task.seed,
        report=None if watch is None else lambda progress, steps, loss: watch(progress.history, progress.epoch),
        progress=None if watch is None else lambda done, total, doing: watch([], 0),  # for the time alone
    )
    return float(trainer.train().best)


def _training_settings(task: Task, model: type[LinkModel], given: Mapping[str, Any]) -> Settings:
    """Return how a trial is trained; a model that fits itself has no epochs, and learns as long as it does anyway."""
    shared = shared_training(model, {**given, "epochs": task.epochs, "metric": task.metric})
    return (training_class(model) or TrainingSettings).from_mapping(shared or {"metric": task.metric}, "training")


def _source(task: Task) -> Any:
    if "generator" in task.source:
        from edgeorbit.synthetic import make

        return make(task.source["generator"], **task.source.get("options", {}))
    return task.source["source"]


def read_tasks(path: str | Path, data_dir: Path | None = None, **options: Any) -> list[Task]:
    """Return a task for each graph, features and model of an experiment file.

    Variants are not tuned by themselves: they take what is found for their model, so that an ablation compares parts
    and not searches. Graphs that take the settings of another (`tuned_as`) are left out. What the file sets is not
    searched, unless its `search` names it. Tuned settings that the file names are not looked at; they may be what is to
    be found.

    Parameters
    ----------
    path
        An experiment file.
    data_dir
        Where data sets lie.
    **options
        Those of `Task` that are the same for all. Without `metric` and `epochs` those of the file are taken; what
        `space` says counts before the file.

    Raises
    ------
    InvalidParameterError
        If the file cannot be read, or says what cannot be run.
    """
    from edgeorbit.experiments._checking import check_experiment, check_model_settings
    from edgeorbit.experiments.schema import ExperimentFile
    from edgeorbit.experiments.toml_files import read_validated

    def check(file: "ExperimentFile") -> None:
        check_experiment(file, Path(path).parent, data_dir)
        check_model_settings(file)

    space = options.pop("space", {})
    said = read_validated(path, ExperimentFile, check)
    tasks = []
    for graph in said.data:
        if graph.tuned_as is not None:
            continue
        source = with_paths(source_of(graph), Path(path).parent, data_dir)
        preparing = {"features_from": source.pop("features_from")} if "features_from" in source else {}
        if data_dir is not None and "generator" not in source:
            preparing = {"data_dir": data_dir} | preparing
        names = [*(graph.models or said.models or MODELS), *graph.also]
        models = dict.fromkeys(said.variants[name].model if name in said.variants else name for name in names)
        tasks += [
            _task_of(said, graph, model, features, source=source, preparing=preparing, space=space, **options)
            for features in graph.features
            for model in models
            if features in features_of(said, graph, model)
        ]
    return tasks


def _task_of(
    said: "ExperimentFile",
    graph: "DataSection",
    model: str,
    features: str,
    *,
    space: Mapping[str, Range | list[Any]],
    **options: Any,
) -> Task:
    training = training_of(said, graph, model)
    ranges = {name: read_range(one) for name, one in search_ranges(said, graph).items()}
    own, of_graph = said.settings.get(model, {}), graph.settings.get(model, {})
    return Task(
        data=graph.title,
        model=model,
        features=features,
        orbit_rounds=graph.orbit_rounds,
        settings={**general_settings(said, model).settings, **own, **of_graph},
        training={key: value for key, value in training.items() if key not in {"metric", "epochs", "select_on"}},
        space={**searchable(ranges, model), **space},
        **_budget(training) | options,
    )


def _budget(training: Mapping[str, Any]) -> dict[str, Any]:
    metric = {"metric": training["metric"]} if "metric" in training else {}
    negatives = {"negatives": training["select_on"]} if training.get("select_on") else {}
    return metric | negatives | {"epochs": training.get("epochs", EPOCHS)}
