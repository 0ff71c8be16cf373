"""Graphs from files: `read_graph`, one short file for every format, and what the formats share.

A file passes through `source` (bytes, decompressed), `formats` (which format is it), `memory` (will it fit), the
reader of its format, and `node_ids` (from the user's ids to node numbers). Numpy's and Parquet's files are opened by
`stored_arrays` and `bounded_parquet`, which ask for memory before each piece. Other parts of the package read their
files with these, too.
"""

from edgeorbit.graph.reading.formats import FORMATS
from edgeorbit.graph.reading.read import read_graph

__all__ = ["FORMATS", "read_graph"]
