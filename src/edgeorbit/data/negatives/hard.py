"""The hardest negatives of many nodes: the best by several rankings that a node is not joined to."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._compiled import kernel
from edgeorbit._parallel import resolve_threads, run_all, split_range
from edgeorbit._randomness import Random
from edgeorbit.graph.graph import Graph


class Scored(NamedTuple):
    """For every node of a batch, the nodes that score with it, in CSR form, and their scores, whole numbers above 0."""

    indptr: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int32]
    scores: npt.NDArray[np.int64]


@kernel
def _choose(
    batch, bounds, others, scores, indptr, indices, circle, place, start, by_mean, value, allowed, out, begin, stop
):
    """Write the best nodes of `batch[begin:stop]` to rows of `out`; `value` is 0 and `allowed` 1 before and after.

    `value` is how much better than the worst a node is, as a negative number.
    """
    num_nodes, count = len(place), out.shape[1]
    for i in range(begin, stop):
        node = batch[i]
        allowed[node] = 0
        for j in range(indptr[node], indptr[node + 1]):
            allowed[indices[j]] = 0
        last = num_nodes + 2
        for h in range(len(bounds)):
            size, top, num_top = 0, 0, 0
            for j in range(bounds[h, i], bounds[h, i + 1]):
                if allowed[others[j]]:
                    size += 1
                    if scores[j] > top:
                        top, num_top = scores[j], 0
                    num_top += scores[j] == top
            last = min(last, size - num_top + (2 if num_top else 1))
        longest = 0
        for h in range(len(bounds)):
            longest += bounds[h, i + 1] - bounds[h, i]
        good, num_good = np.empty(longest, np.int32), 0
        for h in range(len(bounds)):
            length = bounds[h, i + 1] - bounds[h, i]
            kept, size = np.empty(length, np.int64), 0
            for j in range(bounds[h, i], bounds[h, i + 1]):
                if allowed[others[j]]:
                    kept[size] = scores[j]
                    size += 1
            ascending = kept[:size].copy()
            least = 0
            if not by_mean and size > 0:
                top = ascending.max()
                far = size - (ascending == top).sum() - last
                # Only so many can have a rank before the last one; the others need not be sorted.
                if far > 0:
                    least = np.partition(ascending, far)[far]
                    ascending = ascending[ascending >= least]
            ascending.sort()
            most = 0 if len(ascending) == 0 else np.searchsorted(ascending, ascending[-1])
            for j in range(bounds[h, i], bounds[h, i + 1]):
                other = others[j]
                if not allowed[other] or scores[j] < least:
                    continue
                below = np.searchsorted(ascending, scores[j])
                before = value[other]
                value[other] = before - 1 - below if by_mean else min(before, 1 + most - below - last)
                if before == 0 and value[other] < 0:
                    good[num_good] = other
                    num_good += 1
        # The lowest value first, and then who comes first around the circle: no two keys are equal.
        keys = np.empty(num_good, np.int64)
        for j in range(num_good):
            keys[j] = value[good[j]] * num_nodes + (place[good[j]] - start[node]) % num_nodes
        if num_good > count:
            keys = keys[keys <= np.partition(keys, count - 1)[count - 1]]
        keys.sort()
        end = len(keys)
        for j in range(end):
            out[i, j] = circle[(keys[j] + start[node]) % num_nodes]
        step = 0
        while end < count and step < num_nodes:
            other = circle[(start[node] + step) % num_nodes]
            if allowed[other] and value[other] == 0:
                out[i, end] = other
                end += 1
            step += 1
        for j in range(num_good):
            value[good[j]] = 0
        allowed[node] = 1
        for j in range(indptr[node], indptr[node + 1]):
            allowed[indices[j]] = 1


class Choice:
    """Chooses the best nodes that nodes are not joined to.

    Parameters
    ----------
    barred
        The graph whose edges are never chosen.
    by_mean
        Whether the mean of a node's ranks by several heuristics counts, instead of the best.
    random
        For ties. The nodes stand in a shuffled circle, and each node looks around from a place of its own.
    threads
        Number of threads; by default one per core. Each needs 9 bytes per node of the graph.
    """

    def __init__(self, barred: Graph, by_mean: bool, random: Random, threads: int | None = None) -> None:
        self._barred, self._by_mean, n = barred, by_mean, barred.num_nodes
        self._circle = random.permutation(n)
        self._place = np.empty(n, np.int64)
        self._place[self._circle] = np.arange(n)
        self._start = random.below(np.full(n, n))
        self._spaces = [(np.zeros(n, np.int64), np.ones(n, np.uint8)) for _ in range(resolve_threads(threads))]

    def best(self, nodes: npt.NDArray[np.int64], scored: Sequence[Scored], count: int) -> npt.NDArray[np.int32]:
        """Return for each of some nodes up to `count` others, the best first, then -1.

        Parameters
        ----------
        nodes
            Whose.
        scored
            Their scores with others, by each heuristic.
        count
            How many.
        """
        out = np.full((len(nodes), count), -1, np.int32)
        offsets = np.cumsum([0, *(len(part.nodes) for part in scored)])
        bounds = np.stack([part.indptr + offset for part, offset in zip(scored, offsets[:-1], strict=True)])
        others, scores = (np.concatenate([part[i] for part in scored]) for i in (1, 2))
        shared = nodes, bounds, others, scores, self._barred.indptr, self._barred.indices
        around = self._circle, self._place, self._start, self._by_mean
        parts = split_range(len(nodes), len(self._spaces))
        run_all(
            _choose,
            [(*shared, *around, *space, out, *part) for space, part in zip(self._spaces, parts, strict=False)],
        )
        return out
