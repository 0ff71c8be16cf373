"""The memory engine behind the interface of all engines, and the last rounds of a refinement on tables.

Once what can still change in the tables fits into memory, the compiled engine makes the remaining rounds. Nodes that
are alone in their colour, and whose neighbours know it, are in no table any more. All nodes of a colour have equally
many of them as neighbours, so the rest of the graph refines as if they were there.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from edgeorbit._files import atomic_path
from edgeorbit.engines._sources import require_fit
from edgeorbit.graph.graph import Graph
from edgeorbit.measures.ear import Measurement, Variant, facts_of
from edgeorbit.orbits.colouring import Colouring
from edgeorbit.orbits.edge_orbits import count_edge_orbits
from edgeorbit.orbits.refine import Refinement, refine


def measure_in_memory(
    source: Any,
    rounds: int | None,
    gamma: float,
    variant: Variant,
    initial: Any,
    *,
    columns: Sequence[str | int] | None = None,
    format: str | None = None,
    colours: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Measurement:
    """Measure a graph with compiled code on arrays; see `edgeorbit.engines.measure`."""
    graph = source if isinstance(source, Graph) else _load(source, columns, format, threads)
    found = refine(graph, rounds, initial, threads=threads)
    if progress is not None:
        progress(found.rounds, found.num_colours)
    if colours is not None:
        write_colours(graph, found, Path(colours))
    return Measurement.from_counts(
        count_edge_orbits(graph, found),
        graph.num_edges,
        gamma,
        variant,
        initial,
        colours_by_round=found.colours_per_round.tolist(),
        **facts_of(graph, found),
    )


def _load(source: Any, columns: Sequence[str | int] | None, format: str | None, threads: int | None) -> Graph:
    from edgeorbit.data import load_graph

    require_fit(source, columns, format)
    return load_graph(source, columns=columns, format=format, threads=threads, features=False)


def write_colours(graph: Graph, found: Colouring, target: Path) -> None:
    """Write the partition as a Parquet file with columns `node` and `colour`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    nodes = graph.names(np.arange(graph.num_nodes))
    table = pa.table({"node": pa.array(nodes.tolist() if nodes.dtype == object else nodes), "colour": found.labels})
    with atomic_path(target) as temporary:
        pq.write_table(table, temporary)


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
