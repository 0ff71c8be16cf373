"""edgeorbit in PyTorch Geometric's own terms: a transform and a data set.

`AddOrbits` adds the orbits of nodes and edges to a `Data`; `SyntheticSweep` is a sweep of synthetic graphs as an
`InMemoryDataset`. This is the one part of the package that imports torch when it is imported itself.
"""

from edgeorbit.errors import MissingExtraError

try:
    import torch_geometric as _torch_geometric  # noqa: F401
except ImportError:
    raise MissingExtraError("PyTorch Geometric is not installed; pip install 'edgeorbit[pyg]'") from None

from edgeorbit.pyg.add_orbits import AddOrbits
from edgeorbit.pyg.synthetic_sweep import SyntheticSweep

__all__ = ["AddOrbits", "SyntheticSweep"]
