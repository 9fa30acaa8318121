"""Type inference: which text columns hold numbers or dates."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

import numpy as np
import polars as pl

from sfumato.errors import MicrofileError
from sfumato.microfile.attribute import Code

NOT_AVAILABLE = ("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None", ".")
"""Texts that mean a missing value in a column of numbers; elsewhere they are categories."""

# [0-9], because \d also matches digits of other scripts
_NUMBER = r"^-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_DIGITS = r"^-?[0-9]+$"
_LONG = r"^-?[0-9]{16,}$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


def infer_types(
    frame: pl.DataFrame,
    *,
    decimal: str,
    missing: Mapping[str, Iterable[Code]],
    categorical: Collection[str],
) -> pl.DataFrame:
    """Convert text columns to numbers or dates if all values are, apart from missing ones.

    Parameters
    ----------
    frame
        Text columns are categorical.
    decimal
        The decimal sign.
    missing
        The declared missing codes of each column.
    categorical
        Columns that the user declared to be categories.

    Raises
    ------
    MicrofileError
        If a column holds mostly numbers and some text that is not declared missing.
    """
    mixed: list[str] = []
    converted: list[pl.Series] = []
    text = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Categorical)]
    for name in (name for name in text if name not in categorical):
        codes = {str(code) for code in missing.get(name, ())}
        numbers, strays = _convert(frame.get_column(name), decimal, codes)
        if numbers is not None:
            converted.append(numbers.alias(name))
        elif strays:
            mixed.append(f"{name!r} ({strays:,} of {frame.height - frame[name].null_count():,} cells)")
    if mixed:
        raise MicrofileError(
            "text among the numbers of column " + ", ".join(mixed),
            hint="declare the code that means missing (missing=..., --missing CODE) or the decimal sign (decimal=..., "
            "--decimal), correct the cells, or declare the column categorical (kinds=..., --kind COLUMN=categorical)",
        )
    return frame.with_columns(converted)


def _convert(series: pl.Series, decimal: str, codes: set[str]) -> tuple[pl.Series | None, int]:
    """Return the column as numbers or dates, or the number of text cells among its numbers."""
    cells = series.drop_nulls().value_counts(name="cells")
    values = cells.get_column(series.name).cast(pl.String)
    number = values.str.contains(_NUMBER.replace(r"\.", re.escape(decimal)))
    # as a float it would lose its last digits
    number &= ~values.str.contains(_LONG)
    plain = values.str.replace(",", ".", literal=True) if decimal == "," else values
    absent = values.is_in(list(codes))
    expected = number | absent
    if bool(number.any()):
        expected = expected | values.is_in(NOT_AVAILABLE)
    counts = cells.get_column("cells")
    if bool(expected.all()) and bool((number & ~absent).any()):
        table = pl.DataFrame({"text": values, "number": plain.set(~number | absent, None).cast(pl.Float64)})
        return _looked_up(series, table), 0
    gone = absent | values.is_in(NOT_AVAILABLE)
    dates = values.filter(~gone)
    if dates.len() and bool(dates.str.contains(_DATE).all()):
        day = values.set(gone, None).str.to_date("%Y-%m-%d", strict=False)
        # polars has a year 0, but Python's dates start with year 1
        if day.null_count() == int(gone.sum()) and bool((day.dt.year() >= 1).all()):
            return _looked_up(series, pl.DataFrame({"text": values, "number": day})), 0
    strays = ~expected
    if bool(values.filter(strays).str.contains(_DIGITS).any()):
        # digits that are not a number, such as 007, mean that the column holds codes
        return None, 0
    mostly_numbers = 2 * int(counts.filter(number).sum()) >= int(counts.filter(~absent).sum())
    return None, int(counts.filter(strays).sum()) if mostly_numbers else 0


def _looked_up(series: pl.Series, table: pl.DataFrame) -> pl.Series:
    """Replace categories by numbers through their codes, without converting the column to text."""
    physical = series.to_physical()
    codes = table.get_column("text").cast(series.dtype).to_physical().to_numpy()
    row_of_code = np.full(int(codes.max()) + 1, -1, dtype=np.int64)
    row_of_code[codes] = np.arange(codes.size)
    rows = pl.Series(row_of_code[physical.fill_null(0).to_numpy()]).set(series.is_null(), None)
    numbers = table.get_column("number").gather(rows)
    return numbers.cast(pl.Int64) if numbers.dtype == pl.Float64 and all_whole(numbers.drop_nulls()) else numbers


def all_whole(numbers: pl.Series) -> bool:
    """Whether all are whole numbers that floats hold exactly."""
    return bool((numbers % 1 == 0).all() and (numbers.abs() < 2**53).all())
