"""What a refinement returns."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Colouring:
    """A colour for every node, from colour refinement (1-WL).

    Attributes
    ----------
    labels : int32 array of length num_nodes
        Canonical colours from 0 to `num_colours - 1`: relabelling the nodes permutes them with the nodes.
    colours_per_round : int64 array of length rounds + 1
        Number of colours at the start and after each round.
    stable : bool
        Whether a further round would change nothing.
    """

    labels: npt.NDArray[np.int32]
    colours_per_round: npt.NDArray[np.int64]
    stable: bool

    @property
    def num_colours(self) -> int:
        """Number of colours."""
        return int(self.colours_per_round[-1])

    @property
    def rounds(self) -> int:
        """Rounds after which the colours were reached; further rounds, if any were asked for, changed nothing."""
        return len(self.colours_per_round) - 1

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Number of nodes of every colour."""
        return np.bincount(self.labels, minlength=self.num_colours)

    @property
    def alpha_v(self) -> float:
        """Share of nodes that share their colour with another node; 0 for a graph without nodes."""
        alone = int(np.count_nonzero(self.sizes == 1))
        return 1 - alone / len(self.labels) if len(self.labels) else 0.0

    def __repr__(self) -> str:
        """Give the counts, not the arrays."""
        return f"Colouring(num_colours={self.num_colours}, rounds={self.rounds}, stable={self.stable})"
