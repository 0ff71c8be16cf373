"""`edgeorbit report`: a page about results of experiments, or about a graph."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from edgeorbit._files import atomic_path, check_free_directory, make_directory
from edgeorbit.cli import options
from edgeorbit.cli.console import say, working
from edgeorbit.cli.graphs import load
from edgeorbit.cli.reading import Reading, reads_files
from edgeorbit.errors import EdgeorbitError, InvalidParameterError

if TYPE_CHECKING:
    from edgeorbit.experiments.tables import Results

FORMATS = {"html": (".html", ".htm"), "markdown": (".md", ".markdown"), "latex": (".tex",), "csv": (".csv",)}


Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="RESULTS...|GRAPH",
        help="Runs, experiment files (.toml) or their results (.parquet); or one graph: a file or a data set.",
        show_default=False,
    ),
]
Output = Annotated[
    list[Path] | None,
    typer.Option("--output", "-o", metavar="FILE", help="Where it goes; can be repeated. Default: report.html."),
]
Format = Annotated[
    str | None,
    typer.Option(metavar="html|markdown|latex|csv", help="What is written; default: by the ending of FILE."),
]
Figures = Annotated[
    Path | None,
    typer.Option(metavar="DIRECTORY", help="Also draw the figures of results for papers, as PNG and PDF."),
]
Against = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="Compare MODEL with all others on shared seeds; Markdown.",
    ),
]
Gallery = Annotated[bool, typer.Option("--gallery", help="Add example graphs and their orbits to the page of results.")]


@reads_files()
def report_command(
    sources: Sources,
    output: Output = None,
    format: Format = None,
    figures: Figures = None,
    against: Against = None,
    gallery: Gallery = False,
    spreadsheet_safe: options.SpreadsheetSafe = False,
    rounds: options.Rounds = None,
    threads: options.Threads = None,
    *,
    reading: Reading,
) -> None:
    """Write a page of results to look at, in one file that needs no network; or a page about one graph.

    Results: curves against EAR, tables that can be sorted and filtered with what was published beside, ablation,
    time against quality. A graph: its EAR, its orbits, its picture, its hardest links.

    [bold]Examples[/bold]

      edgeorbit report experiments/real.toml -o report.html                    a page of results

      edgeorbit report experiments/*.parquet -o report.html -o tables.tex      all that was run, and tables for a paper

      edgeorbit report experiments/real.parquet --figures figures/             PNG and PDF, too

      edgeorbit report experiments/*.parquet --against eo-gnn -o against.md    where others are ahead of a model

      edgeorbit report run1 run2 -o runs.html                                  runs of edgeorbit train, side by side

      edgeorbit report cora -o cora.html                                       a graph

      edgeorbit report calls.csv --columns caller,callee -o calls.html         a file with more than two columns
    """
    if against is not None and format is None and output is None:
        format = "markdown"
    written = {path: _format_of(path, format) for path in output or [Path(_default_name(format))]}
    for path in written:
        if not path.parent.is_dir():
            raise EdgeorbitError(f"{path}: there is no directory {path.parent}; create the directory first")
    if spreadsheet_safe and "csv" not in written.values():
        raise InvalidParameterError("--spreadsheet-safe is for CSV; add -o FILE.csv, or leave it out")
    if figures is not None:
        check_free_directory(figures, force=True)
    if all(_is_results(source) for source in sources):
        given = [option.replace("--format", "--input-format") for option in reading.given()]
        for option in [*(["--rounds"] if rounds is not None else []), *given[:1]]:
            if option:
                raise InvalidParameterError(f"{option} is for a graph, and these are results; leave it out")
        if against is not None and (figures is not None or set(written.values()) != {"markdown"}):
            raise InvalidParameterError("--against writes Markdown alone; give -o FILE.md, without --figures")
        _report_results(sources, written, figures, against, gallery=gallery, spreadsheet_safe=spreadsheet_safe)
    else:
        if against is not None or gallery:
            option = "--gallery" if against is None else "--against"
            raise InvalidParameterError(f"{option} is for results, and this is a graph; leave it out")
        _report_graph(sources, written, figures, rounds, threads, reading)
    for path in written:
        say(f"Written to {path}")


def _report_results(
    sources: list[str], written: dict[Path, str], figures: Path | None, against: str | None, **options: bool
) -> None:
    with working("reading results") as describe:
        from edgeorbit.experiments.tables import is_run, read_results, read_runs

        runs = [source for source in sources if is_run(source)]
        all_results = [read_results(source) for source in sources if source not in runs]
        all_results += [read_runs(runs)] if runs else []
        if sources == sorted(sources):  # as a pattern of the shell gives them; any other order is the user's own
            from edgeorbit.report.results import in_reading_order

            all_results = in_reading_order(all_results)
        for path, form in written.items():
            describe(f"writing {path}")
            text = _text(all_results, form, sources, against, **options)
            with atomic_path(path) as temporary:
                temporary.write_text(text, encoding="utf-8")
        if figures is not None:
            describe("drawing figures")
            from edgeorbit.report.results import save_figures

            make_directory(figures)
            drawn = save_figures(all_results, figures)
    if figures is not None:
        say(f"{len(drawn)} files in {figures}")


def _text(
    all_results: "list[Results]",
    form: str,
    sources: list[str],
    against: str | None,
    *,
    gallery: bool,
    spreadsheet_safe: bool,
) -> str:
    from edgeorbit.experiments import tables

    if against is not None:
        return tables.against_to_markdown(
            all_results, against, f"edgeorbit report {' '.join(sources)} --against {against}"
        )
    if form == "markdown":
        command = f"edgeorbit report {' '.join(sources)} --format markdown"
        return "\n".join(tables.results_to_markdown(results, command) for results in all_results)
    if form == "latex":
        return tables.to_latex(all_results)
    if form == "csv":
        return tables.to_csv(all_results, spreadsheet_safe=spreadsheet_safe)
    from edgeorbit.report.results import results_page

    return results_page(all_results, gallery=gallery)


def _report_graph(
    sources: list[str],
    written: dict[Path, str],
    figures: Path | None,
    rounds: int | None,
    threads: int | None,
    reading: Reading,
) -> None:
    if len(sources) > 1:
        raise InvalidParameterError(
            f"a page shows results or one graph, not {len(sources)} things; give experiment files, or one graph"
        )
    if figures is not None or set(written.values()) != {"html"}:
        raise InvalidParameterError("the page of a graph is HTML, without --figures; edgeorbit draw makes pictures")
    graph = load(sources[0], reading, threads, features=True)  # which the advice is about
    with working(f"looking at {graph.name}") as describe:
        from edgeorbit.report.graph_page import graph_page

        given, source = reading.given(), sources[0]
        text = graph_page(graph, rounds=rounds, threads=threads, source=source, reading=given, progress=describe)
    for path in written:
        with atomic_path(path) as temporary:
            temporary.write_text(text, encoding="utf-8")


def _is_results(source: str) -> bool:
    """Tell whether a source has results; a graph may be a Parquet file, too, with other columns."""
    from edgeorbit.experiments.tables import is_run

    path = Path(source)
    if is_run(path):
        return True
    if path.suffix.lower() != ".parquet" or not path.is_file() or path.with_suffix(".toml").exists():
        return path.suffix.lower() in {".toml", ".parquet"}
    import pyarrow as pa
    import pyarrow.parquet

    try:
        columns = set(pyarrow.parquet.read_schema(path).names)
    except (pa.ArrowException, OSError, ValueError):
        return True  # which says what is wrong with it
    return {"key", "model", "seed"} <= columns or len(columns) == 0


def _format_of(path: Path, format: str | None) -> str:
    if format is not None:
        if format not in FORMATS:
            raise InvalidParameterError(
                f"there is no format {format!r}; choose from {', '.join(FORMATS)} (--input-format: of a graph)"
            )
        return format
    for name, suffixes in FORMATS.items():
        if path.suffix.lower() in suffixes:
            return name
    endings = ", ".join(suffix for suffixes in FORMATS.values() for suffix in suffixes)
    raise InvalidParameterError(f"{path}: the ending must be one of {endings}, or give --format {'|'.join(FORMATS)}")


def _default_name(format: str | None) -> str:
    return f"report{FORMATS.get(format or 'html', FORMATS['html'])[0]}"
