"""A query in slices: the rows whose keys have one remainder, then the next, where all at once do not fit into memory.

A query says by which keys it may be cut: `in_slice(u)` among its conditions keeps the rows of one slice, for every
table that it joins or groups by `u`. The slices of a query together are its rows, each once. A slice that is still too
large is cut in two by the next binary digit, so that what was made before stays valid.
"""

import re
from dataclasses import dataclass

CONDITION = re.compile(r"in_slice\(([\w., ]+)\)")
# Bits of the hash value that DuckDB uses neither to choose a partition nor, for tables that fit, a place in one.
UNUSED_BITS = 24
MOST_SLICES = 1 << 10  # so many passes over a table help nobody


@dataclass(frozen=True)
class Slice:
    """One of `count` slices, a power of two."""

    count: int = 1
    number: int = 0

    def of(self, query: str) -> str:
        """Return the query for the rows of this slice.

        >>> Slice().of("SELECT u FROM edges WHERE in_slice(u)")
        'SELECT u FROM edges WHERE TRUE'
        >>> Slice(4, 1).of("SELECT u FROM edges WHERE in_slice(u)")
        'SELECT u FROM edges WHERE (hash(u) >> 24) % 4 = 1'
        """
        kept = "TRUE" if self.count == 1 else rf"(hash(\1) >> {UNUSED_BITS}) % {self.count} = {self.number}"
        return CONDITION.sub(kept, query).replace("slices()", str(self.count)).replace("slice()", str(self.number))

    def halves(self) -> "list[Slice]":
        """Return the two slices that this one is made of.

        >>> Slice(2, 1).halves()
        [Slice(count=4, number=1), Slice(count=4, number=3)]
        """
        return [Slice(2 * self.count, self.number), Slice(2 * self.count, self.number + self.count)]


WHOLE = Slice()


def most_slices(query: str) -> int:
    """Return how many slices a query may be made in: 1 if it does not say by which keys it may be cut."""
    return MOST_SLICES if CONDITION.search(query) else 1
