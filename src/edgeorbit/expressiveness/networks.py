"""The package's networks with random weights, in double precision where they run in it."""

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from edgeorbit.expressiveness.noise import drawn_noise, has_noise
from edgeorbit.expressiveness.scorers import Pairs
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel, Scores
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork, NeuralLinkModel

MOVED_BY = 0.1  # deviation of what is added to weights that start all alike


class NetworkDraws:
    """Draws the weights of a model; whether it runs in double precision is found out once."""

    def __init__(self, model: type[LinkModel], settings: dict[str, Any]) -> None:
        self.model, self.settings, self.in_double = model, settings, True

    def __call__(self, graph: Graph, seed: int) -> "NetworkDraw":
        """Return a network with the weights of a seed."""
        model = self.model(**self.settings)
        assert isinstance(model, NeuralLinkModel)  # what is trainable
        drawn = NetworkDraw(model, graph, seed, self.in_double)
        self.in_double = drawn.in_double
        return drawn


class NetworkDraw:
    """A network of the package whose weights a seed decides, on one graph.

    Weights that training starts from 0 or 1 (biases, gates, norms) are moved: what some weights can tell apart should
    not be hidden by a start where parts of the network are idle.

    Attributes
    ----------
    randomised : bool
        Whether it has noise outside training too.
    in_double : bool
        Whether it runs in double precision; parts of some networks are made for single precision alone.
    """

    def __init__(self, model: NeuralLinkModel, graph: Graph, seed: int, in_double: bool = True) -> None:
        with torch.random.fork_rng(devices=[]):
            self.network = model.build(graph, seed).eval()
            move_weights(self.network)
        self.seed = seed
        self.randomised: bool | None = has_noise(self.network)
        self._embedding: torch.Tensor | None = None
        single = Inputs.of(graph)
        self.inputs = (self._in_double(single) if in_double else None) or single
        self.in_double = self.inputs is not single
        if not self.in_double:
            self.network.float()

    def score(self, pairs: Pairs, noise: int) -> Scores:
        """Return the logits of node pairs of shape (k, 2)."""
        with torch.no_grad(), drawn_noise(self.network, self.seed + noise) if self.randomised else nullcontext():
            return self._score(pairs)

    def _score(self, pairs: Pairs) -> Scores:
        embedding = self._embedding
        if embedding is None or self.randomised:
            embedding = self._embedding = self.network.encode(self.inputs)
        found: Scores = self.network.decode_all(embedding, self.inputs, torch.from_numpy(pairs)).numpy()
        return found

    def _in_double(self, single: Inputs) -> Inputs | None:
        """Return inputs in double precision, or None if parts of the network are made for single precision alone."""
        network: LinkNetwork = self.network.double()
        x = single.x.double() if isinstance(single.x, torch.Tensor) else single.x
        double = replace(single, x=x, degree=single.degree.double(), _derived={})
        try:
            with torch.no_grad():
                embedding = network.encode(double)
                tried = network.decode(embedding, double, torch.from_numpy(single.graph.edges[:1].astype(np.int64)))
        except RuntimeError:  # PyTorch's answer to numbers of two precisions in one product
            return None
        if tried.dtype != torch.float64:
            return None
        self._embedding = embedding
        return double


def move_weights(network: torch.nn.Module) -> None:
    """Add small random numbers to the weights that are not random: those that are all alike."""
    with torch.no_grad():
        for weight in network.parameters():
            if weight.numel() and weight.min() == weight.max():
                weight.add_(torch.randn_like(weight), alpha=MOVED_BY)
