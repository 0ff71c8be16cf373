"""What the columns of a table of results may hold: its readers take text for names, and numbers for figures."""

from typing import TYPE_CHECKING

from edgeorbit._text import shown
from edgeorbit.measures.summary import SUMMARY_LABELS

if TYPE_CHECKING:
    import pyarrow as pa

NEEDED = ("key", "data", "model", "seed", "negatives")
COMPLETE = (*NEEDED, "features")  # without empty cells, if they are there
TEXT = {
    *("key", "data", "model", "negatives", "features", "node_features", "failed", "version", "code", "made", "host"),
    *("settings_digest", "split_digest", "negatives_digest", "negatives_protocol"),
}
NUMBERS = {"seconds", "cell_seconds", "epochs", "covered", "train_ear", "colour_ear", *SUMMARY_LABELS}
DURATIONS = {"seconds", "cell_seconds"}
LARGEST = 1e15  # number: what pages draw are shares and seconds
FIGURES = ("test_", "valid_", "bound_")  # what the names of other columns with numbers begin with


def empty_results() -> "pa.Table":
    """Return a table of no results."""
    import pyarrow as pa

    return pa.table({name: pa.array([], pa.int64() if name == "seed" else pa.string()) for name in NEEDED})


def checked(table: "pa.Table") -> "pa.Table":
    """Return a table of results with the types that this package writes, whoever wrote it.

    Raises
    ------
    ValueError
        If a column is missing, is there twice, or holds something else; the message names it. Arrow raises it too, for
        values that do not fit.
    """
    import pyarrow as pa

    names = table.column_names
    missing = next((name for name in NEEDED if name not in names), None)
    if missing is not None:
        raise ValueError(f"there is no column {missing!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"there are two columns {shown(max(names, key=names.count))!r}")
    table.validate(full=True)
    for place, field in enumerate(table.schema):
        kind = _type_of(field)
        if kind != field.type:
            column = table.column(place).cast(kind)
            table = table.set_column(place, field.with_type(kind), column)
        if field.name in COMPLETE and table.column(place).null_count:
            raise ValueError(f"a value of the column {field.name!r} is missing")
        if field.name != "seed" and kind in (pa.int64(), pa.float64()):
            _check_numbers(field.name, table.column(place))
    return table


def _check_numbers(name: str, column: "pa.ChunkedArray[pa.DoubleScalar]") -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    lowest, highest = (0.0 if name in DURATIONS else -LARGEST), LARGEST
    numbers = column.cast(pa.float64(), safe=False)
    inside = pc.and_(pc.greater_equal(numbers, lowest), pc.less_equal(numbers, highest))
    if not pc.all(inside, min_count=0).as_py():
        raise ValueError(f"the column {shown(name)!r} holds a value outside {lowest:g} to {highest:g}")


def _type_of(field: "pa.Field[pa.DataType]") -> "pa.DataType":
    """Return the type that a column should have."""
    import pyarrow as pa

    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if pa.types.is_null(kind):
        return kind
    if field.name in TEXT:
        wanted, fits = "text", is_text
    elif field.name == "seed":
        wanted, fits = "whole numbers", pa.types.is_integer(kind)
    elif field.name in NUMBERS or field.name.startswith(FIGURES):
        wanted, fits = "numbers", is_number
    else:
        wanted, fits = "text, numbers or truth values", is_text or is_number or pa.types.is_boolean(kind)
    if not fits:
        raise ValueError(f"the column {shown(field.name)!r} holds {shown(field.type)}, not {wanted}")
    if pa.types.is_boolean(kind):
        return kind
    return pa.string() if is_text else pa.int64() if pa.types.is_integer(kind) else pa.float64()
