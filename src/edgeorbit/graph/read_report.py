"""What was read from a file, and what was not: the line that every command prints."""

from dataclasses import asdict, dataclass
from typing import Any

from edgeorbit._text import shown

NAMES = {
    "edgelist": "edge list",
    "parquet": "Parquet",
    "frame": "data frame",
    "npy": "npy array",
    "npz": "npz arrays",
    "mtx": "MatrixMarket",
    "mat": "MATLAB",
    "graphml": "GraphML",
    "gml": "GML",
    "gexf": "GEXF",
    "pajek": "Pajek",
}
MOST_IGNORED = 6  # columns that are listed by name


@dataclass(frozen=True)
class ReadReport:
    """How a file was read.

    Attributes
    ----------
    file : str
        The file.
    format : str
        Its format, a key of `edgeorbit.graph.reading.FORMATS`.
    columns : pair of str, or None
        The columns of the node ids: their names, or numbers from 0 where there is no header.
    why : str
        What they were chosen by.
    header : bool or None
        Whether the first line was a header; None if the format has none.
    ignored : tuple of str
        The columns that were not read.
    weight, time : str or None
        The columns of weights and times.
    text_ids : bool or None
        Whether node ids are text; None if the format does not say.
    skipped_rows : int
        How many bad rows were skipped, as asked for.
    first_skipped : str
        What was wrong with the first of them.
    """

    file: str = ""
    format: str = ""
    columns: tuple[str, str] | None = None
    why: str = ""
    header: bool | None = None
    ignored: tuple[str, ...] = ()
    weight: str | None = None
    time: str | None = None
    text_ids: bool | None = None
    skipped_rows: int = 0
    first_skipped: str = ""

    def as_dict(
        self, num_edges: int, merged_edges: int, reciprocal_edges: int | None, self_loops: int
    ) -> dict[str, Any]:
        """Return the fields for JSON, with what became of the rows; engines on tables do not look at directions."""
        found = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}
        return found | {
            "rows": num_edges + merged_edges + self_loops,
            "both_directions_merged": reciprocal_edges,
            "repeats_merged": merged_edges - (reciprocal_edges or 0),
            "self_loops_dropped": self_loops,
        }

    def sentence(self, num_edges: int, merged_edges: int, reciprocal_edges: int | None, self_loops: int) -> str:
        """Return one line for people.

        >>> report = ReadReport("a.csv", "edgelist", ("payer", "payee"), "by name", True, ("day",), weight="amount")
        >>> print(report.sentence(90, 7, 2, 3))
        a.csv: edge list with a header, node ids from payer and payee (by name), weights from amount, ignored: day; 100
        rows, direction not used: 2 pairs in both directions and 5 repeats merged, 3 self-loops dropped.
        """
        what = [f"{NAMES.get(self.format, self.format)}{_HEADERS[self.header]}"]
        if self.columns is not None:
            first, second = (shown(name, 40) for name in self.columns)
            columns = f"{first} and {second}" if self.header is not False else f"columns {first} and {second}"
            what.append(f"node ids from {columns} ({self.why})")
        if self.weight is not None:
            what.append(f"weights from {shown(self.weight, 40)}")
        if self.time is not None:
            what.append(f"times from {shown(self.time, 40)}")
        if self.ignored:
            listed = ", ".join(shown(name, 40) for name in self.ignored[:MOST_IGNORED])
            more = len(self.ignored) - MOST_IGNORED
            what.append(f"ignored: {listed}" + (f" and {more} more" if more > 0 else ""))
        done = []
        if reciprocal_edges:
            done.append(f"{_number(reciprocal_edges, 'pair')} in both directions")
        if merged_edges > (reciprocal_edges or 0):
            done.append(_number(merged_edges - (reciprocal_edges or 0), "repeat"))
        merged = f"{' and '.join(done)} merged" if done else "nothing merged"
        loops = f", {_number(self_loops, 'self-loop')} dropped" if self_loops else ""
        skipped = (
            f", {_number(self.skipped_rows, 'bad row')} skipped (first: {self.first_skipped})"
            if self.skipped_rows
            else ""
        )
        rows = f"{_number(num_edges + merged_edges + self_loops, 'row')}{skipped}"
        return f"{self.file}: {', '.join(what)}; {rows}, direction not used: {merged}{loops}."


def _number(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


_HEADERS = {True: " with a header", False: " without a header", None: ""}
