"""`edgeorbit orbits`: the orbit of every node and every edge, as a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit._text import table_as_text
from edgeorbit.cli import options
from edgeorbit.cli.console import print_json, print_line, working
from edgeorbit.cli.graphs import load, spare_the_input
from edgeorbit.cli.reading import Reading, reads_files, what_was_read
from edgeorbit.errors import InvalidParameterError

if TYPE_CHECKING:
    import pyarrow as pa

    from edgeorbit.graph.graph import Graph

SUFFIXES = (".parquet", ".csv")


@reads_files()
def orbits_command(
    graph: options.OneGraph,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Where edges go: .parquet or .csv; nodes go beside it."),
    ],
    rounds: options.Rounds = None,
    initial: options.Initial = None,
    exact: options.Exact = False,
    time_limit: options.TimeLimit = 60.0,
    memory_limit: options.MemoryLimit = None,
    spreadsheet_safe: options.SpreadsheetSafe = False,
    as_json: options.AsJson = False,
    threads: options.Threads = None,
    *,
    reading: Reading,
) -> None:
    """Write the orbit of every edge to FILE and of every node beside it, by your own node ids.

    With [bold]-o out.parquet[/bold], edges are written to out.parquet (source, target, orbit, orbit_size,
    indistinguishable) and nodes to out.nodes.parquet (node, orbit, orbit_size, degree). CSV has your ids as they are;
    before you open those of somebody else in a spreadsheet, add [bold]--spreadsheet-safe[/bold].

    [bold]Examples[/bold]

      edgeorbit orbits links.csv -o orbits.csv

      edgeorbit orbits cora -o cora.parquet --rounds 2
    """
    if output.suffix not in SUFFIXES:
        raise InvalidParameterError(f"{output}: the ending must be one of {', '.join(SUFFIXES)}")
    if spreadsheet_safe and output.suffix != ".csv":
        raise InvalidParameterError(f"{output}: --spreadsheet-safe is for CSV; give a .csv file, or leave it out")
    loaded = load(graph, reading, threads, features=initial == "features", quiet=as_json)
    spare_the_input(graph, output)
    nodes_output = output.with_suffix(f".nodes{output.suffix}")
    with working(f"refining {loaded.name}") as describe:
        edges, nodes = _tables(loaded, rounds, initial, options.exact_limits(exact, time_limit, memory_limit), threads)
        describe("writing")
        if spreadsheet_safe:
            edges, nodes = table_as_text(edges), table_as_text(nodes)
        _write_both(nodes, nodes_output, edges, output)
    counts = {
        "graph": loaded.name,
        "edges": str(output),
        "nodes": str(nodes_output),
        "num_edges": loaded.num_edges,
        "num_nodes": loaded.num_nodes,
    }
    if as_json:
        print_json([counts | what_was_read(loaded)])
    else:
        print_line(f"{loaded.num_edges:,} edges to {output}")
        print_line(f"{loaded.num_nodes:,} nodes to {nodes_output}")


def _tables(
    graph: "Graph",
    rounds: int | None,
    initial: str | None,
    exact_limits: dict[str, Any] | None,
    threads: int | None,
) -> "tuple[pa.Table, pa.Table]":
    import numpy as np
    import pyarrow as pa

    from edgeorbit.cli.graphs import resolve_initial
    from edgeorbit.orbits.edge_orbits import edge_orbits
    from edgeorbit.orbits.refine import refine

    start = resolve_initial(graph, initial)
    colouring = refine(graph, rounds, start, threads=threads)
    orbits = edge_orbits(graph, colouring)
    ends = graph.edges
    edges: dict[str, Any] = {
        "source": graph.names(ends[:, 0]),
        "target": graph.names(ends[:, 1]),
        "orbit": orbits.labels,
        "orbit_size": orbits.sizes,
        "indistinguishable": orbits.indistinguishable,
    }
    nodes: dict[str, Any] = {
        "node": graph.names(np.arange(graph.num_nodes)),
        "orbit": colouring.labels,
        "orbit_size": colouring.sizes[colouring.labels],
        "degree": graph.degree,
    }
    if exact_limits is not None:
        from edgeorbit.orbits.exact import exact_orbits

        stable = colouring if colouring.stable else refine(graph, None, start, threads=threads)
        exact = exact_orbits(graph, stable, **exact_limits)
        edges["exact_orbit"], nodes["exact_orbit"] = exact.edge_labels, exact.node_labels
    return pa.table(edges), pa.table(nodes)


def _write_both(nodes: "pa.Table", nodes_path: Path, edges: "pa.Table", edges_path: Path) -> None:
    """Write both tables, or none if one of them cannot be written."""
    from edgeorbit._files import atomic_path

    with atomic_path(nodes_path) as nodes_file, atomic_path(edges_path) as edges_file:
        for table, file in ((nodes, nodes_file), (edges, edges_file)):
            if edges_path.suffix == ".csv":
                import pyarrow.csv

                pyarrow.csv.write_csv(table, file)
            else:
                import pyarrow.parquet

                pyarrow.parquet.write_table(table, file)
