"""DropPath: edges are dropped along random walks."""

import numpy as np
import numpy.typing as npt
import torch

from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.encodings.random_walks import random_walks
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.perturbations.perturbation import Perturbation
from edgeorbit.models.perturbations.remaining import keep_edges

STEPS = 3  # of a walk, as MaskGAE's authors have it


class DropPath(Perturbation):
    """Drops the edges that random walks of three steps cross, until the wanted share of all edges is gone.

    This is the path-wise masking of MaskGAE, whose edges are removed and not weighted. There the rate is a share of
    the nodes that walks start from, so that the share of edges that are lost depends on the graph; here it is the
    share of edges, as for all perturbations, and as many walks are taken as that needs, the last one in part. Walks
    start at an end of a random edge, where every edge is as likely as any other to be crossed at every step.

    The name is also used for stochastic depth (Huang et al., ECCV 2016), which drops layers and knows no graph.
    """

    citation = (
        "Li, Wu, Sun, Chen, Tian, Zhu, Meng, Zheng, Wang: What's behind the mask: understanding masked graph modeling "
        "for graph autoencoders, KDD 2023"
    )

    def __call__(self, inputs: Inputs) -> Inputs:
        """Return the inputs of the remaining graph."""
        graph = inputs.graph
        # Rounded up as often as makes the mean of the share the rate.
        wanted = int(self.rate * graph.num_edges + torch.rand(()).item())
        kept = np.ones(graph.num_edges, np.bool_)
        kept[draw_path_edges(graph, wanted)] = False
        return keep_edges(inputs, kept)


def draw_path_edges(graph: Graph, count: int) -> npt.NDArray[np.int64]:
    """Return so many different edges, by their places in `graph.edges`, as random walks come by them.

    Examples
    --------
    >>> sorted(draw_path_edges(Graph.from_edges([[0, 1], [1, 2], [2, 3]]), 3).tolist())
    [0, 1, 2]
    """
    found: npt.NDArray[np.int64] = np.empty(0, np.int64)
    if count == 0:
        return found
    edges = graph.edges.astype(np.int64)
    known = edges @ [graph.num_nodes, 1]
    while len(found) < count:
        num_walks = 1 + count // STEPS  # they meet edges again, so that one turn is seldom enough
        ends = edges[torch.randint(len(edges), (num_walks,)).numpy(), torch.randint(2, (num_walks,)).numpy()]
        walks = random_walks(graph, ends, STEPS + 1, seed=int(torch.randint(2**62, ()).item())).astype(np.int64)
        one, other = walks[:, :-1].ravel(), walks[:, 1:].ravel()
        places = np.searchsorted(known, np.minimum(one, other) * graph.num_nodes + np.maximum(one, other))
        found = np.concatenate([found, places])
        found = found[np.sort(np.unique(found, return_index=True)[1])]  # each where it came first
    return found[:count]
