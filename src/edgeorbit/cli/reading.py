"""How files are read: the options that all commands share, and the line that says what was read."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgeorbit.cli.console import say
from edgeorbit.errors import EdgeorbitError

if TYPE_CHECKING:
    from edgeorbit.graph.graph import Graph
    from edgeorbit.graph.reading.options import ReadOptions


@dataclass(frozen=True)
class Reading:
    """How the files of a command are read, as its options say it."""

    data_dir: Annotated[
        Path | None, typer.Option(help="Where data sets lie; default: $EDGEORBIT_DATA, else the user's cache.")
    ] = None
    format: Annotated[str | None, typer.Option(help="Read the file as this format instead of recognising it.")] = None
    columns: Annotated[
        str | None,
        typer.Option(metavar="SOURCE,TARGET", help="The two columns, by name or number from 0, that hold the edges."),
    ] = None
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether the first line is a header; default: recognised."),
    ] = None
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Encoding of a text file, such as latin-1; default: UTF-8.")
    ] = None
    skip_bad_rows: Annotated[bool, typer.Option("--skip-bad-rows", help="Skip and count rows that are no edges.")] = (
        False
    )
    weight: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Weights of links, summed for repeated ones; heuristics use them, networks do not."
        ),
    ] = None
    time: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Times of links: numbers or dates; see --split time.")
    ] = None

    def options(self) -> dict[str, Any]:
        """Return what `edgeorbit.load_graph` takes."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            **found,
            "columns": split_columns(self.columns),
            "weight": _column(self.weight),
            "time": _column(self.time),
        }

    def of_pairs(self, *, has_graph: bool) -> "ReadOptions":
        """Return how a file of pairs is read: as the options say, unless they are about a graph."""
        from edgeorbit.graph.reading.options import ReadOptions

        if has_graph:
            return ReadOptions()
        found = self.options()
        return ReadOptions.of(**{key: found[key] for key in ("columns", "header", "encoding", "skip_bad_rows")})

    def given(self) -> list[str]:
        """Return the options that were given, as they are written, but for the data directory."""
        parts = []
        for each in fields(self)[1:]:
            value, option = getattr(self, each.name), f"--{each.name.replace('_', '-')}"
            if value is True:
                parts.append(option)
            elif value is False and each.default is None:
                parts.append(f"--no-{each.name}")
            elif value not in (None, False):
                parts += [option, str(value)]
        return parts


ROWS = ("weight", "time")  # what only commands that split or predict can use


def reads_files(*, rows: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the options of `Reading`, in the place of its parameter `reading`.

    With `rows`, also those that commands use which look at single links. A command that has a `--format` of its own
    gets `--input-format`.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        own = inspect.signature(command, eval_str=True)
        names = {each.name: each.name for each in fields(Reading) if rows or each.name not in ROWS}
        if "format" in own.parameters:
            names["format"] = "input_format"
        options = [
            inspect.Parameter(
                names[each.name], inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type
            )
            for each in fields(Reading)
            if each.name in names
        ]

        def run(**given: Any) -> Any:
            reading = Reading(**{name: given.pop(option) for name, option in names.items()})
            return command(reading=reading, **given)

        kept = [
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for each in own.parameters.values()
            if each.name != "reading"
        ]
        # What typer looks at.
        run.__dict__["__signature__"] = own.replace(parameters=[*kept, *options])
        run.__annotations__ = {each.name: each.annotation for each in [*kept, *options]}
        run.__doc__, run.__name__ = command.__doc__, command.__name__
        return run

    return decorate


def split_columns(columns: str | None) -> list[str | int] | None:
    """Return the columns named by `a,b` or `0,1`."""
    return None if columns is None else [int(name) if name.isdigit() else name for name in columns.split(",")]


def _column(name: str | None) -> str | int | None:
    return int(name) if name is not None and name.isdigit() else name


def say_what_was_read(graph: "Graph", *, uses_weights: bool = False) -> None:
    """Print what was read from a file, and that weights play no part where they do not."""
    if graph.read_report is not None:
        counts = (graph.num_edges, graph.merged_edges, graph.reciprocal_edges, graph.self_loops)
        unused = graph.edge_weight is not None and not uses_weights
        say(graph.read_report.sentence(*counts) + (" Weights are not used here." if unused else ""))


def what_was_read(graph: "Graph") -> dict[str, Any]:
    """Return what was read from a file as a field for JSON; nothing for a data set."""
    if graph.read_report is None:
        return {}
    counts = (graph.num_edges, graph.merged_edges, graph.reciprocal_edges, graph.self_loops)
    return {"read": graph.read_report.as_dict(*counts)}


def on_read(graphs: "list[Graph]", quiet: bool, *, uses_weights: bool = False) -> "Callable[[Graph], None]":
    """Return what is called with a graph when it was read by another part of a command: it is noted, and said."""

    def note(graph: "Graph") -> None:
        graphs.append(graph.with_attributes(x=None, y=None))
        if not quiet:
            say_what_was_read(graph, uses_weights=uses_weights)

    return note


def read_of(graphs: "list[Graph]") -> dict[str, Any]:
    """Return what was read for JSON."""
    return what_was_read(graphs[0]) if graphs else {}


@dataclass
class BadSources:
    """The graphs of a command that could not be read, and why."""

    number: int
    reasons: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def passing_over(self, source: str) -> Iterator[None]:
        """Note an error over a graph, if there are others; a single one is an error of the command."""
        try:
            yield
        except EdgeorbitError as error:
            if self.number == 1:
                raise
            self.reasons[source] = str(error)

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return the bad ones for JSON."""
        return [{"graph": source, "error": reason} for source, reason in self.reasons.items()]

    def finish(self) -> None:
        """List the bad ones, and end the command with code 2 if there are any."""
        if self.reasons:
            for reason in self.reasons.values():
                say(f"edgeorbit: {reason}")
            say(f"edgeorbit: {len(self.reasons)} of {self.number} graphs could not be read; the others are above")
            raise typer.Exit(2)
