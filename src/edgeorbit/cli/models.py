"""`edgeorbit models`: the link predictors there are."""

from dataclasses import asdict
from typing import Annotated

import typer

from edgeorbit.cli.console import message_console, output_console, print_json
from edgeorbit.cli.postponed_imports import postpone_imports


def models_command(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: settings, search space and citation too.")
    ] = False,
) -> None:
    """List the models that edgeorbit train takes.

    [bold]Example[/bold]

      edgeorbit models
    """
    from edgeorbit.models import MODELS, resolve_model

    postpone_imports()
    with message_console().status("loading"):
        found = {name: resolve_model(name) for name in MODELS}
    if as_json:
        print_json(
            [
                {
                    "name": name,
                    "summary": model.summary(),
                    "trainable": model.trainable,
                    "settings": asdict(model.Settings()),
                    "search_space": dict(model.search_space),
                    "presets": {graph: preset._asdict() for graph, preset in model.presets.items()},
                    "citation": model.citation,
                }
                for name, model in found.items()
            ]
        )
        return
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in ("model", "what it does", "settings"):
        table.add_column(column, no_wrap=column == "model")
    for name, model in found.items():
        settings = " ".join(f"{key}={value}" for key, value in asdict(model.Settings()).items())
        table.add_row(name, Text(model.summary()), Text(settings))
    output_console().print(table)
