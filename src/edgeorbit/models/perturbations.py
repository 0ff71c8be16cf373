"""Perturbations of the graph that a network is trained on, found by name: what D1 is compared with.

A perturbation takes away edges or features of the inputs of every training step, and of nothing else: what is evaluated
and predicted sees the whole graph. All draws come from PyTorch's generator, which a step seeds, so that a run that goes
on from a checkpoint draws the same.

To add one, write a subclass of `Perturbation` in `perturbation_kinds.py`, with its citation, and add a line to
`PERTURBATIONS`. The tests of all models take it up from there.

=============  =====================================================================  ==============================
name           what is dropped                                                        what is left
=============  =====================================================================  ==============================
`dropedge`     edges, all with the same probability                                   edges of weight 1
`dropnode`     features of nodes, all with the same probability                       features times `1 / (1 - p)`
`droppath`     edges that random walks cross                                          edges of weight 1
`adaedge`      edges, the likelier the less alike the features of their ends are      edges of weight 1
`d1`           features and edges, the likelier the larger their orbit is             edges of weight `1 / (1 - p)`
`d1-uniform`   features and edges, all with the mean probability that `d1` has        edges of weight `1 / (1 - p)`
=============  =====================================================================  ==============================
"""

from typing import TYPE_CHECKING

from edgeorbit.errors import InvalidParameterError

if TYPE_CHECKING:
    from edgeorbit.models.perturbation_kinds import Perturbation

# By name, the class in `perturbation_kinds`, imported when asked for: settings are checked where there is no PyTorch.
PERTURBATIONS = {
    "dropedge": "DropEdge",
    "dropnode": "DropNode",
    "droppath": "DropPath",
    "adaedge": "AdaEdge",
    "d1": "D1",
    "d1-uniform": "D1Uniform",
}

__all__ = ["PERTURBATIONS", "check_perturbation", "make_perturbation"]


def check_perturbation(name: str, rate: float) -> None:
    """Refuse a name that there is not, unless it is empty, and a rate that is no probability below 1.

    Raises
    ------
    InvalidParameterError
        One sentence, with the choices or the bounds.
    """
    if name and name not in PERTURBATIONS:
        raise InvalidParameterError(f"there is no perturbation {name!r}; choose from {', '.join(PERTURBATIONS)}")
    if not 0 <= rate < 1:
        raise InvalidParameterError(f"perturbation_rate must be at least 0 and below 1, not {rate}")


def make_perturbation(name: str, rate: float) -> "Perturbation | None":
    """Make a perturbation by name; None if the name is empty.

    Parameters
    ----------
    name
        A name of `PERTURBATIONS`, or an empty one.
    rate
        The mean probability that an edge, or the features of a node, are dropped.

    Raises
    ------
    InvalidParameterError
        If there is no perturbation of that name, or the rate is no probability below 1.

    Examples
    --------
    >>> make_perturbation("dropedge", 0.2)
    DropEdge(rate=0.2)
    """
    check_perturbation(name, rate)
    if not name:
        return None
    from edgeorbit.models import perturbation_kinds

    perturbation: type[Perturbation] = getattr(perturbation_kinds, PERTURBATIONS[name])
    return perturbation(rate)
