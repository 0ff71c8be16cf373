"""NCN and NCNC as one would write them with PyTorch Geometric and torch.sparse: the same maths, for comparison."""

import torch
from torch import Tensor, nn
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import scatter

from edgeorbit.models.ncn.network import NCNCSettings, NCNSettings

PAIRS_AT_ONCE = 1 << 15  # as ours


class PlainNCN(nn.Module):
    """Encoder and decoder; `settings` of NCNC complete common neighbours."""

    def __init__(self, in_channels: int, settings: NCNSettings) -> None:
        super().__init__()
        self.settings = settings
        width = settings.hidden_channels
        self.first = nn.Linear(in_channels, width)
        self.weights = nn.Parameter(torch.ones(settings.num_layers))
        self.shift = nn.Sequential(*self._layer(normed=False), *self._layer())
        self.common = nn.Sequential(*self._layer(normed=False), *self._layer())
        self.ends = nn.Sequential(*self._layer())
        layers = [part for _ in range(settings.final_layers) for part in self._layer()]
        self.final = nn.Sequential(*layers, nn.Linear(width, 1))
        self.beta = nn.Parameter(torch.ones(1))

    def _layer(self, *, normed: bool = True) -> list[nn.Module]:
        width = self.settings.hidden_channels
        norm = [nn.LayerNorm(width)] if normed else []
        return [nn.Linear(width, width), *norm, nn.Dropout(self.settings.decoder_dropout), nn.ReLU()]

    def encode(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Return embeddings of all nodes."""
        settings, dropout = self.settings, nn.functional.dropout
        hidden = self.first(dropout(x, settings.feature_dropout, self.training))
        hidden = dropout(hidden, settings.dropout, self.training)
        (row, column), weight = gcn_norm(edge_index, num_nodes=len(x))
        layers = []
        for _ in range(settings.num_layers):
            hidden = scatter(weight[:, None] * hidden[row], column, dim=0, dim_size=len(x))
            layers.append(hidden)
        layers[-1] = dropout(layers[-1], settings.last_dropout, self.training)
        return torch.stack([weight * layer for weight, layer in zip(self.weights, layers, strict=True)]).sum(dim=0)

    def decode(self, x: Tensor, edge_index: Tensor, pairs: Tensor) -> Tensor:
        """Return logits of pairs of shape (k, 2)."""
        values = torch.ones(edge_index.shape[1])
        adjacency = torch.sparse_coo_tensor(
            edge_index, values, (len(x), len(x)), check_invariants=False, is_coalesced=True
        )
        depth = self.settings.depth if isinstance(self.settings, NCNCSettings) else 0
        return self._score(x, x + self.shift(x), pairs, adjacency, depth)

    def _score(self, x: Tensor, shifted: Tensor, pairs: Tensor, adjacency: Tensor, depth: int) -> Tensor:
        left, right = adjacency.index_select(0, pairs[:, 0]), adjacency.index_select(0, pairs[:, 1])
        common = (left * right).coalesce()
        sums = torch.sparse.mm(common, shifted)
        if depth > 0:
            for side, other in ((left, pairs[:, 1]), (right, pairs[:, 0])):
                alone = (side - common).coalesce()
                kept = alone.values() > 0
                pair, node = alone.indices()[:, kept]
                links = torch.stack([other[pair], node], dim=1)
                with torch.no_grad():
                    self.eval()
                    parts = links.split(PAIRS_AT_ONCE)
                    logits = torch.cat([self._score(x, shifted, part, adjacency, depth - 1) for part in parts])
                    self.train()
                weights = _sparse(torch.stack([pair, node]), self._calibrate(logits), side.shape)
                sums = sums + torch.sparse.mm(weights, shifted)
        mapped = self.ends(x[pairs[:, 0]] * x[pairs[:, 1]]) + self.beta * self.common(sums)
        logits: Tensor = self.final(mapped).squeeze(-1)
        return logits

    def _calibrate(self, logits: Tensor) -> Tensor:
        settings = self.settings
        assert isinstance(settings, NCNCSettings)
        likely = torch.sigmoid(settings.scale * (logits - settings.offset))
        return settings.alpha * settings.prior * likely / (settings.prior * likely + 1 - likely)


def _sparse(indices: Tensor, values: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return a sparse matrix whose entries are sorted and different."""
    return torch.sparse_coo_tensor(indices, values, shape, check_invariants=False, is_coalesced=True)
