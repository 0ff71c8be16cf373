"""What a prediction is made of: the graph that the model sees, pairs by the user's own ids, and their scores."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit.data.features import node_features, num_channels
from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel


class Predictions(NamedTuple):
    """Pairs of nodes and their scores.

    Attributes
    ----------
    pairs : array of shape (k, 2)
        The nodes, by the user's own ids.
    scores : float array of length k
        Higher for likelier links.
    num_scored : int
        How many pairs were scored to find these.
    source : string array of length k
        How each was found: by `neighbourhood`, by `embedding`, by `both`, `exact` if all non-edges were scored, or
        `given`.
    probability : float array of length k, or None
        How likely each is a link, if that was asked for and the held-out links are enough to tell; NaN for known links.
    meaning : str
        What the probabilities mean, in a sentence, or why there are none; empty if they were not asked for.
    """

    pairs: npt.NDArray[Any]
    scores: npt.NDArray[np.floating[Any]]
    num_scored: int
    source: npt.NDArray[np.str_]
    probability: npt.NDArray[np.float64] | None = None
    meaning: str = ""


class UnknownPairError(InvalidParameterError):
    """A pair names a node that is not there; `row` is its place, from 0, and `reason` what is wrong with it."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(f"pair {row + 1}: {reason}")
        self.row, self.reason = row, reason


def node_numbers(graph: Graph, pairs: Sequence[Sequence[Any]] | npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return pairs of node numbers for pairs of the user's own ids.

    Raises
    ------
    UnknownPairError
        If there is no such node; the message names it and the pair.

    Examples
    --------
    >>> path = Graph.from_edges([[0, 1], [1, 2]], node_names=np.array(["ann", "bob", "cy"]))
    >>> node_numbers(path, [["cy", "ann"]]).tolist()
    [[2, 0]]
    """
    names = np.arange(graph.num_nodes) if graph.node_names is None else graph.node_names
    number = {str(name): i for i, name in enumerate(names.tolist())}
    found = np.empty((len(pairs), 2), np.int64)
    for row, pair in enumerate(pairs):
        if len(pair) != 2:
            raise UnknownPairError(row, f"has {len(pair)} nodes; give two")
        for side, name in enumerate(pair):
            if str(name) not in number:
                raise UnknownPairError(row, f"there is no node {str(name)!r} in {graph.name}; check its spelling")
            found[row, side] = number[str(name)]
    return found


def graph_with_valid_edges(split: LinkSplit) -> Graph:
    """Return the graph of training and validation edges, with the features of the nodes."""
    return split.with_valid_edges


def as_seen_by(model: LinkModel, split: LinkSplit, other: Graph) -> Graph:
    """Return another graph than that of the split, with the features that the model was trained with.

    Raises
    ------
    InvalidParameterError
        If what the model has learned belongs to the nodes of its own graph, or the features do not fit.

    Examples
    --------
    >>> from edgeorbit.models import make_model
    >>> from edgeorbit import split
    >>> other = Graph.from_edges([[0, 1], [1, 2]])
    >>> as_seen_by(make_model("cn"), split("karate"), other) is other
    True
    """
    mode = split.protocol["features"]
    if model.transductive:
        raise InvalidParameterError(
            f"{model.name} learns about each node of {split.graph.name} by itself and knows nothing of another graph; "
            "train a model such as gcn"
        )
    if not model.trainable:
        return other
    if mode in {"identity", "random", "orthogonal"}:
        raise InvalidParameterError(
            f"{model.name} was trained with {mode} features, which belong to the nodes of {split.graph.name} and mean "
            "nothing on another graph; train it with original, constant or degree features"
        )
    if mode == "original" and other.x is None:
        raise InvalidParameterError(
            f"{model.name} was trained with the features of {split.graph.name} and {other.name} has none; give it a "
            "file of features, or train with constant or degree features"
        )
    seen = other.with_attributes(x=node_features(other, mode))
    if num_channels(seen) != num_channels(split.graph):
        raise InvalidParameterError(
            f"{other.name} has features of {num_channels(seen)} channels and the model was trained with "
            f"{num_channels(split.graph)}; give features of the same meaning"
        )
    return seen
