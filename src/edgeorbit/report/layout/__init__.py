"""Where nodes are drawn.

`place` is where to begin: it lays out every component and packs them. `ordering` makes isomorphic components come out
alike, `stress` does the work, `shapes` and `planar` know better for some small graphs, `packing` puts components
side by side. `leaves` is for afterwards, when colours are known.
"""

from edgeorbit.report.layout.leaves import gather_leaves
from edgeorbit.report.layout.place import place_nodes

__all__ = ["gather_leaves", "place_nodes"]
