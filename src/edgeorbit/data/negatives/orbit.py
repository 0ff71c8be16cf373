"""Orbit negatives: non-edges that message passing cannot distinguish from the positive that they belong to."""

from typing import Any

import numpy as np
import numpy.typing as npt

from edgeorbit._randomness import Random
from edgeorbit.data.negatives.bounds import LENGTH, oracle_bounds
from edgeorbit.data.negatives.non_edges import NonEdges, draw_distinct
from edgeorbit.data.splits.split import LinkSplit, Negatives, Part
from edgeorbit.errors import InvalidParameterError


def orbit_negatives(
    split: LinkSplit,
    seed: int,
    per_positive: int = 50,
    rounds: int | None = None,
    *,
    walk_length: int = LENGTH,
    bounds: bool = True,
    exact: bool = False,
) -> Negatives:
    """Draw for each held-out edge non-edges of the same WL edge orbit.

    A negative has the same unordered pair of colours as its positive, by the colours of the training graph. It is no
    edge of the whole graph; a validation negative can be a test edge (`LinkSplit.known`). A message-passing model that
    starts from equal features gives it the same score, so such a model is at chance here; what a method gains, it gains
    by seeing more. All non-edges of an orbit are equally likely, and a positive gets all of them if there are at most
    `per_positive`. No pairs are listed, however large an orbit.

    Parameters
    ----------
    split
        The split.
    seed
        The same seed gives the same negatives, on every machine.
    per_positive
        Largest number of negatives of a positive.
    rounds
        Rounds of colour refinement: what a network of so many layers sees. None for stable colours.
    walk_length
        Longest walks that are counted for the bounds.
    bounds
        Whether the bounds are computed, which takes longer than drawing.
    exact
        Whether that of the automorphism group is among them, which takes longer still.

    Returns
    -------
    Negatives
        Of shape (p, per_positive, 2), filled up with pairs (-1, -1). The two nodes of a negative are in the order of
        colours of its positive, or, if these are equal, in its order of node numbers: so the order gives nothing away.

        Its `info` has `seed`, `per_positive`, `rounds` (None if stable), `num_colours`, and for each part a mapping
        with `covered` (the share of positives that have any), `mean_negatives` (over all positives) and `bounds` (see
        `oracle_bounds`; None if no positive has any).

    Examples
    --------
    A cycle with an edge held out is a path, whose ends are the only two nodes of their colour:

    >>> from edgeorbit import Graph
    >>> path = Graph.from_edges([[i, i + 1] for i in range(5)])
    >>> split = LinkSplit(path, np.array([[0, 5]]), np.array([[1, 3]]))
    >>> negatives = orbit_negatives(split, seed=0, per_positive=3)
    >>> negatives.valid.tolist()
    [[[-1, -1], [-1, -1], [-1, -1]]]
    >>> sorted(negatives.test.tolist()[0])
    [[-1, -1], [-1, -1], [4, 2]]
    >>> negatives.info["test"]["covered"]
    1.0
    """
    if per_positive < 1:
        raise InvalidParameterError(f"per_positive is a number of negatives from 1, not {per_positive}")
    from edgeorbit.orbits.refine import refine

    colouring = refine(split.graph, rounds)
    info: dict[str, Any] = {
        "seed": seed,
        "per_positive": per_positive,
        "rounds": rounds,
        "num_colours": colouring.num_colours,
    }

    def drawn(part: Part) -> npt.NDArray[np.int64]:
        positives, found_bounds = split.positives(part), None
        non_edges = NonEdges(split.known(part), colouring.labels, positives)
        orbit = non_edges.orbit_of(positives)
        available = non_edges.counts[orbit]
        number = draw_distinct(Random(seed, f"orbit negatives, {part}"), available, per_positive)
        row, place = np.nonzero(number >= 0)
        pairs = non_edges.at(orbit[row], number[row, place])
        negatives = np.full((len(positives), per_positive, 2), -1)
        negatives[row, place] = _in_order_of(positives[row], pairs, colouring.labels)
        if bounds:
            found_bounds = oracle_bounds(split.graph, positives, negatives, walk_length, orbit, exact=exact)
        info[part] = {
            "covered": float(np.mean(available > 0)) if len(positives) else 0.0,
            "mean_negatives": float(np.mean(np.minimum(available, per_positive))) if len(positives) else 0.0,
            "bounds": found_bounds,
        }
        return negatives

    return Negatives("orbit", drawn("valid"), drawn("test"), info)


def _in_order_of(
    positives: npt.NDArray[np.int64], negatives: npt.NDArray[np.int64], colours: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Turn negatives around whose order of colours, or else of node numbers, is not that of their positive."""
    colour, other = colours[positives], colours[negatives[:, 0]]
    ascending = (positives[:, 0] < positives[:, 1]) == (negatives[:, 0] < negatives[:, 1])
    right = np.where(colour[:, 0] == colour[:, 1], ascending, colour[:, 0] == other)
    return np.where(right[:, None], negatives, negatives[:, ::-1])
