"""What an experiment file must say beyond its types: names that are known, graphs that can be had, no run twice."""

from collections.abc import Container, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, get_args

from edgeorbit._text import KIND_WORDS, is_kind
from edgeorbit.data.loading import SYNTHETIC
from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.named_graphs import find_graph, named_graphs
from edgeorbit.experiments.plan import ALL, STATISTICS, source_of
from edgeorbit.experiments.schema import DataSection, ExperimentFile, NegativesName, TunedFile
from edgeorbit.experiments.toml_files import Keys, TomlKeyError, blaming, choices
from edgeorbit.experiments.tuning.space import read_range, search_space, searchable
from edgeorbit.measures.summary import SUMMARY_LABELS
from edgeorbit.models import MODELS, installed_models, resolve_model, search_modules
from edgeorbit.training.settings import METRICS, TrainingSettings, setting_names, training_class


class _ModelNames(tuple[str, ...]):
    """The names that a model can be given by; `module:Class` is one, and is imported later."""

    __slots__ = ()

    def __new__(cls, *others: str) -> "_ModelNames":
        """Return the names of all models, and others."""
        first = [name for name in others if name == ALL]
        return super().__new__(cls, dict.fromkeys((*first, *MODELS, *installed_models(), *others)))

    def __contains__(self, name: object) -> bool:
        """Return whether a model has the name."""
        return super().__contains__(name) or (isinstance(name, str) and ":" in name)


def check_experiment(file: ExperimentFile, folder: Path, data_dir: Path | None = None) -> None:
    """Raise `TomlKeyError` for the first key that cannot be followed; graphs are looked for from the folder."""
    models = _ModelNames(*file.variants)
    search_modules(folder)  # for module:Class, as graph files are looked for
    if file.kind == STATISTICS and file.models is not None:
        raise TomlKeyError(("models",), "statistics are those of graphs alone; leave the models out")
    for name, variant in file.variants.items():
        if name in MODELS:
            raise TomlKeyError(("variants", name), f"{name} is a model; call the variant something else")
        choices(("variants", name, "model"), variant.model, _ModelNames())
        check_training(("variants", name, "training"), variant.training)
    _check_training_of(("training_of",), file.training_of)
    for name in file.features_of:
        choices(("features_of", name), name, models)
    for name in file.settings:
        choices(("settings", name), name, _ModelNames(ALL))
    _check_names(("models",), file.models, models)
    check_training(("training",), file.training)
    _check_ranges(("search",), file.search)
    titles: list[str] = []
    for number, graph in enumerate(file.data):
        _check_graph(("data", number), graph, file, models)
        _check_source(("data", number), source_of(graph), folder, data_dir)
        if graph.title in titles:
            raise TomlKeyError(
                ("data", number, "name"), f"there is another graph {graph.title!r}; give this one a name"
            )
        for statistic in graph.stated:
            choices(("data", number, "stated", statistic), statistic, SUMMARY_LABELS)
        titles.append(graph.title)
    _check_names(("quick", "models"), file.quick.models, models)
    _check_names(("quick", "data"), file.quick.data, titles)
    for title, metrics in file.published.items():
        choices(("published", title), title, titles)
        for metric, kinds in metrics.items():
            choices(("published", title, metric), metric, METRICS)
            for kind, figures in kinds.items():
                choices(("published", title, metric, kind), kind, get_args(NegativesName))
                for name in figures:
                    choices(("published", title, metric, kind, name), name, models)


def check_tuned(file: TunedFile) -> None:
    """Raise `TomlKeyError` for the first entry that no cell could take, or that stands there twice."""
    seen = set()
    for number, entry in enumerate(file.tuned):
        choices(("tuned", number, "model"), entry.model, _ModelNames())
        check_training(("tuned", number, "training"), entry.training)
        what = (entry.data.lower(), entry.features, entry.model)
        if what in seen:
            raise TomlKeyError(("tuned", number), f"{entry.model} on {entry.data} is there twice; leave one out")
        seen.add(what)


def check_model_settings(file: ExperimentFile) -> None:
    """Raise `TomlKeyError` for a setting that its model does not have; this loads the models, and PyTorch with them."""
    if file.kind != STATISTICS:
        for name in _models_of(file, file.data):
            blaming(("models",), partial(resolve_model, name))  # the user's own may not be importable
    for name, given in file.settings.items():
        if name != ALL:
            _check_each(("settings", name), given, resolve_model(name).Settings, name)
    for number, graph in enumerate(file.data):
        for name, given in graph.settings.items():
            _check_each(("data", number, "settings", name), given, resolve_model(name).Settings, name)
    models = _models_of(file, file.data)
    _check_searchable(("search",), file.search, models)
    for number, graph in enumerate(file.data):
        _check_searchable(("data", number, "search"), graph.search, _models_of(file, [graph]))
    for key, value in file.settings.get(ALL, {}).items():
        having = [name for name in models if key in setting_names(resolve_model(name))[0]]
        if not having:
            raise TomlKeyError(("settings", ALL, key), "none of the models has such a setting; leave it out")
        for name in having:
            _check_each(("settings", ALL), {key: value}, resolve_model(name).Settings, name)
    for name, variant in file.variants.items():
        _check_each(("variants", name, "settings"), variant.settings, resolve_model(variant.model).Settings, name)
        _check_own_training(("variants", name, "training"), variant.model, variant.training)
    for name, given in file.training_of.items():
        _check_own_training(("training_of", name), name, given)
    for number, graph in enumerate(file.data):
        for name, given in graph.training_of.items():
            _check_own_training(("data", number, "training_of", name), name, given)


