"""A split by time: the links that occur last are held out, as they will be when a model predicts the future."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.data.splits.random import RATIOS, check_ratios
from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph


def time_split(graph: Graph, ratios: Sequence[float] = RATIOS, seed: int = 0) -> LinkSplit:
    """Split the edges of a graph by when each occurred first.

    Edges that occur at one time stay together, so shares are met as well as times allow. The weight of a training edge
    is the sum of what it had before the first validation edge: later rows would tell about the future.

    Parameters
    ----------
    graph
        A graph with a `history`, as `edgeorbit.read_graph` returns it with `time`.
    ratios
        Shares of training, validation and test edges, in this order of time.
    seed
        Is not used: nothing is drawn.

    Raises
    ------
    InvalidParameterError
        If the graph has no times, or too few of them.

    Examples
    --------
    >>> path = Graph.from_edges([(i, i + 1) for i in range(20)], edge_time=range(20, 0, -1))
    >>> split = time_split(path)
    >>> split.test.tolist(), sorted(split.valid.tolist())
    ([[0, 1]], [[1, 2], [2, 3], [3, 4]])
    """
    history = graph.history
    if history is None:
        raise InvalidParameterError(f"{graph.name} has no times for a split by time; name their column with --time")
    check_ratios(ratios)
    first = history.first_times(graph.num_edges)
    ordered = np.sort(first)
    until_test = _cut(ordered, round(ratios[2] * graph.num_edges), graph)
    until_valid = _cut(ordered[: np.searchsorted(ordered, until_test)], round(ratios[1] * graph.num_edges), graph)
    trained, tested = first < until_valid, first >= until_test
    valid = ~trained & ~tested
    seen = history.before(until_valid, trained)
    edges = graph.edges.astype(np.int64)
    kind = None if graph.origin is None else graph.origin.edge_kind
    training = Graph.from_edges(edges[trained], graph.num_nodes)
    known = history.before(until_test, valid).weights(int(valid.sum()))
    protocol: dict[str, Any] = {
        "split": "time",
        "ratios": list(ratios),
        "valid_from": _shown(until_valid),
        "test_from": _shown(until_test),
        "shares": [round(float(part.mean()), 4) for part in (trained, valid, tested)],
    }
    return LinkSplit(
        graph.with_attributes(
            indptr=training.indptr,
            indices=training.indices,
            origin=None,
            edge_weight=seen.weights(int(trained.sum())),
        ),
        edges[valid],
        edges[tested],
        valid_kind=None if kind is None else kind[valid],
        test_kind=None if kind is None else kind[tested],
        protocol=protocol,
        valid_weight=known,
        whole_weight=graph.edge_weight,
    )


def _cut(ordered: npt.NDArray[Any], number: int, graph: Graph) -> Any:
    """Return the time from which on about so many of the edges, which are in order of time, occur."""
    times, starts = np.unique(ordered, return_index=True)
    possible = starts[1:]  # something must come before
    if not len(possible) or number < 1:
        raise InvalidParameterError(
            f"{graph.name} has {graph.num_edges} edges at {len(times)} times, too few to split by time; take a larger "
            "graph, finer times, other ratios or split random"
        )
    return ordered[possible[np.argmin(np.abs(len(ordered) - possible - number))]]


def _shown(time: Any) -> str:
    return str(time.astype("datetime64[s]")) if isinstance(time, np.datetime64) else f"{time:.15g}"
