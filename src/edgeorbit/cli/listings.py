"""`edgeorbit datasets` and `edgeorbit models`: what can be asked for by name."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import WIDE, loading_models, new_table, output_console, print_json, progress_bar
from edgeorbit.cli.startup import load_numba_quickly
from edgeorbit.errors import EdgeorbitError, InvalidParameterError

if TYPE_CHECKING:
    from edgeorbit.data.registry import Listing
    from edgeorbit.models import LinkModel


def datasets_command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Only these data sets.", show_default=False)
    ] = None,
    fetch: Annotated[bool, typer.Option("--fetch", help="Fetch those that are not here, and check them.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: an object for one, a list for several.")] = False,
    data_dir: options.DataDir = None,
) -> None:
    """List the data sets that can be asked for by name: size, features, split, source, and whether they are here.

    A data set that is not here is fetched when it is first used, unless EDGEORBIT_OFFLINE=1 forbids it. Edges are
    undirected and simple; of data sets with an official split they are counted as published, repeated ones included.

    [bold]Examples[/bold]

      edgeorbit datasets                      all of them

      edgeorbit datasets cora ogbl-ddi        two of them

      edgeorbit datasets pubmed --fetch       fetch one now
    """
    from edgeorbit.data import datasets
    from edgeorbit.data.files import resolve_data_dir

    wanted = _check_names(names or [], fetch)
    if fetch:
        _fetch(wanted, data_dir)
    found = [one for one in datasets(data_dir) if not wanted or one.dataset.name in wanted]
    if as_json:
        print_json([_as_dict(one) for one in found])
        return
    console = output_console()
    _print_table(console, found)
    console.print(
        f"\nData directory: {resolve_data_dir(data_dir)}\nAny graph file, and any directory that edgeorbit synth wrote "
        "or that is in the layout of HeaRT, is a data set too: give its path instead of a name.",
        style="dim",
        highlight=False,
        markup=False,
    )


def _check_names(names: list[str], fetch: bool) -> list[str]:
    from edgeorbit.data import DATASETS
    from edgeorbit.data.loading import unknown_source

    if fetch and not names:
        raise InvalidParameterError("--fetch needs names of data sets, for instance edgeorbit datasets cora --fetch")
    for name in names:
        if name.lower() not in DATASETS:
            raise unknown_source(name)
    return [name.lower() for name in names]


def _fetch(names: list[str], data_dir: Path | None) -> None:
    load_numba_quickly()
    from edgeorbit.data import DATASETS
    from edgeorbit.data.loading import load_dataset

    for name in names:
        with progress_bar(f"fetching {name}") as progress:
            load_dataset(DATASETS[name], data_dir=data_dir, features=False, progress=progress)


def _as_dict(listing: "Listing") -> dict[str, Any]:
    dataset = listing.dataset
    return {
        "name": dataset.name,
        "family": dataset.family,
        "num_nodes": dataset.num_nodes,
        "num_edges": dataset.num_edges,
        "num_features": dataset.num_features,
        "split": None if dataset.official is None else "official",
        "here": listing.available,
        "source": dataset.source,
        "citation": dataset.citation,
        "files": list(dataset.files.values()),
    }


def _print_table(console: Any, found: list["Listing"]) -> None:
    wide = console.width >= WIDE
    table = new_table((0, 1, 0, 0))
    for title in ("name", "family"):
        table.add_column(title, no_wrap=True)
    for title in ("nodes", "edges", "features"):
        table.add_column(title, justify="right", no_wrap=True)
    for title in ("split", "here"):
        table.add_column(title, no_wrap=True)
    if wide:  # --json has it at any width
        table.add_column("source", overflow="fold")
    for one in found:
        dataset = one.dataset
        table.add_row(
            dataset.name,
            dataset.family,
            f"{dataset.num_nodes:,}",
            f"{dataset.num_edges:,}",
            f"{dataset.num_features:,}" if dataset.num_features else "-",
            "official" if dataset.official else "-",
            "yes" if one.available else "no",
            *([dataset.source.split(",")[0]] if wide else []),
        )
    console.print(table)


def models_command(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: settings, search space and citation too.")
    ] = False,
) -> None:
    """List the models that edgeorbit train takes, also those that installed packages offer.

    Without PyTorch, networks are listed without their settings.

    [bold]Example[/bold]

      edgeorbit models
    """
    from edgeorbit.models import MODELS, installed_models

    with loading_models():
        found = {name: _resolve(name) for name in [*MODELS, *installed_models()]}
    if as_json:
        print_json([{"name": name, "summary": _summary(name, model), **_facts(model)} for name, model in found.items()])
        return
    from rich.text import Text

    table = new_table()
    for column in ("model", "what it does", "settings"):
        table.add_column(column, no_wrap=column == "model")
    for name, model in found.items():
        facts = _facts(model)
        settings = " ".join(f"{key}={value}" for key, value in facts.get("settings", {}).items())
        table.add_row(name, Text(_summary(name, model)), Text(facts.get("missing", settings)))
    output_console().print(table)


def _resolve(name: str) -> "type[LinkModel] | EdgeorbitError":
    from edgeorbit.models import resolve_model

    try:
        return resolve_model(name)
    except EdgeorbitError as error:  # PyTorch is missing, or another package is broken
        return error


def _summary(name: str, model: "type[LinkModel] | EdgeorbitError") -> str:
    """Return what a model does, in one sentence; of another package's, the first line of its docstring."""
    from edgeorbit.models import MODELS, summary_of

    if name in MODELS:
        return summary_of(name)
    return "" if isinstance(model, EdgeorbitError) else (model.__doc__ or "").strip().partition("\n")[0]


def _facts(model: "type[LinkModel] | EdgeorbitError") -> dict[str, Any]:
    if isinstance(model, EdgeorbitError):
        return {"missing": str(model)}
    return {
        "trainable": model.trainable,
        "settings": asdict(model.Settings()),
        "search_space": dict(model.search_space),
        "presets": {graph: preset._asdict() for graph, preset in model.presets.items()},
        "citation": model.citation,
    }
