"""A user's own encoder and decoder of PyTorch Geometric, with random weights, in double precision."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from edgeorbit.expressiveness.networks import move_weights
from edgeorbit.expressiveness.scorers import Pairs
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Scores


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
        with torch.no_grad():
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
