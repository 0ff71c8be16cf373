"""EAR on the engine that a graph needs: in memory, out of core with DuckDB, or on a cluster with Spark."""

from edgeorbit.engines._duckdb import parse_size
from edgeorbit.engines._in_memory import write_colours
from edgeorbit.engines._measure import Engine, measure
from edgeorbit.engines._sources import choose_engine, find_edges, require_fit

__all__ = ["Engine", "choose_engine", "find_edges", "measure", "parse_size", "require_fit", "write_colours"]
