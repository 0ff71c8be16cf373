"""`edgeorbit draw` and `edgeorbit gallery`: pictures of graphs, and of the paper's example graphs."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit._files import make_directory
from edgeorbit.cli import options
from edgeorbit.cli.console import message_console, new_table, output_console, print_json, print_line, working
from edgeorbit.cli.graphs import load, spare_the_input
from edgeorbit.cli.reading import Reading, reads_files, what_was_read

if TYPE_CHECKING:
    from rich.table import Table

    from edgeorbit.report.drawing import ColouredGraph, Drawing
    from edgeorbit.report.gallery import PanelResult

MAX_NODES = 500  # as in edgeorbit.report.drawing, which would load numba here


class PanelName(StrEnum):
    """What is drawn."""

    all = "all"
    network = "network"
    rounds = "rounds"
    sizes = "sizes"


Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="Where the picture goes: .png, .svg or .pdf.")
]
Panel = Annotated[
    PanelName | None,
    typer.Option(
        help="The network, EAR by round, orbit sizes, or all of them. Default: all of one graph, the networks of "
        "several, side by side."
    ),
]
MaxNodes = Annotated[
    int, typer.Option(metavar="N", help="Draw a larger graph by a sample of N nodes around its largest orbits.")
]
Seed = Annotated[int, typer.Option(help="Seed of the layout; the same seed gives the same picture.")]


@reads_files()
def draw_command(
    graphs: options.Graphs,
    output: Output,
    rounds: options.Rounds = None,
    initial: options.Initial = None,
    panel: Panel = None,
    max_nodes: MaxNodes = MAX_NODES,
    seed: Seed = 0,
    as_json: options.AsJson = False,
    threads: options.Threads = None,
    *,
    reading: Reading,
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
    from edgeorbit._randomness import check_seed
    from edgeorbit.orbits.refine import check_rounds
    from edgeorbit.report.drawing import check_max_nodes
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
        loaded = load(source, reading, threads, features=initial == "features", quiet=as_json)
        coloured.append(_colour(loaded, rounds, initial, threads))
    with working(f"drawing {', '.join(one.graph.name for one in coloured)}"):
        page = draw_page(coloured, wanted, max_nodes=max_nodes, seed=seed)
        save_figure(page.figure, output)
    drawings: list[Drawing | None] = [*page.drawings] or [None] * len(coloured)
    if as_json:
        shown = [(one, _as_dict(one, drawn, output)) for one, drawn in zip(coloured, drawings, strict=True)]
        print_json([about | what_was_read(one.graph) for one, about in shown])
        return
    from edgeorbit.report.network import ear_line

    for one, drawn in zip(coloured, drawings, strict=True):
        print_line(f"{one.graph.name}: {ear_line(one)}")
        if drawn is not None and drawn.sample is not None:
            print_line(f"Drawn: {drawn.sample}")
    print_line(f"Written to {output}")


def _colour(graph: Any, rounds: int | None, initial: str | None, threads: int | None) -> "ColouredGraph":
    from edgeorbit.cli.graphs import resolve_initial
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


GalleryOutput = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="DIRECTORY", help="Where the pictures go; it is made if need be."),
]


def gallery_command(
    output: GalleryOutput,
    as_json: options.AsJson = False,
) -> None:
    """Draw the example graphs of the paper, each with the EAR that is measured here and now.

    Square grids, triangular lattices, trees, the lobster, the prism (orbits of colour refinement beside those of the
    automorphism group) and the cycle under dropout: a picture each, and gallery.png with all of them.

    [bold]Example[/bold]

      edgeorbit gallery -o gallery/
    """
    make_directory(output)
    with working("drawing the gallery") as describe:
        from edgeorbit.report.gallery import FAMILIES, draw_family, draw_gallery
        from edgeorbit.report.saving import save_figure

        found: dict[Path, list[PanelResult]] = {}
        for family in FAMILIES:
            describe(f"drawing {family.title}")
            figure, results = draw_family(family.name)
            found[output / f"{family.name}.png"] = results[family.name]
            save_figure(figure, output / f"{family.name}.png")
        describe("drawing all of them on a page")
        save_figure(draw_gallery().figure, output / "gallery.png")
    if as_json:
        pictures = [
            {"file": str(file), "panels": [result.as_dict() for result in results]} for file, results in found.items()
        ]
        print_json([{"output": str(output), "page": str(output / "gallery.png"), "pictures": pictures}])
    else:
        output_console().print(_gallery_table(found))
        print_line("")
        print_line(f"All of them on a page: {output / 'gallery.png'}")
    for message in dict.fromkeys(result.message for results in found.values() for result in results if result.message):
        message_console().print(message, style="yellow", highlight=False, markup=False, soft_wrap=True)


def _gallery_table(found: "dict[Path, list[PanelResult]]") -> "Table":
    from rich.text import Text

    from edgeorbit.report.style import ear_name

    table = new_table((0, 2, 0, 0))
    table.add_column("picture", overflow="fold")
    table.add_column("panel", overflow="fold")
    for heading in ("nodes", "links", "orbits\nof links", "EAR"):
        table.add_column(heading, justify="right", no_wrap=True)
    for file, results in found.items():
        for place, result in enumerate(results):
            row: list[Any] = [
                Text(file.name if place == 0 else ""),
                Text(result.panel),
                f"{result.num_nodes:,}",
                f"{result.num_edges:,}",
                "" if result.num_edge_orbits is None else f"{result.num_edge_orbits:,}",
                "not found" if result.ear is None else f"{ear_name(result.rounds)} = {result.ear:.4f}",
            ]
            table.add_row(*row)
    return table
