"""Graphs from files: `read_graph`, a reader for each format, and what the readers share.

A file passes through `source` (bytes, decompressed), `read` (its format, and whether it fits into memory), the reader
of its format, and `node_ids` (from the user's ids to node numbers). Text in columns is parsed by `delimited`; numpy's
and Parquet's files are opened by `stored_arrays` and `parquet`, which ask for memory before each piece. The rest of the
package reads its files with these, too.
"""

from edgeorbit.graph.reading.read import FORMATS, read_graph

__all__ = ["FORMATS", "read_graph"]
