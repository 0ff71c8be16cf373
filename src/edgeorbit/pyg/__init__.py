"""edgeorbit in PyTorch Geometric's own terms: a transform, a data set, and the parts of EO-GNN as modules.

`AddOrbits` adds the orbits of nodes and edges to a `Data`; `SyntheticSweep` is a sweep of synthetic graphs as an
`InMemoryDataset`. `OrbitSplit` and `OrbitNegatives` split links without leaks and add hard negatives;
`TieAwareMRR` and `TieAwareHits` are metrics for them. `OrbitDropout` (D1), `RoleEmbedding` and `OrbitBiased` (D2) and
`OrbitDecoder` go into anybody's own network. This is the one
part of the package that imports torch when it is imported itself.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from edgeorbit._pyg_import import deferring_compiler
from edgeorbit.errors import naming_extras

with naming_extras("edgeorbit.pyg"), deferring_compiler():
    import torch_geometric as _torch_geometric  # noqa: F401

from edgeorbit.models.eo_gnn.parts import OrbitBiased, OrbitDecoder, OrbitDropout, RoleEmbedding
from edgeorbit.pyg.add_orbits import AddOrbits
from edgeorbit.pyg.labels import score_matrix
from edgeorbit.pyg.orbit_negatives import OrbitNegatives
from edgeorbit.pyg.orbit_split import OrbitSplit
from edgeorbit.pyg.synthetic_sweep import SyntheticSweep

if TYPE_CHECKING:
    from edgeorbit.pyg.metrics import TieAwareHits, TieAwareMRR

__all__ = [
    "AddOrbits",
    "OrbitBiased",
    "OrbitDecoder",
    "OrbitDropout",
    "OrbitNegatives",
    "OrbitSplit",
    "RoleEmbedding",
    "SyntheticSweep",
    "TieAwareHits",
    "TieAwareMRR",
    "score_matrix",
]


def __getattr__(name: str) -> Any:
    if name in ("TieAwareHits", "TieAwareMRR"):  # older versions of PyG have no metrics
        return getattr(import_module("edgeorbit.pyg.metrics"), name)
    raise AttributeError(f"module 'edgeorbit.pyg' has no attribute {name!r}")
