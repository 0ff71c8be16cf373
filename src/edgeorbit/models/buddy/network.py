"""BUDDY's network: what lies around a pair, and the product of what its nodes are."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Settings, require_positive
from edgeorbit.models.buddy.propagation import SIGN, Propagated
from edgeorbit.models.neural.device import place
from edgeorbit.models.neural.dropout import Dropout
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork
from edgeorbit.models.neural.pair_product import pair_product
from edgeorbit.pairwise.sketches.neighbourhoods import NeighbourhoodSketches, check_sketch
from edgeorbit.pairwise.sketches.structure import num_structure_features, structure_counts, structure_features


@dataclass(frozen=True)
class BuddySettings(Settings):
    """The settings of BUDDY; where there is no other reason, the defaults of its authors."""

    hidden_channels: int = 256  # Li et al. 2023 on every graph, and the authors on ogbl-ddi
    hops: int = 2
    minhash: int = 128  # hashes of a MinHash sketch
    hll_p: int = 8  # a HyperLogLog sketch has 2^8 registers
    zero_one: bool = False  # with it, training links give themselves away
    sign_k: int = 0  # one step of propagation is best on most graphs
    label_dropout: float = 0.5  # of the structure features
    feature_dropout: float = 0.5  # of the product of the two nodes
    sign_dropout: float = 0.5  # of the powers of SIGN

    def __post_init__(self) -> None:
        """Refuse values that make no network."""
        require_positive(self, "hidden_channels")
        check_sketch(self.hops, self.minhash, self.hll_p)
        if self.sign_k < 0:
            raise InvalidParameterError(f"sign_k must be 0 or more, not {self.sign_k}")
        for name in ("label_dropout", "feature_dropout", "sign_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise InvalidParameterError(f"{name} must be at least 0 and below 1, not {getattr(self, name)}")


class BuddyNetwork(LinkNetwork):
    """A layer over structure features, a layer over the product of propagated features, and one over both.

    The whole training graph is sketched once; its links are not hidden.
    """

    hides_targets = False

    def __init__(self, in_channels: int, settings: BuddySettings) -> None:
        super().__init__()
        self.settings = settings
        width, hops = settings.hidden_channels, settings.hops
        self.nodes: nn.Module
        if settings.sign_k > 0:
            self.nodes = SIGN(in_channels, width, settings.sign_k, settings.sign_dropout)
        else:
            self.nodes = Propagated(in_channels, width)
        seen, labels = num_structure_features(hops, zero_one=settings.zero_one), hops * (hops + 2)
        self.structure = _layer(seen, labels, settings.label_dropout)
        self.product = _layer(width, width, settings.feature_dropout)
        self.final = nn.Linear(labels + width, 1)

    def encode(self, inputs: Inputs) -> Tensor:
        """Return an embedding of every node."""
        embedding: Tensor = self.nodes(inputs)
        return embedding

    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2)."""
        structure = self.structure(self.find_structure(inputs, pairs))
        product = self.product(pair_product(embedding, pairs))
        logits: Tensor = self.final(torch.cat([structure, product], dim=1)).squeeze(-1)
        return logits

    def find_structure(self, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return the structure features of pairs.

        They take a microsecond a pair, far less than the layers over them, so that none are kept between epochs.
        """
        sketches = inputs.derive(self._sketch)
        counts = structure_counts(sketches, pairs.numpy(), threads=torch.get_num_threads())
        return place(structure_features(counts, zero_one=self.settings.zero_one), self.final.weight)

    def _sketch(self, graph: Graph) -> NeighbourhoodSketches:
        settings = self.settings
        return NeighbourhoodSketches(
            graph,
            hops=settings.hops,
            minhash=settings.minhash,
            hll_p=settings.hll_p,
            threads=torch.get_num_threads(),
        )


def _layer(in_channels: int, out_channels: int, rate: float) -> nn.Module:
    return nn.Sequential(nn.Linear(in_channels, out_channels), nn.BatchNorm1d(out_channels), nn.ReLU(), Dropout(rate))
