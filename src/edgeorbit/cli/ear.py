"""`edgeorbit ear`: how symmetric graphs look to a message-passing network."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import expand_sweeps, load, output_console, print_json, working

if TYPE_CHECKING:
    from rich.table import Table

    from edgeorbit.graph.graph import Graph
    from edgeorbit.measures.ear import Measurement

LISTED_ROUNDS = (1, 2, 3)
WIDE = 100  # characters


class VariantName(StrEnum):
    """How edge orbits are counted."""

    multiset = "multiset"
    ordered = "ordered"


def ear_command(
    graphs: options.Graphs,
    rounds: options.Rounds = None,
    gamma: Annotated[float, typer.Option(help="Exponent of EAR, above 0 and at most 1.")] = 1.0,
    variant: Annotated[
        VariantName, typer.Option(help="Edge orbits as unordered colour pairs, or ordered as in the paper's table.")
    ] = VariantName.multiset,
    initial: options.Initial = None,
    exact: options.Exact = False,
    time_limit: options.TimeLimit = 60.0,
    memory_limit: options.MemoryLimit = None,
    as_json: options.AsJson = False,
    threads: options.Threads = None,
    data_dir: options.DataDir = None,
    format: options.Format = None,
    columns: options.Columns = None,
) -> None:
    """Measure the Edge Automorphism Ratio (EAR): the share of links that have a look-alike.

    [bold]Examples[/bold]

      edgeorbit ear links.csv                 how symmetric my graph looks to a GNN

      edgeorbit ear karate prism --exact      colours against the automorphism group

      edgeorbit ear cora --rounds 2 --json    what a 2-layer network sees, for scripts
    """
    from edgeorbit.measures.ear import check_gamma
    from edgeorbit.orbits.refine import check_rounds

    check_gamma(gamma)
    check_rounds(rounds)
    limits = options.exact_limits(exact, time_limit, memory_limit)
    results = []
    for source in expand_sweeps(graphs):
        graph = load(source, data_dir, format, columns, threads, features=initial == "features")
        results.append(_measure_one(graph, rounds, gamma, variant.value, initial, limits, threads))
    if as_json:
        print_json([found.as_dict() | extra for found, extra in results])
        return
    console = output_console()
    console.print(measurement_table(results, console.width))
    _print_readings(console, [found for found, _ in results])


def _measure_one(
    graph: "Graph",
    rounds: int | None,
    gamma: float,
    variant: Any,
    initial: str | None,
    exact_limits: dict[str, Any] | None,
    threads: int | None,
) -> "tuple[Measurement, dict[str, Any]]":
    from edgeorbit.cli.initial import resolve_initial
    from edgeorbit.measures.ear import measure

    start = resolve_initial(graph, initial)
    with working(f"refining {graph.name}") as describe:

        def progress(made: int, num_colours: int) -> None:
            describe(f"refining {graph.name}: round {made}, {num_colours:,} colours")

        found = measure(graph, gamma, rounds, variant, initial=start, threads=threads, progress=progress)
        if exact_limits is None:
            return found, {}
        describe(f"automorphisms of {graph.name}")
        return found, _exact_counts(graph, start, exact_limits, threads)


def _exact_counts(graph: "Graph", start: Any, limits: dict[str, Any], threads: int | None) -> dict[str, Any]:
    import numpy as np

    from edgeorbit.orbits.exact import exact_orbits
    from edgeorbit.orbits.refine import refine

    orbits = exact_orbits(graph, refine(graph, initial=start, threads=threads), **limits)
    sizes = np.bincount(orbits.edge_labels, minlength=1)
    return {
        "exact_num_node_orbits": orbits.num_node_orbits,
        "exact_num_edge_orbits": orbits.num_edge_orbits,
        "exact_ear": float(sizes[sizes > 1].sum() / graph.num_edges) if graph.num_edges else 0.0,
    }


def measurement_table(results: "list[tuple[Measurement, dict[str, Any]]]", width: int) -> "Table":
    """Return the table of measurements, one row per graph; EAR by round is left out where the width is small."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    rounds = LISTED_ROUNDS if width >= WIDE else ()
    exact = any(extra for _, extra in results)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("graph", overflow="fold")
    headings = ["nodes", "edges", "rounds", "node\norbits", "edge\norbits", *(f"EAR@{k}" for k in rounds)]
    for heading in [*headings, "EAR", "alpha_V", *(["exact\nnode\norbits", "exact\nedge\norbits"] if exact else [])]:
        table.add_column(heading, justify="right", style="bold" if heading == "EAR" else None, no_wrap=True)
    for found, extra in results:
        row = [
            f"{found.num_nodes:,}",
            f"{found.num_edges:,}",
            f"{found.rounds:,}" + ("" if found.stable else "*"),
            f"{found.num_node_orbits:,}",
            f"{found.num_edge_orbits:,}",
            *(_at_round(found.ear_by_round, k, found.stable) for k in rounds),
            f"{found.ear:.4f}",
            f"{found.alpha_v:.4f}",
        ]
        if exact:
            row += [f"{extra['exact_num_node_orbits']:,}", f"{extra['exact_num_edge_orbits']:,}"]
        table.add_row(Text(found.graph), *row)
    return table


def _at_round(by_round: list[float], k: int, stable: bool) -> str:
    if k < len(by_round):
        return f"{by_round[k]:.4f}"
    return f"{by_round[-1]:.4f}" if stable else ""


def _print_readings(console: Any, found: "list[Measurement]") -> None:
    from rich.text import Text

    from edgeorbit.measures.reading import explain

    console.print()
    for one in found:
        sentence = Text(explain(one) if len(found) == 1 else f"{one.graph}: {explain(one)}")
        if one.merged_edges or one.self_loops:
            sentence.append(
                f" Merged {one.merged_edges:,} repeated edges, dropped {one.self_loops:,} self-loops.", "dim"
            )
        console.print(sentence, soft_wrap=not console.is_terminal)
    if any(not one.stable for one in found):
        console.print("* not stable: further rounds would tell more apart.", style="dim")
