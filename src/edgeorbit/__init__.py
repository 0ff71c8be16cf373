"""How symmetric a graph looks to a graph neural network.

The package is laid out as the data flows: `graph` (the type, files), `pairwise` (kernels: common neighbours, walks and
the like), `orbits` (colour refinement, edge orbits, exact orbits), `measures` (EAR, statistics), `data` (data sets by
name, splits, negatives), `engines` (measures on DuckDB and Spark), `synthetic` (graphs whose EAR is chosen), `models`,
`evaluation`, `training`, `prediction`, `expressiveness` (which links a model can never tell apart), `theory` (the
theorems as experiments), `experiments` (tables and figures from files, searches for settings), `pyg` (PyTorch
Geometric), `report` (pictures and pages), `cli`. The names below are loaded when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from edgeorbit.data.loading import load_graph as load_graph
    from edgeorbit.data.registry import datasets as datasets
    from edgeorbit.data.splits.official import has_official_split as has_official_split
    from edgeorbit.data.splits.official import official_split as official_split
    from edgeorbit.graph.convert import from_edge_index as from_edge_index
    from edgeorbit.graph.convert import from_networkx as from_networkx
    from edgeorbit.graph.convert import from_pyg as from_pyg
    from edgeorbit.graph.convert import from_scipy as from_scipy
    from edgeorbit.graph.convert import to_networkx as to_networkx
    from edgeorbit.graph.convert import to_pyg as to_pyg
    from edgeorbit.graph.convert import to_scipy as to_scipy
    from edgeorbit.graph.graph import Graph as Graph
    from edgeorbit.graph.reading import read_graph as read_graph
    from edgeorbit.graph.writing import write_graph as write_graph
    from edgeorbit.measures.ear import Measurement as Measurement
    from edgeorbit.measures.ear import ear as ear
    from edgeorbit.measures.ear import ear_by_round as ear_by_round
    from edgeorbit.measures.ear import measure as measure
    from edgeorbit.measures.statistics import statistics as statistics
    from edgeorbit.orbits.colouring import Colouring as Colouring
    from edgeorbit.orbits.edge_orbits import EdgeOrbits as EdgeOrbits
    from edgeorbit.orbits.edge_orbits import edge_orbits as edge_orbits
    from edgeorbit.orbits.exact import exact_orbits as exact_orbits
    from edgeorbit.orbits.exact.pairs import pair_orbits as pair_orbits
    from edgeorbit.orbits.recolour import Recolourer as Recolourer
    from edgeorbit.orbits.refine import refine as refine
    from edgeorbit.orbits.refine import refine_by_round as refine_by_round
    from edgeorbit.orbits.refine import refine_together as refine_together
    from edgeorbit.prediction.predictor import LinkPredictor as LinkPredictor

_HOME = {
    "graph.graph": ["Graph"],
    "graph.convert": [
        *("from_edge_index", "from_networkx", "from_pyg", "from_scipy"),
        *("to_networkx", "to_pyg", "to_scipy"),
    ],
    "graph.reading": ["read_graph"],
    "graph.writing": ["write_graph"],
    "orbits.refine": ["refine", "refine_by_round", "refine_together"],
    "orbits.colouring": ["Colouring"],
    "orbits.recolour": ["Recolourer"],
    "orbits.edge_orbits": ["EdgeOrbits", "edge_orbits"],
    "orbits.exact": ["exact_orbits"],
    "orbits.exact.pairs": ["pair_orbits"],
    "measures.ear": ["Measurement", "ear", "ear_by_round", "measure"],
    "measures.statistics": ["statistics"],
    "data.loading": ["load_graph"],
    "data.registry": ["datasets"],
    "data.splits.official": ["has_official_split", "official_split"],
    "prediction.predictor": ["LinkPredictor"],
}
_PARTS = (
    "synthetic",
    "models",
    "evaluation",
    "expressiveness",
    "theory",
    "report",
    "pyg",
)  # packages of their own, such as edgeorbit.synthetic.make
_MODULE_OF = {name: f"edgeorbit.{module}" for module, names in _HOME.items() for name in names}
__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(import_module(_MODULE_OF[name]), name)
    if name in _PARTS:
        return import_module(f"edgeorbit.{name}")
    raise AttributeError(f"module 'edgeorbit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PARTS})
