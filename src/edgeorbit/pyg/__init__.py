"""edgeorbit in PyTorch Geometric's own terms: a transform, a data set, and the parts of EO-GNN as modules.

`AddOrbits` adds the orbits of nodes and edges to a `Data`; `SyntheticSweep` is a sweep of synthetic graphs as an
`InMemoryDataset`. `OrbitDropout` (D1), `RoleEmbedding` and `OrbitBiased` (D2) and `OrbitDecoder` go into anybody's own
network. This is the one part of the package that imports torch when it is imported itself.
"""

from edgeorbit.errors import naming_extras

with naming_extras("edgeorbit.pyg"):
    import torch_geometric as _torch_geometric  # noqa: F401

from edgeorbit.models.eo_gnn.parts import OrbitBiased, OrbitDecoder, OrbitDropout, RoleEmbedding
from edgeorbit.pyg.add_orbits import AddOrbits
from edgeorbit.pyg.synthetic_sweep import SyntheticSweep

__all__ = ["AddOrbits", "OrbitBiased", "OrbitDecoder", "OrbitDropout", "RoleEmbedding", "SyntheticSweep"]
