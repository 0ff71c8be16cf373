"""The graphs of the SEAL paper (Zhang and Chen 2018): MATLAB files with the adjacency matrix in `net`."""

from collections.abc import Mapping

from edgeorbit.data.files import RawFile
from edgeorbit.graph.graph import Graph


def parse_seal(raw: Mapping[str, RawFile], name: str) -> Graph:
    """Build the graph from its MATLAB file."""
    from edgeorbit.graph.reading import read_graph

    return read_graph(raw["net"].path, format="mat").with_attributes(name=name)
