"""Encoders and their layers side by side: from a graph and its features to an embedding of every node.

The layers are PyTorch Geometric's, with messages passed by our own sparse product. That is linear, so a layer passes
messages on its narrow side: before it multiplies by its weights or, if features are sparse or wider, after it. At equal
widths it passes them before, because then fewer rows are multiplied.

Inputs of some rows alone (`edgeorbit.models.neural.reach`) have those that are read first, then their neighbours, and
so on: every step of messages returns rows of fewer nodes than it was given, the first ones.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from edgeorbit._pyg_import import deferring_compiler
from edgeorbit.errors import InvalidParameterError
from edgeorbit.models.neural.attention import attend
from edgeorbit.models.neural.dropout import dropout
from edgeorbit.models.neural.inputs import FeatureLinear, Features, Inputs, head
from edgeorbit.models.neural.product import Matrix, multiply, scaled_product
from edgeorbit.models.neural.rows import gather

with deferring_compiler():
    from torch_geometric.nn.conv import ChebConv, GATConv, GCNConv, GINConv, MixHopConv, SAGEConv
    from torch_geometric.nn.models.linkx import SparseLinear


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Features and, to their right, an encoding of every node (None: none); never written side by side.

    `kept` says which nodes keep their features; by default all do.
    """

    x: Features
    encoding: Tensor | None
    kept: Tensor | None = None


def unchanged(hidden: Tensor) -> Tensor:
    """Return the activations of a linear encoder."""
    return hidden


class Encoder(nn.Module):
    """Layers, each followed by normalization and dropout, with an activation between them.

    Parameters
    ----------
    in_channels, hidden_channels, num_layers
        The width of the features, the width of every layer, and the number of layers.
    dropout
        Share of values that are dropped after every layer, in training; without `layer_norm` not after the last, as in
        the papers.
    layer_norm
        Whether the output of every layer is normalized, unless its input has a single channel: then it differs from
        node to node by its scale, which a norm would erase.
    **options
        Further arguments of every layer.
    """

    layer: Callable[..., nn.Module]  # from (in_channels, out_channels) to a module of (x, inputs)
    activation: Callable[[Tensor], Tensor] = staticmethod(torch.relu)  # between layers

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        num_layers: int,
        dropout: float,
        layer_norm: bool,
        **options: Any,
    ) -> None:
        super().__init__()
        widths = [in_channels, *[hidden_channels] * num_layers]
        make = type(self).layer
        self.layers = nn.ModuleList(make(a, b, **options) for a, b in pairwise(widths))
        self.norms = nn.ModuleList(
            nn.LayerNorm(hidden_channels) if layer_norm and width > 1 else nn.Identity() for width in widths[:-1]
        )
        self.dropout = dropout
        self.last_dropout = dropout if layer_norm else 0.0

    @property
    def hops(self) -> int:
        """How far what an embedding depends on is from its node."""
        return sum(layer.hops for layer in self.layers)  # type: ignore[misc]

    def forward(self, inputs: Inputs) -> Tensor:
        """Return embeddings, shape (num_nodes, hidden_channels)."""
        hidden: Tensor = self.layers[0](self.features(inputs), inputs)
        for layer, norm in zip(list(self.layers)[1:], self.norms, strict=False):
            hidden = layer(self._drop(self.activation(norm(hidden)), self.dropout, inputs), inputs)
        return self._drop(self.norms[-1](hidden), self.last_dropout, inputs)

    def _drop(self, hidden: Tensor, rate: float, inputs: Inputs) -> Tensor:
        return dropout(hidden, rate, self.training, inputs.nodes(len(hidden)))

    def features(self, inputs: Inputs) -> Features | Joined:
        """Return the input of the first layer."""
        return inputs.x


class MLPLayer(FeatureLinear):
    """`X W + b`, without a look at any edge."""

    hops = 0

    def forward(self, x: Features, inputs: Inputs | None = None) -> Tensor:
        """Map features of shape (n, in_channels) to (n, out_channels)."""
        return super().forward(x)


class MLPEncoder(Encoder):
    """Layers that look at the features alone, and at no edge."""

    layer = MLPLayer


def average(inputs: Inputs, x: Tensor) -> Tensor:
    """Multiply by `D^-1/2 (A + I) D^-1/2`, D the degrees with the self-loop."""
    scale = (inputs.degree + 1).rsqrt()
    return scaled_product(inputs.block(len(x)), x, scale, scale, own=True)


