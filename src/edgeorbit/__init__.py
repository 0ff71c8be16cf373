"""How symmetric a graph looks to a graph neural network.

The package is laid out as the data flows: `graph` (the type, files), `pairwise` (kernels: common neighbours, walks and
the like), `orbits` (colour refinement, edge orbits, exact orbits), `measures` (EAR, statistics), `signals` (named
numbers of node pairs), `data` (data sets by name, splits, negatives), `engines` (measures on DuckDB and Spark),
`synthetic` (graphs whose EAR is chosen), `models`, `evaluation`, `training`, `prediction`, `expressiveness` (which
links a model can never tell apart), `theory` (the theorems as experiments), `experiments` (tables and figures from
files, searches for settings), `pyg` (PyTorch Geometric), `report` (pictures and pages), `cli`. The names below are
loaded when first used.
"""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from edgeorbit.auditing.audit import Audit as Audit
    from edgeorbit.auditing.audit import audit as audit
    from edgeorbit.data.negatives.sampling import sample_negatives as sample_negatives
    from edgeorbit.data.registry import datasets as datasets
    from edgeorbit.data.sources import load as load
    from edgeorbit.data.splits.official import has_official_split as has_official_split
    from edgeorbit.data.splits.official import official_split as official_split
    from edgeorbit.data.splits.split import LinkSplit as LinkSplit
    from edgeorbit.data.splits.split import Negatives as Negatives
    from edgeorbit.data.splits.split import given_negatives as given_negatives
    from edgeorbit.expressiveness.order import compare_expressiveness as compare_expressiveness
    from edgeorbit.graph.convert import from_edge_index as from_edge_index
    from edgeorbit.graph.convert import from_networkx as from_networkx
    from edgeorbit.graph.convert import from_pyg as from_pyg
    from edgeorbit.graph.convert import from_scipy as from_scipy
    from edgeorbit.graph.convert import to_networkx as to_networkx
    from edgeorbit.graph.convert import to_pyg as to_pyg
    from edgeorbit.graph.convert import to_scipy as to_scipy
    from edgeorbit.graph.frames import from_frame as from_frame
    from edgeorbit.graph.graph import Graph as Graph
    from edgeorbit.graph.reading import read_graph as read_graph
    from edgeorbit.graph.writing import write_graph as write_graph
    from edgeorbit.measures.ear import Measurement as Measurement
    from edgeorbit.measures.ear import ear as ear
    from edgeorbit.measures.ear import ear_by_round as ear_by_round
    from edgeorbit.measures.ear import measure as measure
    from edgeorbit.measures.statistics import statistics as statistics
    from edgeorbit.models.base import LinkModel as LinkModel
    from edgeorbit.orbits.colouring import Colouring as Colouring
    from edgeorbit.orbits.edge_orbits import EdgeOrbits as EdgeOrbits
    from edgeorbit.orbits.edge_orbits import edge_orbits as edge_orbits
    from edgeorbit.orbits.exact import exact_orbits as exact_orbits
    from edgeorbit.orbits.exact.pairs import pair_orbits as pair_orbits
    from edgeorbit.orbits.recolour import Recolourer as Recolourer
    from edgeorbit.orbits.refine import refine as refine
    from edgeorbit.orbits.refine import refine_by_round as refine_by_round
    from edgeorbit.orbits.refine import refine_together as refine_together
    from edgeorbit.prediction.evaluating import evaluate as evaluate
    from edgeorbit.prediction.predictions import Predictions as Predictions
    from edgeorbit.prediction.predictor import LinkPredictor as LinkPredictor
    from edgeorbit.prediction.preparing import split as split
    from edgeorbit.prediction.result import Result as Result
    from edgeorbit.signals.computer import PairSignals as PairSignals
    from edgeorbit.signals.computer import SignalComputer as SignalComputer
    from edgeorbit.signals.computer import pair_signals as pair_signals

_HOME = {
    "graph.graph": ["Graph"],
    "data.sources": ["load"],
    "graph.convert": [
        "from_edge_index",
        "from_networkx",
        "from_pyg",
        "from_scipy",
        "to_networkx",
        "to_pyg",
        "to_scipy",
    ],
    "graph.frames": ["from_frame"],
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
    "signals.computer": ["PairSignals", "SignalComputer", "pair_signals"],
    "data.registry": ["datasets"],
    "data.splits.split": ["LinkSplit", "Negatives", "given_negatives"],
    "data.splits.official": ["has_official_split", "official_split"],
    "data.splits.time": ["time_split"],
    "data.negatives.sampling": ["sample_negatives"],
    "models.base": ["LinkModel"],
    "prediction.preparing": ["split"],
    "prediction.predictor": ["LinkPredictor"],
    "prediction.predictions": ["Predictions"],
    "prediction.evaluating": ["evaluate"],
    "prediction.result": ["Result"],
    "auditing.audit": ["Audit", "audit"],
    "expressiveness.order": ["compare_expressiveness"],
}
_PARTS = (
    "signals",
    "synthetic",
    "models",
    "evaluation",
    "expressiveness",
    "theory",
    "report",
    "pyg",
    "testing",
)  # packages of their own, such as edgeorbit.synthetic.make
_MODULE_OF = {name: f"edgeorbit.{module}" for module, names in _HOME.items() for name in names}
_AMERICAN = {"Coloring": "Colouring", "Recolorer": "Recolourer"}
_RENAMED = {"load_graph": ("edgeorbit.data.loading", "load")}  # where it is, and what replaces it; until 0.3
__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> Any:
    name = _AMERICAN.get(name, name)
    if name in _MODULE_OF:
        return getattr(import_module(_MODULE_OF[name]), name)
    if name in _PARTS:
        return import_module(f"edgeorbit.{name}")
    if name in _RENAMED:
        module, new = _RENAMED[name]
        warnings.warn(f"edgeorbit.{name} is deprecated; use edgeorbit.{new}", DeprecationWarning, stacklevel=2)
        return getattr(import_module(module), name)
    raise AttributeError(f"module 'edgeorbit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_AMERICAN, *_PARTS})
