"""The rows that an experiment has found so far, in one Parquet file."""

from pathlib import Path
from typing import Any

from edgeorbit.errors import GraphFormatError
from edgeorbit.files import atomic_path, locked

Row = dict[str, Any]


class Store:
    """Rows in a Parquet file, which is replaced whole whenever a cell is done: a kill loses no finished cell.

    Several processes may add rows to one file; none loses those of another.

    Parameters
    ----------
    path
        The file; it need not exist yet.

    Raises
    ------
    GraphFormatError
        If the file is no table of results.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.rows = self._read()

    def _read(self) -> list[Row]:
        if not self.path.exists():
            return []
        import pyarrow as pa
        import pyarrow.parquet

        try:
            rows: list[Row] = pyarrow.parquet.read_table(self.path).to_pylist()
        except (pa.ArrowInvalid, OSError) as error:
            raise GraphFormatError(f"{self.path}: holds no results ({error}); name another file") from None
        if rows and not {"key", "data", "model", "seed", "negatives"} <= set(rows[0]):
            raise GraphFormatError(f"{self.path}: is a table of something else; name another file")
        return rows

    @property
    def keys(self) -> set[str]:
        """The cells that have a row."""
        return {row["key"] for row in self.rows}

    def add(self, rows: list[Row]) -> None:
        """Add the rows of a cell, in the place of older ones of the same cell, and write the file."""
        again = {row["key"] for row in rows}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path):
            self.rows = [row for row in self._read() if row["key"] not in again] + rows
            self.write()

    def write(self) -> None:
        """Write the file."""
        import pyarrow as pa
        import pyarrow.parquet

        columns = list(dict.fromkeys(name for row in self.rows for name in row))
        table = pa.table({name: [row.get(name) for row in self.rows] for name in columns})
        with atomic_path(self.path) as temporary:
            pyarrow.parquet.write_table(table, temporary, compression="zstd")