def narrow_first(x: Any, out_channels: int) -> bool:
    """Tell whether messages are passed before features are mapped: dense ones that are not wider than the result."""
    if isinstance(x, Joined):
        width = x.x.shape[1] + (0 if x.encoding is None else x.encoding.shape[1])
        return not isinstance(x.x, Matrix) and width <= out_channels
    return not isinstance(x, Matrix) and x.shape[1] <= out_channels


class JoinedLinear(FeatureLinear):
    """A linear layer whose input may be sparse, and joined with an encoding."""

    def forward(self, x: Features | Joined) -> Tensor:
        """Map features of shape (n, in_channels) to shape (n, out_channels)."""
        if not isinstance(x, Joined):
            return super().forward(x)
        width = x.x.shape[1]
        weight, more = self.weight.split([width, self.in_features - width], dim=1)
        out: Tensor = multiply(x.x, weight.T.contiguous()) if isinstance(x.x, Matrix) else x.x @ weight.T
        if x.kept is not None:
            out = out * x.kept[:, None]
        if x.encoding is not None:
            out = out + x.encoding @ more.T
        return out if self.bias is None else out + self.bias


class GCNLayer(GCNConv):
    """PyG's `GCNConv`: `D^-1/2 (A + I) D^-1/2 X W + b`, D the degrees with the self-loop."""

    hops = 1

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(in_channels, out_channels, normalize=False)
        self.lin = JoinedLinear(in_channels, out_channels, bias=False)
        torch.nn.init.xavier_uniform_(self.lin.weight)  # PyG's choice for this layer

    def forward(self, x: Features | Joined, edge_index: Inputs, edge_weight: None = None) -> Tensor:
        """Map features of shape (n, in_channels) to (n, out_channels); inputs are given as `edge_index`."""
        if narrow_first(x, self.out_channels):
            out: Tensor = self.lin(average(edge_index, _side_by_side(x))) + self.bias
        else:
            out = average(edge_index, self.lin(x)) + self.bias
        return out


def _side_by_side(x: Any) -> Tensor:
    """Return dense features, and what is joined with them, in one tensor."""
    if not isinstance(x, Joined):
        dense: Tensor = x
        return dense
    assert isinstance(x.x, Tensor)
    kept = x.x if x.kept is None else x.x * x.kept[:, None]
    return kept if x.encoding is None else torch.cat([kept, x.encoding], dim=1)


class GCNEncoder(Encoder):
    """Layers of `D^-1/2 (A + I) D^-1/2 X W`."""

    layer = GCNLayer


class SAGELayer(SAGEConv):
    """PyG's `SAGEConv` with mean aggregation: `mean of neighbours W_l + b + X W_r`."""

    hops = 1

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__(in_channels, out_channels)
        self.lin_l = FeatureLinear(in_channels, out_channels)
        self.lin_r = FeatureLinear(in_channels, out_channels, bias=False)

    def forward(self, x: Features, edge_index: Inputs, size: Any = None) -> Tensor:
        """Map features of shape (n, in_channels) to (n, out_channels)."""
        if not isinstance(x, Matrix) and narrow_first(x, self.out_channels):
            out = self.lin_l(self.propagate(edge_index, x=x))
        else:
            out = self.propagate(edge_index, x=self.lin_l(x) - self.lin_l.bias) + self.lin_l.bias
        result: Tensor = out + self.lin_r(head(x, len(out)))
        return result

    def propagate(self, edge_index: Inputs, size: Any = None, **kwargs: Any) -> Tensor:
        """Return the mean over neighbours; 0 for a node without any."""
        x: Tensor = kwargs["x"]
        return scaled_product(edge_index.block(len(x)), x, edge_index.degree.clamp(min=1).reciprocal())


class SAGEEncoder(Encoder):
    """Layers that join a node with the mean of its neighbours."""

    layer = SAGELayer


