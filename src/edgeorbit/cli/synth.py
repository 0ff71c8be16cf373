"""`edgeorbit synth`: synthetic graphs whose EAR is chosen."""

import difflib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit._files import check_free_directory
from edgeorbit.cli import options
from edgeorbit.cli.console import new_table, output_console, print_json, say, working
from edgeorbit.errors import InvalidParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from edgeorbit.synthetic.construction import Amounts
    from edgeorbit.synthetic.generators import Generator

FORM = {"edgeorbit_graph", "num_nodes", "num_edges", "sha256", "request"}  # of a card on disk; not shown
# Options that belong to one generator, such as --rows, are left to it.
CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True}


Name = Annotated[
    str | None,
    typer.Argument(
        metavar="GENERATOR",
        help="What to make: syn-cora, syn-links.csv (two copies of any data set or graph file), disjoint-copies, "
        "twins, rewired-lattice, ...; --list shows all.",
        show_default=False,
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="DIR", help="The directory to write.", show_default=False)
]
Ears = Annotated[
    str | None,
    typer.Option("--ear", metavar="EAR[,EAR...]", help="The EAR to reach, within 0.01; several make a sweep."),
]
Rounds = Annotated[
    int | None, typer.Option("--rounds", "-k", metavar="K", help="Reach it at K rounds, what K layers see.")
]
Stable = Annotated[bool, typer.Option("--stable", help="Reach it with stable colours; the default.")]
Seed = Annotated[int, typer.Option(help="The same seed makes the same graph, on every machine.")]
Of = Annotated[
    str | None,
    typer.Option(metavar="GRAPH", help="A file, a data set or a generator that copies or twins are made from."),
]
Edges = Annotated[int | None, typer.Option(metavar="N", help="Random edges to add; lowers EAR.")]
Inter = Annotated[float | None, typer.Option(metavar="SHARE", help="Share of added edges between copies; default 0.1.")]
Swaps = Annotated[int | None, typer.Option(metavar="N", help="Edges to swap in pairs; lowers EAR, keeps every degree.")]
Twins = Annotated[int | None, typer.Option(metavar="N", help="Nodes to clone; raises EAR.")]
Part = Annotated[str, typer.Option(metavar="node|pendant", help="Clone nodes, or trees that hang on one node.")]
Dial = Annotated[
    str,
    typer.Option(
        metavar="auto|edges|swaps|twins",
        help="What to turn for --ear; auto: edges (swaps for lattices) until EAR is there or below, then twins.",
    ),
]
Features = Annotated[
    str | None,
    typer.Option(
        metavar="original|constant|degree|identity|random|orthogonal",
        help="Node features; default: original, if there are any.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Write into a directory that is not empty.")]
ListAll = Annotated[bool, typer.Option("--list", help="List all generators and their own options.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the card of the graph as JSON.")]


def synth_command(
    context: typer.Context,
    name: Name = None,
    output: Output = None,
    ears: Ears = None,
    rounds: Rounds = None,
    stable: Stable = False,
    seed: Seed = 0,
    of: Of = None,
    edges: Edges = None,
    inter: Inter = None,
    swaps: Swaps = None,
    twins: Twins = None,
    part: Part = "node",
    dial: Dial = "auto",
    features: Features = None,
    force: Force = False,
    list_all: ListAll = False,
    as_json: AsJson = False,
    threads: options.Threads = None,
    data_dir: options.DataDir = None,
) -> None:
    """Make graphs whose symmetry is chosen: the Edge Automorphism Ratio (EAR) is a dial.

    The directory gets edges.csv and edges.parquet (with the kind of every edge), nodes.parquet, features.npz and a
    card, graph.json; every command that takes a graph reads it. What is there already, made with the same options, is
    not made again.

    [bold]Examples[/bold]

      edgeorbit synth syn-cora --ear 0.5 --rounds 2 -o half          half of the links have a look-alike for 2 layers

      edgeorbit synth syn-links.csv --ear 0.1,0.5,0.9 -o sweep       a sweep from my own graph, for any depth

      edgeorbit synth syn-triangle --ear 0.5 --rounds 4 -o lattice   swaps keep nodes, edges and every degree

      edgeorbit synth grid --rows 20 --columns 30 -o grid            a graph of its own; options: --list
    """
    from edgeorbit.synthetic.generators import resolve_generator

    if list_all:
        _print_generators()
        return
    name, output = _check_given(name, output, stable and rounds is not None)
    generator, source = resolve_generator(name)
    parameters = dict(_own_options(context.args, generator))
    targets = _targets(ears)
    options: dict[str, Any] = {
        "rounds": rounds,
        "seed": seed,
        "dial": dial,
        "swaps": swaps,
        "edges": edges,
        "twins": twins,
        "inter": inter,
        "part": part,
        "features": features,
    }

    def request() -> str:
        from edgeorbit.synthetic.saving import sweep_digest

        settings = {"generator": generator.name, "ears": targets, **options, **generator.settings(parameters)}
        return sweep_digest(settings, source or of, data_dir, {})

    from edgeorbit.synthetic.saving import stored_cards

    there = None if force else stored_cards(output, targets, request)
    check_free_directory(output, force or there is not None)
    if there is not None:
        _show(there, output, as_json, f"Already in {output}, made with the same options; --force makes it again")
        return
    making = {"of": of, "data_dir": data_dir, "threads": threads, **options, **parameters}
    cards = _make(name, targets, output, making, lambda: {"force": force, "threads": threads, "request": request()})
    _show(cards, output, as_json, f"Written to {output}")


