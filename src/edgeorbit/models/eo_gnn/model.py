"""EO-GNN, by the paper's equations and ours: an encoder of roles and features with D1 and D2, and a decoder."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Settings
from edgeorbit.models.encoders import GCNLayer, Joined
from edgeorbit.models.eo_gnn.dropout_rates import DropoutRates, check_rates
from edgeorbit.models.eo_gnn.parts import (
    TERMS,
    OrbitBiased,
    OrbitDecoder,
    RoleEmbedding,
    check_terms,
    draw_edge_weights,
    draw_kept,
    map_common_neighbours,
    role_rows,
    to_entries,
)
from edgeorbit.models.eo_gnn.signals import PairSignals
from edgeorbit.models.neural.decoders import pair_product
from edgeorbit.models.neural.dropout import Dropout, dropout
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork, NeuralLinkModel
from edgeorbit.orbits.refine import refine
from edgeorbit.pairwise.common_neighbours import common_neighbours

ALL_TERMS = (*TERMS, "walks", "components")  # of our decoder; the paper's has the first three
SIGNAL_CHANNELS = 32


@dataclass(frozen=True)
class OrbitSettings(Settings):
    """What the two members of the family have in common."""

    hidden_channels: int = 256  # as the other encoders
    num_layers: int = 1  # as the other encoders
    dropout: float = 0.3
    rounds: int = (
        2  # of colour refinement: GCN's degrees make one layer see two; more give real nodes roles of their own
    )
    role_channels: int = 32
    num_roles: int = 4096  # rows of the table; Cora has some 1,600 roles after two rounds
    tau: float = 0.1  # deviation of the noise of roles
    alpha_p: float = 1.0  # scale of D1: then the rate of a small orbit is its share
    p_max: float = 0.5  # of D1: half of the largest orbit stays
    without: str = ""  # parts to leave out, separated by commas

    def __post_init__(self) -> None:
        """Refuse values that make no network."""
        for name in ("hidden_channels", "num_layers", "role_channels", "num_roles"):
            if getattr(self, name) < 1:
                raise InvalidParameterError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not 0 <= self.dropout < 1:
            raise InvalidParameterError(f"dropout must be at least 0 and below 1, not {self.dropout}")
        if self.rounds < 0:
            raise InvalidParameterError(f"rounds must be 0 or more, not {self.rounds}")
        if not 0 <= self.tau < float("inf"):
            raise InvalidParameterError(f"tau is a deviation of 0 or more, not {self.tau}")
        check_rates(self.alpha_p, self.p_max)
        check_terms(self.left_out, ("d1", "d2", *self.terms()))
        if self.left_out >= set(self.terms()):
            raise InvalidParameterError(f"one of the terms {', '.join(self.terms())} must stay; leave fewer out")

    @classmethod
    def terms(cls) -> tuple[str, ...]:
        """Return the names of the terms of the decoder."""
        return TERMS

    @property
    def left_out(self) -> frozenset[str]:
        """The names of the parts that are left out."""
        return frozenset(name.strip() for name in self.without.split(",") if name.strip())


class Orbits(NamedTuple):
    """What the colours of the very graph that messages are passed on decide."""

    rows: Tensor
    rates: DropoutRates


class Encoded(NamedTuple):
    """The embeddings of all nodes, and those of their roles."""

    x: Tensor
    roles: Tensor


class Normed(nn.Module):
    """A layer and a norm of what it returns."""

    def __init__(self, conv: nn.Module, norm: nn.Module) -> None:
        super().__init__()
        self.conv, self.norm = conv, norm

    def forward(self, x: Any, inputs: Inputs) -> Tensor:
        """Return what the layer makes of its arguments, normalised."""
        out: Tensor = self.norm(self.conv(x, inputs))
        return out


class OrbitEncoder(nn.Module):
    """Layers of `norm(D^-1/2 (A + I) D^-1/2 X W) + W_k h0` over `[x || h0]`, h0 the role embeddings.

    Parameters
    ----------
    in_channels
        Width of the features.
    settings
        See `OrbitSettings`.
    layer_norm
        Whether what messages make is normalised. Roles are added after it: means over hundreds of neighbours are far
        smaller than they are, and a norm of both would leave roles alone.
    """

    def __init__(self, in_channels: int, settings: OrbitSettings, *, layer_norm: bool) -> None:
        super().__init__()
        self.settings = settings
        width, role_channels = settings.hidden_channels, settings.role_channels
        self.biased, self.dropping = "d2" not in settings.left_out, "d1" not in settings.left_out
        self.roles = RoleEmbedding(role_channels, settings.num_roles, settings.rounds, settings.tau)
        joined = in_channels + (role_channels if self.biased else 0)
        widths = [joined, *[width] * (settings.num_layers - 1)]
        # A norm of what is made of one channel would erase all that it tells.
        layers = [
            Normed(GCNLayer(seen, width), nn.LayerNorm(width) if layer_norm and seen > 1 else nn.Identity())
            for seen in widths
        ]
        self.layers = nn.ModuleList(OrbitBiased(one, role_channels, width) if self.biased else one for one in layers)

    def forward(self, inputs: Inputs) -> Encoded:
        """Return the embeddings of all nodes."""
        orbits = inputs.derive(self.find_orbits)
        nodes = inputs.nodes(len(inputs.degree))
        roles = self.roles.of(orbits.rows, nodes)
        kept = None
        if self.training and self.dropping:
            inputs = inputs.reweighed(to_entries(inputs.graph, draw_edge_weights(orbits.rates.edges)))
            drawn = draw_kept(orbits.rates.nodes)
            kept = (drawn if nodes is None else drawn[torch.from_numpy(nodes)]).to(roles.device)
        hidden = self._pass(0, Joined(inputs.x, roles if self.biased else None, kept), inputs, roles)
        for number in range(1, len(self.layers)):
            hidden = self._drop(torch.relu(hidden), inputs)
            hidden = self._pass(number, hidden, inputs, roles)
        return Encoded(self._drop(hidden, inputs), roles[: len(hidden)])

    def _drop(self, hidden: Tensor, inputs: Inputs) -> Tensor:
        return dropout(hidden, self.settings.dropout, self.training, inputs.nodes(len(hidden)))

    def find_orbits(self, graph: Graph) -> Orbits:
        """Return what the colours of a graph decide."""
        colouring = refine(graph, self.settings.rounds, threads=torch.get_num_threads())
        rows = role_rows(graph, self.settings.rounds, self.settings.num_roles)
        rates = DropoutRates.of(graph, colouring, self.settings.alpha_p, self.settings.p_max)
        return Orbits(torch.from_numpy(rows), rates)

    def _pass(self, number: int, x: Any, inputs: Inputs, roles: Tensor) -> Tensor:
        out: Tensor = self.layers[number](x, inputs, **({"roles": roles} if self.biased else {}))
        return out


class OrbitModel(NeuralLinkModel):
    """A member of the family of EO-GNN."""

    citation = "Edge-Level Automorphism in GNNs: A Quantitative Framework and Effective Designs for Link Prediction"
    Settings = OrbitSettings
    search_space: ClassVar = {
        "rounds": [1, 2, 3],
        "tau": [0.0, 0.1, 0.5],
        "alpha_p": [0.0, 1.0, 5.0],
    }

    def remarks(self, graph: Graph) -> list[str]:
        """Say if the orbits of a graph leave D1 and D2 nothing to do."""
        settings = self.settings
        if refine(graph, settings.rounds).num_colours < graph.num_nodes or {"d1", "d2"} <= settings.left_out:
            return []
        return [
            f"every node of {graph.name} has a role of its own after {settings.rounds} rounds, so that D1 and D2 have "
            "little to act on; fewer rounds give shared roles"
        ]


def nodes_read(graph: Graph, pairs: Tensor, common: bool) -> npt.NDArray[np.integer[Any]]:
    """Return the nodes of pairs and, if they are asked for, the common neighbours."""
    ends = pairs.numpy().ravel()
    if not common:
        return ends
    return np.concatenate([ends, common_neighbours(graph, pairs.numpy(), threads=torch.get_num_threads())[1]])


class PaperNetwork(LinkNetwork):
    """The encoder with D1 and D2, and the three-term decoder."""

    def __init__(self, in_channels: int, settings: OrbitSettings) -> None:
        super().__init__()
        self.width = settings.hidden_channels
        self.encoder = OrbitEncoder(in_channels, settings, layer_norm=False)
        self.hops = settings.num_layers
        self.in_pieces = self.copies_embedding = True
        self.pairs_at_once = 4096
        self.decoder = OrbitDecoder(self.width, settings.role_channels, settings.left_out - {"d1", "d2"})

    def encode(self, inputs: Inputs) -> Tensor:
        """Return the embedding of every node, followed by that of its role."""
        return torch.cat(self.encoder(inputs), dim=1)

    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits of shape (k,) for node pairs of shape (k, 2)."""
        x, roles = embedding.tensor_split([self.width], dim=1)
        return self.decoder.score(x, roles, pairs, inputs.graph, inputs.rows)

    def reads(self, inputs: Inputs, pairs: Tensor) -> npt.NDArray[np.integer[Any]]:
        """Return the nodes whose embeddings the logits of pairs depend on."""
        return nodes_read(inputs.graph, pairs, "cn" in self.decoder.terms)


