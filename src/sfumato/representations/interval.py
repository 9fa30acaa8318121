"""An attribute that is released as two bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.errors import MicrofileError, ReleaseError
from sfumato.microfile import Encoded, Microfile
from sfumato.representations.attribute_pair import Comparable, OutsideFile, are_numeric, compare_ranges, not_numeric
from sfumato.representations.exact import enclosed_values
from sfumato.representations.representation import Misfit, Representation, is_plain_number

NANOSECONDS = 1000
"""In a microsecond."""
Numbers: TypeAlias = Reals | Counts


class Interval(Representation):
    """Two columns, ``<name>.lo`` and ``<name>.hi``: the value is between them, bounds included."""

    form: Literal["interval"] = "interval"

    def columns(self, attribute: str) -> tuple[str, ...]:
        """Return the table's columns of the attribute."""
        return (f"{attribute}.lo", f"{attribute}.hi")

    def edge_columns(self, attribute: str) -> tuple[str, ...]:
        """Return the columns of lower and upper bounds."""
        return self.columns(attribute)

    def misfits(self, table: Microfile, attribute: str) -> Iterator[Misfit]:
        """Check that bounds are numbers, or dates, in the right order."""
        low, high = (table.series(column) for column in self.columns(attribute))
        if low.dtype != high.dtype or not (low.dtype.is_numeric() or low.dtype.is_temporal()):
            yield Misfit("data", f"{attribute!r} is an interval, but its bounds are not numbers, or differ in type")
        elif wrong := int((low > high).sum()):
            yield Misfit(
                "data", f"{attribute!r} has intervals whose lower bound is above the upper one ({wrong:,} records)"
            )

    def description(self, attribute: str) -> str:
        """Describe it in a few words."""
        return "between {} and {}".format(*self.columns(attribute))

    def has_bounds(self, table: Microfile, attribute: str) -> bool:
        """Whether the bounds are numbers."""
        return all(is_plain_number(table, column) for column in self.columns(attribute))

    def bounds(self, table: Microfile, attribute: str) -> tuple[Reals, Reals]:
        """Return doubles at or beyond the bounds, NaN where they are missing."""
        below, above = self.columns(attribute)
        low, high = enclosed_values(table, below)[0], enclosed_values(table, above)[1]
        half_open = int((np.isnan(low) != np.isnan(high)).sum())
        if half_open:
            raise ReleaseError(
                f"attribute {attribute!r}: records with only one of two bounds: {half_open:,}; nothing is guaranteed",
                hint="replace a missing bound by the largest or smallest possible value",
            )
        return low, high

    def estimates(self, table: Microfile, attribute: str) -> dict[str, Reals]:
        """Return the midpoints."""
        low, high = (table.numbers(column) for column in self.columns(attribute))
        return {attribute: low + 0.5 * (high - low)}

    def coverage(self, table: Microfile, attribute: str, original: Microfile | None = None) -> tuple[Reals, Flags]:
        """Return the width of each interval as a share of the span of all values, and which have both ends."""
        low, high = (table.numbers(column) for column in self.columns(attribute))
        present = ~np.isnan(high - low)
        if original is not None:
            values = original.numbers(attribute)
            span = float(np.nanmax(values) - np.nanmin(values))
        else:
            span = float(high[present].max() - low[present].min()) if present.any() else 0.0
        return (np.minimum((high - low) / span, 1.0) if span > 0 else np.zeros(table.records)), present

    def intersect(self, table: Microfile, attribute: str, households: Codes) -> tuple[dict[str, Encoded], Flags]:
        """Intersect the intervals of each household's members, encoded like the bounds in each column."""
        intersections, ends = {}, []
        for column, innermost in zip(self.columns(attribute), (np.maximum, np.minimum), strict=True):
            encoded = table.encoded(column)
            n_values = encoded.values.size
            initial = -1 if innermost is np.maximum else n_values
            codes = np.full(int(households.max()) + 1, initial, dtype=np.int32)
            present = encoded.codes >= 0
            # values ascend, so codes compare like values
            innermost.at(codes, households[present], encoded.codes[present])
            codes[codes == n_values] = -1
            intersections[column] = Encoded(codes[households], encoded.values)
            ends.append((codes, encoded.values))
        (low, lows), (high, highs) = ends
        both: Flags = (low >= 0) & (high >= 0)
        contradicted = np.zeros(low.size, dtype=np.bool_)
        contradicted[both] = lows[low[both]] > highs[high[both]]
        return intersections, contradicted

    def holding(self, attribute: str, cells: pl.DataFrame, newcomers: Microfile) -> Callable[[slice], Flags]:
        """Return a function that says which intervals hold the values of some new records: records by intervals.

        Intervals include their lower ends, and the outermost also their upper ones. One without ends holds any value.
        """
        low, high = (cells.get_column(column) for column in self.columns(attribute))
        values = _values(newcomers, attribute, low.dtype)
        begins, ends, numbers = _numbers(low, values), _numbers(high, values), _numbers(values, low)
        blank, missing = low.is_null().to_numpy(), newcomers.encoded(attribute).missing
        last = ends == ends[~blank].max(initial=ends.min())

        def hold(rows: slice) -> Flags:
            column = numbers[rows, None]
            inside = (begins <= column) & ((column < ends) | (last & (column == ends)))
            held: Flags = blank | (inside & ~missing[rows, None])
            return held

        return hold

    def reconstruct(self, table: Microfile, attribute: str) -> dict[str, pl.Series]:
        """Return the midpoints."""
        low, high = (table.series(column) for column in self.columns(attribute))
        if low.dtype.is_temporal():
            return {attribute: low + (high - low) / 2}
        return {attribute: (low.cast(pl.Float64) + high.cast(pl.Float64)) / 2}

    def compare(self, table: Microfile, attribute: str, outside: OutsideFile) -> list[Comparable]:
        """Compare numbers, or dates, with the intervals."""
        below, above = self.columns(attribute)
        if not are_numeric(table, below, outside.microfile, attribute):
            raise not_numeric(outside.microfile, attribute)
        return [compare_ranges(table, (below, above), outside.microfile, attribute)]


def _values(newcomers: Microfile, name: str, dtype: pl.DataType) -> pl.Series:
    """Return a numeric attribute of new records, times in the unit of the released ends."""
    newcomers.check_numeric(name)
    series = newcomers.series(name)
    if series.dtype.is_temporal() != dtype.is_temporal():
        raise MicrofileError(
            f"column {name!r} holds {'times' if series.dtype.is_temporal() else 'numbers'}, unlike the release",
            hint="convert it to the type of the release's edges",
            column=name,
        )
    if isinstance(dtype, pl.Datetime) and isinstance(series.dtype, pl.Datetime):
        series = series.dt.replace_time_zone(None)
        if series.dtype == pl.Datetime("ns"):
            series = (series.to_physical() // NANOSECONDS).cast(pl.Datetime("us"))
        return series.cast(pl.Datetime(dtype.time_unit))
    return series


def _numbers(series: pl.Series, compared: pl.Series) -> Numbers:
    """Return numbers to compare with those of another series: whole ones if both are, so that none is rounded."""
    if isinstance(series.dtype, pl.Datetime):
        series = series.dt.replace_time_zone(None)
    are_whole = all(column.dtype.is_temporal() or column.dtype.is_integer() for column in (series, compared))
    physical = series.to_physical() if series.dtype.is_temporal() else series
    return physical.cast(pl.Int64 if are_whole else pl.Float64).fill_null(0).to_numpy()
