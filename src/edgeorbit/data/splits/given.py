"""Splits and negatives that the user brings, as arrays: the output of PyG's `RandomLinkSplit`, or plain edges.

Nothing is split again, and nothing is taken on trust: a held-out link that a model could see, in either direction, and
a negative that is a link are refused with an example.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from edgeorbit.data.edge_lookup import are_edges
from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.convert import from_pyg
from edgeorbit.graph.graph import Graph

if TYPE_CHECKING:
    from torch_geometric.data import Data

_Pairs = npt.NDArray[np.int64]  # node pairs, shape (k, 2)
WORDS = {"valid": "validation", "test": "test"}
UNDIRECTED = "split with RandomLinkSplit(is_undirected=True), or remove it from one of them"


def parts_of_edges(
    train: Any, valid: Any, test: Any, num_nodes: int | None = None, **attributes: Any
) -> tuple[Graph, _Pairs, _Pairs]:
    """Return the training graph and the held-out edges; see `LinkSplit.from_edges`."""
    name = attributes.get("name", "graph")
    held_out = [as_pairs(pairs, f"{name}: {what} edges") for what, pairs in (("validation", valid), ("test", test))]
    if isinstance(train, Graph):
        return train, held_out[0], held_out[1]
    edges = as_pairs(train, f"{name}: training edges")
    largest = max(int(pairs.max(initial=-1)) for pairs in (edges, *held_out))
    graph = Graph.from_edges(edges, num_nodes or largest + 1, **attributes)
    return graph, held_out[0], held_out[1]


def parts_of_pyg(
    train_data: "Data", val_data: "Data", test_data: "Data", name: str
) -> tuple[Graph, _Pairs, _Pairs, dict[str, _Pairs] | None]:
    """Return the training graph, the held-out edges, and their negatives if all have some; see `LinkSplit.from_pyg`."""
    parts = {"train_data": train_data, "val_data": val_data, "test_data": test_data}
    for called, data in parts.items():
        if getattr(data, "edge_index", None) is None or not hasattr(data, "num_nodes"):
            raise GraphFormatError(
                f"{called} is a {type(data).__name__} without edge_index; give the three homogeneous Data that "
                "RandomLinkSplit returns"
            )
        if data.num_nodes != train_data.num_nodes:
            raise GraphFormatError(
                f"{called} has {data.num_nodes} nodes and train_data {train_data.num_nodes}; give three parts of one "
                f"graph"
            )
    links = {called: _labelled(data, called) for called, data in parts.items()}
    messages = {called: from_pyg(data, name=name) for called, data in parts.items()}
    # With `disjoint_train_ratio` the links to train on are not among the messages; together they are what may be seen.
    positives = links["train_data"][0] if _has_labels(train_data) else np.empty((0, 2), np.int64)
    graph = messages["train_data"]
    seen = Graph.from_edges(np.concatenate([graph.edges.astype(np.int64), positives]), graph.num_nodes)
    graph = graph.with_attributes(indptr=seen.indptr, indices=seen.indices)
    valid, test = links["val_data"], links["test_data"]
    for called, held_out in (("val_data", valid[0]), ("test_data", test[0])):
        if not _has_labels(parts[called]):
            raise GraphFormatError(f"{called} has no edge_label_index; give what RandomLinkSplit returns")
        _refuse_visible(messages[called], held_out, f"{called}.edge_index", f"{called}.edge_label_index")
    given = {part: negative for part, (_, negative) in (("valid", valid), ("test", test))}
    return graph, valid[0], test[0], given if all(map(len, given.values())) else None


def as_pairs(pairs: Any, what: str) -> npt.NDArray[np.int64]:
    """Return node pairs of shape (k, 2) from an array or tensor of that shape, or PyG's (2, k).

    An array of shape (2, 2) is read as two rows of pairs, a tensor of that shape as an `edge_label_index`.

    >>> as_pairs([[0, 1, 2], [3, 4, 5]], "links").tolist()
    [[0, 3], [1, 4], [2, 5]]
    """
    is_tensor = hasattr(pairs, "detach")
    array = np.asarray(pairs.detach().cpu() if is_tensor else pairs)
    if array.size == 0:
        return np.empty((0, 2), np.int64)
    if array.dtype.kind not in "iu":
        raise GraphFormatError(f"{what} must be integers, got an array of {array.dtype}")
    if array.ndim == 2 and array.shape[0] == 2 and (array.shape[1] != 2 or is_tensor):
        array = array.T
    if array.ndim != 2 or array.shape[1] != 2:
        raise GraphFormatError(f"{what} must have shape (k, 2) or (2, k), got {array.shape}")
    return np.ascontiguousarray(array, np.int64)


def negative_array(given: Any, part: str) -> _Pairs:
    """Return negatives of shape (n, 2) or (p, k, 2) from an array or tensor of that shape, or PyG's (2, n)."""
    what = f"{WORDS[part]} negatives"
    array = np.asarray(given.detach().cpu() if hasattr(given, "detach") else given)
    if array.ndim != 3:
        return as_pairs(given, what)
    if array.shape[-1] != 2 or array.dtype.kind not in "iu":
        raise GraphFormatError(f"{what} must be integers of shape (p, k, 2), got {array.dtype} of shape {array.shape}")
    return np.ascontiguousarray(array, np.int64)


def check_negatives(negatives: _Pairs, num_positives: int, known: Graph, part: str) -> None:
    """Raise `GraphFormatError` unless all negatives are pairs of different nodes that no known edge joins.

    Of own negatives, of shape (p, k, 2), there is a row for every positive, padded with (-1, -1).
    """
    what, num_nodes = f"{known.name}: {WORDS[part]} negatives", known.num_nodes
    if negatives.ndim not in (2, 3) or negatives.shape[-1] != 2 or negatives.dtype.kind not in "iu":
        raise GraphFormatError(f"{what} must be integers of shape (n, 2) or (p, k, 2), got shape {negatives.shape}")
    if negatives.ndim == 3 and len(negatives) != num_positives:
        raise GraphFormatError(
            f"{what} are for {len(negatives)} positives, but the split has {num_positives}; give one row for each"
        )
    pairs = negatives.reshape(-1, 2)
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


def _refuse_visible(messages: Graph, held_out: npt.NDArray[np.int64], where: str, which: str) -> None:
    seen = np.flatnonzero(are_edges(messages, held_out))
    if len(seen):
        u, v = held_out[seen[0]].tolist()
        raise GraphFormatError(
            f"{len(seen)} of {len(held_out)} links of {which} can be seen in {where}, such as ({u}, {v}) in one of its "
            f"two directions; {UNDIRECTED}"
        )


def _has_labels(data: Any) -> bool:
    return any(data.get(key) is not None for key in ("edge_label_index", "pos_edge_label_index"))


def _labelled(data: Any, called: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the positives and negatives that a `Data` is labelled with, in any of the layouts of `RandomLinkSplit`."""
    empty = np.empty((0, 2), np.int64)
    if data.get("pos_edge_label_index") is not None:
        both = [data.get(key) for key in ("pos_edge_label_index", "neg_edge_label_index")]
        positive, negative = (empty if each is None else as_pairs(each, called) for each in both)
        return positive, negative
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
