"""The decoder of NCN: the two ends of a pair, and the sum over their common neighbours."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from edgeorbit.graph.graph import Graph
from edgeorbit.models.ncn.settings import NCNSettings
from edgeorbit.models.neural.device import place
from edgeorbit.models.neural.dropout import Dropout, dropout
from edgeorbit.models.neural.pair_product import pair_product
from edgeorbit.models.neural.rows import sum_rows
from edgeorbit.pairwise.common_neighbours import common_neighbours

EMPTY_ROWS = 64  # draws of dropout that pairs without common neighbours share


class Neighbours(NamedTuple):
    """Lists of neighbours of pairs in CSR form, and what each of them counts (None: all count 1)."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32] | None = None


class CommonNeighbourDecoder(nn.Module):
    """Scores pairs by `final(beta common(sum of y_w over common neighbours w) + ends(x_u * x_v))`, `y = x + shift(x)`.

    Parameters
    ----------
    settings
        See `NCNSettings`.
    """

    def __init__(self, settings: NCNSettings) -> None:
        super().__init__()
        self.settings = settings
        self.shift = nn.Sequential(*self._layer(normed=False), *self._layer()) if settings.mapped_neighbours else None
        self.common = nn.Sequential(*self._layer(normed=False), *self._layer(), *self._last())
        self.ends = nn.Sequential(*self._layer(), *self._last())
        layers = [part for _ in range(settings.final_layers) for part in self._layer()]
        self.final = nn.Sequential(*layers, nn.Linear(settings.hidden_channels, 1))
        self.beta = nn.Parameter(torch.ones(1))

    def _layer(self, *, normed: bool = True) -> list[nn.Module]:
        width = self.settings.hidden_channels
        norm = [nn.LayerNorm(width)] if normed and self.settings.layer_norm else []
        return [nn.Linear(width, width), *norm, Dropout(self.settings.decoder_dropout), nn.ReLU()]

    def _last(self) -> list[nn.Module]:
        width = self.settings.hidden_channels
        return [] if self.settings.last_activation else [nn.Linear(width, width)]

    def forward(self, x: Tensor, pairs: Tensor, graph: Graph) -> Tensor:
        """Return the logits of pairs of shape (k, 2)."""
        found = self.find_common(pairs, graph)
        number = np.zeros(len(x), np.int32)
        number[found.indices] = 1
        used = np.flatnonzero(number)
        number[used] = np.arange(len(used), dtype=np.int32)
        shifted = self.shift_nodes(x[place(used, x)])
        return self.judge(pair_product(x, pairs), shifted, [found._replace(indices=number[found.indices])])

    def shift_nodes(self, x: Tensor) -> Tensor:
        """Return what nodes are as common neighbours."""
        return x if self.shift is None else x + self.shift(x)

    def find_common(self, pairs: Tensor, graph: Graph) -> Neighbours:
        """Return the common neighbours of pairs; in training, edges to them may be dropped."""
        indptr, indices = common_neighbours(graph, pairs.numpy(), threads=torch.get_num_threads())
        if not self.training or self.settings.edge_dropout == 0:
            return Neighbours(indptr, indices)
        # A common neighbour stays if both of its edges do.
        ends = torch.ones(2, len(indices))
        return Neighbours(indptr, indices, dropout(ends, self.settings.edge_dropout, True).prod(dim=0).numpy())

    def judge(self, product: Tensor, shifted: Tensor, neighbours: list[Neighbours]) -> Tensor:
        """Return logits from the products of both ends and lists of neighbours, numbered as rows of `shifted`."""
        mapped = self.ends(product) + self.beta * self._map_sums(shifted, neighbours)
        logits: Tensor = self.final(mapped).squeeze(-1)
        return logits

    def _map_sums(self, shifted: Tensor, neighbours: list[Neighbours]) -> Tensor:
        """Map the sums over neighbours.

        Most pairs of a sparse graph have none, and the same sum: they share one row or, in training, some rows that
        differ by dropout.
        """
        counts = sum((np.diff(lists.indptr) for lists in neighbours[1:]), start=np.diff(neighbours[0].indptr))
        some = np.flatnonzero(counts)
        sums = []
        for indptr, indices, weights in neighbours:
            # Lists that are left out are empty, so that the others follow each other without gaps.
            sums.append(sum_rows(np.append(indptr[some], indptr[-1]), indices, shifted, weights))
        rows = sum(sums[1:], start=sums[0])
        num_empty = len(counts) - len(some)
        if num_empty == 0:
            mapped: Tensor = self.common(rows)
            return mapped
        shared = min(num_empty, EMPTY_ROWS if self.training else 1)
        row = np.arange(len(counts)) % shared + len(some)
        row[some] = np.arange(len(some))
        mapped = self.common(torch.cat([rows, rows.new_zeros(shared, rows.shape[1])]))
        return mapped[place(row, mapped)]
