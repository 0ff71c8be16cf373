"""Generators: functions that make a graph, by name."""

from edgeorbit.synthetic.generators.registry import GENERATORS, Generator, resolve_generator

__all__ = ["GENERATORS", "Generator", "resolve_generator"]
