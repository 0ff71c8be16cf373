"""What moves made of a graph: which of its properties stand still, and how far the others have moved."""

from typing import Any

import numpy as np

from edgeorbit.graph.components import smallest_members
from edgeorbit.graph.graph import Graph


def compare(base: Graph, graph: Graph) -> dict[str, Any]:
    """Compare a graph with the one it was made from.

    Returns
    -------
    dict
        `before` and `after`: nodes, edges, mean and largest degree, components. `degrees_moved`: the share of the
        degree distribution that has moved (the total variation distance). `still` and `moved`: the names of what is
        the same and of what is not.

    Examples
    --------
    >>> path, cycle = Graph.from_edges([[0, 1], [1, 2]]), Graph.from_edges([[0, 1], [1, 2], [2, 0]])
    >>> compare(path, cycle)["still"]
    ['nodes', 'largest degree', 'components']
    """
    before, after = _properties(base), _properties(graph)
    moved = [name for name, value in before.items() if after[name] != value]
    degrees_moved = _distance(base, graph)
    if degrees_moved > 0:
        moved.append("degree distribution")
    still = [name for name in [*before, "degree distribution"] if name not in moved]
    return {"before": before, "after": after, "degrees_moved": degrees_moved, "still": still, "moved": moved}


def _properties(graph: Graph) -> dict[str, float]:
    edges = graph.edges
    members = smallest_members(graph.num_nodes, edges[:, 0].copy(), edges[:, 1].copy())
    return {
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "mean degree": 2 * graph.num_edges / graph.num_nodes,
        "largest degree": int(graph.degree.max(initial=0)),
        "components": int((members == np.arange(graph.num_nodes)).sum()),
    }


def _distance(base: Graph, graph: Graph) -> float:
    longest = int(max(base.degree.max(initial=0), graph.degree.max(initial=0))) + 1
    before, after = (np.bincount(one.degree, minlength=longest) / one.num_nodes for one in (base, graph))
    return float(np.abs(before - after).sum() / 2)
