"""Which of the categories read from text are numbers or dates after all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from sfumato.errors import MicrofileError
from sfumato.microfile.attribute import Code

NOT_AVAILABLE = ("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None", ".")
"""Texts that mean a missing value in a column of numbers; elsewhere they are categories."""

_NUMBER = r"^-?(0|[1-9]\d*)?(\.\d*)?([eE][+-]?\d+)?$"
_DIGITS = r"^-?\d+$"
_DATE = r"^\d{4}-\d{2}-\d{2}$"


def settle_text(
    frame: pl.DataFrame,
    *,
    decimal: str,
    missing: Mapping[str, Iterable[Code]],
    kept: Iterable[str],
) -> pl.DataFrame:
    """Turn columns of text into numbers or dates where every value but the missing ones is one.

    Parameters
    ----------
    frame
        Text columns are categorical.
    decimal
        The decimal sign.
    missing
        Declared missing codes a column.
    kept
        Columns that the user declared to be categories.

    Raises
    ------
    MicrofileError
        Where a column holds mostly numbers and some text that is not declared missing.
    """
    mixed: list[str] = []
    settled = frame
    for name in frame.columns:
        if not isinstance(frame.schema[name], pl.Categorical) or name in set(kept):
            continue
        codes = {str(code) for code in missing.get(name, ())}
        numbers, strays = _convert(frame.get_column(name), decimal, codes)
        if numbers is not None:
            settled = settled.with_columns(numbers.alias(name))
        elif strays:
            mixed.append(f"{name!r} ({strays:,} of {frame.height - frame[name].null_count():,} cells)")
    if mixed:
        raise MicrofileError(
            "text among the numbers of column " + ", ".join(mixed),
            hint="declare the code that means missing (missing=..., --missing CODE), correct the cells, or "
            "declare the column categorical (kinds=..., --kind COLUMN=categorical)",
        )
    return settled


def _convert(series: pl.Series, decimal: str, codes: set[str]) -> tuple[pl.Series | None, int]:
    """Return the column as numbers or dates, or how many cells of text stand among its numbers."""
    cells = series.drop_nulls().value_counts(name="cells")
    values = cells.get_column(series.name).cast(pl.String)
    plain = values.str.replace(",", ".", literal=True) if decimal == "," else values
    number = plain.str.contains(_NUMBER) & plain.str.contains(r"\d")
    absent = values.is_in(list(codes))
    known = number | absent
    if bool(number.any()):
        known = known | values.is_in(NOT_AVAILABLE)
    counts = cells.get_column("cells")
    if bool(known.all()) and bool((number & ~absent).any()):
        table = pl.DataFrame({"text": values, "number": plain.set(~number | absent, None).cast(pl.Float64)})
        return _looked_up(series, table), 0
    dates = values.filter(~absent)
    if dates.len() and bool(dates.str.contains(_DATE).all()):
        day = values.set(absent, None).str.to_date("%Y-%m-%d", strict=False)
        if day.null_count() == int(absent.sum()):
            return _looked_up(series, pl.DataFrame({"text": values, "number": day})), 0
    strays = ~known
    if bool(values.filter(strays).str.contains(_DIGITS).any()):
        # digits that are no number, such as 007, make the column one of codes
        return None, 0
    mostly_numbers = 2 * int(counts.filter(number).sum()) >= int(counts.filter(~absent).sum())
    return None, int(counts.filter(strays).sum()) if mostly_numbers else 0


def _looked_up(series: pl.Series, table: pl.DataFrame) -> pl.Series:
    numbers = series.cast(pl.String).replace_strict(
        table.get_column("text"), table.get_column("number"), default=None, return_dtype=table.schema["number"]
    )
    if numbers.dtype == pl.Float64 and bool((numbers.drop_nulls() % 1 == 0).all()):
        whole = numbers.drop_nulls().abs().max()
        if whole is not None and float(whole) < 2**53:  # type: ignore[arg-type]  # max() is typed for all dtypes
            return numbers.cast(pl.Int64)
    return numbers
