"""`edgeorbit ear`: how symmetric graphs look to a message-passing network."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli import options
from edgeorbit.cli.console import message_console, output_console, print_json, say, working
from edgeorbit.cli.graphs import expand_sweeps, load
from edgeorbit.cli.reading import BadSources, Reading, reads_files, split_columns, what_was_read
from edgeorbit.cli.tables import measurement_table, print_readings
from edgeorbit.errors import InvalidParameterError

if TYPE_CHECKING:
    from edgeorbit.graph.graph import Graph
    from edgeorbit.measures.ear import Measurement


IN_MEMORY_ONLY = ("--header", "--no-header", "--encoding", "--skip-bad-rows")


class VariantName(StrEnum):
    """How edge orbits are counted."""

    multiset = "multiset"
    ordered = "ordered"


class EngineName(StrEnum):
    """What computes."""

    auto = "auto"
    memory = "memory"
    duckdb = "duckdb"
    spark = "spark"


@dataclass(frozen=True)
class TableOptions:
    """Where an engine on tables works, and what it may use."""

    memory_limit: str | None
    spill: Path | None
    work: Path | None
    master: str | None

    def given(self) -> list[str]:
        """Return the options that were given, as they are written."""
        named = {"--spill": self.spill, "--work": self.work, "--master": self.master}
        return [name for name, value in named.items() if value is not None]


Gamma = Annotated[float, typer.Option(help="Exponent of EAR, above 0 and at most 1.")]
Variant = Annotated[
    VariantName, typer.Option(help="Edge orbits as unordered colour pairs, or ordered as in the paper's table.")
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Memory for --engine duckdb, such as 1GB, or beyond which --exact is given up."),
]
Engine = Annotated[
    EngineName, typer.Option(help="What computes; auto takes memory, or DuckDB if the graph does not fit there.")
]
Spill = Annotated[Path | None, typer.Option(metavar="DIR", help="Where DuckDB puts what exceeds its memory.")]
Work = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Where duckdb and spark keep each round; the same DIR goes on with a run that stopped."
    ),
]
Master = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Master of --engine spark, such as local\\[2] or spark://host:7077."),
]
Colours = Annotated[Path | None, typer.Option(metavar="FILE", help="Write each node and its colour to a Parquet file.")]


@reads_files()
def ear_command(
    graphs: options.Graphs,
    rounds: options.Rounds = None,
    gamma: Gamma = 1.0,
    variant: Variant = VariantName.multiset,
    initial: options.Initial = None,
    exact: options.Exact = False,
    time_limit: options.TimeLimit = 60.0,
    memory_limit: MemoryLimit = None,
    as_json: options.AsJson = False,
    threads: options.Threads = None,
    engine: Engine = EngineName.auto,
    spill: Spill = None,
    work: Work = None,
    master: Master = None,
    colours: Colours = None,
    *,
    reading: Reading,
) -> None:
    """Measure the Edge Automorphism Ratio (EAR): the share of links that have a look-alike.

    [bold]Examples[/bold]

      edgeorbit ear links.csv                 how symmetric my graph looks to a GNN

      edgeorbit ear karate prism --exact      colours against the automorphism group

      edgeorbit ear cora --rounds 2 --json    what a 2-layer network sees, for scripts

      edgeorbit ear web/ --engine duckdb --memory-limit 4GB --work state/    more edges than memory
    """
    from edgeorbit.measures.ear import check_gamma
    from edgeorbit.orbits.refine import check_rounds

    check_gamma(gamma)
    check_rounds(rounds)
    limits = _exact_limits(exact, time_limit, memory_limit)
    tables = TableOptions(memory_limit, spill, work, master)
    sources = expand_sweeps(graphs)
    if len(sources) > 1 and (colours or work):
        raise InvalidParameterError(
            f"--colours and --work are for one graph, not for {len(sources)}; measure one at a time"
        )
    results, shown = [], []
    bad = BadSources(len(sources))
    for source in sources:
        with bad.passing_over(source):
            chosen = _choose_engine(engine.value, source, tables, exact, reading)
            if chosen == "memory":
                graph = load(source, reading, threads, features=initial == "features", quiet=as_json)
                measured = _measure_one(graph, rounds, gamma, variant.value, initial, limits, threads, colours)
                shown.append(measured[0].as_dict() | measured[1] | what_was_read(graph))
            else:
                measured = (
                    _measure_tables(
                        *(source, chosen, rounds, gamma, variant.value, initial, reading, colours, tables, threads)
                    ),
                    {},
                )
                shown.append(measured[0].as_dict() | _report_tables(source, reading, measured[0], quiet=as_json))
            results.append(measured)
    if as_json:
        print_json(shown + bad.as_dicts())
    elif results:
        console = output_console()
        console.print(measurement_table(results, console.width))
        print_readings(console, [found for found, _ in results])
    bad.finish()


def _report_tables(source: str, reading: Reading, found: "Measurement", *, quiet: bool) -> dict[str, Any]:
    """Say what an engine on tables has read, or return it for JSON."""
    from edgeorbit.engines import find_edges

    report = find_edges(source, split_columns(reading.columns), reading.format).report()
    counts = (found.num_edges, found.merged_edges, None, found.self_loops)
    if not quiet:
        say(report.sentence(*counts))
    return {"read": report.as_dict(*counts)}


def _exact_limits(exact: bool, time_limit: float, memory_limit: str | None) -> dict[str, Any] | None:
    if not exact or memory_limit is None:
        return options.exact_limits(exact, time_limit, None)
    from edgeorbit.engines import parse_size

    return options.exact_limits(exact, time_limit, parse_size(memory_limit) / 1e9)


def _choose_engine(engine: Any, source: str, tables: TableOptions, exact: bool, reading: Reading) -> Any:
    """Return the engine for a source; say so if it is not the usual one."""
    from edgeorbit.engines import choose_engine, require_fit

    columns = split_columns(reading.columns)
    only_here = [option for option in reading.given() if option in IN_MEMORY_ONLY]
    if only_here:  # what the engines on tables cannot do
        if engine in ("duckdb", "spark"):
            raise InvalidParameterError(f"{only_here[0]} does not go with --engine {engine}; leave one of them out")
        engine = "memory"
    if exact and engine in ("duckdb", "spark"):
        raise InvalidParameterError(f"--exact needs the whole graph in memory; leave out --engine {engine}")
    if engine == "auto" and not exact:
        chosen, reason = choose_engine(source, columns, reading.format)
        if reason:
            message_console().print(f"{reason}: using the engine {chosen}.", style="dim", markup=False, soft_wrap=True)
    else:
        chosen = "memory" if engine == "auto" else engine
    if chosen == "memory":
        if tables.given():
            raise InvalidParameterError(
                f"{tables.given()[0]} is for engines on tables; add --engine duckdb or --engine spark"
            )
        if engine == "memory":
            require_fit(source, columns, reading.format)
    return chosen


def _measure_tables(
    source: str,
    engine: Any,
    rounds: int | None,
    gamma: float,
    variant: Any,
    initial: str | None,
    reading: Reading,
    colours: Path | None,
    tables: TableOptions,
    threads: int | None,
) -> "Measurement":
    from rich.text import Text

    from edgeorbit.engines import measure

    console = message_console()
    with working(f"reading {source}") as describe:

        def progress(made: int, num_colours: int) -> None:
            text = f"{source}: round {made:,}, {num_colours:,} colours"
            if console.is_terminal:
                describe(text)
            else:  # a log of a long run shows how far it came
                console.print(Text(text), soft_wrap=True)

        return measure(
            source,
            engine,
            rounds,
            gamma=gamma,
            variant=variant,
            initial=initial,
            columns=split_columns(reading.columns),
            format=reading.format,
            colours=colours,
            memory_limit=tables.memory_limit,
            spill=tables.spill,
            work=tables.work,
            master=tables.master,
            threads=threads,
            progress=progress,
        )


def _measure_one(
    graph: "Graph",
    rounds: int | None,
    gamma: float,
    variant: Any,
    initial: str | None,
    exact_limits: dict[str, Any] | None,
    threads: int | None,
    colours: Path | None,
) -> "tuple[Measurement, dict[str, Any]]":
    from edgeorbit.cli.graphs import resolve_initial
    from edgeorbit.measures.ear import measure

    start = resolve_initial(graph, initial)
    with working(f"refining {graph.name}") as describe:

        def progress(made: int, num_colours: int) -> None:
            describe(f"refining {graph.name}: round {made}, {num_colours:,} colours")

        found = measure(graph, gamma, rounds, variant, initial=start, threads=threads, progress=progress)
        if colours is not None:
            from edgeorbit.engines import write_colours
            from edgeorbit.orbits.refine import refine

            write_colours(graph, refine(graph, rounds, start, threads=threads), colours)
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
