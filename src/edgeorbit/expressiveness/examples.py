"""Two edges of one orbit as an example, by the user's own names of their nodes."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit.graph.graph import Graph

Name = int | str


@dataclass(frozen=True)
class EdgePair:
    """Two edges of one orbit, and their scores in one draw of weights."""

    first: tuple[Name, Name]
    second: tuple[Name, Name]
    scores: tuple[float, float]

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return asdict(self)

    def __str__(self) -> str:
        """Write the edges and their scores, with as many digits as tell them apart."""
        (a, b), (c, d) = self.first, self.second
        one, two = next(
            both for digits in (4, 7, 10, 17) if (both := _both(self.scores, digits))[0] != both[1] or digits == 17
        )
        if self.scores[0] == self.scores[1] or one == two:
            one = two = f"{self.scores[0]:.4g}"
        return f"{a}-{b} ({one}) and {c}-{d} ({two})"


def _both(scores: tuple[float, float], digits: int) -> tuple[str, str]:
    return f"{scores[0]:.{digits}g}", f"{scores[1]:.{digits}g}"


def names_of(graph: Graph, pair: npt.NDArray[np.integer[Any]]) -> tuple[Name, Name]:
    """Return the user's own names of two nodes.

    >>> names_of(Graph.from_edges([[0, 1]], node_names=np.array(["a", "b"])), np.array([1, 0]))
    ('b', 'a')
    """
    first, second = (name if isinstance(name, int) else str(name) for name in graph.names(pair).tolist())
    return first, second
