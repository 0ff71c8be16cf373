"""A random split: every edge falls into one of three parts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph

RATIOS = (0.80, 0.15, 0.05)  # training, validation, test, as in the paper


def random_split(graph: Graph, ratios: Sequence[float] = RATIOS, seed: int = 0) -> LinkSplit:
    """Split the edges of a graph at random.

    Parameters
    ----------
    graph
        The graph.
    ratios
        Shares of training, validation and test edges; they add up to 1.
    seed
        The same seed gives the same split, on every machine.

    Raises
    ------
    InvalidParameterError
        If the ratios are no shares, or a part would be empty.

    Examples
    --------
    >>> split = random_split(Graph.from_edges([(i, (i + 1) % 100) for i in range(100)]))
    >>> split.graph.num_edges, len(split.valid), len(split.test)
    (80, 15, 5)
    """
    return split_groups(graph, np.arange(graph.num_edges), ratios, seed, {"split": "random"})


def check_ratios(ratios: Sequence[float]) -> None:
    """Raise `InvalidParameterError` unless ratios are three shares."""
    if len(ratios) != 3 or not all(0 <= share <= 1 for share in ratios) or abs(sum(ratios) - 1) > 1e-6:
        raise InvalidParameterError(f"ratios are three shares that add up to 1, such as 0.8,0.15,0.05, not {ratios}")


def split_groups(
    graph: Graph, group: npt.NDArray[np.int64], ratios: Sequence[float], seed: int, protocol: dict[str, Any]
) -> LinkSplit:
    """Split groups of edges at random; the edges of a group stay together.

    Parameters
    ----------
    graph, ratios, seed
        As for `random_split`; the ratios hold for groups.
    group
        The group of every edge, numbered from 0 without a gap.
    protocol
        What the split is called, and what else should be known about it.
    """
    check_ratios(ratios)
    num_groups = int(group.max(initial=-1)) + 1
    num_valid, num_test = round(ratios[1] * num_groups), round(ratios[2] * num_groups)
    sizes = {"training": num_groups - num_valid - num_test, "validation": num_valid, "test": num_test}
    empty = next((part for part, size in sizes.items() if size < 1), None)
    if empty is not None:
        raise InvalidParameterError(
            f"{graph.name} has {graph.num_edges} edges, too few to split: no {empty} edge would be left; take a larger "
            "graph or other ratios"
        )
    place = np.empty(num_groups, np.int64)
    place[Random(seed, "split").permutation(num_groups)] = np.arange(num_groups)
    part = np.searchsorted(np.cumsum(list(sizes.values()))[:2], place[group], side="right")
    edges = graph.edges.astype(np.int64)
    seen = Graph.from_edges(edges[part == 0], graph.num_nodes)
    weight = graph.edge_weight
    origin, kind = graph.origin, None if graph.origin is None else graph.origin.edge_kind
    if origin is not None:
        origin = replace(origin, edge_kind=origin.edge_kind[part == 0])
    return LinkSplit(
        graph.with_attributes(
            indptr=seen.indptr,
            indices=seen.indices,
            origin=origin,
            edge_weight=None if weight is None else weight[part == 0],
        ),
        edges[part == 1],
        edges[part == 2],
        valid_kind=None if kind is None else kind[part == 1],
        test_kind=None if kind is None else kind[part == 2],
        protocol={**protocol, "ratios": list(ratios), "seed": seed},
        valid_weight=None if weight is None else weight[part == 1],
        whole_weight=weight,
    )
