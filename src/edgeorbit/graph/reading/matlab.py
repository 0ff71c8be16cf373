"""MATLAB files up to version 7: the sparse matrix `net`, or the only square one."""

from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.adjacency import WAY_OUT, check_shape, graph_from_entries
from edgeorbit.graph.reading.formats import Columns
from edgeorbit.graph.reading.mat_file import SPARSE, Variable, read_variables
from edgeorbit.graph.reading.source import Source, shown


def read_mat(source: Source, name: str, columns: Columns | None, threads: int | None) -> Graph:
    """Read the adjacency matrix of a MATLAB file: an edge wherever it is not zero."""
    if source.head.startswith((b"MATLAB 7.3", b"\x89HDF")):
        raise source.error("is a MATLAB 7.3 file; save it again in MATLAB with save(..., '-v7')")
    with source.wrapping("MATLAB file", WAY_OUT):
        chosen = _choose(source, list(read_variables(source.content(), source.shown)))
        check_shape(source, chosen.shape)
        entries = chosen.entries()
    return graph_from_entries(source, entries, chosen.shape[0], name, threads)


def _choose(source: Source, variables: list[Variable]) -> Variable:
    sparse = [variable for variable in variables if variable.kind == SPARSE]
    for variable in sparse:
        if variable.name == "net":
            return variable
    square = [variable for variable in sparse if len(set(variable.shape)) == 1]
    if len(square) == 1:
        return square[0]
    if square:
        names = shown(", ".join(variable.name for variable in square), 200)
        raise source.error(f"there are several sparse matrices, {names}; call one of them net")
    listing = shown(", ".join(f"{variable.name} ({variable.kind})" for variable in variables) or "nothing", 200)
    problem = "no square sparse matrix" if sparse else "no sparse matrix"
    raise source.error(f"there is {problem}, only {listing}; save the adjacency matrix as net = sparse(A)")
