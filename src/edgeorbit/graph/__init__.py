"""Graphs: the type, its construction from edges, conversion, reading and writing."""

from edgeorbit.graph.graph import Graph

__all__ = ["Graph"]
