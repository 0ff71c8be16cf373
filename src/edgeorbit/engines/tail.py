"""The end of a refinement in memory: once what may still change fits, the compiled engine makes the other rounds.

Nodes that are alone in their colour, and whose neighbours know it, are in no table any more. All nodes of a colour have
equally many of them as neighbours, so the rest of the graph refines as if they were there.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np


class Tail(NamedTuple):
    """Rounds made in memory: the numbers of colours among the nodes of the tables, and whether they are stable."""

    colours_by_round: list[int]
    stable: bool
    alone: int


def refine_in_memory(
    edges: Path, colours: Path, target: Path, next_colour: int, max_rounds: int | None, threads: int | None
) -> Tail:
    """Refine the graph of a table of edges from a table of colours, and write the new colours to `target`.

    Parameters
    ----------
    edges, colours
        Parquet tables with columns u, v and node, c.
    target
        Where a table with columns node, c goes. Its colours begin at `next_colour`.
    max_rounds
        How many rounds to make; None for as many as it takes.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from edgeorbit.graph.graph import Graph
    from edgeorbit.orbits.refine import Refinement

    started = pq.read_table(colours)
    nodes = started.column("node").to_numpy()
    order = np.argsort(nodes)
    nodes, first = nodes[order], started.column("c").to_numpy()[order]
    ends = pq.read_table(edges)
    pairs = np.empty((len(ends), 2), np.int32)
    for side, name in enumerate(("u", "v")):
        pairs[:, side] = np.searchsorted(nodes, ends.column(name).to_numpy())
    del ends, started
    graph = Graph.from_edges(pairs, len(nodes), threads=threads)
    del pairs
    refinement = Refinement(graph, first, threads=threads, prove_rounds=True)
    refinement.run(max_rounds)
    found = refinement.colouring(check_stable=False)
    table = pa.table({"node": nodes, "c": found.labels.astype(np.int64) + next_colour})
    pq.write_table(table, target)
    return Tail(found.colours_per_round.tolist(), found.stable, int(np.count_nonzero(found.sizes == 1)))
