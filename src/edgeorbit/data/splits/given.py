"""Checks of splits that users bring: node pairs, labelled PyG `Data`, negatives.

A held-out link that a model could see, in either direction, and a negative that is a link are refused with an example.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.graph import Graph, dense_array
from edgeorbit.graph.node_pairs import are_edges

WORDS = {"valid": "validation", "test": "test"}
UNDIRECTED = "split with RandomLinkSplit(is_undirected=True), or remove it from one of them"


def as_pairs(pairs: Any, what: str) -> npt.NDArray[np.int64]:
    """Return node pairs of shape (k, 2) from an array or tensor of that shape, or PyG's (2, k).

    An array of shape (2, 2) is read as two rows of pairs, a tensor of that shape as an `edge_label_index`.

    >>> as_pairs([[0, 1, 2], [3, 4, 5]], "links").tolist()
    [[0, 3], [1, 4], [2, 5]]
    """
    is_tensor = hasattr(pairs, "detach")
    array = dense_array(pairs, what)
    if array.size == 0:
        return np.empty((0, 2), np.int64)
    if array.dtype.kind not in "iu":
        raise GraphFormatError(f"{what} must be integers, got an array of {array.dtype}")
    if array.ndim == 2 and array.shape[0] == 2 and (array.shape[1] != 2 or is_tensor):
        array = array.T
    if array.ndim != 2 or array.shape[1] != 2:
        raise GraphFormatError(f"{what} must have shape (k, 2) or (2, k), got {array.shape}")
    return np.ascontiguousarray(array, np.int64)


def has_labels(data: Any) -> bool:
    """Return whether a `Data` has labelled links for training or evaluation."""
    return any(data.get(key) is not None for key in ("edge_label_index", "pos_edge_label_index"))


def labelled_pairs(data: Any, called: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the positives and negatives that a `Data` is labelled with, in any of the layouts of `RandomLinkSplit`."""
    empty = np.empty((0, 2), np.int64)
    if data.get("pos_edge_label_index") is not None:
        negative = data.get("neg_edge_label_index")
        positive = as_pairs(data.pos_edge_label_index, f"{called}.pos_edge_label_index")
        return positive, empty if negative is None else as_pairs(negative, f"{called}.neg_edge_label_index")
    if data.get("edge_label_index") is None:
        return empty, empty
    pairs = as_pairs(data.edge_label_index, f"{called}.edge_label_index")
    label = data.get("edge_label")
    if label is None:
        return pairs, empty
    label = np.asarray(label.detach().cpu())
    if label.shape != (len(pairs),):
        raise GraphFormatError(f"{called}.edge_label must have shape ({len(pairs)},), got {label.shape}")
    return pairs[label > 0], pairs[label <= 0]


def refuse_visible(messages: Graph, held_out: npt.NDArray[np.int64], where: str, which: str) -> None:
    """Raise `GraphFormatError` if a held-out link is an edge that messages are passed along."""
    seen = np.flatnonzero(are_edges(messages, held_out))
    if len(seen):
        u, v = held_out[seen[0]].tolist()
        raise GraphFormatError(
            f"{len(seen)} of {len(held_out)} links of {which} can be seen in {where}, such as ({u}, {v}), in this or "
            f"the other direction; {UNDIRECTED}"
        )


def negative_arrays(negatives: Any) -> dict[str, npt.NDArray[np.int64]]:
    """Return the arrays of negatives that are given as a mapping from `valid` and `test`."""
    if not isinstance(negatives, Mapping) or not {"valid", "test"} <= set(negatives):
        got = ", ".join(map(repr, negatives)) if isinstance(negatives, Mapping) else type(negatives).__name__
        raise InvalidParameterError(f"negatives must be a Negatives or a mapping with 'valid' and 'test', got {got}")
    return {part: _negative_array(negatives[part], part) for part in ("valid", "test")}


def check_negatives(known: Graph, num_positives: int, negatives: npt.NDArray[np.int64], part: str) -> None:
    """Raise `GraphFormatError` unless an array holds negatives: pairs of different nodes that are not links.

    Parameters
    ----------
    known
        The graph of the links that negatives of this part avoid.
    num_positives
        How many held-out links the part has.
    negatives
        A pool of shape (n, 2), or (p, k, 2) with padding (-1, -1).
    part
        `valid` or `test`.
    """
    what, num_nodes = f"{known.name}: {WORDS[part]} negatives", known.num_nodes
    if negatives.ndim not in (2, 3) or negatives.shape[-1] != 2 or negatives.dtype.kind not in "iu":
        raise GraphFormatError(f"{what} must be integers of shape (n, 2) or (p, k, 2), got shape {negatives.shape}")
    if negatives.ndim == 3 and len(negatives) != num_positives:
        raise GraphFormatError(
            f"{what} are for {len(negatives)} positives, but the split has {num_positives}; give one row for each"
        )
    pairs = negatives.reshape(-1, 2)
    if num_positives and not len(pairs):
        raise GraphFormatError(f"{what} are empty, but the split has {num_positives} positives; give at least one pair")
    padding = (pairs == -1).all(axis=1) if negatives.ndim == 3 else np.zeros(len(pairs), bool)
    pairs = pairs[~padding]
    outside = np.flatnonzero(((pairs < 0) | (pairs >= num_nodes)).any(axis=1))
    if len(outside):
        u, v = pairs[outside[0]].tolist()
        raise GraphFormatError(f"{what} name the pair ({u}, {v}), and nodes are 0 to {num_nodes - 1}; remove it")
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if len(loops):
        raise GraphFormatError(f"{what} hold the self-loop ({pairs[loops[0], 0]}, {pairs[loops[0], 0]}); remove it")
    links = np.flatnonzero(are_edges(known, pairs))
    if len(links):
        u, v = pairs[links[0]].tolist()
        raise GraphFormatError(f"{what} hold {len(links)} links of the graph, such as ({u}, {v}); remove them")


def _negative_array(given: Any, part: str) -> npt.NDArray[np.int64]:
    what = f"{WORDS[part]} negatives"
    array = dense_array(given, what)
    if array.ndim != 3:
        return as_pairs(given, what)
    if array.shape[-1] != 2 or array.dtype.kind not in "iu":
        raise GraphFormatError(f"{what} must be integers of shape (p, k, 2), got {array.dtype} of shape {array.shape}")
    return np.ascontiguousarray(array, np.int64)
