"""`edgeorbit expressiveness`: which links of a graph models can never tell apart, and which model can more."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import (
    loading_models,
    new_table,
    output_console,
    print_json,
    print_line,
    progress_bar,
    say,
    working,
)
from edgeorbit.cli.graphs import load, spare_the_input
from edgeorbit.cli.reading import Reading, reads_files, what_was_read

if TYPE_CHECKING:
    from rich.table import Table

    from edgeorbit.expressiveness import Comparison
    from edgeorbit.graph.graph import Graph

FEATURES = "constant|degree|original|identity|random|orthogonal"


Models = Annotated[
    str, typer.Option("--models", "-m", metavar="NAME,...", help="Models by name; `edgeorbit models` lists them.")
]
Features = Annotated[
    str,
    typer.Option(metavar=FEATURES, help="What models know of nodes; constant: nothing, so that only structure counts."),
]
Draws = Annotated[
    int, typer.Option(metavar="N", help="Draws of random weights; half as many for models that have noise.")
]
NoiseDraws = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Draws of noise for each draw of weights, for models that have noise; default: 16, more in small graphs.",
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of all draws.")]
Picture = Annotated[
    Path | None,
    typer.Option("--picture", "-o", metavar="FILE", help="Draw the order of the models: .png, .svg or .pdf."),
]


@reads_files()
def expressiveness_command(
    graph: options.OneGraph,
    models: Models = "gcn,ncn,eo-gnn",
    rounds: options.Rounds = None,
    initial: options.Initial = None,
    features: Features = "constant",
    draws: Draws = 8,
    noise_draws: NoiseDraws = None,
    seed: Seed = 0,
    picture: Picture = None,
    as_json: options.AsJson = False,
    threads: options.Threads = None,
    *,
    reading: Reading,
) -> None:
    """Say which links models can never tell apart, and which model tells apart what another cannot.

    Links of one orbit look alike to message passing. Every model scores them with several draws of random weights; it
    tells two apart if some draw gives them different scores. Nodes have constant features unless you say otherwise. No
    model is trained.

    [bold]Examples[/bold]

      edgeorbit expressiveness prism                                  GCN, NCN and EO-GNN

      edgeorbit expressiveness links.csv --models gcn,ncn,seal,eo-gnn

      edgeorbit expressiveness cora --models gin,gcn --rounds 1       against what one layer sees

      edgeorbit expressiveness karate --models gcn,cn,aa -o order.png
    """
    from edgeorbit.expressiveness.judging import Judge
    from edgeorbit.expressiveness.scorers import resolve_scorer
    from edgeorbit.orbits.refine import check_rounds
    from edgeorbit.report.saving import check_picture_path, save_figure

    check_rounds(rounds)
    Judge(draws, noise_draws, seed)
    names = [name.strip() for name in models.split(",") if name.strip()]
    with loading_models():
        for name in names:
            resolve_scorer(name)
    if picture is not None:
        check_picture_path(picture)
        spare_the_input(graph, picture)
    found, loaded = _compare(
        *(graph, names, initial, features),
        {"rounds": rounds, "draws": draws, "noise_draws": noise_draws, "seed": seed, "threads": threads},
        reading,
        as_json,
    )
    from edgeorbit.expressiveness.order import hasse_diagram

    diagram = hasse_diagram(found)
    if picture is not None:
        from edgeorbit.report.model_pictures import draw_hasse

        with working(f"drawing {picture}"):
            save_figure(draw_hasse(diagram), picture)
    if as_json:
        covers = [[list(diagram.groups[upper]), list(diagram.groups[lower])] for upper, lower in diagram.covers]
        print_json(
            [found.as_dict() | what_was_read(loaded) | {"features": features, "rounds": rounds, "covers": covers}]
        )
        return
    output_console().print(expressiveness_table(found))
    lines = ["", *(sentence for order in found.orders for sentence in order.sentences())]
    if len(names) > 1:
        lines += ["", "The most expressive first; > names those directly below.", diagram.text()]
    lines += ["", f"Nodes had {features} features; weights were random, {draws} draws of them."]
    if picture is not None:
        lines.append(f"Written to {picture}")
    for line in lines:
        print_line(line)
    for remark in found.remarks:
        say(f"edgeorbit: {remark}")


def _compare(
    source: str,
    names: list[str],
    initial: str | None,
    features: str,
    how: dict[str, Any],
    reading: Reading,
    quiet: bool,
) -> "tuple[Comparison, Graph]":
    from edgeorbit.cli.graphs import resolve_initial
    from edgeorbit.data.features import node_features
    from edgeorbit.expressiveness import compare_expressiveness

    wanted = "features" if features == "original" or initial == "features" else None
    graph = load(source, reading, how["threads"], features=wanted is not None, quiet=quiet)
    # Colours that start from features start from those that models are given.
    given = graph.with_attributes(x=node_features(graph, features, how["seed"]))
    start = resolve_initial(given if initial == "features" else graph, initial)
    with progress_bar(f"judging {', '.join(names)}") as progress:
        found = compare_expressiveness(graph, names, initial=start, features=features, progress=progress, **how)
    return found, graph


def expressiveness_table(found: "Comparison") -> "Table":
    """Return the table of what each model tells apart, one row per model."""
    from rich.text import Text

    table = new_table((0, 1, 0, 0))
    table.add_column("model", overflow="fold")
    for heading in ("edge\norbits", "score\nclasses", "pairs in\norbits", "told\napart", "share", "EAR"):
        table.add_column(heading, justify="right", style="bold" if heading == "share" else None, no_wrap=True)
    table.add_column("", style="dim")
    for name, one in found.partitions.items():
        notes = (["randomised"] if one.randomised else []) + (["by numbering"] if one.depends_on_numbering else [])
        table.add_row(
            Text(name),
            f"{one.num_orbits:,}",
            f"{one.num_classes:,}",
            f"{one.num_pairs:,}",
            f"{one.num_discriminated:,}",
            f"{one.share_discriminated:.4f}",
            f"{one.ear():.4f}",
            ", ".join(notes),
        )
    return table
