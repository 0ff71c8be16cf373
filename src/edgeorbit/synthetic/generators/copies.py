"""Several disjoint copies of a graph."""

import numpy as np

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import MAX_NODES, Graph
from edgeorbit.graph.origin import Origin
from edgeorbit.graph.union import disjoint_union


def disjoint_copies(of: Graph, copies: int = 2) -> Graph:
    """Copies of a graph side by side, with its features: without added edges, every link has a twin and EAR is 1.

    Node `v` of copy `i` is called `i * of.num_nodes + v`.

    >>> pair = disjoint_copies(Graph.from_edges([[0, 1]]))
    >>> pair.edges.tolist(), pair.origin.copy.tolist(), pair.origin.original.tolist()
    ([[0, 1], [2, 3]], [0, 0, 1, 1], [0, 1, 0, 1])
    """
    if copies < 1:
        raise InvalidParameterError(f"copies must be at least 1, not {copies}")
    if copies * of.num_nodes > MAX_NODES:
        raise InvalidParameterError(
            f"{copies:,} copies of {of.name} have {copies * of.num_nodes:,} nodes; ask for at most {MAX_NODES:,}"
        )
    known = of.origin or Origin.plain(of.num_nodes, of.num_edges)
    nodes = np.tile(np.arange(of.num_nodes, dtype=np.int32), copies)
    copy = np.repeat(np.arange(copies, dtype=np.int32), of.num_nodes)
    twin_of = np.tile(known.twin_of, copies)
    origin = Origin(
        edge_kind=np.tile(known.edge_kind, copies),
        copy=copy,
        original=nodes,
        twin_of=np.where(twin_of < 0, -1, twin_of + copy * np.int32(of.num_nodes)).astype(np.int32),
    )
    return disjoint_union([of] * copies, name=of.name).with_attributes(origin=origin)