def _check_own_training(keys: Keys, model: str, given: Mapping[str, Any]) -> None:
    """Refuse settings of training that one model is given and does not have, unless it is not trained at all."""
    kind = training_class(resolve_model(model))
    if kind is not None:
        _check_each(keys, given, kind, model)


def _models_of(file: ExperimentFile, graphs: list[DataSection]) -> list[str]:
    """Return the models of some graphs, those of variants included."""
    used = {name for graph in graphs for name in (*(graph.models or file.models or MODELS), *graph.also)}
    return sorted({file.variants[name].model if name in file.variants else name for name in used})


def _check_ranges(keys: Keys, search: Mapping[str, Any]) -> None:
    for name, said in search.items():
        blaming((*keys, name), partial(read_range, said))


def _check_searchable(keys: Keys, search: Mapping[str, Any], models: list[str]) -> None:
    for name, said in search.items():
        given = {name: read_range(said)}
        having = [model for model in models if searchable(given, model)]
        if not having:
            raise TomlKeyError((*keys, name), "none of the models has such a setting; leave it out")
        for model in having:
            blaming((*keys, name), partial(search_space, model, 1, given))


def check_training(keys: Keys, given: Mapping[str, Any]) -> None:
    """Raise `TomlKeyError` for settings of training that there are not, or that go too far."""
    _check_each(keys, given, TrainingSettings, "training")


def _check_each(keys: Keys, given: Mapping[str, Any], settings: Any, name: str) -> None:
    """Blame one setting if it fails alone, and else all of them together.

    The command line gives settings as text, which `from_mapping` converts; a file says what it means by itself.
    """
    kinds = {field.name: type(field.default) for field in fields(settings)}
    for key, value in given.items():
        if key in kinds and not is_kind(value, kinds[key]):
            raise TomlKeyError((*keys, key), f"give {KIND_WORDS[kinds[key]]}, not {value!r}")
    try:
        settings.from_mapping(given, name)
    except ValueError:
        for key, value in given.items():
            # A name that is unknown, or a value that no other setting could save.
            blaming((*keys, key), lambda one={key: value}: settings.from_mapping(one, name))  # type: ignore[misc]
        blaming(keys, lambda: settings.from_mapping(given, name))


def _check_graph(keys: Keys, graph: DataSection, file: ExperimentFile, models: Container[str]) -> None:
    if (graph.source is None) == (graph.generator is None):
        raise TomlKeyError(keys, "give either source or generator")
    for key, needed in (("options", "generator"), ("features_from", "source")):
        if getattr(graph, key) is not None and getattr(graph, needed) is None:
            raise TomlKeyError((*keys, key), f"goes with {needed} alone; leave it out")
    if graph.exact and "orbit" not in (graph.negatives or file.negatives):
        raise TomlKeyError((*keys, "exact"), "goes with orbit negatives alone; leave it out")
    if not graph.title:
        raise TomlKeyError(keys, "give the graph a name")
    _check_names((*keys, "models"), graph.models, models)
    for name in graph.also:
        choices((*keys, "also", name), name, models)
    check_training((*keys, "training"), graph.training)
    _check_training_of((*keys, "training_of"), graph.training_of)
    _check_ranges((*keys, "search"), graph.search)
    for name in graph.features_of:
        choices((*keys, "features_of", name), name, models)
    for name in graph.settings:
        choices((*keys, "settings", name), name, _ModelNames())


def _check_source(keys: Keys, source: Mapping[str, Any], folder: Path, data_dir: Path | None) -> None:
    """Refuse what no graph could be had from; nothing is fetched, read or made."""
    if "generator" in source:
        from edgeorbit.synthetic.options import OptionError, check_options

        try:
            check_options(source["generator"], source.get("options", {}))
        except OptionError as error:
            blamed = ["generator"] if error.option is None else ["options", error.option]
            raise TomlKeyError((*keys, *blamed), str(error)) from None
        except InvalidParameterError as error:
            raise TomlKeyError((*keys, "generator"), str(error)) from None
    for place, name in named_graphs(source).items():
        if place == ("source",) and name.lower().startswith(SYNTHETIC) and not (folder / name).exists():
            raise TomlKeyError((*keys, "source"), f'{name} is made; write generator = "{name}" in its place')
        blaming((*keys, *place), partial(find_graph, name, folder, data_dir))


def _check_training_of(keys: Keys, by_model: Mapping[str, Mapping[str, Any]]) -> None:
    for name, given in by_model.items():
        choices((*keys, name), name, _ModelNames())
        check_training((*keys, name), given)


def _check_names(keys: Keys, given: list[str] | None, known: Container[str]) -> None:
    for number, name in enumerate(given or []):
        choices((*keys, number), name, known)
        if name in (given or [])[:number]:
            raise TomlKeyError((*keys, number), f"{name!r} is there twice; leave one out")
