"""What the refinement asks of an engine that keeps tables: queries over Parquet, and the few words that differ.

All tables are Parquet in the work directory, so that a round is on disk before the next one begins: nothing has to be
computed again when a process dies, and no plan grows from round to round. Queries may be made in slices; see `slices`.
"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

Salts = tuple[int, int]  # whole numbers of 63 bits, drawn anew for every round


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
