"""Which graph a model sees when it predicts: the one it was trained on, or another where the model allows it."""

from edgeorbit.data.features import node_features, num_channels
from edgeorbit.data.splits.split import LinkSplit
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel


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
    if mode in {"identity", "random"}:
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
