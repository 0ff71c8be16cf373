"""The measure on the engine that a graph needs: in memory, out of core with DuckDB, or on a cluster with Spark."""

from edgeorbit.engines.choosing import choose_engine
from edgeorbit.engines.measure import Engine, measure
from edgeorbit.engines.measured import Measured

__all__ = ["Engine", "Measured", "choose_engine", "measure"]
