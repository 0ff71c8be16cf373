"""One training step of a network, by a process that has its target links or by one that has not."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from edgeorbit.auditing._case import Case
from edgeorbit.data.splits.split import LinkSplit, Negatives, Pairs
from edgeorbit.graph.graph import Graph
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.training.adam import Adam
from edgeorbit.training.loop import Trainer
from edgeorbit.training.settings import TrainingSettings

ANY_LINK = np.array([[0, 1]])  # held out in a split whose held-out links are never looked at


@dataclass(frozen=True, eq=False)
class Step:
    """What came out of a step: logits of its pairs in training, their scores afterwards, and the weights."""

    logits: npt.NDArray[np.float64]
    scores: npt.NDArray[np.float64]
    weights: dict[str, Any]

    def same_weights(self, other: "Step") -> bool:
        """Return whether the weights are the same, to the last bit."""
        return all(torch.equal(values, other.weights[name]) for name, values in self.weights.items())


def step(case: Case, known: Graph, left: Graph, targets: Pairs, negatives: Pairs) -> Step:
    """Make one step on target links.

    Parameters
    ----------
    case
        Its subject is a model that edgeorbit trains.
    known
        What the process knows: the training graph, or `left`.
    left
        The training graph without the target links. A process that has these links removes them itself; one that does
        not have them is given this graph.
    targets, negatives
        The pairs of the step.
    """
    model_class = case.subject.model_class
    assert model_class is not None
    preset = model_class.preset_for(known.name)
    model: Any = model_class(**{**preset.settings, **(case.subject.settings or {})})
    settings: Any = TrainingSettings.from_mapping({**preset.training, **(case.subject.training or {})}, "training")
    nothing = Negatives("random", ANY_LINK, ANY_LINK)
    trainer = Trainer(model, LinkSplit(known, ANY_LINK, ANY_LINK), nothing, settings, seed=case.seed)
    if known is left:
        trainer._remover.without = lambda removed: left  # type: ignore[method-assign]
    network = model.build(known, case.seed)
    recorded = _recorded(network)
    torch.manual_seed(case.seed)
    trainer._step(network, Adam(network.parameters()), targets, negatives)
    pairs = np.concatenate([targets, negatives])
    logits = np.full(len(pairs), np.nan)
    place = {tuple(pair): number for number, pair in enumerate(pairs.tolist())}
    for scored, values in recorded:
        for pair, value in zip(scored.tolist(), values.tolist(), strict=True):
            logits[place[tuple(pair)]] = value
    network.eval()
    with torch.no_grad():
        inputs = Inputs.of(left)
        scores = network.decode_all(network.encode(inputs), inputs, torch.from_numpy(pairs))
    weights = {name: values.detach().clone() for name, values in network.state_dict().items()}
    return Step(logits, scores.double().cpu().numpy(), weights)


def _recorded(network: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Record the logits of the pairs that a network decodes in training."""
    decode = network.decode
    recorded: list[tuple[torch.Tensor, torch.Tensor]] = []

    def recording(embedding: Any, inputs: Any, pairs: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = decode(embedding, inputs, pairs)
        if network.training:
            recorded.append((pairs, logits.detach().double()))
        return logits

    network.decode = recording
    return recorded
