"""The transform that adds the orbits of nodes and edges to a PyG `Data`."""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import BaseTransform

from edgeorbit.errors import GraphFormatError, InvalidParameterError
from edgeorbit.graph.convert import from_edge_index
from edgeorbit.graph.graph import Graph
from edgeorbit.orbits.colouring import Colouring
from edgeorbit.orbits.edge_orbits import edge_orbits
from edgeorbit.orbits.refine import check_rounds, refine


@functional_transform("add_orbits")
class AddOrbits(BaseTransform):
    """Add `node_orbit` and `edge_orbit` to a homogeneous `Data` (functional name: `add_orbits`).

    `node_orbit` is the colour of every node by colour refinement (1-WL); `edge_orbit` is the number of the unordered
    pair of colours of every column of `edge_index`. Both are numbered from 0 without gaps, and the numbers do not
    depend on the order of nodes or columns. No message-passing model that starts from the same colours can tell two
    nodes, or score two edges, of one orbit differently. All other attributes stay as they are.

    Parameters
    ----------
    rounds : int, optional
        Rounds of refinement: what a network of so many layers can tell apart (GCN's degree normalisation is worth one
        round more). By default until the colours are stable.
    initial : str, tensor or array, optional
        Colours to start from: None (all nodes alike), `"degree"`, the name of any other attribute of the `Data` with a
        value or a row per node, such as `"y"` or `"x"` (nodes with equal rows start alike), or a tensor of that shape.
    sizes : bool
        Whether to add `node_orbit_size` and `edge_orbit_size` too: for every node the number of nodes of its orbit, and
        for every column the number of undirected edges of its orbit, as orbit-wise dropout needs them.

    Raises
    ------
    GraphFormatError
        If the `Data` has no `edge_index`, or one that is no graph.
    InvalidParameterError
        If `rounds` is negative, `initial` does not fit the `Data`, or what is given is not a `Data`.

    Notes
    -----
    The graph is read as undirected and simple, whatever its `edge_index` looks like: columns may stand in any order,
    repeat, or be there in one direction only. Equal or opposite columns get equal numbers and count as one edge.
    Weights and features of edges are not looked at.

    A self-loop changes neither the colours nor the orbits of other edges. Self-loops have orbits of their own, numbered
    after all others, one for every colour with a self-loop. If only some nodes have self-loops and messages pass along
    them, start from an attribute that says which.

    Orbits of different graphs are numbered apart, and batching does not shift the numbers. A `Batch` that is given
    itself is taken as one graph, the disjoint union of its parts, so that equal numbers mean the same in all of them;
    `Batch.to_data_list` knows nothing of what is added.

    Orbits are those of the `edge_index` that is there. For link prediction add them to the parts of a split, after
    `RandomLinkSplit`: those of the whole graph know the edges that were held out.

    Examples
    --------
    >>> path = Data(edge_index=torch.tensor([[0, 1, 2, 3], [1, 2, 3, 3]]), num_nodes=4)
    >>> data = AddOrbits(sizes=True)(path)
    >>> data.node_orbit.tolist(), data.node_orbit_size.tolist()
    ([0, 1, 1, 0], [2, 2, 2, 2])
    >>> data.edge_orbit.tolist(), data.edge_orbit_size.tolist()
    ([0, 1, 0, 2], [2, 1, 2, 1])
    """

    def __init__(self, rounds: int | None = None, initial: Any = None, sizes: bool = False) -> None:
        self.rounds = check_rounds(rounds)
        self.initial = initial
        self.sizes = sizes

    def forward(self, data: Data) -> Data:
        """Add the attributes; calling the transform itself does so to a shallow copy."""
        edge_index = _edge_index(data)
        graph = from_edge_index(edge_index, data.num_nodes)
        colouring = refine(graph, self.rounds, self._initial_colours(data, graph.num_nodes))
        columns = edge_index.numpy().astype(np.int64, copy=False)  # an empty one may be of any type
        edge_orbit = _number_columns(columns, colouring.labels)
        added: dict[str, npt.NDArray[Any]] = {"node_orbit": colouring.labels, "edge_orbit": edge_orbit}
        if self.sizes:
            added["node_orbit_size"] = colouring.sizes[colouring.labels]
            added["edge_orbit_size"] = _orbit_sizes(graph, colouring, columns)[edge_orbit]
        for name, values in added.items():
            data[name] = torch.from_numpy(values.astype(np.int64)).to(data.edge_index.device)
        return data

    def __repr__(self) -> str:
        """Give the settings; of colours that are given, only their shape."""
        initial = repr(self.initial)
        if self.initial is not None and not isinstance(self.initial, str):
            initial = f"<values of shape {tuple(np.shape(self.initial))}>"
        return f"{type(self).__name__}(rounds={self.rounds}, initial={initial}, sizes={self.sizes})"

    def _initial_colours(self, data: Data, num_nodes: int) -> str | npt.NDArray[Any] | None:
        """Return the colours to start from, as `refine` takes them."""
        if self.initial is None or (isinstance(self.initial, str) and self.initial == "degree"):
            return self.initial
        values, called = self.initial, "initial"
        if isinstance(self.initial, str):
            values, called = data.get(self.initial), f"initial {self.initial!r}"
            if values is None:
                raise InvalidParameterError(
                    f"{called} is neither 'degree' nor an attribute of this Data, which has {', '.join(_named(data))}"
                )
        array = _to_numpy(values)
        if array.ndim == 0 or len(array) != num_nodes:
            raise InvalidParameterError(
                f"{called} has shape {array.shape}; give a value or a row for each of the {num_nodes} nodes"
            )
        return array


