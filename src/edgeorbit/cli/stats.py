"""`edgeorbit stats`: the statistics of graphs, plain ones and those of their orbits."""

from typing import TYPE_CHECKING, Any

from edgeorbit.cli import options
from edgeorbit.cli.console import expand_sweeps, load, output_console, print_json, working

if TYPE_CHECKING:
    from edgeorbit.graph.graph import Graph

ORBIT_LABELS = {
    "num_node_orbits": "Node orbits",
    "largest_node_orbit": "Largest node orbit",
    "num_edge_orbits": "Edge orbits",
    "largest_edge_orbit": "Largest edge orbit",
    "alpha_v": "alpha_V",
    "ear": "EAR",
}
LISTED_ROUNDS = 5


def stats_command(
    graphs: options.Graphs,
    as_json: options.AsJson = False,
    threads: options.Threads = None,
    data_dir: options.DataDir = None,
    format: options.Format = None,
    columns: options.Columns = None,
) -> None:
    """Compute graph statistics: degrees, clustering, coreness, power law, orbits and EAR by round.

    [bold]Examples[/bold]

      edgeorbit stats links.csv

      edgeorbit stats cora citeseer pubmed --json
    """
    found = []
    for source in expand_sweeps(graphs):
        graph = load(source, data_dir, format, columns, threads)
        with working(f"measuring {graph.name}"):
            found.append(_measure_one(graph, threads))
    if as_json:
        print_json(found)
    else:
        _print_table(found)


def _measure_one(graph: "Graph", threads: int | None) -> dict[str, Any]:
    from edgeorbit.measures.ear import measure, orbit_size_distribution
    from edgeorbit.measures.statistics import statistics
    from edgeorbit.orbits.edge_orbits import edge_orbits
    from edgeorbit.orbits.refine import refine

    colouring = refine(graph, threads=threads)
    orbit_sizes = edge_orbits(graph, colouring).orbit_sizes
    return (
        {"graph": graph.name}
        | statistics(graph, threads=threads).as_dict()
        | measure(graph, threads=threads).as_dict()
        | {
            "largest_node_orbit": int(colouring.sizes.max(initial=0)),
            "largest_edge_orbit": int(orbit_sizes.max(initial=0)),
            "node_orbit_sizes": _as_dict(orbit_size_distribution(colouring.sizes)),
            "edge_orbit_sizes": _as_dict(orbit_size_distribution(orbit_sizes)),
        }
    )


def _as_dict(distribution: Any) -> dict[str, int]:
    sizes, counts = distribution
    return dict(zip(map(str, sizes.tolist()), counts.tolist(), strict=True))


def _print_table(found: list[dict[str, Any]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from edgeorbit.measures.statistics import LABELS

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("")
    for one in found:
        table.add_column(Text(one["graph"]), justify="right", overflow="fold")
    for key, label in (LABELS | ORBIT_LABELS).items():
        table.add_row(label, *(_show(one[key]) for one in found))
    for k in range(1, min(LISTED_ROUNDS, max(one["rounds"] for one in found)) + 1):
        values = [one["ear_by_round"][min(k, len(one["ear_by_round"]) - 1)] for one in found]
        table.add_row(f"EAR@{k}", *map(_show, values))
    output_console().print(table)


def _show(value: float | int | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3g}" if 0 < abs(value) < 1e-3 else f"{value:,.4f}"
