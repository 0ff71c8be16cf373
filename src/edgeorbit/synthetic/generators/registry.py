"""The table of generators: what each is called, how it is made, and what turns its EAR down.

To add one, write a function from parameters to a `Graph` (with `seed` among them if it draws, `of` if it is made from
another graph) and add a line.
"""

import difflib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph import families
from edgeorbit.graph.graph import MAX_NODES, Graph
from edgeorbit.synthetic.generators.copies import disjoint_copies
from edgeorbit.synthetic.generators.lattices import rewired_lattice
from edgeorbit.synthetic.generators.lobster import lobster
from edgeorbit.synthetic.generators.random_graphs import barabasi_albert, random_regular, random_tree

Knob = Literal["edges", "swaps", "twins"]
PREFIX = "syn-"  # syn-X are copies of X, whatever X is


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


def itself(of: Graph) -> Graph:
    """A graph as it is, whose nodes or pendant parts are cloned: the more twins, the higher the EAR."""
    return of


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
        f"{name!r} is no generator; {there} are {', '.join(GENERATORS)}, and {PREFIX}<graph file or data set>"
    )
