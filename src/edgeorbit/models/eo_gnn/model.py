"""EO-GNN, ours: the paper's stages, with what honest experiments show to be best."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.eo_gnn.decoder import map_common_neighbours
from edgeorbit.models.eo_gnn.encoder import OrbitEncoder, OrbitSettings
from edgeorbit.models.eo_gnn.family import OrbitModel
from edgeorbit.models.eo_gnn.signals import PairSignals
from edgeorbit.models.neural.dropout import Dropout
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork
from edgeorbit.models.neural.pair_product import pair_product

TERMS = ("cn", "hadamard", "roles", "walks", "components")
SIGNAL_CHANNELS = 32


@dataclass(frozen=True)
class EOGNNSettings(OrbitSettings):
    """The settings of EO-GNN."""

    layer_norm: bool = True
    walk_length: int = 4  # longer ones tell more where links are sparse, and cost more
    noise_channels: int = 128  # where walks are estimated

    def __post_init__(self) -> None:
        """Refuse values that make no network."""
        super().__post_init__()
        if self.walk_length < 2 or self.noise_channels < 1:
            raise InvalidParameterError(
                f"walk_length is at least 2 and noise_channels at least 1, not {self.walk_length} and "
                f"{self.noise_channels}"
            )

    @classmethod
    def terms(cls) -> tuple[str, ...]:
        """Return the names of the terms of the decoder."""
        return TERMS


class EOGNNNetwork(LinkNetwork):
    """The encoder with D1 and D2, and a decoder of the paper's three terms and of what connects the two nodes."""

    def __init__(self, in_channels: int, settings: EOGNNSettings) -> None:
        super().__init__()
        self.settings = settings
        width = settings.hidden_channels
        self.encoder = OrbitEncoder(in_channels, settings, layer_norm=settings.layer_norm)
        num_signals = {"walks": 3 + 2 * (settings.walk_length - 1), "components": 3}
        made: dict[str, nn.Module] = {
            "cn": nn.Linear(width, width, bias=False),
            "hadamard": nn.Linear(width, width),
            "roles": nn.Linear(settings.role_channels, width),
        }
        self.terms = nn.ModuleDict({name: part for name, part in made.items() if name not in settings.left_out})
        self.signals = [name for name in num_signals if name not in settings.left_out]
        if self.signals:
            seen = 2 + sum(num_signals[name] for name in self.signals)
            self.terms["signals"] = nn.Sequential(
                nn.Linear(seen, SIGNAL_CHANNELS),
                nn.ReLU(),
                nn.Linear(SIGNAL_CHANNELS, SIGNAL_CHANNELS),
                nn.ReLU(),
                nn.Linear(SIGNAL_CHANNELS, width),
            )
        self.final = nn.Sequential(nn.ReLU(), Dropout(settings.dropout), nn.Linear(width, 1))

    def encode(self, inputs: Inputs) -> Tensor:
        """Return the embedding of every node, followed by that of its role."""
        return torch.cat(self.encoder(inputs), dim=1)

    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2)."""
        widths = [self.settings.hidden_channels, self.settings.role_channels]
        x, roles = (part.contiguous() for part in embedding.split(widths, dim=1))  # once, and not in every term
        found = []
        for name, term in self.terms.items():
            match name:
                case "cn":  # the mean: how many there are is a signal, and a sum of hundreds outweighs all else
                    found.append(map_common_neighbours(term, x, pairs, inputs.graph, mean=True))
                case "hadamard":
                    found.append(term(pair_product(x, pairs)))
                case "roles":
                    found.append(term(pair_product(roles, pairs)))
                case "signals":
                    found.append(term(self.find_signals(inputs, pairs).to(x)))
        logits: Tensor = self.final(sum(found[1:], start=found[0])).squeeze(-1)
        return logits

    def find_signals(self, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return what connects the nodes of pairs, shape (k, number of signals)."""
        source = inputs.derive(self._signals_of)
        ends = pairs.contiguous().numpy()
        found = [getattr(source, name)(ends) for name in ["degrees", *self.signals]]
        return torch.cat([torch.from_numpy(part) for part in found], dim=1)

    def _signals_of(self, graph: Graph) -> PairSignals:
        settings = self.settings
        return PairSignals(graph, settings.walk_length, settings.noise_channels, torch.get_num_threads())


class EOGNN(OrbitModel):
    """EO-GNN as it predicts best: roles of the graph at hand, common neighbours, walks and components of each pair."""

    name = "eo-gnn"
    Settings = EOGNNSettings
    search_space: ClassVar = OrbitModel.search_space | {"walk_length": [4, 6, 8, 12]}

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the network."""
        return EOGNNNetwork(in_channels, self.settings)
