"""Pairs of node ids of the user's own, from an edge list or a Parquet file; and which nodes of a graph they are."""

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.read_report import ReadReport
from edgeorbit.graph.reading.options import ReadOptions
from edgeorbit.graph.reading.read import STANDARD_INPUT, check_options, open_source, recognise
from edgeorbit.graph.reading.source import Source, standard_input

if TYPE_CHECKING:
    import pyarrow as pa


class PairFile(NamedTuple):
    """Pairs in the order of a file.

    Attributes
    ----------
    labels : pyarrow array of text
        The distinct ids.
    codes : int32 array of shape (2, k)
        The two ids of every pair, as places in `labels`.
    lines : int64 array of length k
        The line of each, or the row in a Parquet file.
    report : ReadReport
        How the file was read.
    """

    labels: "pa.LargeStringArray"
    codes: npt.NDArray[np.int32]
    lines: npt.NDArray[np.int64]
    report: ReadReport

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.lines)

    def place(self, pair: int) -> str:
        """Return where a pair stands, as messages say it."""
        return f"{self.report.file} {'row' if self.report.format == 'parquet' else 'line'} {self.lines[pair]}"

    def node_numbers(self, graph: Graph) -> npt.NDArray[np.int64]:
        """Return the pairs as node numbers of a graph, shape (k, 2); -1 for a node that is not in it."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if graph.node_names is None:
            names = pa.array(np.arange(graph.num_nodes)).cast(pa.large_string())
        else:
            names = pa.array([str(name) for name in graph.node_names.tolist()], pa.large_string())
        found = pc.fill_null(pc.index_in(self.labels, value_set=names), -1).to_numpy().astype(np.int64)
        numbers: npt.NDArray[np.int64] = found[self.codes.T]
        return numbers

    def unknown(self, numbers: npt.NDArray[np.int64]) -> list[str]:
        """Return the ids that `node_numbers` did not find, each once, in the order of the file."""
        places = self.codes.T[numbers < 0]
        first = np.unique(places, return_index=True)[1]
        labels: list[str] = self.labels.take(places[np.sort(first)]).to_pylist()
        return labels


def read_pairs(path: str | os.PathLike[str], options: ReadOptions | None = None) -> PairFile:
    """Read the pairs of an edge list or a Parquet file, `"-"` for standard input.

    Raises
    ------
    GraphFormatError
        If the file is neither, or it is not clear which columns hold node ids.
    """
    chosen = options or ReadOptions()
    if os.fspath(path) == STANDARD_INPUT:
        with standard_input() as file:
            return _read(open_source(file, None, chosen, called="standard input"), chosen)
    return _read(open_source(path, None, chosen), chosen)


def _read(source: Source, options: ReadOptions) -> PairFile:
    found = recognise(source.path.name, source.head)
    if found not in ("edgelist", "parquet"):
        raise source.error(f"is {found}, not a table of pairs; give a CSV or Parquet file with two columns of node ids")
    check_options(source, found, options)
    if found == "edgelist":
        from edgeorbit.graph.reading._edgelist import read_named_pairs

        labels, codes, lines, report = read_named_pairs(source, options)
        return PairFile(labels, codes, lines, report)
    from edgeorbit.graph.reading.parquet import read_table_pairs

    labels, codes, report = read_table_pairs(source, options)
    return PairFile(labels, codes, np.arange(1, codes.shape[1] + 1), report)


def check_known(pairs: PairFile, numbers: npt.NDArray[np.int64], graph: Graph) -> None:
    """Raise `GraphFormatError` with the line if a node of a pair is not in the graph."""
    bad = np.flatnonzero((numbers < 0).any(axis=1))
    if len(bad):
        name = pairs.unknown(numbers)[0]
        raise GraphFormatError(
            f"{pairs.place(int(bad[0]))}: there is no node {name!r} in {graph.name}; check its spelling"
        )
