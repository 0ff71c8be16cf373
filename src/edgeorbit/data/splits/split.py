"""The type of a split: a graph that models may see, and edges that are held out."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.node_pairs import are_edges

Pairs = npt.NDArray[np.int64]  # node pairs, shape (k, 2)
Part = Literal["valid", "test"]
AVOIDS_TEST = "validation_avoids_test"  # key of the protocol, see `LinkSplit.known`
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
    """

    graph: Graph
    valid: Pairs
    test: Pairs
    negatives: "Mapping[str, Negatives]" = field(default_factory=dict)
    valid_kind: npt.NDArray[np.uint8] | None = None
    test_kind: npt.NDArray[np.uint8] | None = None
    protocol: Mapping[str, Any] = field(default_factory=dict)
    own_features: Any = field(default=AS_IN_GRAPH, repr=False)

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
        return self._with_edges(self.valid, self.test)

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
        return _digest(str(self.graph.num_nodes), self.graph.edges, self.valid, self.test)

    def describe(self) -> str:
        """Return the protocol as one line."""
        return json.dumps({**self.protocol, "digest": self.digest[:16]})

    def check(self) -> None:
        """Raise `GraphFormatError` if a held-out edge can be seen in the graph, or lies outside of it.

        Official splits are taken as they are: some repeat a training edge in a later year, and their protocol says how
        many.
        """
        num_nodes = self.graph.num_nodes
        for what, pairs in (("validation", self.valid), ("test", self.test)):
            if len(pairs) and not 0 <= int(pairs.min()) <= int(pairs.max()) < num_nodes:
                raise GraphFormatError(f"{self.graph.name}: a {what} edge names a node outside 0 to {num_nodes - 1}")
            seen = np.flatnonzero(are_edges(self.graph, pairs))
            if len(seen) and self.protocol.get("split") != "official":
                u, v = sorted(pairs[seen[0]].tolist())
                raise GraphFormatError(
                    f"{self.graph.name}: {what} edge {u} - {v} is a training edge too; remove it from one of them"
                )


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


def _digest(name: str, *parts: npt.NDArray[np.integer[Any]]) -> str:
    state = hashlib.sha256(name.encode())
    for pairs in parts:
        state.update(np.ascontiguousarray(pairs, "<i8").tobytes())
        state.update(b"|")
    return state.hexdigest()
