"""GraphML files, read as a stream.

A document type declaration is refused before anything of it is expanded: it is the only place where XML can define
entities, and GraphML needs none.
"""

from array import array
from itertools import islice
from typing import Any
from xml.parsers import expat

import numpy as np

from edgeorbit.errors import EdgeorbitError, GraphFormatError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.formats import Columns
from edgeorbit.graph.reading.memory import require_memory
from edgeorbit.graph.reading.node_ids import number_names
from edgeorbit.graph.reading.source import MAX_LINE_BYTES, Source, shown

CHUNK_BYTES = 1 << 20
BYTES_PER_NAME = 250  # of a node: what is made of its name when all are read
BYTES_PER_BYTE = 40  # of a chunk: nodes with names of one letter
BYTES_PER_END = 40  # of an edge, when the graph is built


class _Document:
    """What has been seen of the document so far."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.names: dict[str, int] = {}
        self.declared: set[int] = set()
        self.letters = 0  # of all names, at least
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
        self.letters += len(name) * (number == len(self.names) - 1)
        if number not in self.declared:
            self.first_use.setdefault(number, self.parser.CurrentLineNumber)
        return number


def read_graphml(source: Source, name: str, columns: Columns | None, threads: int | None) -> Graph:
    """Read a GraphML file; the ids of its nodes are the node names."""
    document = _Document(source)
    try:
        _parse(source, document)
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, "a syntax error")
        raise source.error(f"is not XML ({reason}); check that the file is complete", error.lineno) from None
    except EdgeorbitError:
        raise
    except (LookupError, ValueError):  # expat takes Python's encodings as long as a byte of them is a character
        raise source.error("is in an encoding that is not read; save it as UTF-8", 1) from None
    if len(document.declared) < len(document.names):
        missing = next(i for i in range(len(document.names)) if i not in document.declared)
        name_of_missing = next(islice(document.names, missing, None))
        raise source.error(
            f"an edge names node {shown(name_of_missing)!r}, which is not in the file; add the node",
            document.first_use[missing],
        )
    numbers, names = number_names(list(document.names), source.shown)
    pairs = numbers[np.array(document.ends, np.int32).reshape(-1, 2)]
    return Graph.from_edges(pairs, len(numbers), threads=threads, name=name, node_names=names)


def _parse(source: Source, document: _Document) -> None:
    """Feed the parser as far as memory lasts, and no tag or comment that it would have to keep whole."""
    fed = 0
    for chunk in source.chunks(CHUNK_BYTES):
        later = BYTES_PER_NAME * len(document.names) + 4 * document.letters + BYTES_PER_END * len(document.ends)
        require_memory(source.shown, later + BYTES_PER_BYTE * len(chunk))
        document.parser.Parse(chunk, False)
        fed += len(chunk)
        if fed - document.parser.CurrentByteIndex > MAX_LINE_BYTES:
            raise document.error(f"a tag or comment is longer than {MAX_LINE_BYTES >> 20} MB; shorten it")
    document.parser.Parse(b"", True)
