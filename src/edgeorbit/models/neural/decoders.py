"""Decoders: from the product of the embeddings of two nodes to a logit for their link."""

from abc import ABC, abstractmethod

from class_resolver import ClassResolver
from torch import Tensor, nn

from edgeorbit.models.neural.dropout import Dropout


class Decoder(nn.Module, ABC):
    """Scores node pairs by the product of their embeddings, which is the same in either order."""

    def __init__(self, channels: int, num_layers: int, dropout: float) -> None:
        super().__init__()

    @abstractmethod
    def forward(self, product: Tensor) -> Tensor:
        """Return logits of shape (k,) for products of two embeddings, entry by entry, of shape (k, channels)."""


class DotDecoder(Decoder):
    """The inner product of the two embeddings."""

    def forward(self, product: Tensor) -> Tensor:
        """Return logits of shape (k,)."""
        return product.sum(dim=-1)


class MLPDecoder(Decoder):
    """A network over the product of the embeddings, entry by entry."""

    def __init__(self, channels: int, num_layers: int, dropout: float) -> None:
        super().__init__(channels, num_layers, dropout)
        hidden = [
            part for _ in range(num_layers - 1) for part in (nn.Linear(channels, channels), nn.ReLU(), Dropout(dropout))
        ]
        self.network = nn.Sequential(*hidden, nn.Linear(channels, 1))

    def forward(self, product: Tensor) -> Tensor:
        """Return logits of shape (k,)."""
        logits: Tensor = self.network(product).squeeze(-1)
        return logits


decoder_resolver: ClassResolver[Decoder] = ClassResolver([DotDecoder, MLPDecoder], base=Decoder, suffix="Decoder")  # type: ignore[type-abstract]
