"""GML files: nested lists of keys and values, of which `node` and `edge` count."""

import html
import re
from array import array
from collections.abc import Iterator

import numpy as np

from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import Graph
from edgeorbit.graph.reading.formats import Columns
from edgeorbit.graph.reading.memory import require_memory
from edgeorbit.graph.reading.node_ids import number_names
from edgeorbit.graph.reading.source import Source, shown

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
        """Return text with its characters in the place of entities such as `&amp;`."""
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


def read_gml(source: Source, name: str, columns: Columns | None, threads: int | None) -> Graph:
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
