"""The networks of NCN and NCNC: an encoder without weights in its layers, and decoders of common neighbours."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.models.base import Settings, require_positive
from edgeorbit.models.encoders import average
from edgeorbit.models.neural.decoders import pair_product
from edgeorbit.models.neural.device import place
from edgeorbit.models.neural.dropout import Dropout, drop_features, dropout
from edgeorbit.models.neural.inputs import FeatureLinear, Inputs
from edgeorbit.models.neural.product import multiply
from edgeorbit.models.neural.reach import nodes_within
from edgeorbit.models.neural.rows import sum_rows
from edgeorbit.pairwise.common_neighbours import common_neighbours, neighbour_differences
from edgeorbit.pairwise.pairs import mix_bits

CONVOLUTIONS = ("gcn", "sum")
EMPTY_ROWS = 64  # draws of dropout that pairs without common neighbours share
PAIRS_AT_ONCE = 1 << 14  # links to complete that are judged together, which bounds memory

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class NCNSettings(Settings):
    """The settings of NCN; the defaults are those of Li et al. 2023 for CiteSeer."""

    hidden_channels: int = 256
    num_layers: int = 1
    convolution: str = "gcn"  # averages by degrees; "sum" adds neighbours up, as the authors do on ogbl-ddi
    jumping: bool = True  # all layers are added up, each with a learned weight
    residual: bool = False  # every layer keeps what it was given
    feature_dropout: float = 0.4
    dropout: float = 0.5  # of the encoder
    last_dropout: float = 0.0  # after its last layer
    decoder_dropout: float = 0.5
    edge_dropout: float = 0.0  # of the edges that make common neighbours
    layer_norm: bool = True  # in the decoder; the encoder has none
    mapped_neighbours: bool = True  # common neighbours go through a network before they are added up
    last_activation: bool = True  # the two terms end with ReLU, instead of a linear map
    final_layers: int = 2  # of the decoder, over the sum of both terms, before the last map

    def __post_init__(self) -> None:
        """Validate the settings."""
        require_positive(self, "hidden_channels", "num_layers", "final_layers")
        for name in ("feature_dropout", "dropout", "last_dropout", "decoder_dropout", "edge_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise InvalidParameterError(f"{name} must be at least 0 and below 1, not {getattr(self, name)}")
        if self.convolution not in CONVOLUTIONS:
            raise InvalidParameterError(
                f"there is no convolution {self.convolution!r}; choose from {', '.join(CONVOLUTIONS)}"
            )


@dataclass(frozen=True)
class NCNCSettings(NCNSettings):
    """The settings of NCNC."""

    scale: float = 6.5  # the probability that a link is missing is sigmoid(scale * (logit - offset)), ...
    offset: float = 4.4
    prior: float = 0.75  # ... recalibrated to this share of links among candidates, ...
    alpha: float = 0.4  # ... times this
    depth: int = 1  # 2: the links to complete are judged by completed common neighbours themselves
    completed: int = 0  # candidates drawn from the neighbours of either node; 0: all of them

    def __post_init__(self) -> None:
        """Validate the settings."""
        super().__post_init__()
        require_positive(self, "scale", "depth")
        if not 0 < self.prior < 1:
            raise InvalidParameterError(f"prior is a share above 0 and below 1, not {self.prior}")
        if self.alpha < 0 or self.completed < 0:
            raise InvalidParameterError(f"alpha and completed must be 0 or more, not {self.alpha} and {self.completed}")


class PureEncoder(nn.Module):
    """Layers of `D^-1/2 (A + I) D^-1/2 H`, or of `A H`, over `H = X W + b`.

    Parameters
    ----------
    in_channels
        Width of the features.
    settings
        See `NCNSettings`.
    """

    def __init__(self, in_channels: int, settings: NCNSettings) -> None:
        super().__init__()
        self.settings = settings
        self.first = FeatureLinear(in_channels, settings.hidden_channels)
        self.weights = nn.Parameter(torch.ones(settings.num_layers)) if settings.jumping else None

    def forward(self, inputs: Inputs) -> Tensor:
        """Return embeddings, shape (num_nodes, hidden_channels)."""
        settings = self.settings
        nodes = inputs.nodes(len(inputs.degree))
        hidden = self.first(drop_features(inputs.x, settings.feature_dropout, self.training, nodes))
        hidden = dropout(hidden, settings.dropout, self.training, nodes)
        layers = []
        for number in range(settings.num_layers):
            gcn = settings.convolution == "gcn"
            passed = average(inputs, hidden) if gcn else multiply(inputs.block(len(hidden)), hidden)
            if number == settings.num_layers - 1:
                passed = dropout(passed, settings.last_dropout, self.training, inputs.nodes(len(passed)))
            hidden = passed + hidden[: len(passed)] if settings.residual else passed
            layers.append(hidden)
        if self.weights is None:
            return layers[-1]
        found = self.weights[0] * layers[0][: len(hidden)]
        for weight, layer in zip(self.weights[1:], layers[1:], strict=True):
            found = found + weight * layer[: len(hidden)]
        return found


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

    def forward(self, x: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return the logits of pairs of shape (k, 2)."""
        found = self.find_common(inputs, pairs)
        number = np.zeros(len(x), np.int32)
        number[found.indices] = 1
        used = np.flatnonzero(number)
        number[used] = np.arange(len(used), dtype=np.int32)
        shifted = self.shift_nodes(x[place(used, x)], inputs.names(used))
        product = pair_product(x, inputs.local(pairs))
        return self.judge(product, shifted, [found._replace(indices=number[found.indices])])

    def reads(self, inputs: Inputs, pairs: Tensor) -> npt.NDArray[np.integer[Any]]:
        """Return the nodes whose embeddings the logits of pairs depend on."""
        _, common = common_neighbours(inputs.graph, pairs.numpy(), threads=torch.get_num_threads())
        return np.concatenate([pairs.numpy().ravel(), common])

    def shift_nodes(self, x: Tensor, nodes: npt.NDArray[np.int32]) -> Tensor:
        """Return what nodes are as common neighbours."""
        if self.shift is None:
            return x
        moved = x
        for part in self.shift:
            moved = part(moved, nodes) if isinstance(part, Dropout) else part(moved)
        return x + moved

    def find_common(self, inputs: Inputs, pairs: Tensor) -> Neighbours:
        """Return the common neighbours of pairs, by their rows; in training, edges to them may be dropped."""
        indptr, indices = common_neighbours(inputs.graph, pairs.numpy(), threads=torch.get_num_threads())
        indices = inputs.local(indices)
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


