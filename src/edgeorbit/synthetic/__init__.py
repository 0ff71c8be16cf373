"""Synthetic graphs whose symmetry is a dial.

`generators` make a base graph, `moves` are what can be done to it (swapped edges, added edges, clones), a
`construction` makes so many of them, and the `dial` finds how many bring EAR to a target. `make` and `sweep` put it all
together; `saving` keeps a graph and its card on disk.
"""

from edgeorbit.synthetic.generators import GENERATORS
from edgeorbit.synthetic.make import make, sweep
from edgeorbit.synthetic.saving import make_card, save_graph, save_sweep

__all__ = ["GENERATORS", "make", "make_card", "save_graph", "save_sweep", "sweep"]
