"""From an adjacency matrix that nobody has checked to a graph."""

from typing import Any

import numpy as np

from edgeorbit.graph.graph import MAX_NODES, Graph
from edgeorbit.graph.reading.memory import require_memory
from edgeorbit.graph.reading.source import Source

WAY_OUT = "check that the file is complete, or write it again"
BYTES_PER_NODE = 24
BYTES_PER_ENTRY = 24


def graph_from_matrix(source: Source, matrix: Any, name: str, threads: int | None) -> Graph:
    """Build a graph from a scipy sparse matrix: an edge wherever it is not zero."""
    check_shape(source, matrix.shape)
    require_memory(source.shown, BYTES_PER_ENTRY * matrix.nnz)
    with source.wrapping("sparse matrix", WAY_OUT):
        if matrix.format in ("csr", "csc"):
            matrix.check_format(full_check=True)  # the conversion below trusts the row pointers
        coo = matrix.tocoo()
        rows = matrix.shape[0]
        if coo.nnz and (min(coo.row.min(), coo.col.min()) < 0 or max(coo.row.max(), coo.col.max()) >= rows):
            raise source.error(f"an entry lies outside the matrix of {rows} rows; {WAY_OUT}")
        kept = coo.data != 0
        pairs = np.stack([coo.row[kept], coo.col[kept]])
    return Graph.from_edges(pairs.T, rows, threads=threads, name=name)


def check_shape(source: Source, shape: tuple[int, ...], line: int | None = None) -> None:
    """Refuse a shape that is not square or too large."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise source.error(
            f"the matrix is {' x '.join(map(str, shape))}; give an adjacency matrix, which is square", line
        )
    if shape[0] > MAX_NODES:
        raise source.error(f"the matrix has {shape[0]} rows; give at most {MAX_NODES}", line)
    require_memory(source.shown, BYTES_PER_NODE * shape[0])
