"""The search for the amounts of moves that bring EAR to a target. It measures every graph; it trusts no formula."""

import math
from collections.abc import Callable
from typing import NamedTuple

from edgeorbit.errors import InvalidParameterError
from edgeorbit.measures.ear import ear
from edgeorbit.synthetic.construction import Amounts, Construction
from edgeorbit.synthetic.generators import Knob

TOLERANCE = 0.01
MOST_EDGES = 4  # added edges, as a multiple of the edges of the base: more would bury it
POLISH = 200  # edges or twins tried one by one where a single one carries EAR past the target
POLISH_FIRST = 25  # the same with stable colours, where twins can make up for it: there one edge changes nearly all


class Reached(NamedTuple):
    """Amounts of moves, and the EAR that was measured with them."""

    amounts: Amounts
    ear: float


class Passage(NamedTuple):
    """What a search along one knob found: the nearest graph, and the first one at or beyond the target, if any."""

    nearest: Reached
    beyond: Reached | None


class Dial:
    """A construction whose EAR is searched, at some rounds of colour refinement or stable.

    Parameters
    ----------
    construction
        The base graph and its moves.
    rounds
        Rounds of colour refinement; None for stable colours.
    progress
        Called with the amounts and the EAR of every graph that was measured.
    """

    def __init__(
        self,
        construction: Construction,
        rounds: int | None,
        progress: Callable[[Amounts, float], None] | None = None,
    ) -> None:
        self.construction, self.rounds, self.progress = construction, rounds, progress
        self._measured: dict[Amounts, float] = {}

    def measure(self, amounts: Amounts) -> Reached:
        """Measure the EAR of a graph, unless it was measured before."""
        if amounts not in self._measured:
            graph = self.construction.bare(amounts)
            self._measured[amounts] = ear(graph, rounds=self.rounds, threads=self.construction.threads)
            if self.progress is not None:
                self.progress(amounts, self._measured[amounts])
        return Reached(amounts, self._measured[amounts])

    def turn(self, target: float, start: Amounts, lower: Knob | None, raise_: Knob | None) -> Reached:
        """Return the graph nearest to the target that the knobs reach.

        Parameters
        ----------
        target
            The EAR that is wanted.
        start
            The amounts to begin with.
        lower
            The knob that is turned while EAR is above the target.
        raise_
            The knob that is turned while EAR is below the target, also after the first one has gone past it.
        """
        nearest = self.measure(start)
        below: Reached | None = nearest
        if nearest.ear > target and not near(nearest, target):
            if lower is None:
                return nearest
            polish = POLISH if raise_ is None or self.rounds is not None else POLISH_FIRST
            nearest, below = self._along(lower, start, target, polish)
        if below is None or raise_ is None or near(nearest, target):
            return nearest
        raised, _ = self._along(raise_, below.amounts, target, POLISH)
        return _nearest(target, nearest, raised)

    def _try(self, amounts: Amounts) -> Reached:
        """Measure a graph; its EAR is NaN, which is never the nearest, if it cannot be made.

        Edges may close the parts that were to be cloned into cycles, so that there are not enough of them.
        """
        try:
            return self.measure(amounts)
        except InvalidParameterError:
            return Reached(amounts, math.nan)

    def _along(self, knob: Knob, start: Amounts, target: float, polish: int) -> Passage:
        """Turn one knob: in doubling steps until EAR passes the target, then by halving, then move by move."""
        first = self.measure(start)
        side = first.ear > target
        begin = getattr(start, knob)
        nearest, before, beyond = first, first, None
        limit = self._limit(knob, start)
        step = 1
        while beyond is None and getattr(before.amounts, knob) < limit:
            found = self._try(start.with_more(knob, min(begin + step, limit)))
            nearest = _nearest(target, nearest, found)
            if (found.ear > target) == side and found.ear != target:
                before = found
            else:
                beyond = found
            step *= 2
        if beyond is None:
            return Passage(nearest, None)
        while (gap := getattr(beyond.amounts, knob) - getattr(before.amounts, knob)) > 1:
            middle = self._try(start.with_more(knob, getattr(before.amounts, knob) + gap // 2))
            nearest = _nearest(target, nearest, middle)
            if (middle.ear > target) == side and middle.ear != target:
                before = middle
            else:
                beyond = middle
        if not near(nearest, target) and knob != "swaps":
            nearest = _nearest(target, nearest, self._polish(knob, before, target, limit, polish))
        return Passage(nearest, beyond)

    def _polish(self, knob: Knob, before: Reached, target: float, limit: int, tries: int) -> Reached:
        """Go on move by move, and skip those that carry EAR past the target by more than is allowed."""
        side = before.ear > target
        nearest, current = before, before.amounts
        for _ in range(tries):
            amount = getattr(current, knob) + 1
            if amount + len(getattr(current, f"skipped_{knob}")) > limit or near(nearest, target):
                break
            found = self._try(current.with_more(knob, amount))
            nearest = _nearest(target, nearest, found)
            current = found.amounts if (found.ear > target) == side else current.skipping_next(knob)
        return nearest

    def _limit(self, knob: Knob, start: Amounts) -> int:
        wanted = self.construction.base.num_edges
        if knob == "edges":
            wanted = getattr(start, knob) + MOST_EDGES * wanted
        elif knob == "twins":
            wanted = self.construction.base.num_nodes
        return self.construction.room(knob, start, wanted)


def _nearest(target: float, *found: Reached) -> Reached:
    return min(found, key=lambda one: math.inf if math.isnan(one.ear) else abs(one.ear - target))


def near(found: Reached, target: float) -> bool:
    """Tell whether an EAR is as near to the target as is promised."""
    return abs(found.ear - target) <= TOLERANCE


def check_target(target: float) -> None:
    """Raise `InvalidParameterError` unless the target lies in [0, 1]."""
    if not 0 <= target <= 1:
        raise InvalidParameterError(f"a target EAR lies from 0 to 1, not at {target}")
