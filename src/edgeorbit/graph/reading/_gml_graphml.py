"""GML and GraphML: text formats that list nodes and edges one after the other.

GML is nested lists of keys and values, of which `node` and `edge` count. GraphML is read as a stream; a document type
declaration is rejected before anything of it is expanded, because it is the only place where XML can define entities,
and GraphML needs none.
"""

import html
import re
from array import array
from collections.abc import Iterator
from itertools import islice
from typing import Any
from xml.parsers import expat

import numpy as np

from edgeorbit._memory import require_memory
from edgeorbit._text import shown
from edgeorbit.errors import EdgeorbitError, GraphFormatError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.node_ids import number_names
from edgeorbit.graph.reading.options import ReadOptions
from edgeorbit.graph.reading.source import MAX_LINE_BYTES, Source

TOKEN = re.compile(
    r'(?:\s|^#[^\n]*)*+(?:(?P<string>"[^"]*")|(?P<open>\[)|(?P<close>\])|(?P<end>\Z)'
    r"|(?P<number>[+-]?(?:\d++\.?\d*+|\.\d++)(?:[Ee][+-]?\d++)?(?![\w.])|[+-]?(?:INF|NAN)\b)|(?P<key>[A-Za-z_]\w*))",
    re.MULTILINE | re.ASCII,
)
EXPANSION = 15.0  # measured: the text, and a small dictionary for every node and edge
RECORDS_AT_A_TIME = 1 << 16
BYTES_PER_RECORD = 400  # what is still to be made of a node or an edge that was read
Record = dict[str, str]
KEPT = ("id", "label", "source", "target")
CHUNK_BYTES = 1 << 20
BYTES_PER_NAME = 250  # of a node: what is made of its name when all are read
BYTES_PER_BYTE = 40  # of a chunk: nodes with names of one letter
BYTES_PER_END = 40  # of an edge, when the graph is built


