"""The type of a split: a graph that models may see, and edges that are held out."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from edgeorbit.data.splits.given import (
    as_pairs,
    check_negatives,
    has_labels,
    labelled_pairs,
    negative_arrays,
    refuse_visible,
)
from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.convert import from_pyg
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.node_pairs import are_edges

Pairs = npt.NDArray[np.int64]  # node pairs, shape (k, 2)
Part = Literal["valid", "test"]
AVOIDS_TEST = "validation_avoids_test"  # key of the protocol, see `LinkSplit.known`
GIVEN = "given"  # a split, or negatives, that the user brings
AS_IN_GRAPH: Any = "as in graph"  # own features that are those of `LinkSplit.graph`


@dataclass(frozen=True, slots=True, eq=False)
class LinkSplit:
    """The edges of a graph, divided for link prediction.

    Attributes
    ----------
    graph : Graph
        All nodes, with the features that models are given, and the training edges alone. It is all that a model, a
        colour or an encoding may be made from; its edges are the positives of training.
    valid, test : int64 arrays of shape (k, 2)
        The edges that are held out; in their given order, which given negatives belong to.
    negatives : mapping of str to Negatives
        Negatives that come with the split, by the name they are asked for (`random`, `heart`); others are sampled.
    valid_kind, test_kind : uint8 arrays, or None
        The kind of every held-out edge (`edgeorbit.graph.graph.EDGE_KINDS`), if the graph is synthetic.
    protocol : mapping
        How the edges were divided: everything that is needed to do it again.
    own_features : array, scipy.sparse matrix or None
        The features that the data set itself brings. By default those of `graph`; they differ where models are given
        others instead, such as constant ones.
    valid_weight, whole_weight : float64 arrays, or None
        If edges have weights, those of the validation edges, and of all edges of `whole`; `graph` has its own.
    """

    graph: Graph
    valid: Pairs
    test: Pairs
    negatives: "Mapping[str, Negatives]" = field(default_factory=dict)
    valid_kind: npt.NDArray[np.uint8] | None = None
    test_kind: npt.NDArray[np.uint8] | None = None
    protocol: Mapping[str, Any] = field(default_factory=dict)
    own_features: Any = field(default=AS_IN_GRAPH, repr=False)
    valid_weight: npt.NDArray[np.float64] | None = None
    whole_weight: npt.NDArray[np.float64] | None = None

    @classmethod
    def from_edges(
        cls,
        train: Any,
        valid: Any,
        test: Any,
        *,
        num_nodes: int | None = None,
        negatives: Any = None,
        **attributes: Any,
    ) -> "LinkSplit":
        """Return a split of edges that are divided already; nothing is split again.

        Parameters
        ----------
        train : Graph, array or tensor
            The training edges: a graph, pairs of shape (k, 2) or an `edge_index` of shape (2, k).
        valid, test : array or tensor
            The held-out edges, in either shape.
        num_nodes : int, optional
            Number of nodes; by default one more than the largest number.
        negatives : optional
            `Negatives`, or a mapping from `valid` and `test` to arrays; see `edgeorbit.given_negatives`. They are the
            negatives `"given"`, which evaluation uses by default.
        **attributes
            `name`, `node_names`, `x`, `y` of the graph.

        Raises
        ------
        GraphFormatError
            If a held-out edge is a training edge too, in either direction, is held out twice, or a negative is a link.

        Examples
        --------
        >>> split = LinkSplit.from_edges([[0, 1], [1, 2], [2, 3]], valid=[[0, 2]], test=[[1, 3]])
        >>> split.graph.num_edges, split.protocol
        (3, {'split': 'given'})
        """
        name = attributes.get("name", "graph")
        held_out = [as_pairs(pairs, f"{name}: {what} edges") for what, pairs in (("validation", valid), ("test", test))]
        graph = train
        if not isinstance(train, Graph):
            edges = as_pairs(train, f"{name}: training edges")
            largest = max(int(pairs.max(initial=-1)) for pairs in (edges, *held_out))
            graph = Graph.from_edges(edges, num_nodes or largest + 1, **attributes)
        split = cls(graph, held_out[0], held_out[1], protocol={"split": GIVEN})
        split.check()
        return split if negatives is None else split.with_negatives(negatives)

    @classmethod
    def from_pyg(cls, train_data: Any, val_data: Any, test_data: Any, *, name: str = "graph") -> "LinkSplit":
        """Return the split that PyG's `RandomLinkSplit` made, checked for leaks.

        The training graph has the messages and the positive links of `train_data`, and its features. Held-out links are
        the positive ones of `val_data` and `test_data`; their negatives, if there are any, are the negatives `"given"`,
        which evaluation uses by default. Those of training are drawn anew in every epoch.

        Raises
        ------
        GraphFormatError
            If a held-out link can be seen in the messages, in either direction, as with `is_undirected=False` on an
            undirected graph.
        """
        parts = {"train_data": train_data, "val_data": val_data, "test_data": test_data}
        for called, data in parts.items():
            _check_data(called, data, train_data)
        graph, *messages = (from_pyg(data, name=name) for data in parts.values())
        (trained, _), *held_out = (labelled_pairs(data, called) for called, data in parts.items())
        # With `disjoint_train_ratio` the links to train on are not among the messages: together they may be seen.
        seen = Graph.from_edges(np.concatenate([graph.edges.astype(np.int64), trained]), graph.num_nodes)
        for called, visible, (links, _) in zip(("val_data", "test_data"), messages, held_out, strict=True):
            refuse_visible(visible, links, f"{called}.edge_index", f"{called}.edge_label_index")
        (valid, without), (test, without_test) = held_out
        split = cls.from_edges(graph.with_attributes(indptr=seen.indptr, indices=seen.indices), valid, test)
        if not (len(without) or len(without_test)) or any(
            len(links) and not len(negatives) for links, negatives in held_out
        ):
            return split
        # RandomLinkSplit draws negatives that are no links of the whole graph.
        return split.with_negatives({"valid": without, "test": without_test}, {AVOIDS_TEST: True})

    def with_negatives(self, negatives: Any, about: Mapping[str, Any] | None = None) -> "LinkSplit":
        """Return the split with negatives that evaluation uses by default, after checking them (`given_negatives`)."""
        return replace(self, negatives={**self.negatives, GIVEN: given_negatives(self, negatives, about)})

    @property
    def data(self) -> Graph:
        """The training edges with the data set's own features: all that negatives, orbits and bounds may depend on."""
        return self.graph if self.own_features is AS_IN_GRAPH else self.graph.with_attributes(x=self.own_features)

    def with_features(self, x: Any, mode: str) -> "LinkSplit":
        """Return the split with other features for models, whose name is noted in the protocol."""
        return replace(
            self,
            graph=self.graph.with_attributes(x=x),
            own_features=self.data.x,
            protocol={**self.protocol, "features": mode},
        )

    def positives(self, part: Part) -> Pairs:
        """Return the held-out edges of a part."""
        return self.valid if part == "valid" else self.test

    def kinds(self, part: Part) -> npt.NDArray[np.uint8] | None:
        """Return the kinds of the held-out edges of a part."""
        return self.valid_kind if part == "valid" else self.test_kind

    @property
    def whole(self) -> Graph:
        """The graph with all edges, held out or not: test negatives avoid them, and predictions start from them."""
        graph = self._with_edges(self.valid, self.test)
        return graph if self.whole_weight is None else graph.with_attributes(edge_weight=self.whole_weight)

    @property
    def with_valid_edges(self) -> Graph:
        """The graph of training and validation edges."""
        graph = self._with_edges(self.valid)
        if self.graph.edge_weight is None or self.valid_weight is None:
            return graph
        weight = np.concatenate([self.graph.edge_weight, self.valid_weight])
        edges = np.concatenate([self.graph.edges.astype(np.int64), self.valid])
        weighted = Graph.from_edges(edges, self.graph.num_nodes, edge_weight=weight)
        return graph.with_attributes(edge_weight=weighted.edge_weight)

    def known(self, part: Part) -> Graph:
        """Return the graph of the edges that negatives of a part avoid.

        Negatives of validation avoid training and validation edges only: test edges must not influence which checkpoint
        is selected. With `validation_avoids_test` in the protocol they avoid test edges, too.
        """
        if part == "test" or self.protocol.get(AVOIDS_TEST):
            return self.whole
        return self._with_edges(self.valid)

    def _with_edges(self, *more: Pairs) -> Graph:
        edges = np.concatenate([self.graph.edges.astype(np.int64), *more])
        graph = Graph.from_edges(edges, self.graph.num_nodes)
        return self.graph.with_attributes(indptr=graph.indptr, indices=graph.indices, origin=None)

    @property
    def digest(self) -> str:
        """SHA-256 of the training, validation and test edges, which tells two splits apart."""
        weights = (self.graph.edge_weight, self.valid_weight, self.whole_weight)
        parts = [np.ascontiguousarray(weight, np.float64).view(np.int64) for weight in weights if weight is not None]
        return _digest(str(self.graph.num_nodes), self.graph.edges, self.valid, self.test, *parts)

    def describe(self) -> str:
        """Return the protocol as one line."""
        return json.dumps({**self.protocol, "digest": self.digest[:16]})

    def check(self) -> None:
        """Raise `GraphFormatError` if a held-out edge can be seen in the graph, is held out twice, or lies outside of
        it.

        Official splits are taken as they are: some repeat a training edge in a later year, and their protocol says how
        many.
        """
        num_nodes = self.graph.num_nodes
        for what, pairs in (("validation", self.valid), ("test", self.test)):
            outside = np.flatnonzero(((pairs < 0) | (pairs >= num_nodes)).any(axis=1))
            if len(outside):
                u, v = pairs[outside[0]].tolist()
                raise GraphFormatError(
                    f"{self.graph.name}: {what} edge ({u}, {v}) names a node outside 0 to {num_nodes - 1}; remove it "
                    "or give num_nodes"
                )
            seen = np.flatnonzero(are_edges(self.graph, pairs))
            if len(seen) and self.protocol.get("split") != "official":
                u, v = sorted(pairs[seen[0]].tolist())
                raise GraphFormatError(
                    f"{self.graph.name}: {what} edge {u} - {v} is a training edge too; remove it from one of them"
                )
        if self.protocol.get("split") != "official":
            self._check_held_out()

    def _check_held_out(self) -> None:
        """Raise `GraphFormatError` if a held-out edge is a self-loop, or is held out twice, in either direction."""
        pairs = np.sort(np.concatenate([self.valid, self.test]), axis=1)
        loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
        if len(loops):
            raise GraphFormatError(
                f"{self.graph.name}: a held-out edge joins node {pairs[loops[0], 0]} to itself; remove it"
            )
        number = pairs[:, 0] * self.graph.num_nodes + pairs[:, 1]
        order = np.argsort(number, kind="stable")
        repeated = np.flatnonzero(np.diff(number[order]) == 0)
        if len(repeated):
            first, second = order[repeated[0]], order[repeated[0] + 1]
            u, v = pairs[first].tolist()
            parts = ["validation" if place < len(self.valid) else "test" for place in (first, second)]
            where = f"twice in the {parts[0]} edges" if parts[0] == parts[1] else "a validation edge and a test edge"
            raise GraphFormatError(f"{self.graph.name}: {u} - {v} is {where}, in either direction; remove one of them")


