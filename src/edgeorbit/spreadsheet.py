"""Cells of CSV files that a spreadsheet would take for formulas."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

FORMULA = "=+-@\t\r\n＝＋－＠"  # a spreadsheet takes the wide ones, too
QUOTE = "'"  # which makes text of what follows, and is not shown


def as_text(cell: Any) -> Any:
    """Return a cell as a spreadsheet shows it; numbers stay as they are.

    >>> as_text("=1+2"), as_text("@name"), as_text("b@c"), as_text(-0.5)
    ("'=1+2", "'@name", 'b@c', -0.5)
    """
    return f"{QUOTE}{cell}" if isinstance(cell, str) and cell.startswith(tuple(FORMULA)) else cell


def table_as_text(table: "pa.Table") -> "pa.Table":
    """Return a table with its columns of text as a spreadsheet shows them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            escaped = pc.replace_substring_regex(table.column(place), f"^([{FORMULA}])".replace("-", r"\-"), r"'\1")
            table = table.set_column(place, field, escaped)
    return table
