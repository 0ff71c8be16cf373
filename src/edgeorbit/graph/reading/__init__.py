"""Graphs from files: `read_graph`, one short file for every format, and what the formats share.

A file passes through `source` (bytes, decompressed), `formats` (which format is it), `memory` (will it fit), the
reader of its format, and `node_ids` (from the user's ids to node numbers).
"""

from edgeorbit.graph.reading.formats import FORMATS
from edgeorbit.graph.reading.read import read_graph

__all__ = ["FORMATS", "read_graph"]
