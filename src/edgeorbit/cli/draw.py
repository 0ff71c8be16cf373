"""`edgeorbit draw`: a picture of graphs, nodes coloured by orbit and links by whether they can be told apart."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import load, output_console, print_json, spare_the_input, working

if TYPE_CHECKING:
    from edgeorbit.report.drawing import ColouredGraph, Drawing

MAX_NODES = 500  # as in edgeorbit.report.drawing, which would load numba here


class PanelName(StrEnum):
    """What is drawn."""

    all = "all"
    network = "network"
    rounds = "rounds"
    sizes = "sizes"


def draw_command(
    graphs: options.Graphs,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the picture goes: .png, .svg or .pdf.")
    ],
    rounds: options.Rounds = None,
    initial: options.Initial = None,
    panel: Annotated[
        PanelName | None,
        typer.Option(
            help="The network, EAR by round, orbit sizes, or all of them. Default: all of one graph, the networks of "
            "several, side by side."
        ),
    ] = None,
    max_nodes: Annotated[
        int, typer.Option(metavar="N", help="Draw a larger graph by a sample of N nodes around its largest orbits.")
    ] = MAX_NODES,
    seed: Annotated[int, typer.Option(help="Seed of the layout; the same seed gives the same picture.")] = 0,
    as_json: options.AsJson = False,
    threads: options.Threads = None,
    data_dir: options.DataDir = None,
    format: options.Format = None,
    columns: options.Columns = None,
) -> None:
    """Draw graphs: nodes coloured by orbit, links by whether a message-passing network can tell them apart.

    White nodes have a role of their own; nodes of one colour look alike. A sample of a large graph is drawn, and
    colours, counts and EAR are those of the whole graph.

    [bold]Examples[/bold]

      edgeorbit draw links.csv -o orbits.png             network and curves

      edgeorbit draw cora -o cora.pdf --rounds 2         what two layers see

      edgeorbit draw karate prism -o both.svg            side by side

      edgeorbit draw cora -o ear.png --panel rounds      EAR by round alone
    """
    from edgeorbit.orbits.refine import check_rounds
    from edgeorbit.report.drawing import check_max_nodes, check_seed
    from edgeorbit.report.page import check_panel, draw_page
    from edgeorbit.report.saving import check_picture_path, save_figure

    check_picture_path(output)
    check_rounds(rounds)
    check_max_nodes(max_nodes)
    check_seed(seed)
    wanted = check_panel(None if panel is None else panel.value, len(graphs))
    coloured = []
    for source in graphs:
        spare_the_input(source, output)
        loaded = load(source, data_dir, format, columns, threads, features=initial == "features")
        coloured.append(_colour(loaded, rounds, initial, threads))
    with working(f"drawing {', '.join(one.graph.name for one in coloured)}"):
        page = draw_page(coloured, wanted, max_nodes=max_nodes, seed=seed)
        save_figure(page.figure, output)
    drawings: list[Drawing | None] = [*page.drawings] or [None] * len(coloured)
    if as_json:
        print_json([_as_dict(one, drawn, output) for one, drawn in zip(coloured, drawings, strict=True)])
        return
    from edgeorbit.report.legend import ear_line

    console = output_console()
    for one, drawn in zip(coloured, drawings, strict=True):
        console.print(f"{one.graph.name}: {ear_line(one)}", highlight=False, markup=False)
        if drawn is not None and drawn.sample is not None:
            console.print(f"Drawn: {drawn.sample}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"Written to {output}", highlight=False, markup=False, soft_wrap=True)


def _colour(graph: Any, rounds: int | None, initial: str | None, threads: int | None) -> "ColouredGraph":
    from edgeorbit.cli.initial import resolve_initial
    from edgeorbit.report.drawing import colour_graph

    start = resolve_initial(graph, initial)
    with working(f"refining {graph.name}"):
        return colour_graph(graph, rounds, start, threads=threads)


def _as_dict(coloured: "ColouredGraph", drawn: "Drawing | None", output: Path) -> dict[str, Any]:
    return {
        "graph": coloured.graph.name,
        "output": str(output),
        "ear": coloured.ear,
        "rounds": coloured.colouring.rounds,
        "num_nodes": coloured.graph.num_nodes,
        "num_edges": coloured.graph.num_edges,
        "drawn_nodes": 0 if drawn is None else len(drawn.nodes),
        "drawn_edges": 0 if drawn is None else len(drawn.edges),
        "sample": None if drawn is None else drawn.sample,
    }