def _check_given(name: str | None, output: Path | None, contradictory: bool) -> tuple[str, Path]:
    """Return what to make and where."""
    if name is None or output is None:
        raise InvalidParameterError(
            "say what to make and where, for instance edgeorbit synth syn-cora --ear 0.5 -o half; --list shows all"
        )
    if name.startswith("-"):
        raise InvalidParameterError(f"{name} stands before the generator; name the generator first, then its options")
    if contradictory:
        raise InvalidParameterError("--rounds and --stable contradict each other; leave one of them out")
    return name, output


def _make(
    name: str,
    targets: list[float | None],
    output: Path,
    making: dict[str, Any],
    keeping: Callable[[], dict[str, Any]],
) -> list[dict[str, Any]]:
    """Make the graphs and write them; return their cards, with their names and sizes."""
    from edgeorbit.synthetic import save_graph, save_sweep, sweep

    with working(f"making {name}") as describe:

        def show(amounts: "Amounts", ear: float) -> None:
            moves = [
                f"{getattr(amounts, knob):,} {knob}" for knob in ("swaps", "edges", "twins") if getattr(amounts, knob)
            ]
            describe(f"making {name}: {', '.join(moves) or 'no moves'}, EAR {ear:.4f}")

        graphs = sweep(name, targets, progress=show, **making)
        describe(f"writing {output}")
        cards = (
            [save_graph(graphs[0], output, **keeping())]
            if len(graphs) == 1
            else save_sweep(graphs, output, **keeping())
        )
    sizes = [{"name": graph.name, "num_nodes": graph.num_nodes, "num_edges": graph.num_edges} for graph in graphs]
    return [size | card for size, card in zip(sizes, cards, strict=True)]


def _show(cards: list[dict[str, Any]], output: Path, as_json: bool, where: str) -> None:
    """Print what was made, and where it is."""
    if as_json:
        print_json([{"output": str(output)} | {key: card[key] for key in card if key not in FORM} for card in cards])
        return
    _print_graphs(output_console(), cards)
    say(f"\n{where}")


def _targets(ears: str | None) -> list[float | None]:
    if ears is None:
        return [None]
    try:
        return [float(one) for one in ears.split(",")]
    except ValueError:
        raise InvalidParameterError(f"--ear {ears}: give a number from 0 to 1, or several with commas") from None


def _own_options(arguments: list[str], generator: "Generator") -> Iterator[tuple[str, Any]]:
    """Yield the generator's own options, each as its name and its value."""
    rest = iter(arguments)
    for argument in rest:
        option, given, value = argument.partition("=")
        name = option.removeprefix("--").replace("-", "_")
        parameter = generator.parameters.get(name)
        if not option.startswith("--") or parameter is None:
            known = [f"--{key}" for key in generator.parameters]
            near = difflib.get_close_matches(option, [*known, "--ear", "--rounds", "--output", "--features"], n=1)
            hint = f"did you mean {near[0]}?" if near else f"its own options are {', '.join(known) or 'none'}"
            raise InvalidParameterError(f"{generator.name} has no option {option}; {hint}")
        text = value if given else next(rest, None)
        if text is None:
            raise InvalidParameterError(f"{option} needs a value, for instance {option} {parameter.default}")
        try:
            yield name, type(parameter.default)(text)
        except ValueError:
            kind = "whole number" if isinstance(parameter.default, int) else "number"
            raise InvalidParameterError(f"{option} {text}: give a {kind}") from None


def _print_graphs(console: "Console", cards: list[dict[str, Any]]) -> None:
    from rich.text import Text

    target = cards[0]["target"]
    rounds = target["rounds"] if target else None
    columns = ["EAR" if rounds is None else f"EAR@{rounds}", *(() if rounds is None else ("EAR",)), "nodes", "edges"]
    table = new_table((0, 1, 0, 0))
    table.add_column("graph", overflow="fold")
    for column in [*columns, "original", "added", "twin", "mean\ndegree", "degrees\nmoved", "com-\nponents"]:
        table.add_column(column, justify="right", no_wrap=True)
    for card in cards:
        changes = card["changes"]
        table.add_row(
            Text(card["name"]),
            *([] if rounds is None else [f"{card['target']['reached']:.4f}"]),
            f"{card['ear']:.4f}",
            f"{card['num_nodes']:,}",
            f"{card['num_edges']:,}",
            *(f"{count:,}" for count in card["edge_kinds"].values()),
            f"{changes['after']['mean degree']:.3f}",
            f"{100 * changes['degrees_moved']:.1f} %",
            f"{changes['after']['components']:,}",
        )
    console.print(table)
    moved = list(dict.fromkeys(name for card in cards for name in card["changes"]["moved"]))
    still = [name for name in cards[0]["changes"]["still"] if name not in moved]
    console.print(
        f"\nHeld still: {', '.join(still) or 'nothing'}. Moved: {', '.join(moved) or 'nothing'}.", highlight=False
    )


def _print_generators() -> None:
    from rich.text import Text

    from edgeorbit.synthetic.generators import GENERATORS

    table = new_table()
    for column in ("generator", "own options", "what it makes"):
        table.add_column(column, no_wrap=column == "generator")
    table.add_row("syn-X", "", "Two copies of X, a data set (syn-cora) or a graph file (syn-links.csv).")
    for generator in GENERATORS.values():
        own = [_shown(parameter) for parameter in generator.parameters.values()]
        table.add_row(
            generator.name, Text(" ".join((["--of GRAPH"] if generator.takes_source else []) + own)), generator.summary
        )
    output_console().print(table)


def _shown(parameter: inspect.Parameter) -> str:
    return f"--{parameter.name.replace('_', '-')} {parameter.default}"
