"""GEXF, the format of Gephi: XML whose nodes have labels, and whose edges may have weights."""

import math
from array import array
from typing import Any

import numpy as np

from edgeorbit._text import shown
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading._gml_graphml import XmlDocument, read_document
from edgeorbit.graph.reading.node_ids import number_names
from edgeorbit.graph.reading.options import ReadOptions
from edgeorbit.graph.reading.source import Source

WEIGHT = "weight"


class GexfDocument(XmlDocument):
    """What has been seen of a GEXF document so far."""

    root, kind = "gexf", "GEXF"

    def __init__(self, source: Source, *, has_weights: bool) -> None:
        super().__init__(source)
        self.has_weights = has_weights
        self.labels: dict[int, str] = {}
        self.weights = array("d")

    def node(self, attributes: dict[str, str]) -> None:
        """Take up a node, and its label."""
        super().node(attributes)
        label = attributes.get("label", "").strip()
        self.letters += len(label)
        self.labels[self.names[attributes["id"].strip()]] = label

    def edge(self, attributes: dict[str, str]) -> None:
        """Take up an edge, and its weight if weights are wanted, which is 1 if there is none."""
        super().edge(attributes)
        if not self.has_weights:
            return
        weight = weight_of(attributes.get(WEIGHT, "1"))
        if weight is None:
            raise self.error(f"weight {shown(attributes[WEIGHT], 40)!r} is no finite number from 0; correct it")
        self.weights.append(weight)


def read_gexf(source: Source, name: str, options: ReadOptions, threads: int | None) -> Graph:
    """Read a GEXF file; nodes are named by their labels if all have one of their own, else by their ids."""
    check_weight_name(source, options)
    document = GexfDocument(source, has_weights=options.weight is not None)
    read_document(source, document)
    labels = [document.labels[number] for number in range(len(document.names))]
    distinct = "" not in labels and len(set(labels)) == len(labels)
    numbers, names = number_names(labels if distinct else list(document.names), source.shown)
    more: dict[str, Any] = {} if options.weight is None else {"edge_weight": np.array(document.weights)}
    pairs = numbers[np.array(document.ends, np.int32).reshape(-1, 2)]
    return Graph.from_edges(pairs, len(numbers), threads=threads, name=name, node_names=names, **more)


def check_weight_name(source: Source, options: ReadOptions) -> None:
    """Refuse other names of weights than the one that the format has."""
    if options.weight not in (None, WEIGHT):
        raise InvalidParameterError(f"{source.shown}: its weights are called {WEIGHT}; give --weight {WEIGHT}")


def weight_of(text: str) -> float | None:
    """Return a weight, or None if it is no finite number from 0.

    >>> weight_of("2.5"), weight_of("-1"), weight_of("x")
    (2.5, None, None)
    """
    try:
        weight = float(text[:400])
    except ValueError:
        return None
    return weight if math.isfinite(weight) and weight >= 0 else None
