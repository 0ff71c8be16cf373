"""Weights and times from the cells of a table."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

GERMAN = r"^[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?$"  # 1234,5 and 1.234,5
ENGLISH = r"^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$"  # 1,234.5
DAY_FIRST, YEAR_FIRST = r"^\d{1,2}[./-]\d{1,2}[./-]\d{4}", r"^\d{4}[./-]\d{1,2}[./-]\d{1,2}"
CLOCKS = ("", " %H:%M", " %H:%M:%S")
BYTES_PER_VALUE = 40  # the text of a cell, its number, and what becomes of it in the graph


class Parsed(NamedTuple):
    """Values of a block of rows, which of them are bad, and what is wrong with those."""

    values: npt.NDArray[Any]
    bad: npt.NDArray[np.bool_]
    problem: str


class WeightColumn:
    """Weights: finite numbers from 0, with a decimal point, or a decimal comma where commas separate no columns.

    >>> import pyarrow as pa
    >>> WeightColumn(";").parse(pa.chunked_array([["1.234,50", "2"]])).values.tolist()
    [1234.5, 2.0]
    >>> WeightColumn(",").parse(pa.chunked_array([["1,234.50", "-2"]])).bad.tolist()
    [False, True]
    """

    problem = "is no weight; weights are finite numbers from 0"

    def __init__(self, separator: str | None) -> None:
        self._commas_separate = separator == ","

    def parse(self, column: Any) -> Parsed:
        """Return the weights of rows; `column` is text or numbers in Arrow."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not _is_text(column.type):
            numbers = _numbers(column)
            return Parsed(numbers, ~(np.isfinite(numbers) & (numbers >= 0)), self.problem)
        text = pc.utf8_trim_whitespace(column.cast(pa.large_string()))
        if pc.any(pc.match_substring(text, ",")).as_py():
            text = self._with_points(text)
        plain = pc.match_substring_regex(text, r"^\+?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$")
        usable = pc.if_else(pc.fill_null(plain, False), pc.utf8_ltrim(text, "+"), None)
        numbers = _numbers(usable.cast(pa.float64()))
        return Parsed(numbers, ~np.isfinite(numbers), self.problem)

    def _with_points(self, text: Any) -> Any:
        import pyarrow.compute as pc

        english = pc.fill_null(pc.match_substring_regex(text, ENGLISH), False)
        german = pc.fill_null(pc.match_substring_regex(text, GERMAN), False)
        if not self._commas_separate:
            english = pc.and_not(english, german)
        else:
            german = pc.and_not(german, english)
        converted = pc.replace_substring(pc.replace_substring(text, ".", ""), ",", ".")
        return pc.if_else(german, converted, pc.if_else(english, pc.replace_substring(text, ",", ""), text))


