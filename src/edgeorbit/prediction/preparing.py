"""`split`: from a source to a split with features, before any model comes in."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from edgeorbit.data.features import node_features
from edgeorbit.data.loading import with_features
from edgeorbit.data.sources import load
from edgeorbit.data.splits import RATIOS, LinkSplit, random_split, time_split, twin_split
from edgeorbit.data.splits.official import has_official_split, official_split
from edgeorbit.data.splits.split import AVOIDS_TEST
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph

SplitName = Literal["auto", "random", "twin", "time", "official"]


def split(
    source: Any,
    kind: SplitName = "auto",
    *,
    ratios: Sequence[float] | None = None,
    features: str | None = None,
    seed: int = 0,
    validation_avoids_test: bool = False,
    **loading: Any,
) -> LinkSplit:
    """Split the edges of a graph into training, validation and test edges, and give its nodes features.

    Parameters
    ----------
    source
        Whatever `edgeorbit.load` takes: a graph, a path, the name of a data set, an `edge_index`, a PyG `Data`, a
        networkx graph, a scipy matrix, a data frame. A `LinkSplit`, or the three `Data` that `RandomLinkSplit`
        returns, is never split again.
    kind
        `"official"`: the split that comes with the data. `"twin"`: corresponding edges of copies and twins stay
        together. `"time"`: the links that occur last are held out, which is the honest split for whoever predicts the
        future; it needs times (option `time` of a file, or `Graph.history`). `"random"`. `"auto"`: official where there
        is one, time for a graph with times, twin for a synthetic graph with copies or twins, else random.
    ratios
        Shares of training, validation and test edges of a random, twin or time split; by default 0.8, 0.15 and 0.05.
    features
        `original`, `constant`, `degree`, `identity`, `random` or `orthogonal`; by default original ones if there are
        any, else identity: an embedding of every node is learned. They are made from the training edges alone.
    seed
        Decides the split and random or orthogonal features.
    validation_avoids_test
        Also draw validation negatives that are no test edges. By default they only avoid training and validation edges,
        so that test edges do not influence which checkpoint is selected.
    **loading
        Options of `edgeorbit.load`. Features from `features_file` or `features_from` are what the model is given;
        negatives compare those alone that the source brings itself.

    Raises
    ------
    InvalidParameterError
        If an option does not go with the source, such as ratios with edges that are split already.

    Examples
    --------
    >>> split("karate", features="degree").protocol
    {'split': 'random', 'ratios': [0.8, 0.15, 0.05], 'seed': 0, 'features': 'degree'}
    """
    if kind not in get_args(SplitName):
        raise InvalidParameterError(f"split {kind!r} is unknown; choose from {', '.join(get_args(SplitName))}")
    # Features from elsewhere are the model's input: the split and the negatives know nothing of them.
    given = {key: loading.pop(key) for key in ("features_file", "features_from") if key in loading}
    found = _held_out(source, kind, ratios, seed, loading)
    found.check()
    graph = with_features(found.graph, **given, data_dir=loading.get("data_dir"))
    mode = features or ("identity" if graph.x is None else "original")
    found = replace(found, graph=graph, own_features=found.data.x).with_features(node_features(graph, mode, seed), mode)
    return replace(found, protocol={**found.protocol, AVOIDS_TEST: True}) if validation_avoids_test else found


def as_split(source: Any, *, seed: int = 0) -> LinkSplit:
    """Return a split as it is given, or that of a source by the defaults of `split`."""
    return source if isinstance(source, LinkSplit) else split(source, seed=seed)


def _held_out(source: Any, kind: str, ratios: Sequence[float] | None, seed: int, loading: dict[str, Any]) -> LinkSplit:
    """Return the split of a source, with the features that it brings."""
    if isinstance(source, tuple | list) and len(source) == 3 and all(hasattr(part, "edge_index") for part in source):
        source = LinkSplit.from_pyg(*source)
    if isinstance(source, LinkSplit):
        given = {"kind": kind if kind != "auto" else None, "ratios": ratios, **loading}
        wrong = next((name for name, value in given.items() if value is not None), None)
        if wrong is not None:
            raise InvalidParameterError(f"{source.graph.name} is split already; leave {wrong} out")
        return source
    if getattr(source, "edge_label_index", None) is not None:
        raise InvalidParameterError(
            "this Data has edge_label_index, so it is one part of a split, and its links would be split again; give "
            "all three: LinkSplit.from_pyg(train_data, val_data, test_data)"
        )
    if not isinstance(source, str | os.PathLike):
        if kind == "official":
            raise InvalidParameterError("a graph in memory brings no split; name a data set, or take split random")
        options = {name: value for name, value in loading.items() if value is not None}
        return _split_at_random(load(source, **options), kind, ratios, seed)
    if kind == "official" or (kind == "auto" and has_official_split(source)):
        if ratios is not None:
            raise InvalidParameterError(f"{source} is split as it comes; leave ratios out, or take split random")
        return official_split(source, **{key: loading[key] for key in ("data_dir", "progress") if key in loading})
    return _split_at_random(load(source, **loading), kind, ratios, seed)


def _split_at_random(graph: Graph, kind: str, ratios: Sequence[float] | None, seed: int) -> LinkSplit:
    if kind == "auto":
        kind = "time" if graph.history is not None else "twin" if _has_counterparts(graph) else "random"
    chosen = {"time": time_split, "twin": twin_split}.get(kind, random_split)
    return chosen(graph, RATIOS if ratios is None else ratios, seed)


def _has_counterparts(graph: Graph) -> bool:
    origin = graph.origin
    return origin is not None and (origin.num_copies > 1 or bool((origin.twin_of >= 0).any()))
