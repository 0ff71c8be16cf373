"""Scores of many node pairs by a network: nodes are embedded some at a time, and pairs decoded in small pieces.

Fresh memory costs more than the arithmetic on it, so what layers write for a piece stays in the cache and in memory
that is used again. Every thread decodes pieces of its own: threads that share the layers of a small piece would wait
for each other more than they compute.
"""

from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from edgeorbit._parallel import run_all, split_range
from edgeorbit.models.base import Scores
from edgeorbit.models.neural.device import on_cpu
from edgeorbit.models.neural.inputs import Inputs, Rows
from edgeorbit.models.neural.product import Matrix
from edgeorbit.models.neural.reach import find_rows

NODES_AT_ONCE = 1 << 13  # that are embedded together in a large graph
MORE_WORK = 4  # times the embeddings themselves, that may be spent on neighbours of these nodes
WORTH_A_THREAD = 8  # pieces
FEWER = 8  # times as many nodes as pairs, from which rows are copied for a piece


class Network(Protocol):
    """What is asked of a `LinkNetwork` here; its attributes are explained there."""

    hops: int | None
    in_pieces: bool
    pairs_at_once: int
    copies_embedding: bool

    def encode(self, inputs: Inputs) -> Tensor:
        """Return the embedding."""
        ...

    def decode(self, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
        """Return logits."""
        ...

    def reads(self, inputs: Inputs, pairs: Tensor) -> npt.NDArray[np.integer[Any]]:
        """Return the nodes that logits depend on."""
        ...


def encode_all(network: Network, inputs: Inputs) -> Tensor:
    """Return an embedding of every node, without gradients, of some nodes at a time if the graph is large.

    That takes little more memory than the result, if it depends on neighbours alone, and the nodes next to those that
    are embedded together are few or their features narrow. Else all nodes are embedded at once.
    """
    n, hops = inputs.graph.num_nodes, network.hops
    with torch.no_grad():
        if n <= 4 * NODES_AT_ONCE or hops is None or hops > 1 or inputs.rows is not None:
            return network.encode(inputs)
        found = None
        for low in range(0, n, NODES_AT_ONCE):
            high = min(low + NODES_AT_ONCE, n)
            rows = find_rows(inputs.graph, np.arange(low, high), hops, worth_it=np.inf)
            assert rows is not None
            part = network.encode(inputs.only(rows))[: high - low]
            if found is None:
                if _is_costly(inputs, rows, part.shape[1]):
                    return network.encode(inputs)
                found = part.new_empty(n, part.shape[1])
            found[low:high] = part
        assert found is not None
        return found


def _is_costly(inputs: Inputs, rows: Rows, width: int) -> bool:
    """Tell whether neighbours take more work than embeddings of this width; features that are narrower come first."""
    narrow = width if isinstance(inputs.x, Matrix) else min(width, inputs.x.shape[1])
    return (rows.counts[-1] - rows.counts[0]) * narrow > MORE_WORK * rows.counts[0] * width


def decode_all(network: Network, embedding: Tensor, inputs: Inputs, pairs: npt.NDArray[np.int64]) -> Scores:
    """Return the scores of any number of node pairs in single precision.

    Parameters
    ----------
    network, embedding, inputs
        What decodes, and what it made of the graph.
    pairs
        Node pairs, shape (k, 2).
    """
    ends = torch.from_numpy(np.ascontiguousarray(pairs, np.int64).reshape(-1, 2))
    scores, size = np.empty(len(ends), np.float32), network.pairs_at_once
    starts = range(0, len(ends), size)

    def decode(first: int, last: int) -> None:
        with torch.no_grad():
            for low in starts[first:last]:
                part = ends[low : low + size]
                scores[low : low + size] = _decode(network, embedding, inputs, part).float().cpu().numpy()

    def decode_alone(first: int, last: int) -> None:
        torch.set_num_threads(1)  # of this thread
        decode(first, last)

    threads = torch.get_num_threads()
    if not on_cpu(embedding) or not network.in_pieces or threads == 1 or len(starts) < WORTH_A_THREAD * threads:
        decode(0, len(starts))
        return scores
    decode(0, 1)  # what is derived from the graph is made once, by all threads
    try:
        run_all(decode_alone, [(1 + low, 1 + high) for low, high in split_range(len(starts) - 1, threads)])
    finally:
        torch.set_num_threads(threads)
    return scores


def _decode(network: Network, embedding: Tensor, inputs: Inputs, pairs: Tensor) -> Tensor:
    """Return the logits of a piece; if the network would copy the embedding, from those rows alone that it reads."""
    if network.copies_embedding and FEWER * len(pairs) < len(embedding):
        rows = find_rows(inputs.graph, network.reads(inputs, pairs), 0, worth_it=np.inf)
        assert rows is not None
        nodes = torch.from_numpy(rows.nodes).to(embedding.device)
        return network.decode(embedding.index_select(0, nodes), replace(inputs, rows=rows), pairs)
    return network.decode(embedding, inputs, pairs)


class NetworkScorer:
    """A network's scores of node pairs, and its embedding of a graph.

    Parameters
    ----------
    network, inputs
        In the precision that scores are computed in.
    """

    def __init__(self, network: Network, inputs: Inputs) -> None:
        self._network, self._inputs = network, inputs
        self._embedding = encode_all(network, inputs)

    def __call__(self, pairs: npt.NDArray[np.int64]) -> Scores:
        """Return the scores of pairs of shape (k, 2)."""
        return decode_all(self._network, self._embedding, self._inputs, pairs)

    @cached_property
    def embedding(self) -> npt.NDArray[np.float32] | None:
        """The embedding of every node in single precision; None if pairs are looked at one by one."""
        found: npt.NDArray[np.float32] = self._embedding.float().cpu().numpy()
        return found if found.shape[1] else None
