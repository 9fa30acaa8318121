"""Dates and times that cannot be used: Polars ends the process for some, and other libraries know no others."""

from __future__ import annotations

import datetime

import polars as pl

from sfumato.errors import MicrofileError

_EPOCH = datetime.date(1970, 1, 1).toordinal()
FIRST_DAY, LAST_DAY = datetime.date.min.toordinal() - _EPOCH, datetime.date.max.toordinal() - _EPOCH
"""The first day of the year 1 and the last one of the year 9999, counted from 1970."""
PER_DAY = {"ms": 86_400_000, "us": 86_400_000_000}
"""How many of a unit a day has; in nanoseconds nothing outside these years can be written."""


def times_outside(series: pl.Series) -> int:
    """Count the dates and times outside the years 1 to 9999, which are those of UTC where there is a time zone.

    >>> times_outside(pl.Series([0, LAST_DAY, LAST_DAY + 1, None], dtype=pl.Int32).cast(pl.Date))
    1
    """
    dtype = series.dtype
    if dtype == pl.Date:
        first, last = FIRST_DAY, LAST_DAY
    elif isinstance(dtype, pl.Datetime) and dtype.time_unit != "ns":
        unit = PER_DAY[dtype.time_unit]
        first, last = FIRST_DAY * unit, (LAST_DAY + 1) * unit - 1
    else:
        return 0
    return int((~series.to_physical().is_between(first, last)).sum())


def unsupported_zone(name: str | None = None) -> MicrofileError:
    """Return the error for a column of times with a fixed offset, or with a zone that nobody knows."""
    where = "a column" if name is None else f"column {name!r}"
    return MicrofileError(
        f"{where} of times has a time zone that is not supported",
        hint="convert the times to UTC, or to a zone with a name, such as 'Asia/Kolkata' for +05:30",
        column=name,
    )
