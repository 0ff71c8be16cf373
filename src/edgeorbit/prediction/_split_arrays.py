"""A split as named arrays, as the file of a run keeps it, and back, after checks of all of them."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._text import parse_json, shown
from edgeorbit.data.splits.split import AS_IN_GRAPH, LinkSplit, Negatives, Pairs, Part
from edgeorbit.graph.graph import EDGE_KINDS, Graph
from edgeorbit.graph.npz_layout import feature_arrays, features_from

Arrays = Mapping[str, npt.NDArray[Any]]
OWN = "own_features/"  # features of the data set, where models are given others
PARTS: tuple[Part, Part] = ("valid", "test")


def arrays_of(split: LinkSplit) -> dict[str, npt.NDArray[Any]]:
    """Return what is held out, and the negatives that came with the data."""
    arrays: dict[str, npt.NDArray[Any]] = {"valid": split.valid, "test": split.test}
    for name, kinds in (("valid_kind", split.valid_kind), ("test_kind", split.test_kind)):
        if kinds is not None:
            arrays[name] = kinds
    for name, weight in (("valid_weight", split.valid_weight), ("whole_weight", split.whole_weight)):
        if weight is not None:
            arrays[name] = weight
    for name, negatives in split.negatives.items():
        arrays |= {f"negatives/{name}/valid": negatives.valid, f"negatives/{name}/test": negatives.test}
        arrays[f"negatives/{name}/info"] = np.array(json.dumps(dict(negatives.info)))
    if split.own_features is not AS_IN_GRAPH:
        own = feature_arrays(split.data.with_attributes(y=None))
        arrays |= {f"{OWN}{name}": array for name, array in own.items()} or {f"{OWN}none": np.array(True)}
    return arrays


def split_from(arrays: Arrays, graph: Graph, protocol: dict[str, Any]) -> LinkSplit:
    """Return the split that arrays hold.

    Raises
    ------
    ValueError
        If one of them is missing, or is not what `arrays_of` returns; the message names it.
    """
    valid, test = (_pairs(arrays, part, graph.num_nodes) for part in PARTS)
    valid_kind, test_kind = _kinds(arrays, "valid_kind", valid), _kinds(arrays, "test_kind", test)
    names = {key.split("/")[1] for key in arrays if key.startswith("negatives/")}
    negatives = {name: _negatives(arrays, name, (valid, test), graph.num_nodes) for name in sorted(names)}
    own = _own_features(arrays, graph.num_nodes)
    split = LinkSplit(graph, valid, test, negatives, valid_kind, test_kind, protocol, own)
    return _with_weights(split, arrays)


def _with_weights(split: LinkSplit, arrays: Arrays) -> LinkSplit:
    """Return a split with the weights of its edges, if they have some."""
    lengths = {"valid_weight": len(split.valid), "whole_weight": split.whole.num_edges}
    found: dict[str, Any] = {key: arrays[key] for key in lengths if key in arrays}
    for key, weight in found.items():
        if (
            weight.dtype != np.float64
            or weight.shape != (lengths[key],)
            or not (np.isfinite(weight) & (weight >= 0)).all()
        ):
            raise ValueError(f"{key} does not hold a finite weight from 0 for each of {lengths[key]} edges")
    if found and (len(found) < 2 or split.graph.edge_weight is None):
        raise ValueError("the weights of some edges are missing")
    return replace(split, **found)


def _own_features(arrays: Arrays, num_nodes: int) -> Any:
    """Return the features that the data set brings, where models are given others."""
    own = {key.removeprefix(OWN): array for key, array in arrays.items() if key.startswith(OWN)}
    if not own:
        return AS_IN_GRAPH
    try:
        features = features_from(own)
    except (KeyError, ValueError, TypeError):
        raise ValueError("the features of the data set are damaged") from None
    if features is None:
        return None
    if len(features.shape) != 2 or features.shape[0] != num_nodes:
        raise ValueError(f"the features of the data set have shape {features.shape}, not ({num_nodes}, channels)")
    if features.dtype.kind not in "fiub":
        raise ValueError(f"the features of the data set are of type {shown(features.dtype)}, not numbers")
    return features


def _pairs(arrays: Arrays, key: str, num_nodes: int) -> Pairs:
    pairs = _integers(arrays, key)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"{shown(key)} has shape {pairs.shape}, not (k, 2)")
    _check_nodes(pairs, key, num_nodes)
    return pairs


def _kinds(arrays: Arrays, key: str, pairs: Pairs) -> npt.NDArray[np.uint8] | None:
    if key not in arrays:
        return None
    kinds = _integers(arrays, key)
    if kinds.shape != (len(pairs),):
        raise ValueError(f"{key} has shape {kinds.shape}, not ({len(pairs)},) as there are edges")
    if kinds.min(initial=0) < 0 or kinds.max(initial=0) >= len(EDGE_KINDS):
        raise ValueError(f"{key} has a value outside 0 to {len(EDGE_KINDS) - 1}")
    return kinds.astype(np.uint8)


def _negatives(arrays: Arrays, name: str, positives: tuple[Pairs, Pairs], num_nodes: int) -> Negatives:
    pools = []
    for part, edges in zip(PARTS, positives, strict=True):
        key = f"negatives/{name}/{part}"
        pool = _integers(arrays, key)
        if not (pool.ndim == 2 or (pool.ndim == 3 and len(pool) == len(edges))) or pool.shape[-1] != 2:
            raise ValueError(f"{shown(key)} has shape {pool.shape}, neither (n, 2) nor ({len(edges)}, k, 2)")
        absent = pool[..., 0] == -1 if pool.ndim == 3 else np.zeros(len(pool), bool)
        if (pool[absent] != -1).any():
            raise ValueError(f"{shown(key)} has a pair of which one node is missing")
        _check_nodes(pool[~absent], key, num_nodes)
        pools.append(pool)
    key = f"negatives/{name}/info"
    try:
        info = parse_json(str(arrays[key]))
    except (KeyError, ValueError):
        info = None
    if not isinstance(info, dict) or "kind" in info:
        raise ValueError(f"{shown(key)} is missing or damaged")
    return Negatives(name, pools[0], pools[1], info)


def _integers(arrays: Arrays, key: str) -> npt.NDArray[np.int64]:
    if key not in arrays:
        raise ValueError(f"{shown(key)} is missing")
    if arrays[key].dtype.kind not in "iu":
        raise ValueError(f"{shown(key)} is of type {shown(arrays[key].dtype)}, not of whole numbers")
    return arrays[key].astype(np.int64)


def _check_nodes(pairs: Pairs, key: str, num_nodes: int) -> None:
    if pairs.min(initial=0) < 0 or pairs.max(initial=-1) >= num_nodes:
        raise ValueError(f"{shown(key)} names a node outside 0 to {num_nodes - 1}")
