"""What the refinement asks of an engine that keeps tables: queries over Parquet, and the few words that differ.

All tables are Parquet in the work directory, so that a round is on disk before the next one begins: nothing has to be
computed again when a process dies, and no plan grows from round to round.

A query can be made in slices: the rows whose keys have one remainder, then the next, where all at once do not fit into
memory. `in_slice(u)` among its conditions keeps the rows of one slice, for every table that it joins or groups by `u`.
The slices of a query together are its rows, each once. A slice that is still too large is cut in two by the next binary
digit, so that what was made before stays valid.
"""

import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

Salts = tuple[int, int]  # whole numbers of 63 bits, drawn anew for every round
CONDITION = re.compile(r"in_slice\(([\w., ]+)\)")
# Bits of the hash value that DuckDB uses neither to choose a partition nor, for tables that fit, a place in one.
UNUSED_BITS = 24
MOST_SLICES = 1 << 10  # more passes over a table do not help


class Database(Protocol):
    """An engine with SQL."""

    name: str

    def define(self, view: str, tables: list[Path]) -> None:
        """Let a name stand for the rows of Parquet tables that have the same columns."""

    def define_as(self, view: str, query: str) -> None:
        """Let a name stand for a query."""

    def fits(self, rows: int) -> bool:
        """Tell whether so many rows can be joined or grouped without a thought of memory."""

    def steps(self, queries: dict[str, str], rows: int) -> AbstractContextManager[None]:
        """Let names stand for queries, each of which may use those before it, for as long as the context lasts.

        If the `rows` that each must join or group do not fit, they are made one after the other and not as one query.
        """

    def write(self, table: Path, query: str) -> None:
        """Write the rows of a query as a Parquet table."""

    def fetch(self, query: str) -> tuple[Any, ...]:
        """Return the first row of a query."""

    def read_edges(self, source: Any, *, as_text: bool) -> None:
        """Let `raw` stand for the source's pairs of node ids `a` and `b`, as whole numbers or as text."""

    def hashes(self, column: str, salts: Salts) -> tuple[str, str]:
        """Return two expressions for independent 64-bit hash values of a whole number."""

    def total(self, column: str) -> str:
        """Return the expression for a sum modulo 2^64."""

    def sorted_list(self, column: str) -> str:
        """Return the expression for the ascending list of a group's values."""

    def row_id(self) -> str:
        """Return the expression for a whole number from 0 that no other row of the table has."""

    def export(self, target: Path, query: str) -> None:
        """Write the rows of a query to a file for the user, whole or not at all."""

    def close(self) -> None:
        """End what the engine has running."""


class NotWholeNumbersError(Exception):
    """Some node id of the source is no whole number, and all are text."""


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
