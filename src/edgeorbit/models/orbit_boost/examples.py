"""What boosted trees learn from: training links and their negatives, with signals of the graph without those links."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgeorbit._memory import available_memory, size_in_words
from edgeorbit._randomness import Random
from edgeorbit.data.negatives import NegativeSampler
from edgeorbit.errors import LimitExceededError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.node_pairs import are_edges
from edgeorbit.graph.removal import EdgeRemover
from edgeorbit.models.base import Pairs

# By name, the kinds of `NegativeSampler` that take turns. Those of two steps, as in HeaRT, are left out: on amazon0601
# (seed 100) they cost most of the validation MRR against a random pool.
NEGATIVES = {"random": ("random",), "shared-end": ("shared-end",), "mixed": ("random", "shared-end")}
# Bits of a signal that count. Sums over neighbours in another order differ in the last of 24 bits, and a tree that
# splits there would distinguish pairs that are the same.
BITS = 16
COPIES = 2  # of the signals while trees grow: themselves, and a quarter for their bins beside what is computed

Signals = npt.NDArray[np.float32]


class Examples(NamedTuple):
    """Links and their negatives.

    Attributes
    ----------
    values : float32 array of shape (links * (1 + negatives), number of signals)
        The signals: of a link, then of its negatives, then of the next link.
    group : int
        How many rows belong to a link.
    """

    values: Signals
    group: int

    @property
    def labels(self) -> npt.NDArray[np.float32]:
        """1 for links, 0 for their negatives."""
        labels = np.zeros((len(self.values) // self.group, self.group), np.float32)
        labels[:, 0] = 1
        return labels.ravel()


def choose_links(graph: Graph, most: int, folds: int, seed: int) -> list[Pairs]:
    """Return the links to learn from in folds, each of at most one part in `folds` of all links.

    Where there are more than `most`, a sample is drawn, and fewer folds hide it.

    >>> triangle = Graph.from_edges([[0, 1], [1, 2], [2, 0]])
    >>> [len(fold) for fold in choose_links(triangle, most=10, folds=12, seed=0)]
    [1, 1, 1]
    """
    num_links = graph.num_edges
    chosen = Random(seed, "links to learn from").permutation(num_links)[:most]
    parts = min(len(chosen), max(1, math.ceil(folds * len(chosen) / num_links)), folds)
    edges = graph.edges
    return [np.sort(edges[part].astype(np.int64), axis=1) for part in np.array_split(chosen, max(2, parts))]


def draw_negatives(graph: Graph, links: Pairs, kind: str, count: int, seed: int) -> npt.NDArray[np.int64]:
    """Return negatives of links, shape (links, count, 2); kinds take turns."""
    kinds = NEGATIVES[kind]
    samplers = [NegativeSampler(graph, each, seed) for each in kinds]  # type: ignore[arg-type]
    drawn = [
        samplers[number % len(samplers)].sample(len(links), epoch=0, batch=number, positives=links)
        for number in range(count)
    ]
    return np.stack(drawn, axis=1)


def make_examples(
    graph: Graph,
    names: tuple[str, ...],
    folds: list[Pairs],
    negatives: npt.NDArray[np.int64],
    inputs: Callable[[Graph, Pairs, Pairs], Signals],
    report: Callable[[int], None],
) -> Examples:
    """Return links with their negatives: `inputs` gives the signals of pairs while the links of a fold are hidden.

    Raises
    ------
    LimitExceededError
        If the signals need more memory than there is.
    """
    group = negatives.shape[1] + 1
    _require_memory(len(negatives) * group, len(names))
    values = np.empty((len(negatives) * group, len(names)), np.float32)
    low = 0
    for number, links in enumerate(folds):
        report(number)
        own = negatives[low : low + len(links)]
        pairs = np.concatenate([links[:, None], own], axis=1).reshape(-1, 2)
        values[low * group : (low + len(links)) * group] = inputs(graph, links, pairs)
        low += len(links)
    return Examples(values, group)


def _require_memory(rows: int, columns: int) -> None:
    needed, available = COPIES * 4 * rows * columns, available_memory()
    if available is not None and needed > available:
        raise LimitExceededError(
            f"{columns} signals of {rows:,} pairs take about {size_in_words(needed)} of memory to learn from and "
            f"{size_in_words(available)} are available; take a smaller most_links or negatives_per_link"
        )


def without(graph: Graph, links: Pairs) -> Graph:
    """Return the graph without those of some links that it has."""
    return EdgeRemover(graph).without(links[are_edges(graph, links)])


def rounded(values: Signals) -> Signals:
    """Return numbers rounded to `BITS` binary digits, in the same memory.

    >>> rounded(np.array([1, 1 + 2**-20, 1 + 2**-10], np.float32)).tolist() == [1, 1, 1 + 2**-10]
    True
    """
    lost = 24 - BITS
    bits = values.view(np.uint32)
    bits += np.uint32(1 << (lost - 1))
    bits &= np.uint32(0xFFFFFFFF << lost & 0xFFFFFFFF)
    return values
