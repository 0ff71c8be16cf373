"""The type of a split: a graph that models may see, and edges that are held out."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from edgeorbit.data.edge_lookup import are_edges
from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import Graph

Pairs = npt.NDArray[np.int64]  # node pairs, shape (k, 2)
Part = Literal["valid", "test"]


@dataclass(frozen=True, slots=True, eq=False)
class LinkSplit:
    """The edges of a graph, divided for link prediction.

    Attributes
    ----------
    graph : Graph
        All nodes, with their features, and the training edges alone. It is all that a model, a colour or an encoding
        may be made from; its edges are the positives of training.
    valid, test : int64 arrays of shape (k, 2)
        The edges that are held out; in their given order, which given negatives belong to.
    negatives : mapping of str to Negatives
        Negatives that come with the split, by the name they are asked for (`random`, `heart`); others are sampled.
    valid_kind, test_kind : uint8 arrays, or None
        The kind of every held-out edge (`edgeorbit.graph.origin.EDGE_KINDS`), if the graph is synthetic.
    protocol : mapping
        How the edges were divided: everything that is needed to do it again.
    """

    graph: Graph
    valid: Pairs
    test: Pairs
    negatives: "Mapping[str, Negatives]" = field(default_factory=dict)
    valid_kind: npt.NDArray[np.uint8] | None = None
    test_kind: npt.NDArray[np.uint8] | None = None
    protocol: Mapping[str, Any] = field(default_factory=dict)

    def positives(self, part: Part) -> Pairs:
        """Return the held-out edges of a part."""
        return self.valid if part == "valid" else self.test

    def kinds(self, part: Part) -> npt.NDArray[np.uint8] | None:
        """Return the kinds of the held-out edges of a part."""
        return self.valid_kind if part == "valid" else self.test_kind

    @property
    def whole(self) -> Graph:
        """The graph with all edges, held out or not: to sample true negatives, and to predict when all is said."""
        edges = np.concatenate([self.graph.edges.astype(np.int64), self.valid, self.test])
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