class EOGNNPaper(OrbitModel):
    """EO-GNN by the paper's equations: orbit-aware dropout, noisy roles in every layer, a three-term decoder.

    It differs from the paper in one thing: colours, orbit sizes and roles are those of the very graph that messages are
    passed on, without the links of the batch. Taken from all training links they tell the answer in training, and
    nothing like it in use.
    """

    name = "eo-gnn-paper"

    def make_network(self, graph: Graph, in_channels: int) -> LinkNetwork:
        """Make the network."""
        return PaperNetwork(in_channels, self.settings)


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
        return ALL_TERMS


class EOGNNNetwork(LinkNetwork):
    """The encoder with D1 and D2, and a decoder of the paper's three terms and of what connects the two nodes."""

    def __init__(self, in_channels: int, settings: EOGNNSettings) -> None:
        super().__init__()
        self.settings = settings
        width = settings.hidden_channels
        self.encoder = OrbitEncoder(in_channels, settings, layer_norm=settings.layer_norm)
        self.hops = settings.num_layers
        self.in_pieces = self.copies_embedding = True
        self.pairs_at_once = 4096
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
        found, ends = [], inputs.local(pairs)
        for name, term in self.terms.items():
            match name:
                case "cn":  # the mean: how many there are is a signal, and a sum of hundreds outweighs all else
                    found.append(map_common_neighbours(term, x, pairs, inputs.graph, inputs.rows, mean=True))
                case "hadamard":
                    found.append(term(pair_product(x, ends)))
                case "roles":
                    found.append(term(pair_product(roles, ends)))
                case "signals":
                    found.append(term(self.find_signals(inputs, pairs).to(x)))
        logits: Tensor = self.final(sum(found[1:], start=found[0])).squeeze(-1)
        return logits

    def reads(self, inputs: Inputs, pairs: Tensor) -> npt.NDArray[np.integer[Any]]:
        """Return the nodes whose embeddings the logits of pairs depend on."""
        return nodes_read(inputs.graph, pairs, "cn" in self.terms)

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
