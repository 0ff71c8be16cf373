"""The encoder of EO-GNN: graph convolutions over roles and features, with D1 and D2."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Settings
from edgeorbit.models.eo_gnn.decoder import TERMS, check_terms
from edgeorbit.models.eo_gnn.dropout_rates import DropoutRates, check_rates
from edgeorbit.models.eo_gnn.orbit_bias import OrbitBiased
from edgeorbit.models.eo_gnn.orbit_dropout import draw_edge_weights, draw_kept, to_entries
from edgeorbit.models.eo_gnn.roles import RoleEmbedding, role_rows
from edgeorbit.models.neural.device import place
from edgeorbit.models.neural.dropout import dropout
from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.layers import GCNLayer, Joined
from edgeorbit.models.neural.product import Matrix
from edgeorbit.orbits.refine import refine


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
        roles = self.roles.of(orbits.rows)
        kept = None
        if self.training and self.dropping:
            inputs, kept = _dropped(inputs, orbits.rates), draw_kept(orbits.rates.nodes).to(roles.device)
        hidden = self._pass(0, Joined(inputs.x, roles if self.biased else None, kept), inputs, roles)
        for number in range(1, len(self.layers)):
            hidden = dropout(torch.relu(hidden), self.settings.dropout, self.training)
            hidden = self._pass(number, hidden, inputs, roles)
        return Encoded(dropout(hidden, self.settings.dropout, self.training), roles)

    def find_orbits(self, graph: Graph) -> Orbits:
        """Return what the colours of a graph decide."""
        colouring = refine(graph, self.settings.rounds, threads=torch.get_num_threads())
        rows = role_rows(graph, self.settings.rounds, self.settings.num_roles)
        rates = DropoutRates.of(graph, colouring, self.settings.alpha_p, self.settings.p_max)
        return Orbits(torch.from_numpy(rows), rates)

    def _pass(self, number: int, x: Any, inputs: Inputs, roles: Tensor) -> Tensor:
        out: Tensor = self.layers[number](x, inputs, **({"roles": roles} if self.biased else {}))
        return out


def _dropped(inputs: Inputs, rates: DropoutRates) -> Inputs:
    """Return the inputs with the edges that D1 leaves, and their weights."""
    entries = to_entries(inputs.graph, draw_edge_weights(rates.edges))
    whole = inputs.adjacency
    adjacency = Matrix(whole.indptr, whole.indices, entries, whole.shape[1])
    degree = adjacency.multiply(np.ones((whole.shape[1], 1), np.float32))
    return replace(inputs, adjacency=adjacency, degree=place(degree, inputs.degree))