class CompletingDecoder(CommonNeighbourDecoder):
    """Scores pairs (u, v) as `CommonNeighbourDecoder`, with the neighbours of one node as likely ones of the other.

    A neighbour w of u that is none of v counts as much as the link (v, w) is likely, which the decoder itself judges:
    without gradients, and without dropout.
    """

    settings: NCNCSettings

    def forward(self, x: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return the logits of pairs of shape (k, 2)."""
        return self._score(x, self.shift_nodes(x, inputs.names(np.arange(len(x)))), pairs, inputs, self.settings.depth)

    def reads(self, inputs: Inputs, pairs: Tensor) -> npt.NDArray[np.integer[Any]]:
        """Return the nodes whose embeddings the logits of pairs depend on: all near ones, as pairs are completed."""
        return nodes_within(inputs.graph, pairs.numpy().ravel(), self.settings.depth)

    def _score(self, x: Tensor, shifted: Tensor, pairs: Tensor, inputs: Inputs, depth: int) -> Tensor:
        found = [self.find_common(inputs, pairs)]
        if depth > 0:
            seed = int(torch.randint(2**62, ()).item()) if self.training else 0
            for ends in (pairs, pairs.flip(1)):
                candidates = self._candidates(ends.numpy(), inputs.graph, seed)
                weighed = self._weigh(x, shifted, ends[:, 1], candidates, inputs, depth - 1)
                found.append(weighed._replace(indices=inputs.local(weighed.indices)))
        return self.judge(pair_product(x, inputs.local(pairs)), shifted, found)

    def _candidates(self, pairs: np.ndarray, graph: Graph, seed: int) -> Neighbours:
        """Return the neighbours of the first node alone or, if many, some for all, drawn with replacement."""
        indptr, indices = neighbour_differences(graph, pairs, threads=torch.get_num_threads())
        most, counts = self.settings.completed, np.diff(indptr)
        if most == 0 or counts.max(initial=0) <= most:
            return Neighbours(indptr, indices)
        sizes = np.minimum(counts, most)
        starts = np.append(0, np.cumsum(sizes))
        pair = np.repeat(np.arange(len(pairs)), sizes)
        number = np.arange(starts[-1]) - starts[pair]
        # Which ones follows from the pair alone, so that a score does not depend on what else is scored.
        names = pairs[:, 0].astype(np.uint64) << np.uint64(32) | pairs[:, 1].astype(np.uint64)
        mix = mix_bits.py_func  # of arrays
        draws = mix(mix(names + np.uint64(seed))[pair] + _GOLDEN * number.astype(np.uint64))
        drawn = (draws >> np.uint64(11)).astype(np.float64) * 2.0**-53 * counts[pair]
        chosen = np.where(counts[pair] > most, drawn.astype(np.int64), number)
        weights = (counts / np.maximum(sizes, 1)).astype(np.float32)[pair]
        return Neighbours(starts, indices[indptr[pair] + chosen], weights)

    def _weigh(
        self, x: Tensor, shifted: Tensor, ends: Tensor, candidates: Neighbours, inputs: Inputs, depth: int
    ) -> Neighbours:
        """Return the candidates, each weighted by the probability of its link to the other end."""
        pair = np.repeat(np.arange(len(ends)), np.diff(candidates.indptr))
        links = torch.stack([ends[torch.from_numpy(pair)], torch.from_numpy(candidates.indices.astype(np.int64))], 1)
        with torch.no_grad(), self._evaluating():
            logits = [self._score(x, shifted, part, inputs, depth) for part in links.split(PAIRS_AT_ONCE)]
            likely = self._calibrate(torch.cat(logits) if logits else x.new_zeros(0)).cpu().numpy()
        return candidates._replace(weights=likely if candidates.weights is None else likely * candidates.weights)

    def _calibrate(self, logits: Tensor) -> Tensor:
        settings = self.settings
        likely = torch.sigmoid(settings.scale * (logits - settings.offset))
        return settings.alpha * settings.prior * likely / (settings.prior * likely + 1 - likely)

    @contextmanager
    def _evaluating(self) -> Iterator[None]:
        training = self.training
        self.eval()
        try:
            yield
        finally:
            self.train(training)
