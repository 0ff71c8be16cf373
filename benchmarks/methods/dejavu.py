"""dejavu's colour refinement in C++, called past its Python wrapper, which hands over edges one by one.

What is timed is `random_paths` of length 0: it takes over the edges that were handed to it, refines the colouring
with one colour, and keeps the result.
"""

import ctypes
from typing import Any

import dejavu_gi
import numba
import numpy as np

from benchmarks.methods import Outcome, Task

_INT = ctypes.c_int


def _function(name: str, *arguments: Any) -> Any:
    function = getattr(dejavu_gi.dejavuc, name)
    function.argtypes, function.restype = arguments, _INT
    return function


_create = _function("graph_create", _INT)
_add_edge = _function("graph_add_edge", _INT, _INT, _INT)
_label = _function("graph_label", _INT, _INT, _INT)
_random_paths = _function("random_paths", _INT, _INT, _INT, ctypes.c_bool)
_colour_of = _function("path_get_vertex_color", _INT, _INT, _INT)


@numba.njit  # calls by address cannot be cached on disk
def _hand_over(handle, num_nodes, edges):
    for i in range(len(edges)):
        _add_edge(handle, edges[i, 0], edges[i, 1])
    for node in range(num_nodes):
        _label(handle, node, 0)


@numba.njit
def _num_colours(handle, num_nodes):
    seen = np.zeros(num_nodes, np.bool_)
    for node in range(num_nodes):
        seen[_colour_of(handle, 0, node)] = True  # a colour is the number of a node's place
    return seen.sum()


def prepare(task: Task) -> Any:
    """Hand the edges over."""
    handle = _create(task.graph.num_nodes)
    _hand_over(handle, task.graph.num_nodes, task.graph.edges)
    return handle, task.graph.num_nodes


def run(state: Any) -> int:
    """Refine."""
    handle, _ = state
    return int(_random_paths(handle, 0, 1, False))


def outcome(state: Any, path: int) -> Outcome:
    """Count the colours."""
    return Outcome(int(_num_colours(path, state[1])))
