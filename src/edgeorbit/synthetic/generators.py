"""The table of generators: what each is called, how it is made, and what turns its EAR down.

To add one, write a function from parameters to a `Graph` (with `seed` among them if it draws, `of` if it is made from
another graph) and add a line.
"""

import difflib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph import families
from edgeorbit.graph.graph import MAX_NODES, Graph, Origin, disjoint_union
from edgeorbit.graph.node_pairs import pair_keys

Knob = Literal["edges", "swaps", "twins"]
PREFIX = "syn-"  # syn-X are copies of X, whatever X is
TRIES = 50  # random partners for a pair that must change
SHAPES = {
    "triangular": families.triangular_lattice,
    "square": lambda rows, columns: families.grid(rows + 1, columns + 1),
}


@dataclass(frozen=True, slots=True)
class Generator:
    """One generator.

    Attributes
    ----------
    name : str
        The name it is asked for by.
    build : callable
        Makes the graph.
    knob : str
        What lowers the EAR of the graph: added `edges`, or `swaps`, which keep every degree.
    fixed : mapping
        Parameters that the name stands for.
    """

    name: str
    build: Callable[..., Graph]
    knob: Knob = "edges"
    fixed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """What it makes, in one sentence."""
        sentence = (self.build.__doc__ or "").split("\n", 1)[0].removeprefix("Return ")
        return sentence[:1].upper() + sentence[1:]

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """What can be chosen, apart from the source and the seed."""
        chosen = inspect.signature(self.build).parameters
        return {name: parameter for name, parameter in chosen.items() if name not in {"of", "seed", *self.fixed}}

    @property
    def takes_source(self) -> bool:
        """Whether it is made from another graph."""
        return "of" in inspect.signature(self.build).parameters

    def settings(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of all parameters: those given, and the defaults of the others."""
        defaults = {name: parameter.default for name, parameter in self.parameters.items()}
        return {**defaults, **self.fixed, **parameters}

    def make(self, seed: int, of: Graph | None, parameters: Mapping[str, Any]) -> Graph:
        """Make the graph, after checking the parameters."""
        unknown = next((name for name in parameters if name not in self.parameters), None)
        if unknown is not None:
            known = ", ".join(self.parameters) or "none"
            raise InvalidParameterError(f"{self.name} has no parameter {unknown!r}; its parameters are: {known}")
        for name, value in parameters.items():
            if isinstance(value, int) and value > MAX_NODES:
                raise InvalidParameterError(f"{name} of {self.name} must be at most {MAX_NODES:,}, not {value:,}")
        if self.takes_source and of is None:
            raise InvalidParameterError(f"{self.name} is made from another graph; say which, for instance --of cora")
        if not self.takes_source and of is not None:
            raise InvalidParameterError(f"{self.name} is not made from another graph; leave --of out")
        given = {**self.fixed, **parameters, **({"of": of} if self.takes_source else {})}
        if "seed" in inspect.signature(self.build).parameters:
            given["seed"] = seed
        return self.build(**given)


def resolve_generator(name: str) -> tuple[Generator, str | None]:
    """Return the generator of a name, and for `syn-X` the name or file X of its source.

    >>> resolve_generator("grid")[0].knob
    'swaps'
    >>> resolve_generator("syn-cora")[1]
    'cora'
    """
    if name.lower() in GENERATORS:
        return GENERATORS[name.lower()], None
    if name.lower().startswith(PREFIX) and len(name) > len(PREFIX):
        return GENERATORS["disjoint-copies"], name[len(PREFIX) :]
    near = difflib.get_close_matches(name.lower(), [*GENERATORS, f"{PREFIX}cora", f"{PREFIX}citeseer"], n=1)
    there = f"did you mean {near[0]}? There" if near else "there"
    raise InvalidParameterError(
        f"{name!r} is not a generator; {there} are {', '.join(GENERATORS)}, and {PREFIX}<graph file or data set>"
    )


def itself(of: Graph) -> Graph:
    """A graph as it is, whose nodes or pendant parts are cloned: the more twins, the higher the EAR."""
    return of


def disjoint_copies(of: Graph, copies: int = 2) -> Graph:
    """Copies of a graph side by side, with its features: without added edges, every link has a twin and EAR is 1.

    Node `v` of copy `i` is called `i * of.num_nodes + v`.

    >>> pair = disjoint_copies(Graph.from_edges([[0, 1]]))
    >>> pair.edges.tolist(), pair.origin.copy.tolist(), pair.origin.original.tolist()
    ([[0, 1], [2, 3]], [0, 0, 1, 1], [0, 1, 0, 1])
    """
    if copies < 1:
        raise InvalidParameterError(f"copies must be at least 1, not {copies}")
    if copies * of.num_nodes > MAX_NODES:
        raise InvalidParameterError(
            f"{copies:,} copies of {of.name} have {copies * of.num_nodes:,} nodes; ask for at most {MAX_NODES:,}"
        )
    known = of.origin or Origin.plain(of.num_nodes, of.num_edges)
    nodes = np.tile(np.arange(of.num_nodes, dtype=np.int32), copies)
    copy = np.repeat(np.arange(copies, dtype=np.int32), of.num_nodes)
    twin_of = np.tile(known.twin_of, copies)
    origin = Origin(
        edge_kind=np.tile(known.edge_kind, copies),
        copy=copy,
        original=nodes,
        twin_of=np.where(twin_of < 0, -1, twin_of + copy * np.int32(of.num_nodes)).astype(np.int32),
    )
    return disjoint_union([of] * copies, name=of.name).with_attributes(origin=origin)


def rewired_lattice(shape: str = "triangular", rows: int = 50, columns: int = 80) -> Graph:
    """A lattice of triangles or squares; swaps take its symmetry away and keep every degree.

    >>> rewired_lattice().num_edges, rewired_lattice("square", 2, 3).num_nodes
    (6090, 12)
    """
    if shape not in SHAPES:
        raise InvalidParameterError(f"a lattice of shape {shape!r} is unknown; choose from {', '.join(SHAPES)}")
    return SHAPES[shape](rows, columns)


def lobster(length: int = 20, legs: int = 4, claws: int = 3, seed: int = 0) -> Graph:
    """A path whose nodes carry random numbers of legs, up to `legs`, that end in up to `claws` leaves.

    The nodes of the path mostly differ, the leaves of one leg look alike.

    >>> lobster(length=100).num_nodes
    671
    """
    if length < 1 or legs < 0 or claws < 0:
        raise InvalidParameterError(
            f"a lobster needs length >= 1, legs >= 0 and claws >= 0, not {length}, {legs} and {claws}"
        )
    random = Random(seed, "lobster")
    spine = np.arange(length)
    hips = np.repeat(spine, random.below(np.full(length, legs + 1)))
    feet = length + np.arange(len(hips))
    ankles = np.repeat(feet, random.below(np.full(len(hips), claws + 1)))
    leaves = length + len(hips) + np.arange(len(ankles))
    edges = [np.stack([spine[:-1], spine[1:]]), np.stack([hips, feet]), np.stack([ankles, leaves])]
    return Graph.from_edges(np.concatenate(edges, axis=1).T, length + len(hips) + len(ankles), name="lobster")


def random_tree(nodes: int = 1000, seed: int = 0) -> Graph:
    """A random recursive tree: every node hangs on one of the nodes before it.

    >>> random_tree(100).num_edges
    99
    """
    if nodes < 1:
        raise InvalidParameterError(f"a tree has at least 1 node, not {nodes}")
    child = np.arange(1, nodes)
    return Graph.from_edges(
        np.stack([Random(seed, "random tree").below(child), child], axis=1), nodes, name="random-tree"
    )


def random_regular(nodes: int = 1000, degree: int = 3, seed: int = 0) -> Graph:
    """A random graph in which every node has the same degree, so that EAR is 1.

    Stubs are paired at random; pairs that join a node to itself or repeat another one exchange an end with a random
    other one, until there are none.

    >>> set(random_regular(50, 4).degree.tolist())
    {4}
    """
    if not 0 <= degree < max(nodes, 1) or nodes * degree % 2:
        raise InvalidParameterError(
            f"no graph of {nodes} nodes is {degree}-regular; the degree must be below the number of nodes, and one of "
            "the two even"
        )
    if degree > (nodes - 1) // 2:  # few pairs are free then; those of the complement are many
        pairs = _pair_stubs(nodes, nodes - 1 - degree, Random(seed, "random regular"))
        upper = np.triu(np.ones((nodes, nodes), bool), 1)
        upper[pairs[:, 0], pairs[:, 1]] = False
        pairs = np.argwhere(upper)
    else:
        pairs = _pair_stubs(nodes, degree, Random(seed, "random regular"))
    return Graph.from_edges(pairs, nodes, name="random-regular")


def _pair_stubs(nodes: int, degree: int, random: Random) -> npt.NDArray[np.int64]:
    """Return pairs `(u, v)` with `u < v`, all different, in which every node occurs `degree` times."""
    stubs = np.repeat(np.arange(nodes), degree)
    first, second = stubs[random.permutation(len(stubs))].reshape(2, -1).tolist()
    while bad := _bad(first, second, nodes):
        taken = set(pair_keys(first, second, nodes).tolist())
        for place in bad:
            for _ in range(TRIES):
                other = int(random.one() * len(first))
                a, b, c, d = first[place], second[place], first[other], second[other]
                keys = {min(a, d) * nodes + max(a, d), min(b, c) * nodes + max(b, c)}
                if a != d and b != c and len(keys) == 2 and taken.isdisjoint(keys):
                    break
            taken |= keys
            second[place], second[other] = d, b  # after so many tries whatever it is, to get away from here
    return np.sort(np.array([first, second], np.int64).T, axis=1)


def _bad(first: list[int], second: list[int], nodes: int) -> list[int]:
    """Return the places of pairs that are loops or stand at an earlier place already."""
    keys = pair_keys(first, second, nodes)
    bad = np.ones(len(keys), bool)
    bad[np.unique(keys, return_index=True)[1]] = False
    bad |= np.equal(first, second)
    return np.flatnonzero(bad).tolist()


def barabasi_albert(nodes: int = 1000, links: int = 2, seed: int = 0) -> Graph:
    """A graph grown node by node; each new one is linked to `links` others, chosen by their degree.

    It begins with a star of `links + 1` nodes.

    >>> barabasi_albert(100, 2).num_edges
    196
    """
    if not 1 <= links < nodes:
        raise InvalidParameterError(f"links must be at least 1 and below the number of nodes, {nodes}, not {links}")
    random = Random(seed, "barabasi albert")
    ends = [node for leaf in range(1, links + 1) for node in (0, leaf)]
    for node in range(links + 1, nodes):
        chosen: dict[int, None] = {}
        while len(chosen) < links:
            chosen[ends[int(random.one() * len(ends))]] = None
        ends += [end for other in chosen for end in (other, node)]
    return Graph.from_edges(np.array(ends).reshape(-1, 2), nodes, name="barabasi-albert")


GENERATORS: dict[str, Generator] = {
    generator.name: generator
    for generator in [
        Generator("disjoint-copies", disjoint_copies),
        Generator("twins", itself),
        Generator("rewired-lattice", rewired_lattice, "swaps"),
        Generator("syn-triangle", rewired_lattice, "swaps", {"shape": "triangular", "rows": 50, "columns": 80}),
        Generator("lobster", lobster),
        Generator("tree", families.tree),
        Generator("random-tree", random_tree),
        Generator("grid", families.grid, "swaps"),
        Generator("cycle", families.cycle),
        Generator("prism", families.prism),
        Generator("random-regular", random_regular),
        Generator("barabasi-albert", barabasi_albert),
    ]
}
