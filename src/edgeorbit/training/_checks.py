"""What is checked of any model and its split before training, whoever trains it."""

from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import InvalidParameterError
from edgeorbit.models.base import LinkModel


def check_trainable(model: LinkModel, split: LinkSplit, negatives: Negatives) -> None:
    """Refuse a split without enough training edges, or by which no checkpoint can be selected."""
    graph, valid = split.graph, negatives.valid
    if graph.num_edges < 2:
        raise InvalidParameterError(f"{graph.name} has {graph.num_edges} training edges; a model needs at least 2")
    if not len(split.valid):
        raise InvalidParameterError(
            f"{graph.name} has no validation edges, which select the checkpoint of {model.name}; hold out some"
        )
    if valid.ndim == 3 and not (valid[..., 0] >= 0).any():
        raise InvalidParameterError(
            f"{graph.name}: none of {len(split.valid)} validation edges has {negatives.kind} negatives to select a "
            "checkpoint by; choose another select_on, such as random"
        )
