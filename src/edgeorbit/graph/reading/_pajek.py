"""Pajek networks: numbered vertices with labels, then arcs and edges with weights, or lists of neighbours."""

import re
from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from edgeorbit._memory import require_memory
from edgeorbit._text import shown
from edgeorbit.graph.graph import MAX_NODES, Graph
from edgeorbit.graph.reading._gexf import check_weight_name, weight_of
from edgeorbit.graph.reading.node_ids import number_names
from edgeorbit.graph.reading.options import ReadOptions
from edgeorbit.graph.reading.source import Source

CELLS = re.compile(r'"[^"]*"|[^\s"]+')
BYTES_PER_VERTEX = 300  # its label, the place of that, and its name
BYTES_PER_LINK = 60
BLOCK_BYTES = 1 << 20
BYTES_PER_BYTE = 60  # of a block: lines as Python objects
PAIRS, LISTS = ("*arcs", "*edges"), ("*arcslist", "*edgeslist")


class _Network:
    """What has been read of a network so far."""

    def __init__(self, source: Source, *, has_weights: bool) -> None:
        self.source, self.has_weights = source, has_weights
        self.section = ""
        self.number = -1  # of vertices; negative before that is stated
        self.labels: dict[int, str] = {}
        self.ends = array("i")
        self.weights = array("d")

    def take(self, cells: list[str], line: int) -> None:
        """Take up the cells of a line."""
        if cells[0].startswith("*"):
            self.begin(cells, line)
        elif self.section == "*vertices":
            vertex = self.vertex(cells[0], line)
            if len(cells) > 1:
                self.labels[vertex] = cells[1].strip('"').strip()
        elif self.section in PAIRS:
            if len(cells) < 2:
                raise self.source.error(f"expected two vertices, found {shown(cells[0], 40)!r}; add the other", line)
            weight = weight_of(cells[2]) if self.has_weights and len(cells) > 2 else 1.0
            if weight is None:
                raise self.source.error(f"weight {shown(cells[2], 40)!r} is no finite number from 0; correct it", line)
            self.link(self.vertex(cells[0], line), self.vertex(cells[1], line), weight)
        elif self.section in LISTS:
            first = self.vertex(cells[0], line)
            for cell in cells[1:]:
                self.link(first, self.vertex(cell, line), 1.0)
        elif not self.section:
            raise self.source.error("expected *Vertices and their number; check that the file is a Pajek network", line)

    def begin(self, cells: list[str], line: int) -> None:
        """Begin a section."""
        section = cells[0].lower()
        if section == "*vertices":
            if self.number >= 0:
                raise self.source.error("there are several networks; give a file with one", line)
            stated = cells[1] if len(cells) > 1 else ""
            if not (stated.isascii() and stated.isdigit() and len(stated) < 11 and int(stated) <= MAX_NODES):
                raise self.source.error("expected the number of vertices after *Vertices; fill it in", line)
            self.number = int(stated)
            require_memory(self.source.shown, BYTES_PER_VERTEX * self.number)
        elif section == "*matrix":
            raise self.source.error("a *Matrix is not read; save the network with *Arcs or *Edges", line)
        elif section in PAIRS + LISTS and self.number < 0:
            raise self.source.error(f"{shown(cells[0])} comes before *Vertices; put it behind", line)
        self.section = section

    def vertex(self, cell: str, line: int) -> int:
        """Return a vertex, numbered from 0."""
        if not (cell.isascii() and cell.isdigit() and len(cell) < 11 and 1 <= int(cell) <= self.number):
            raise self.source.error(f"{shown(cell, 40)!r} is no vertex from 1 to {self.number}; correct it", line)
        return int(cell) - 1

    def link(self, first: int, second: int, weight: float) -> None:
        """Take up a link."""
        self.ends.append(first)
        self.ends.append(second)
        self.weights.append(weight)

    @property
    def needed(self) -> int:
        """The bytes that are still to be allocated for what was read."""
        return BYTES_PER_VERTEX * max(0, self.number) + BYTES_PER_LINK * len(self.weights)


def read_pajek(source: Source, name: str, options: ReadOptions, threads: int | None) -> Graph:
    """Read a Pajek network; vertices are named by their labels if all have one of their own, else by their numbers."""
    check_weight_name(source, options)
    network = _Network(source, has_weights=options.weight is not None)
    for line, text in _lines(source, network):
        cells = CELLS.findall(text)
        if cells and not cells[0].startswith("%"):
            network.take(cells, line)
    if network.number < 0:
        raise source.error("there is no line *Vertices; check that the file is a Pajek network")
    labels = [network.labels.get(vertex, "") for vertex in range(network.number)]
    if "" in labels or len(set(labels)) < len(labels):
        labels = [str(vertex + 1) for vertex in range(network.number)]
    numbers, names = number_names(labels, source.shown)
    more: dict[str, Any] = {} if options.weight is None else {"edge_weight": np.array(network.weights)}
    pairs = numbers[np.array(network.ends, np.int32).reshape(-1, 2)]
    return Graph.from_edges(pairs, network.number, threads=threads, name=name, node_names=names, **more)


def _lines(source: Source, network: _Network) -> Iterator[tuple[int, str]]:
    line = 0
    for block in source.lines(BLOCK_BYTES):
        require_memory(source.shown, BYTES_PER_BYTE * len(block) + network.needed)
        try:
            text = block.decode("utf-8-sig" if line == 0 else "utf-8")
        except UnicodeDecodeError as error:
            line += block.count(b"\n", 0, error.start) + 1
            raise source.error("is not UTF-8 text; convert the file with iconv -t UTF-8", line) from None
        for each in text.split("\n"):
            line += 1
            yield line, each
        line -= text.endswith("\n")  # what follows it begins the next line
