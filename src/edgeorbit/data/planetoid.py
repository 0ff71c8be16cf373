"""Cora, CiteSeer and PubMed from the raw files of Planetoid (Yang et al. 2016).

The files are Python 2 pickles. A pickle can run code, so the registry gives the digest that each must have, and even
then they are opened by an unpickler that knows six globals and no others.
"""

import io
import pickle
from collections import defaultdict
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.data.files import RawFile
from edgeorbit.errors import GraphFormatError
from edgeorbit.graph.graph import Graph

PARTS = ("x", "y", "tx", "ty", "allx", "ally", "graph", "test.index")


def _allowed_globals() -> dict[tuple[str, str], Any]:
    from numpy._core.multiarray import _reconstruct

    return {
        ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): np.dtype,
        # Only the arrays of the matrix are wanted, so scipy's class need not understand a state of ten years ago.
        ("scipy.sparse.csr", "csr_matrix"): SimpleNamespace,
        ("collections", "defaultdict"): defaultdict,
        ("__builtin__", "list"): list,
    }


class PlanetoidUnpickler(pickle.Unpickler):
    """An unpickler that rejects every global but those in Planetoid's files."""

    def __init__(self, content: bytes) -> None:
        """Read from `content`, as Python 2 wrote it."""
        super().__init__(io.BytesIO(content), encoding="latin1")
        self.allowed = _allowed_globals()

    def find_class(self, module: str, name: str) -> Any:
        """Return an allowed global."""
        try:
            return self.allowed[module, name]
        except KeyError:
            raise GraphFormatError(
                f"a Planetoid pickle asks for {module}.{name}, which is not part of the format; fetch the file again"
            ) from None


def parse_planetoid(raw: Mapping[str, RawFile], name: str) -> Graph:
    """Build the graph from its raw files, by part (`allx`, `graph`, `test.index`, ...).

    Nodes, features and labels are those of PyG: the test nodes are listed in `test.index` in shuffled order, and
    15 of CiteSeer's are not listed at all; they have edges, and get empty features and label 0.
    """
    part = {key: PlanetoidUnpickler(file.content).load() for key, file in raw.items() if key != "test.index"}
    shuffled = np.array(raw["test.index"].content.split(), np.int64)
    first, present = len(part["ally"]), np.sort(shuffled)
    num_nodes = int(present[-1]) + 1

    # Row i of tx and ty belongs to the i-th test node in ascending order ...
    stacked = np.full(num_nodes, -1)
    stacked[:first] = np.arange(first)
    stacked[present] = first + np.arange(len(present))
    # ... and what lies at the i-th smallest test index belongs to the i-th index of the file.
    order = np.arange(num_nodes)
    order[shuffled] = present
    row_of_node = stacked[order]

    one_hot = np.concatenate([part["ally"], part["ty"], np.zeros_like(part["ty"][:1])])
    return Graph.from_edges(
        pairs := _edges(part["graph"]),
        num_nodes,
        x=_rows(part["allx"], part["tx"], row_of_node),
        y=one_hot.argmax(axis=1)[row_of_node],
        name=name,
    ).with_attributes(self_loops=_num_loops(part["graph"], pairs))


def _edges(neighbours: Mapping[int, list[int]]) -> npt.NDArray[np.int64]:
    """Return each edge as often as it was cited: it is listed at both of its ends, so one end is enough."""
    sources = np.repeat(np.fromiter(neighbours, np.int64), [len(targets) for targets in neighbours.values()])
    targets = np.concatenate([np.array(targets, np.int64) for targets in neighbours.values()])
    return np.stack([sources, targets], axis=1)[sources < targets]


def _num_loops(neighbours: Mapping[int, list[int]], pairs: npt.NDArray[np.int64]) -> int:
    return sum(map(len, neighbours.values())) // 2 - len(pairs)  # a loop is listed twice at its one node


def _rows(first: SimpleNamespace, second: SimpleNamespace, row_of_node: npt.NDArray[np.int64]) -> Any:
    """Return the rows of two stacked CSR matrices in the given order; row -1 is an empty one."""
    import scipy.sparse

    indptr = np.concatenate([first.indptr, first.indptr[-1] + second.indptr[1:], first.indptr[-1:] * 0])
    indptr[-1] = indptr[-2]
    data = np.concatenate([first.data, second.data]).astype(np.float32)
    indices = np.concatenate([first.indices, second.indices])
    stacked = scipy.sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, first._shape[1]))
    chosen = stacked[row_of_node]
    chosen.sort_indices()
    return chosen