def _edge_index(data: Any) -> Tensor:
    """Return the edge index in main memory, after checking that there is one."""
    if not isinstance(data, Data):
        raise InvalidParameterError(
            f"AddOrbits takes a homogeneous Data, not {type(data).__name__}; "
            "from a HeteroData make one with to_homogeneous(), and start from its 'node_type'"
        )
    edge_index = data.edge_index
    if not isinstance(edge_index, Tensor) or edge_index.layout is not torch.strided:
        raise GraphFormatError(
            f"this Data has {'no' if edge_index is None else 'a sparse'} edge_index; "
            "put AddOrbits before the transform that replaces the two rows of node numbers"
        )
    return edge_index.detach().cpu()


def _number_columns(columns: npt.NDArray[np.int64], colour: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return the orbit of every column: pairs of colours in ascending order, then the colours of self-loops."""
    first, second = colour[columns].astype(np.int64)
    num_colours = int(colour.max(initial=0)) + 1
    pair = np.minimum(first, second) * num_colours + np.maximum(first, second)
    # An edge between two nodes of a colour has the same pair of colours as their self-loops, hence the numbers beyond.
    key = np.where(columns[0] == columns[1], num_colours * num_colours + first, pair)
    return np.unique(key, return_inverse=True)[1]


def _orbit_sizes(graph: Graph, colouring: Colouring, columns: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the number of undirected edges, or of nodes with a self-loop, of every orbit of `_number_columns`."""
    with_loop = np.unique(columns[0, columns[0] == columns[1]])
    _, loop_sizes = np.unique(colouring.labels[with_loop], return_counts=True)
    return np.concatenate([edge_orbits(graph, colouring).orbit_sizes, loop_sizes])


def _to_numpy(values: Any) -> npt.NDArray[Any]:
    if not isinstance(values, Tensor):
        return np.asarray(values)
    dense = values.detach().to_dense().cpu()
    # numpy has no bfloat16, and each of its values is one of float32
    return np.asarray(dense.float() if dense.dtype is torch.bfloat16 else dense)


def _named(data: Data) -> list[str]:
    """Return the names of the attributes with a value or a row per node, or say that there are none."""
    return sorted(data.node_attrs()) or ["none with a value per node"]