class GATLayer(GATConv):
    """PyG's `GATConv`: means over a node and its neighbours, weighted by attention; heads side by side."""

    hops = 1

    def __init__(self, in_channels: int, out_channels: int, heads: int) -> None:
        super().__init__(in_channels, out_channels // heads, heads)
        self.lin = FeatureLinear(in_channels, out_channels, bias=False)
        torch.nn.init.xavier_uniform_(self.lin.weight)  # PyG's choice for this layer

    def forward(self, x: Features, edge_index: Inputs, *_: Any, **__: Any) -> Tensor:
        """Map features of shape (n, in_channels) to (n, out_channels)."""
        mapped = self.lin(x)
        by_head = mapped.view(-1, self.heads, self.out_channels)
        source, target = ((by_head * weight).sum(dim=-1) for weight in (self.att_src, self.att_dst))
        out: Tensor = attend(edge_index.block(len(mapped)), mapped, source, target, self.negative_slope) + self.bias
        return out


class GATEncoder(Encoder):
    """Layers of attention over a node and its neighbours."""

    layer = GATLayer


class GINLayer(GINConv):
    """PyG's `GINConv` with eps 0: a network of two layers over the sum of a node and its neighbours.

    Parameters
    ----------
    in_channels, out_channels
        The width of the features and of the result.
    inner_norm
        Whether the hidden layer of the network is normalised: sums grow with degrees.
    """

    hops = 1

    def __init__(self, in_channels: int, out_channels: int, inner_norm: bool) -> None:
        first, norm = FeatureLinear(in_channels, out_channels), nn.LayerNorm(out_channels)
        middle = [norm, nn.ReLU()] if inner_norm else [nn.ReLU()]
        super().__init__(nn.Sequential(first, *middle, nn.Linear(out_channels, out_channels)))

    def forward(self, x: Features, edge_index: Inputs, size: Any = None) -> Tensor:
        """Map features of shape (n, in_channels) to (n, out_channels)."""
        first, *rest = self.nn
        if not isinstance(x, Matrix) and narrow_first(x, first.out_features):
            hidden: Tensor = first(self._sum(x, edge_index))
        else:
            hidden = self._sum(first(x) - first.bias, edge_index) + first.bias
        for part in rest:
            hidden = part(hidden)
        return hidden

    def _sum(self, x: Tensor, inputs: Inputs) -> Tensor:
        return scaled_product(inputs.block(len(x)), x, own=True)


class GINEncoder(Encoder):
    """Layers of a network over the sum of a node and its neighbours."""

    layer = GINLayer

    def __init__(
        self, in_channels: int, hidden_channels: int, num_layers: int, dropout: float, layer_norm: bool
    ) -> None:
        super().__init__(in_channels, hidden_channels, num_layers, dropout, layer_norm, inner_norm=layer_norm)


class MixHopLayer(MixHopConv):
    """PyG's `MixHopConv`: side by side for p = 0 to `hops`, the p-th power of GCN's average, each with its weights.

    The channels are shared out equally; if they cannot be, low powers get one more.
    """

    def __init__(self, in_channels: int, out_channels: int, hops: int) -> None:
        powers = list(range(hops + 1))
        self.hops = hops
        super().__init__(in_channels, out_channels // len(powers), powers)
        self.widths = [(out_channels + hops - power) // len(powers) for power in powers]
        self.lins = nn.ModuleList(FeatureLinear(in_channels, width, bias=False) for width in self.widths)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x: Features, edge_index: Inputs, edge_weight: None = None) -> Tensor:
        """Map features of shape (n, in_channels) to (n, out_channels); channels leave when they have their power."""
        if not isinstance(x, Matrix) and narrow_first(x, self.widths[-1]):
            found = [self.lins[0](x)]
            for lin in list(self.lins)[1:]:
                x = average(edge_index, x)
                found.append(lin(x))
            return torch.cat([out[: len(x)] for out in found], dim=-1) + self.bias
        waiting = torch.cat([lin(x) for lin in self.lins], dim=-1)
        outs = []
        for power, width in enumerate(self.widths):
            if power > 0:
                waiting = average(edge_index, waiting)
            done, waiting = waiting.split([width, waiting.shape[1] - width], dim=-1)
            outs.append(done)
        out: Tensor = torch.cat([done[: len(waiting)] for done in outs], dim=-1) + self.bias
        return out


class MixHopEncoder(Encoder):
    """Layers that join several powers of GCN's average."""

    layer = MixHopLayer


class ChebLayer(ChebConv):
    """PyG's `ChebConv`: the sum over k < K of `T_k(L - I) X W_k`, with Chebyshev's T_k and the normalised Laplacian L.

    Its largest eigenvalue is taken to be 2, its bound, as PyG does.
    """

    def __init__(self, in_channels: int, out_channels: int, K: int) -> None:  # noqa: N803
        super().__init__(in_channels, out_channels, K)
        self.hops = K - 1
        lins = [FeatureLinear(in_channels, out_channels, bias=False) for _ in range(K)]
        for lin in lins:
            torch.nn.init.xavier_uniform_(lin.weight)  # PyG's choice for this layer
        self.lins = nn.ModuleList(lins)

    def forward(self, x: Features, edge_index: Inputs, *_: Any, **__: Any) -> Tensor:
        """Map features of shape (n, in_channels) to (n, out_channels), by Clenshaw's recurrence from the last term."""
        lins = list(self.lins)
        later, out = None, lins[-1](x)
        for number, lin in reversed(list(enumerate(lins[:-1]))):
            factor = 1 if number == 0 else 2
            passed = self.propagate(edge_index, x=out)
            step = lin(head(x, len(passed))) + factor * passed
            later, out = out, step if later is None else step - later[: len(step)]
        found: Tensor = out + self.bias
        return found

    def propagate(self, edge_index: Inputs, size: Any = None, **kwargs: Any) -> Tensor:
        """Multiply by `L - I`, which is `-D^-1/2 A D^-1/2`."""
        x, scale = kwargs["x"], edge_index.degree.clamp(min=1).rsqrt()
        return scaled_product(edge_index.block(len(x)), x, -scale, scale)


class ChebEncoder(Encoder):
    """Layers of Chebyshev polynomials of the normalised Laplacian."""

    layer = ChebLayer


class AdjacencyLinear(SparseLinear):
    """PyG's `SparseLinear`: `A W + b`, with a row of weights for every node."""

    def propagate(self, edge_index: Inputs, size: Any = None, **kwargs: Any) -> Tensor:
        """Add up the weights of the neighbours of every node."""
        weight, rows = kwargs["weight"], edge_index.rows
        if rows is not None:
            weight = gather(weight, rows.nodes[: rows.counts[1]])
        return multiply(edge_index.block(len(weight)), weight)


class LINKXLayer(nn.Module):
    """What PyG's `LINKX` computes before its last network: `H_A + H_X + [H_A, H_X] W`, `H_A = A W_A`, `H_X = X W_X`.

    In training the target links are missing from A, as they are from all messages.
    """

    hops = 1

    def __init__(self, num_nodes: int, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.edge_lin = AdjacencyLinear(num_nodes, out_channels)
        self.node_lin = FeatureLinear(in_channels, out_channels)
        self.cat_lin1 = nn.Linear(out_channels, out_channels)
        self.cat_lin2 = nn.Linear(out_channels, out_channels)

    def forward(self, x: Features, inputs: Inputs) -> Tensor:
        """Map features of shape (n, in_channels) to (n, out_channels).

        Raises
        ------
        InvalidParameterError
            If the graph has not the nodes that the weights belong to.
        """
        if inputs.graph.num_nodes != self.edge_lin.in_channels:
            raise InvalidParameterError(
                f"{inputs.graph.name} has {inputs.graph.num_nodes} nodes and the weights belong to "
                f"{self.edge_lin.in_channels}; give the graph that the model was trained on"
            )
        edges = self.edge_lin(inputs)
        nodes = self.node_lin(head(x, len(edges)))
        out: Tensor = edges + self.cat_lin1(edges) + nodes + self.cat_lin2(nodes)
        return out


class LINKXEncoder(Encoder):
    """A layer over features and rows of the adjacency matrix, and `num_layers` layers over its output.

    Parameters
    ----------
    in_channels, hidden_channels, num_layers, dropout, layer_norm
        As for every encoder; `num_layers` counts the layers after the first.
    num_nodes
        The number of nodes, each of which has weights of its own.
    """

    layer = MLPLayer

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        num_layers: int,
        dropout: float,
        layer_norm: bool,
        *,
        num_nodes: int,
    ) -> None:
        super().__init__(hidden_channels, hidden_channels, num_layers + 1, dropout, layer_norm)
        self.layers[0] = LINKXLayer(num_nodes, in_channels, hidden_channels)
