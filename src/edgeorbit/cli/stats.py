"""`edgeorbit stats`: the statistics of graphs, plain ones and those of their orbits."""

from typing import Any

from edgeorbit.cli import options
from edgeorbit.cli.console import new_table, output_console, print_json, working
from edgeorbit.cli.graphs import expand_sweeps, load
from edgeorbit.cli.reading import BadSources, Reading, reads_files, what_was_read


@reads_files()
def stats_command(
    graphs: options.Graphs,
    as_json: options.AsJson = False,
    threads: options.Threads = None,
    *,
    reading: Reading,
) -> None:
    """Compute graph statistics: degrees, clustering, coreness, power law, orbits and EAR by round.

    [bold]Examples[/bold]

      edgeorbit stats links.csv

      edgeorbit stats cora citeseer pubmed --json
    """
    found = []
    sources = expand_sweeps(graphs)
    bad = BadSources(len(sources))
    for source in sources:
        with bad.passing_over(source):
            graph = load(source, reading, threads, quiet=as_json)
            with working(f"measuring {graph.name}"):
                from edgeorbit.measures.summary import summarise

                read = what_was_read(graph) if as_json else {}
                found.append({"graph": graph.name} | summarise(graph, threads=threads) | read)
    if as_json:
        print_json(found + bad.as_dicts())
    elif found:
        _print_table(found)
    bad.finish()


def _print_table(found: list[dict[str, Any]]) -> None:
    from rich.text import Text

    from edgeorbit.measures.summary import SUMMARY_LABELS, show_number

    table = new_table()
    table.add_column("")
    for one in found:
        table.add_column(Text(one["graph"]), justify="right", overflow="fold")
    rounds = max(one["rounds"] for one in found)
    for key, label in SUMMARY_LABELS.items():
        if not key.startswith("ear@") or int(key.removeprefix("ear@")) <= rounds:
            table.add_row(label, *(show_number(one[key]) for one in found))
    output_console().print(table)