class TimeColumn:
    """Times: numbers, ISO dates, or dates with the day first; the first rows decide which.

    >>> import pyarrow as pa
    >>> TimeColumn().parse(pa.chunked_array([["31.12.2024 23:59", "01.01.2025"]])).values.astype("datetime64[m]")
    array(['2024-12-31T23:59', '2025-01-01T00:00'], dtype='datetime64[m]')
    """

    def __init__(self) -> None:
        self._form: str | None = None
        self.problem = "is no time; give numbers, or dates such as 2024-12-31 or 2024-12-31 23:59:59"

    def parse(self, column: Any) -> Parsed:
        """Return the times of rows; `column` is text, numbers or times in Arrow."""
        import pyarrow as pa
        import pyarrow.compute as pc
        from pyarrow import types

        if types.is_temporal(column.type):
            if not types.is_time(column.type) and not types.is_duration(column.type):
                return self._from_times(column.cast(_plain_timestamp(column.type)))
            return Parsed(np.zeros(len(column)), np.ones(len(column), bool), self.problem)
        if not _is_text(column.type):
            numbers = _numbers(column)
            return Parsed(numbers, ~np.isfinite(numbers), self.problem)
        text = pc.utf8_trim_whitespace(column.cast(pa.large_string()))
        if self._form is None:
            self._form = self._find_form(text)
        if self._form == "number":
            plain = pc.fill_null(pc.match_substring_regex(text, r"^[+-]?\d+(?:\.\d+)?$"), False)
            numbers = _numbers(pc.if_else(plain, text, None).cast(pa.float64()))
            return Parsed(numbers, ~np.isfinite(numbers), self.problem)
        if self._form == "":
            return Parsed(np.zeros(len(text)), np.ones(len(text), bool), self.problem)
        return self._from_times(self._parse_dates(text, self._form))

    def _find_form(self, text: Any) -> str:
        """Return `number`, the order of day, month and year as a format, or nothing if it is not clear."""
        import pyarrow.compute as pc

        text = text.slice(0, 10_000).drop_null()

        def all_match(pattern: str) -> bool:
            share = pc.mean(pc.match_substring_regex(text, pattern)).as_py()
            return share is not None and share > 0.5

        if all_match(r"^[+-]?\d+(?:\.\d+)?$"):
            return "number"
        if all_match(YEAR_FIRST):
            return "%Y-%m-%d"
        if not all_match(DAY_FIRST):
            return ""
        parts = pc.split_pattern_regex(pc.replace_substring_regex(text, r"[ T].*$", ""), "[./-]")
        first, second = (pc.list_element(parts, place).cast("int32", safe=False) for place in (0, 1))
        if pc.any(pc.match_substring(text.slice(0, 100), ".")).as_py() or pc.max(first).as_py() > 12:
            return "%d-%m-%Y"
        if pc.max(second).as_py() > 12:
            return "%m-%d-%Y"
        self.problem = "may be day first or month first; write dates as 2024-12-31"
        return ""

    def _parse_dates(self, text: Any, form: str) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        # One separator, no T, fractions of a second and zones apart: strptime knows neither.
        plain = pc.replace_substring_regex(text, r"^(\d+)[./-](\d+)[./-](\d+)[T ]?", r"\1-\2-\3 ")
        plain = pc.utf8_rtrim(pc.replace_substring_regex(plain, r"(\.\d+)?(?:Z|UTC|[+-]\d\d:?\d\d)?$", ""), " ")
        found = None
        for clock in CLOCKS:
            times = pc.strptime(plain, format=form + clock, unit="us", error_is_null=True)
            found = times if found is None else pc.coalesce(found, times)
        # The 30th of February is refused, which strptime takes for the 1st of March.
        number = r"^\d+-\d+-(\d+).*$" if form.startswith("%Y") else r"^(\d+)-.*$"
        number = r"^\d+-(\d+)-.*$" if form.startswith("%m") else number
        day = pc.replace_substring_regex(plain, number, r"\1")
        day = pc.if_else(pc.match_substring_regex(day, r"^\d{1,2}$"), day, "0").cast(pa.int64())
        found = pc.if_else(pc.equal(pc.day(found), day), found, None)
        seconds = pc.replace_substring_regex(text, r"^.*:\d\d(\.\d{1,6})\d*(?:Z|UTC|[+-]\d\d:?\d\d)?$", r"\1")
        has_fraction = pc.match_substring_regex(seconds, r"^\.\d+$")
        fraction = pc.if_else(has_fraction, seconds, "0").cast(pa.float64())
        zone = pc.replace_substring_regex(text, r"^.*:\d\d(?:\.\d+)?([+-]\d\d):?(\d\d)$", r"\1\2")
        has_zone = pc.match_substring_regex(zone, r"^[+-]\d{4}$")
        number = pc.utf8_ltrim(pc.if_else(has_zone, zone, "0"), "+").cast(pa.int64())
        hours = pc.divide(number, 100)
        minutes = pc.add(pc.multiply(hours, 60), pc.subtract(number, pc.multiply(hours, 100)))
        shift = pc.subtract(pc.multiply(fraction, 1e6), pc.multiply(pc.cast(minutes, pa.float64()), 6e7))
        moved = pc.add(pc.cast(found, pa.int64()), pc.cast(pc.round(shift), pa.int64()))
        return moved.cast(pa.timestamp("us"))

    def _from_times(self, column: Any) -> Parsed:
        bad = column.is_null().to_numpy().astype(bool)
        return Parsed(column.to_numpy().astype("datetime64[us]"), bad, self.problem)


def _numbers(column: Any) -> npt.NDArray[np.float64]:
    """Return a column of numbers as floats; what is missing is NaN."""
    import pyarrow as pa

    try:
        values = column.cast(pa.float64(), safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return np.full(len(column), np.nan)
    return np.asarray(values.to_numpy(), np.float64)


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    plain = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(plain) or types.is_large_string(plain) or types.is_string_view(plain))


def _plain_timestamp(kind: Any) -> Any:
    import pyarrow as pa
    from pyarrow import types

    return pa.timestamp("us", tz=kind.tz) if types.is_timestamp(kind) and kind.tz else pa.timestamp("us")
