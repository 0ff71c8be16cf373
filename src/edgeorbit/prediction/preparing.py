"""From a source to a split with features: everything that is settled before a model comes in."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from edgeorbit.data.features import node_features
from edgeorbit.data.loading import load_graph, with_features
from edgeorbit.data.splits import RATIOS, LinkSplit, random_split, twin_split
from edgeorbit.data.splits.official import has_official_split, official_split
from edgeorbit.data.splits.split import AVOIDS_TEST
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph

SplitName = Literal["auto", "random", "twin", "official"]


def prepare_split(
    source: Graph | str | os.PathLike[str],
    *,
    split: SplitName = "auto",
    ratios: Sequence[float] | None = None,
    features: str | None = None,
    seed: int = 0,
    validation_avoids_test: bool = False,
    **loading: Any,
) -> LinkSplit:
    """Load a graph, hide its held-out edges, and give its nodes features.

    Parameters
    ----------
    source
        A graph, or the file, directory or data set to load it from.
    split
        `"official"`: the split that comes with the data. `"twin"`: corresponding edges of copies and twins stay
        together. `"random"`. `"auto"`: official where there is one, twin for a synthetic graph with copies or twins,
        else random.
    ratios
        Shares of training, validation and test edges of a random or twin split; by default 0.8, 0.15 and 0.05.
    features
        `original`, `constant`, `degree`, `identity` or `random`; by default original ones if there are any, else
        identity: an embedding of every node is learned. They are made from the training edges alone.
    seed
        Decides the split and random features.
    validation_avoids_test
        Also draw validation negatives that are no test edges. By default they only avoid training and validation edges,
        so that test edges do not influence which checkpoint is selected.
    **loading
        Options of `edgeorbit.load_graph`. Features from `features_file` or `features_from` are what the model is given;
        negatives compare those alone that the source brings itself.

    Examples
    --------
    >>> prepare_split("karate", features="degree").protocol
    {'split': 'random', 'ratios': [0.8, 0.15, 0.05], 'seed': 0, 'features': 'degree'}
    """
    if split not in get_args(SplitName):
        raise InvalidParameterError(f"split {split!r} is unknown; choose from {', '.join(get_args(SplitName))}")
    # Features from elsewhere are the model's input: the split and the negatives know nothing of them.
    given = {key: loading.pop(key) for key in ("features_file", "features_from") if key in loading}
    if isinstance(source, Graph):
        if split == "official":
            raise InvalidParameterError("a graph in memory brings no split; name a data set, or take split random")
        found = _split_at_random(source, split, ratios, seed)
    elif split == "official" or (split == "auto" and has_official_split(source)):
        if ratios is not None:
            raise InvalidParameterError(f"{source} is split as it comes; leave ratios out, or take split random")
        found = official_split(source, **{key: loading[key] for key in ("data_dir", "progress") if key in loading})
    else:
        found = _split_at_random(load_graph(source, **loading), split, ratios, seed)
    found.check()
    graph = with_features(found.graph, **given, data_dir=loading.get("data_dir"))
    mode = features or ("identity" if graph.x is None else "original")
    found = replace(found, graph=graph, own_features=found.data.x).with_features(node_features(graph, mode, seed), mode)
    return replace(found, protocol={**found.protocol, AVOIDS_TEST: True}) if validation_avoids_test else found


def _split_at_random(graph: Graph, split: str, ratios: Sequence[float] | None, seed: int) -> LinkSplit:
    chosen = twin_split if split == "twin" or (split == "auto" and _has_counterparts(graph)) else random_split
    return chosen(graph, RATIOS if ratios is None else ratios, seed)


def _has_counterparts(graph: Graph) -> bool:
    origin = graph.origin
    return origin is not None and (origin.num_copies > 1 or bool((origin.twin_of >= 0).any()))