@dataclass(frozen=True, slots=True, eq=False)
class Negatives:
    """Node pairs that are no edges, to rank held-out edges against.

    Attributes
    ----------
    kind : str
        `random`, `heart`, `orbit`, or what a data set brings (`official`).
    valid, test : int64 arrays
        Of shape (n, 2): one pool for all positives of the part. Of shape (p, k, 2): k negatives for each of the p
        positives; a positive that has fewer is filled up with pairs (-1, -1).
    info : mapping
        What should be printed beside results: settings, shares, bounds.
    """

    kind: str
    valid: npt.NDArray[np.int64]
    test: npt.NDArray[np.int64]
    info: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """SHA-256 of the pairs, which tells two choices of negatives apart."""
        return _digest(self.kind, self.valid, self.test)

    def of(self, part: Part) -> npt.NDArray[np.int64]:
        """Return the negatives of a part."""
        return self.valid if part == "valid" else self.test


def given_negatives(split: LinkSplit, negatives: Any, about: Mapping[str, Any] | None = None) -> Negatives:
    """Return the user's own negatives, after checking them against a split.

    Parameters
    ----------
    split
        The split whose held-out edges they are for.
    negatives
        A `Negatives`, or a mapping from `valid` and `test` to arrays: a pool of shape (n, 2), PyG's `edge_label_index`
        of shape (2, n), or (p, k, 2), k negatives for each of the p positives, filled up with (-1, -1).
    about
        What should be noted beside results.

    Raises
    ------
    GraphFormatError
        If an array has another shape, names a node outside the graph, or holds a link or a self-loop.
    """
    if isinstance(negatives, Negatives):
        found = negatives
    else:
        found = Negatives(GIVEN, **negative_arrays(negatives), info=dict(about or {}))
    parts: tuple[Part, Part] = ("valid", "test")
    for part in parts:
        check_negatives(split.known(part), len(split.positives(part)), found.of(part), part)
    return found


def _check_data(called: str, data: Any, train_data: Any) -> None:
    """Raise `GraphFormatError` unless an object is a part of the same `RandomLinkSplit` as `train_data`."""
    if getattr(data, "edge_index", None) is None or not hasattr(data, "get"):
        raise GraphFormatError(
            f"{called} must be a homogeneous Data with edge_index, as RandomLinkSplit returns, got a "
            f"{type(data).__name__}"
        )
    if data.num_nodes != train_data.num_nodes:
        raise GraphFormatError(
            f"{called} has {data.num_nodes} nodes and train_data {train_data.num_nodes}; give three parts of one graph"
        )
    if called != "train_data" and not has_labels(data):
        raise GraphFormatError(f"{called} has no edge_label_index; give what RandomLinkSplit returns")


def _digest(name: str, *parts: npt.NDArray[np.integer[Any]]) -> str:
    state = hashlib.sha256(name.encode())
    for pairs in parts:
        state.update(np.ascontiguousarray(pairs, "<i8").tobytes())
        state.update(b"|")
    return state.hexdigest()
