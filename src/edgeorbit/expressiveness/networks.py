"""Networks with random weights, in double precision: the package's own, and a user's encoder and decoder.

Random features and the noise of roles come from fixed seeds outside training, so that scores can be repeated. To judge
a model in expectation, other seeds take their place for a moment.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import LinkModel, Pairs, Scores
from edgeorbit.models.encoded_gcn import RandomEncoding
from edgeorbit.models.eo_gnn.parts import RoleEmbedding
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import NeuralLinkModel, in_double

ROWS_FOR_THREADS = 1000
MOVED_BY = 0.1  # deviation of what is added to weights that start all alike


class NetworkDraws:
    """Draws the weights of a model."""

    def __init__(self, model: type[LinkModel], settings: dict[str, Any]) -> None:
        self.model, self.settings = model, settings

    def __call__(self, graph: Graph, seed: int) -> "NetworkDraw":
        """Return a network with the weights of a seed."""
        model = self.model(**self.settings)
        assert isinstance(model, NeuralLinkModel)  # what is trainable
        return NetworkDraw(model, graph, seed)


class NetworkDraw:
    """A network of the package whose weights a seed decides, on one graph, in double precision.

    Weights that training starts from 0 or 1 (biases, gates, norms) are moved: what some weights can tell apart should
    not be hidden by a start where parts of the network are idle.

    Attributes
    ----------
    randomised : bool
        Whether it has noise outside training too.
    """

    def __init__(self, model: NeuralLinkModel, graph: Graph, seed: int) -> None:
        with torch.random.fork_rng(devices=[]), threads_for(graph.num_nodes):
            network = model.build(graph, seed)
            move_weights(network)
        self.network, self.inputs = in_double(network), Inputs.of(graph).double()
        self.seed, self.num_nodes = seed, graph.num_nodes
        self.randomised: bool | None = has_noise(self.network)
        self._embedding: torch.Tensor | None = None

    def score(self, pairs: Pairs, noise: int) -> Scores:
        """Return the logits of node pairs of shape (k, 2)."""
        with torch.no_grad(), drawn_noise(self.network, self.seed + noise) if self.randomised else nullcontext():
            return self._score(pairs)

    def _score(self, pairs: Pairs) -> Scores:
        embedding = self._embedding
        with threads_for(len(pairs) + self.num_nodes):
            if embedding is None or self.randomised:
                embedding = self._embedding = self.network.encode(self.inputs)
            found: Scores = self.network.decode_all(embedding, self.inputs, torch.from_numpy(pairs)).numpy()
        return found


@contextmanager
def threads_for(rows: int) -> Iterator[None]:
    """Let PyTorch compute the block with one thread if there is little to do.

    In a layer with a few rows, threads wait for each other a thousand times longer than they compute.
    """
    before = torch.get_num_threads()
    if rows >= ROWS_FOR_THREADS or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def move_weights(network: torch.nn.Module) -> None:
    """Add small random numbers to the weights that are not random: those that are all alike."""
    with torch.no_grad():
        for weight in network.parameters():
            if weight.numel() and weight.min() == weight.max():
                weight.add_(torch.randn_like(weight), alpha=MOVED_BY)


class EncoderDraw:
    """An encoder and a decoder whose weights a seed decides, on one graph.

    Attributes
    ----------
    randomised : None
        Whether the user's modules draw noise has to be found out.
    """

    randomised: bool | None = None

    def __init__(
        self,
        make_encoder: Callable[[], nn.Module],
        make_decoder: Callable[[], Callable[..., Tensor]] | None,
        graph: Graph,
        seed: int,
    ) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.encoder = _prepared(make_encoder())
            self.decoder = _prepared(inner_product if make_decoder is None else make_decoder())
        x: Any = graph.x
        self.x = torch.from_numpy(x.toarray() if hasattr(x, "toarray") else x.copy()).double()
        self.edge_index = torch.from_numpy(graph.edge_index)

    def score(self, pairs: Pairs, noise: int) -> Scores:
        """Return the scores of node pairs of shape (k, 2)."""
        with torch.no_grad(), threads_for(len(pairs) + len(self.x)):
            embedding = self.encoder(self.x, self.edge_index)
            found: Scores = self.decoder(embedding, torch.from_numpy(pairs).T).numpy()
        return found


def inner_product(embedding: Tensor, edge_label_index: Tensor) -> Tensor:
    """Return the inner products of the embeddings of node pairs."""
    source, target = edge_label_index
    return (embedding[source] * embedding[target]).sum(dim=-1)


def _prepared(part: Any) -> Any:
    if isinstance(part, nn.Module):
        part.double().eval()
        move_weights(part)
    return part


def has_noise(network: nn.Module) -> bool:
    """Return whether scores of the network depend on noise outside training."""
    return any(_is_noisy(part) for part in network.modules())


def _is_noisy(part: nn.Module) -> bool:
    return isinstance(part, RandomEncoding) or (isinstance(part, RoleEmbedding) and part.tau > 0)


@contextmanager
def drawn_noise(network: nn.Module, seed: int) -> Iterator[None]:
    """Let the noise of a network come from this seed."""
    encodings = [part for part in network.modules() if isinstance(part, RandomEncoding)]
    roles = [part for part in network.modules() if isinstance(part, RoleEmbedding)]
    stored = [int(part.seed) for part in encodings], [part.noise_seed for part in roles]
    try:
        _set_seeds(encodings, roles, [seed] * len(encodings), [seed] * len(roles))
        yield
    finally:
        _set_seeds(encodings, roles, *stored)


def _set_seeds(
    encodings: list[RandomEncoding], roles: list[RoleEmbedding], of_encodings: list[int], of_roles: list[int]
) -> None:
    for encoding, seed in zip(encodings, of_encodings, strict=True):
        encoding.seed.fill_(seed)
    for role, seed in zip(roles, of_roles, strict=True):
        role.noise_seed = seed
