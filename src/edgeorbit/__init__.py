"""How symmetric a graph looks to a graph neural network.

The package is laid out as the data flows: `graph` (the type, files), `orbits` (colour refinement, edge orbits, exact
orbits), `measures` (EAR, statistics), `data` (data sets by name), `cli`. The names below are loaded when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from edgeorbit.graph.graph import Graph as Graph

_HOME = {
    "Graph": "edgeorbit.graph.graph",
}
__all__ = ["Graph"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'edgeorbit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
