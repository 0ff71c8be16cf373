"""`edgeorbit models`: the link predictors there are."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli.console import message_console, output_console, print_json
from edgeorbit.cli.postponed_imports import postpone_imports
from edgeorbit.errors import EdgeorbitError

if TYPE_CHECKING:
    from edgeorbit.models import LinkModel


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

    postpone_imports()
    with message_console().status("loading"):
        found = {name: _resolve(name) for name in [*MODELS, *installed_models()]}
    if as_json:
        print_json([{"name": name, "summary": _summary(name, model), **_facts(model)} for name, model in found.items()])
        return
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
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
