"""What there is to tune for an experiment file: every model on every graph with every kind of features."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from edgeorbit.experiments.named_graphs import with_paths
from edgeorbit.experiments.plan import features_of, general_settings, search_ranges, source_of, training_of
from edgeorbit.experiments.tuning.space import read_range, searchable
from edgeorbit.experiments.tuning.task import EPOCHS, Task
from edgeorbit.models import MODELS


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
    from edgeorbit.experiments.checking import check_experiment, check_model_settings
    from edgeorbit.experiments.schema import ExperimentFile
    from edgeorbit.experiments.validated_toml import read_validated

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
        names = [*(graph.models or said.models or MODELS), *graph.also]
        models = dict.fromkeys(said.variants[name].model if name in said.variants else name for name in names)
        training = {model: training_of(said, graph, model) for model in models}
        ranges = {name: read_range(one) for name, one in search_ranges(said, graph).items()}
        for features in graph.features:
            tasks += [
                Task(
                    data=graph.title,
                    source=source,
                    model=model,
                    features=features,
                    orbit_rounds=graph.orbit_rounds,
                    settings={
                        **general_settings(said, model).settings,
                        **said.settings.get(model, {}),
                        **graph.settings.get(model, {}),
                    },
                    training={key: value for key, value in training[model].items() if key not in {"metric", "epochs"}},
                    preparing=({} if data_dir is None or "generator" in source else {"data_dir": data_dir}) | preparing,
                    space=searchable(ranges, model) | space,
                    **_budget(training[model]) | options,
                )
                for model in models
                if features in features_of(said, graph, model)
            ]
    return tasks


def _budget(training: Mapping[str, Any]) -> dict[str, Any]:
    metric = {"metric": training["metric"]} if "metric" in training else {}
    return metric | {"epochs": training.get("epochs", EPOCHS)}
