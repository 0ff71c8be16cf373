"""Measurements of EAR, as a table with sentences below it."""

from typing import TYPE_CHECKING, Any

from edgeorbit.cli.console import WIDE

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from edgeorbit.measures.ear import Measurement

LISTED_ROUNDS = (1, 2, 3)


def measurement_table(results: "list[tuple[Measurement, dict[str, Any]]]", width: int) -> "Table":
    """Return the table of measurements, one row per graph; EAR by round is left out if nobody has it, or has room."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    rounds = LISTED_ROUNDS if width >= WIDE and any(found.ear_by_round for found, _ in results) else ()
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
    if not by_round:
        return ""
    if k < len(by_round):
        return f"{by_round[k]:.4f}"
    return f"{by_round[-1]:.4f}" if stable else ""


def print_readings(console: "Console", found: "list[Measurement]") -> None:
    """Print what measurements mean, a sentence each."""
    from rich.text import Text

    from edgeorbit.measures.ear import explain

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
