"""The gradients of a step: only the rows that its pairs need are computed, and many pairs are decoded in pieces.

Pieces bound memory: of a million pairs with 256 channels every layer of a decoder would write a gigabyte. The gradients
of their embeddings add up, and go through the encoder once.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from edgeorbit.models.neural.inputs import Inputs
from edgeorbit.models.neural.model import LinkNetwork, Objective
from edgeorbit.models.neural.reach import find_rows, restrict
from edgeorbit.models.neural.rows import add_to_rows

PAIRS_AT_ONCE = 1 << 14  # links and negatives that are decoded together
FEWER = 2  # times fewer rows that a piece reads, so that it works on a copy of them


def backward(
    network: LinkNetwork,
    inputs: Inputs,
    positives: Tensor,
    negatives: Tensor,
    objective: Objective,
    *,
    factor: float = 1.0,
) -> float:
    """Add the gradients of the mean loss of links to those of the weights; return the loss.

    Parameters
    ----------
    network
        The network, in training.
    inputs
        The graph that messages are passed on, without the links.
    positives, negatives
        Links of shape (p, 2), and the negatives of each, shape (p, k, 2).
    objective
        From logits of shape (p,) and (p, k) to a loss per link.
    factor
        What the gradients are multiplied by.
    """
    if network.hops is not None:
        pairs = torch.cat([positives, negatives.reshape(-1, 2)])
        inputs = restrict(inputs, network.reads(inputs, pairs), network.hops)
    embedding = network.encode(inputs)
    pieces = list(_pieces(network, positives, negatives))
    if len(pieces) == 1:
        loss = network.losses(embedding, inputs, positives, negatives, objective).mean()
        (factor * loss).backward()
        return loss.item()
    total, flow = 0.0, torch.zeros_like(embedding)
    for piece in pieces:
        total += _add_piece(network, embedding.detach(), inputs, piece, objective, factor / len(positives), flow)
    if embedding.requires_grad:
        embedding.backward(flow)
    return total / len(positives)


def _pieces(network: LinkNetwork, positives: Tensor, negatives: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Cut links, with their negatives, into pieces of almost the same size."""
    pairs = positives.numel() // 2 + negatives.numel() // 2
    count = min(len(positives), -(-pairs // PAIRS_AT_ONCE)) if network.in_pieces else 1
    return zip(positives.tensor_split(count), negatives.tensor_split(count), strict=True)


def _add_piece(
    network: LinkNetwork,
    embedding: Tensor,
    inputs: Inputs,
    piece: tuple[Tensor, Tensor],
    objective: Objective,
    factor: float,
    flow: Tensor,
) -> float:
    """Add the gradients of a piece to those of the weights and of the embedding; return the sum of its losses."""
    positives, negatives = piece
    pairs = torch.cat([positives, negatives.reshape(-1, 2)])
    read = find_rows(inputs.graph, network.reads(inputs, pairs), 0, worth_it=np.inf)
    assert read is not None
    narrow = FEWER * len(read.nodes) < len(embedding)
    rows = inputs.local(read.nodes)
    if narrow:
        embedding, inputs = (
            embedding.index_select(0, torch.from_numpy(rows).to(embedding.device)),
            replace(inputs, rows=read),
        )
    embedding.requires_grad_()
    total = network.losses(embedding, inputs, positives, negatives, objective).sum()
    (factor * total).backward()
    if embedding.grad is not None:
        if narrow:
            add_to_rows(flow, rows, embedding.grad)
        else:
            flow += embedding.grad
            embedding.grad = None
    return total.item()
