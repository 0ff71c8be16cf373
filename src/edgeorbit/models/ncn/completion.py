"""The decoder of NCNC: links that may be missing make common neighbours too, weighted by how likely they are."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

from edgeorbit.graph.graph import Graph
from edgeorbit.models.ncn.decoder import CommonNeighbourDecoder, Neighbours
from edgeorbit.models.ncn.settings import NCNCSettings
from edgeorbit.models.neural.pair_product import pair_product
from edgeorbit.pairwise.neighbour_differences import neighbour_differences

PAIRS_AT_ONCE = 1 << 15  # links to complete that are judged together, which bounds memory

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class CompletingDecoder(CommonNeighbourDecoder):
    """Scores pairs (u, v) as `CommonNeighbourDecoder`, with the neighbours of one node as likely ones of the other.

    A neighbour w of u that is none of v counts as much as the link (v, w) is likely, which the decoder itself judges:
    without gradients, and without dropout.
    """

    settings: NCNCSettings

    def forward(self, x: Tensor, pairs: Tensor, graph: Graph) -> Tensor:
        """Return the logits of pairs of shape (k, 2)."""
        return self._score(x, self.shift_nodes(x), pairs, graph, self.settings.depth)

    def _score(self, x: Tensor, shifted: Tensor, pairs: Tensor, graph: Graph, depth: int) -> Tensor:
        found = [self.find_common(pairs, graph)]
        if depth > 0:
            seed = int(torch.randint(2**62, ()).item()) if self.training else 0
            for ends in (pairs, pairs.flip(1)):
                candidates = self._candidates(ends.numpy(), graph, seed)
                found.append(self._weigh(x, shifted, ends[:, 1], candidates, graph, depth - 1))
        return self.judge(pair_product(x, pairs), shifted, found)

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
        draws = _mix(_mix(names + np.uint64(seed))[pair] + _GOLDEN * number.astype(np.uint64))
        drawn = (draws >> np.uint64(11)).astype(np.float64) * 2.0**-53 * counts[pair]
        chosen = np.where(counts[pair] > most, drawn.astype(np.int64), number)
        weights = (counts / np.maximum(sizes, 1)).astype(np.float32)[pair]
        return Neighbours(starts, indices[indptr[pair] + chosen], weights)

    def _weigh(
        self, x: Tensor, shifted: Tensor, ends: Tensor, candidates: Neighbours, graph: Graph, depth: int
    ) -> Neighbours:
        """Return the candidates, each weighted by the probability of its link to the other end."""
        pair = np.repeat(np.arange(len(ends)), np.diff(candidates.indptr))
        links = torch.stack([ends[torch.from_numpy(pair)], torch.from_numpy(candidates.indices.astype(np.int64))], 1)
        with torch.no_grad(), self._evaluating():
            logits = [self._score(x, shifted, part, graph, depth) for part in links.split(PAIRS_AT_ONCE)]
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


def _mix(state: np.ndarray) -> np.ndarray:
    """Return 64-bit numbers whose bits all depend on those given (the last steps of SplitMix64)."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: np.ndarray = state ^ (state >> np.uint64(31))
    return mixed
