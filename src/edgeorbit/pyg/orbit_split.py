"""An honest random split of links, as a transform like PyG's `RandomLinkSplit`."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from edgeorbit.data.negatives.sampling import KINDS, options_of, sample_negatives
from edgeorbit.data.splits import RATIOS, random_split, twin_split
from edgeorbit.data.splits.split import AVOIDS_TEST, LinkSplit
from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.graph import Graph, Origin
from edgeorbit.prediction.predictions import graph_with_valid_edges
from edgeorbit.pyg.labels import label_pairs, message_graph
from edgeorbit.pyg.made_data import kind_of_columns

SPLITS = {"random": random_split, "twin": twin_split}
ORIGIN = ("copy", "original", "twin_of")  # attributes of a synthetic graph, see `SyntheticSweep`
DIVIDED = {"edge_index", "edge_kind"}  # edge attributes that the training graph gets


class OrbitSplit(BaseTransform):
    """Split the links of an undirected graph into training, validation and test links, without leaks.

    It returns three `Data`, as `torch_geometric.transforms.RandomLinkSplit` does, and differs in this:

    - Links are undirected whatever the order or number of their columns: none is in two parts, and none is seen in
      the reverse direction.
    - All three have the training links as `edge_index`; `RandomLinkSplit` shows validation links to the model when it
      scores test links (`with_valid_edges=True` does so too).
    - Validation negatives are drawn with the training and validation links alone in view, so that test links cannot
      influence which checkpoint is selected.
    - Negatives can be hard ones: `"heart"`, or `"orbit"`, of the same WL edge orbit as their positive. Each positive
      has its own then, and `edge_label_group` is the number of the positive that a pair belongs to.

    Training links are labelled without negatives; draw them in every step, with
    `torch_geometric.utils.negative_sampling(train_data.edge_index)`. The split is that of `edgeorbit.split` with the
    same seed, and `LinkSplit.from_pyg` takes it as it is.

    Parameters
    ----------
    kind : str
        `"random"`, or `"twin"` for a graph of `SyntheticSweep`: corresponding links of copies and twins stay together.
    ratios : three floats
        Shares of training, validation and test links.
    seed : int
        The same seed gives the same split and negatives, on every machine.
    negatives : str
        `"random"`, `"heart"` or `"orbit"`.
    validation_avoids_test : bool
        Also draw validation negatives that are no test links.
    with_valid_edges : bool
        Add validation links to the `edge_index` of the test data.
    **options
        Those of the negatives, for instance `per_positive` and `rounds`.

    Raises
    ------
    InvalidParameterError
        If the `Data` is split already, has edge attributes, or has orbits of the whole graph.

    Examples
    --------
    >>> from edgeorbit import load, to_pyg
    >>> train_data, val_data, test_data = OrbitSplit(negatives="orbit", per_positive=5)(to_pyg(load("karate")))
    >>> val_data.edge_index.equal(train_data.edge_index)
    True
    >>> test_data.edge_label_index.shape[1] == len(test_data.edge_label) == len(test_data.edge_label_group)
    True
    """

    def __init__(
        self,
        kind: Literal["random", "twin"] = "random",
        ratios: Sequence[float] = RATIOS,
        seed: int = 0,
        negatives: str = "random",
        validation_avoids_test: bool = False,
        with_valid_edges: bool = False,
        **options: Any,
    ) -> None:
        if kind not in SPLITS:
            raise InvalidParameterError(f"split {kind!r} is unknown; choose from {', '.join(SPLITS)}")
        if negatives not in KINDS:
            raise InvalidParameterError(f"negatives {negatives!r} are unknown; choose from {', '.join(KINDS)}")
        unknown = next((name for name in options if name not in options_of(negatives)), None)
        if unknown is not None:
            known = ", ".join(options_of(negatives))
            raise InvalidParameterError(f"{negatives} negatives have no option {unknown!r}; choose from {known}")
        self.kind, self.ratios, self.seed, self.negatives = kind, tuple(ratios), seed, negatives
        self.validation_avoids_test, self.with_valid_edges = validation_avoids_test, with_valid_edges
        self.options = ({"bounds": False} if negatives == "orbit" else {}) | options

    def forward(self, data: Data) -> tuple[Data, Data, Data]:
        """Return the training, validation and test data."""
        graph = message_graph(data, type(self).__name__)
        _refuse_leaks(data)
        split = SPLITS[self.kind](_with_origin(graph, data, self.kind), self.ratios, self.seed)
        if self.validation_avoids_test:
            split = replace(split, protocol={**split.protocol, AVOIDS_TEST: True})
        negatives = sample_negatives(split, self.negatives, self.seed, **self.options)
        train = label_pairs(
            self._seeing(data, split, split.graph), split.graph.edges.astype(np.int64), np.empty((0, 2), np.int64)
        )
        valid = label_pairs(self._seeing(data, split, split.graph), split.valid, negatives.valid)
        seen = graph_with_valid_edges(split) if self.with_valid_edges else split.graph
        return train, valid, label_pairs(self._seeing(data, split, seen), split.test, negatives.test)

    def __repr__(self) -> str:
        """Give the settings."""
        return f"{type(self).__name__}(kind={self.kind!r}, seed={self.seed}, negatives={self.negatives!r})"

    @staticmethod
    def _seeing(data: Data, split: LinkSplit, seen: Graph) -> Data:
        """Return a copy of a `Data` with the edges of a graph as messages."""
        found = copy.copy(data)
        device = data.edge_index.device
        found.edge_index = torch.from_numpy(seen.edge_index.astype(np.int64)).to(device)
        origin = seen.origin
        if "edge_kind" in found:
            del found.edge_kind
            if origin is not None:
                kinds = kind_of_columns(seen.edge_index, origin.edge_kind)
                found.edge_kind = torch.from_numpy(kinds.astype(np.int64)).to(device)
        return found


def _refuse_leaks(data: Data) -> None:
    if data.get("edge_label_index") is not None:
        raise InvalidParameterError("this Data has edge_label_index, so it is split already; give the whole graph")
    known = next((key for key in data.keys() if key.startswith("node_orbit")), None)  # noqa: SIM118
    if known is not None:
        raise InvalidParameterError(
            f"{known} of this Data was computed with the links to be held out; apply AddOrbits after OrbitSplit"
        )
    other = next((key for key in data.edge_attrs() if key not in DIVIDED), None)
    if other is not None:
        raise InvalidParameterError(
            f"this Data has the edge attribute {other}, which is not divided with the links; remove it first"
        )


def _with_origin(graph: Graph, data: Data, kind: str) -> Graph:
    """Return the graph with what a `Data` of `SyntheticSweep` says of where its nodes and edges come from."""
    missing = next((name for name in (*ORIGIN, "edge_kind") if data.get(name) is None), None)
    if missing is not None:
        if kind == "twin":
            raise InvalidParameterError(
                f"this Data has no {missing}, so it is not known which links correspond to each other; take split "
                "random, or a graph of SyntheticSweep"
            )
        return graph
    copies, originals, twins = (data[name].cpu().numpy().astype(np.int32) for name in ORIGIN)
    ends, kinds = data.edge_index.cpu().numpy(), data.edge_kind.cpu().numpy().astype(np.uint8)
    upward = ends[0] < ends[1]
    _, first = np.unique(ends[0, upward] * graph.num_nodes + ends[1, upward], return_index=True)
    if len(first) != graph.num_edges:
        raise GraphFormatError("this Data has edge_kind, but not both directions of every edge; give it as it was made")
    return graph.with_attributes(origin=Origin(kinds[upward][first], copies, originals, twins))
