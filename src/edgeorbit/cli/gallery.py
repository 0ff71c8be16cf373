"""`edgeorbit gallery`: the paper's example graphs as pictures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit._files import make_directory
from edgeorbit.cli import options
from edgeorbit.cli.console import message_console, output_console, print_json, working

if TYPE_CHECKING:
    from rich.table import Table

    from edgeorbit.report.gallery import PanelResult


def gallery_command(
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIRECTORY", help="Where the pictures go; it is made if need be."),
    ],
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
        console = output_console()
        console.print(_table(found))
        console.print(
            f"\nAll of them on a page: {output / 'gallery.png'}", highlight=False, markup=False, soft_wrap=True
        )
    for message in dict.fromkeys(result.message for results in found.values() for result in results if result.message):
        message_console().print(message, style="yellow", highlight=False, markup=False, soft_wrap=True)


def _table(found: "dict[Path, list[PanelResult]]") -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from edgeorbit.report.wording import ear_name

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
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
