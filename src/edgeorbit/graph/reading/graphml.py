"""GraphML files, read as a stream.

A document type declaration is refused before anything of it is expanded: it is the only place where XML can define
entities, and GraphML needs none.
"""

from array import array
from typing import Any
from xml.parsers import expat

import numpy as np

from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.formats import Columns
from edgeorbit.graph.reading.node_ids import number_names
from edgeorbit.graph.reading.source import Source, shown


class _Document:
    """What has been seen of the document so far."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.names: dict[str, int] = {}
        self.declared: set[int] = set()
        self.ends = array("i")
        self.has_root = False
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self.start
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype
        self.first_use: dict[int, int] = {}

    def error(self, message: str) -> GraphFormatError:
        return self.source.error(message, self.parser.CurrentLineNumber)

    def refuse_doctype(self, *_: Any) -> None:
        raise self.error("a document type declaration (DOCTYPE) is not read, for safety; remove it")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(" ")[2]
        if not self.has_root and kind != "graphml":
            raise self.error(f"the document is <{shown(kind)}>, not <graphml>; save the graph as GraphML")
        self.has_root = True
        if kind == "node":
            node = self.number(attributes, "id")
            if node in self.declared:
                raise self.error(f"node {shown(attributes['id'])!r} appears twice; give every node its own id")
            self.declared.add(node)
        elif kind == "edge":
            self.ends.append(self.number(attributes, "source"))
            self.ends.append(self.number(attributes, "target"))
        elif kind == "hyperedge":
            raise self.error("hyperedges are not read; write each as edges")

    def number(self, attributes: dict[str, str], key: str) -> int:
        name = attributes.get(key, "").strip()
        if not name:
            raise self.error(f"the {key} of a node or edge is missing; fill it in")
        number = self.names.setdefault(name, len(self.names))
        if number not in self.declared:
            self.first_use.setdefault(number, self.parser.CurrentLineNumber)
        return number


def read_graphml(source: Source, name: str, columns: Columns | None, threads: int | None) -> Graph:
    """Read a GraphML file; the ids of its nodes are the node names."""
    document = _Document(source)
    try:
        for chunk in source.chunks():
            document.parser.Parse(chunk, False)
        document.parser.Parse(b"", True)
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, "a syntax error")
        raise source.error(f"is not XML ({reason}); check that the file is complete", error.lineno) from None
    except LookupError:
        raise source.error("is in an encoding that is not known; save it as UTF-8", 1) from None
    if len(document.declared) < len(document.names):
        missing = next(i for i in range(len(document.names)) if i not in document.declared)
        raise source.error(
            f"an edge names node {shown(list(document.names)[missing])!r}, which is not in the file; add the node",
            document.first_use[missing],
        )
    numbers, names = number_names(list(document.names))
    pairs = numbers[np.array(document.ends, np.int32).reshape(-1, 2)]
    return Graph.from_edges(pairs, len(numbers), threads=threads, name=name, node_names=names)
