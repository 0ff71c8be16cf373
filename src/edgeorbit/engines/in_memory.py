"""The memory engine behind the interface of all engines."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from edgeorbit.engines.choosing import require_fit
from edgeorbit.engines.measured import Measured
from edgeorbit.files import atomic_path
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.colouring import Colouring


def measure_in_memory(
    source: Any,
    rounds: int | None,
    initial: Any,
    columns: Sequence[str | int] | None,
    format: str | None,
    colours: str | os.PathLike[str] | None,
    threads: int | None,
    progress: Callable[[int, int], None] | None,
) -> Measured:
    """Measure a graph with compiled code on arrays; see `edgeorbit.engines.measure`."""
    from edgeorbit.orbits.edge_orbits import count_edge_orbits
    from edgeorbit.orbits.refine import refine

    graph = source if isinstance(source, Graph) else _load(source, columns, format, threads)
    found = refine(graph, rounds, initial, threads=threads)
    if progress is not None:
        progress(found.rounds, found.num_colours)
    counts = count_edge_orbits(graph, found)
    if colours is not None:
        write_colours(graph, found, Path(colours))
    return Measured(
        graph=graph.name,
        engine="memory",
        num_nodes=graph.num_nodes,
        num_edges=graph.num_edges,
        merged_edges=graph.merged_edges,
        self_loops=graph.self_loops,
        rounds=found.rounds,
        stable=found.stable,
        num_colours=found.num_colours,
        num_shared_nodes=int(found.sizes[found.sizes > 1].sum()),
        num_edge_orbits=counts.num_orbits,
        num_alone_edges=counts.alone,
        num_alone_within_colour=counts.alone_within_colour,
        colours_by_round=found.colours_per_round.tolist(),
        seconds_by_round=[],
    )


def _load(source: Any, columns: Sequence[str | int] | None, format: str | None, threads: int | None) -> Graph:
    from edgeorbit.data import load_graph

    require_fit(source, columns, format)
    return load_graph(source, columns=columns, format=format, threads=threads, features=False)


def write_colours(graph: Graph, found: Colouring, target: Path) -> None:
    """Write the partition as a Parquet file with columns `node` and `colour`."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    nodes = graph.names(np.arange(graph.num_nodes))
    table = pa.table({"node": pa.array(nodes.tolist() if nodes.dtype == object else nodes), "colour": found.labels})
    with atomic_path(target) as temporary:
        pq.write_table(table, temporary)