class _Text:
    """The text of a file, and errors that name the line of a position in it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        content = source.content(EXPANSION)
        try:
            self.text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise source.error("is not UTF-8 text; convert the file with iconv -t UTF-8", line) from None

    def error(self, message: str, position: int) -> GraphFormatError:
        return self.source.error(message, self.text.count("\n", 0, position) + 1)

    def unescape(self, value: str, position: int) -> str:
        """Return text with entities such as `&amp;` replaced by their characters."""
        try:
            return html.unescape(value).strip()
        except ValueError:  # Python refuses numbers of thousands of digits
            raise self.error(f"{shown(value, 40)!r} names no character; write it plainly", position) from None

    def tokens(self) -> Iterator[tuple[str, str, int]]:
        """Yield the kind, the text and the position of every token."""
        position = 0
        while match := TOKEN.match(self.text, position):
            kind = match.lastgroup or ""
            if kind == "end":
                return
            yield kind, match[kind], match.start(kind)
            position = match.end()
        found = self.text[position:].lstrip()[:20]
        position = self.text.index(found, position)
        raise self.error(f"{shown(found, 40)!r} is not GML; check that the file is complete", position)


def read_gml(source: Source, name: str, options: ReadOptions, threads: int | None) -> Graph:
    """Read a GML file; nodes are named by their labels if all have one of their own, else by their ids."""
    text = _Text(source)
    nodes, edges = _records(text)
    ids: dict[str, int] = {}
    for position, node in nodes:
        if "id" not in node:
            raise text.error("a node has no id; give every node a whole number as its id", position)
        if node["id"] in ids:
            raise text.error(f"node id {shown(node['id'])} appears twice; give every node its own", position)
        ids[node["id"]] = len(ids)
    labels = {node["label"] for _, node in nodes if node.get("label")}
    if len(labels) == len(nodes):
        numbers, names = number_names([node["label"] for _, node in nodes], source.shown)
    else:
        numbers, names = number_names(list(ids), source.shown)
    number_of = dict(zip(ids, numbers.tolist(), strict=True))
    ends = array("i")
    for position, edge in edges:
        for key in ("source", "target"):
            node_id = edge.get(key)
            if node_id not in ids:
                found = "missing" if node_id is None else f"{shown(node_id)!r}, which is no node's id"
                raise text.error(f"the {key} of an edge is {found}; add the node", position)
            ends.append(number_of[node_id])
    pairs = np.array(ends, np.int32).reshape(-1, 2)
    return Graph.from_edges(pairs, len(nodes), threads=threads, name=name, node_names=names)


def _records(text: _Text) -> tuple[list[tuple[int, Record]], list[tuple[int, Record]]]:
    """Return the nodes and the edges of the graph, each with its position."""
    found: dict[str, list[tuple[int, Record]]] = {"node": [], "edge": []}
    graphs = 0
    path: list[str] = []
    record: Record = {}
    start = 0
    key: str | None = None
    for kind, value, position in text.tokens():
        if kind == "key" and key is None:
            key = value.lower()
        elif kind == "open" and key is not None:
            path.append(key)
            graphs += path == ["graph"]
            if len(path) == 2:
                record, start = {}, position
            key = None
        elif kind == "close" and key is None and path:
            if len(path) == 2 and path[0] == "graph" and path[1] in found:
                found[path[1]].append((start, record))
                if len(found[path[1]]) % RECORDS_AT_A_TIME == 0:
                    require_memory(text.source.shown, BYTES_PER_RECORD * sum(map(len, found.values())))
            path.pop()
        elif kind in ("string", "number") and key is not None:
            if len(path) == 2 and key in KEPT:
                record[key] = text.unescape(value[1:-1], position) if kind == "string" else value
            key = None
        else:
            raise text.error(f"{shown(value, 40)!r} is out of place; check that the file is complete", position)
    if path or key is not None:
        raise text.error("the file ends inside a list; copy or download it again", len(text.text))
    if graphs != 1:
        raise text.source.error(f"there are {graphs} graphs in the file; give one, as graph [ ... ]")
    return found["node"], found["edge"]


class XmlDocument:
    """What has been seen so far of a GraphML document, or of another whose elements are called alike."""

    root, kind = "graphml", "GraphML"

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
        if not self.has_root and kind != self.root:
            raise self.error(f"the document is <{shown(kind)}>, not <{self.root}>; save the graph as {self.kind}")
        self.has_root = True
        if kind == "node":
            self.node(attributes)
        elif kind == "edge":
            self.edge(attributes)
        elif kind == "hyperedge":
            raise self.error("hyperedges are not read; write each as edges")

    def node(self, attributes: dict[str, str]) -> None:
        """Take up a node."""
        node = self.number(attributes, "id")
        if node in self.declared:
            raise self.error(f"node {shown(attributes['id'])!r} appears twice; give every node its own id")
        self.declared.add(node)

    def edge(self, attributes: dict[str, str]) -> None:
        """Take up an edge."""
        self.ends.append(self.number(attributes, "source"))
        self.ends.append(self.number(attributes, "target"))

    def number(self, attributes: dict[str, str], key: str) -> int:
        name = attributes.get(key, "").strip()
        if not name:
            raise self.error(f"the {key} of a node or edge is missing; fill it in")
        number = self.names.setdefault(name, len(self.names))
        self.letters += len(name) * (number == len(self.names) - 1)
        if number not in self.declared:
            self.first_use.setdefault(number, self.parser.CurrentLineNumber)
        return number


def read_graphml(source: Source, name: str, options: ReadOptions, threads: int | None) -> Graph:
    """Read a GraphML file; the ids of its nodes are the node names."""
    document = XmlDocument(source)
    read_document(source, document)
    numbers, names = number_names(list(document.names), source.shown)
    pairs = numbers[np.array(document.ends, np.int32).reshape(-1, 2)]
    return Graph.from_edges(pairs, len(numbers), threads=threads, name=name, node_names=names)


def read_document(source: Source, document: XmlDocument) -> None:
    """Read an XML document, and make sure that every node of an edge is in it."""
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


def _parse(source: Source, document: XmlDocument) -> None:
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
