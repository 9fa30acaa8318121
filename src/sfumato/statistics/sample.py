"""A sample whose values are known only as intervals: checked, weighted, and with equal boxes put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.arrays import Codes, Counts, Reals
from sfumato.errors import SettingError

LARGEST = 1e70
"""The fourth powers of larger numbers are not finite."""


@dataclass(frozen=True)
class Bounds:
    """The bounds of one attribute, checked, with what sums of them tell."""

    lo: Reals
    hi: Reals
    low: float
    """The weighted mean of the lower bounds."""
    high: float
    """The weighted mean of the upper bounds."""
    reach: float
    """The weighted mean of the bounds' distances from the first one; rounding is in proportion to it."""
    exact: bool
    """Whether every lower bound is its upper bound."""

    @property
    def middle(self) -> float:
        """The mean of the middles."""
        return self.low + 0.5 * (self.high - self.low)


@dataclass(frozen=True)
class Boxes:
    """The distinct boxes of some attributes, with the share of the records in each."""

    lo: Reals
    """One row an attribute."""
    hi: Reals
    shares: Reals
    """Sum to one."""
    squares: Reals
    """The sum of the squared shares of the records in each box."""
    numbers: Codes
    """In which box each record is."""

    @property
    def counts(self) -> Counts:
        """How many records each box has."""
        return np.bincount(self.numbers, minlength=self.shares.size)

    @property
    def middles(self) -> Reals:
        """The middles of the boxes, one row an attribute."""
        return self.lo + 0.5 * (self.hi - self.lo)

    @property
    def halves(self) -> Reals:
        """The half-widths, one row an attribute."""
        return 0.5 * (self.hi - self.lo)


class Sample:
    """Records whose attributes lie between bounds.

    Parameters
    ----------
    lo, hi
        The bounds of each attribute, one number a record.
    names
        The attributes that are taken, in this order.
    weights
        Survey weights, one a record; none: all records count the same.
    least
        How many records there must be.
    """

    def __init__(
        self,
        lo: Mapping[str, Any],
        hi: Mapping[str, Any],
        names: Sequence[str],
        weights: Any | None = None,
        *,
        least: int = 2,
    ) -> None:
        from sfumato.kernels.spread import sum_bounds

        bounds = {name: (_numbers("lo", name, lo[name]), _numbers("hi", name, hi[name])) for name in names}
        self.records = _length(bounds, least)
        self.weights = np.ones(1) if weights is None else _numbers("weights", None, weights)
        self.step = 0 if weights is None else 1
        if weights is not None and self.weights.size != self.records:
            raise SettingError(
                f"weights has {self.weights.size:,} entries, the bounds have {self.records:,}",
                hint="give one weight a record",
            )
        self.bounds: dict[str, Bounds] = {}
        for name, (low, high) in bounds.items():
            good, sums = sum_bounds(low, high, self.weights, self.step, LARGEST)
            if not good:
                self._explain(name, low, high)
            self.total, self.squares, mean_low, mean_high, reach, wide = sums.tolist()
            origin = float(low[0])
            self.bounds[name] = Bounds(low, high, origin + mean_low, origin + mean_high, reach, not wide)

    def weighty(self) -> Sample:
        """Return the records that have a weight; the others change nothing, but could be far from all the rest."""
        if not self.step or self.weights.all():
            return self
        kept = self.weights > 0
        lo = {name: its.lo[kept] for name, its in self.bounds.items()}
        hi = {name: its.hi[kept] for name, its in self.bounds.items()}
        return Sample(lo, hi, list(self.bounds), self.weights[kept], least=1)

    def _explain(self, name: str, low: Reals, high: Reals) -> None:
        """Say what is wrong with bounds or weights, in counts."""
        weights = self.weights
        for bad, told, hint in (
            (np.isnan(weights), "weights: {} are missing", "leave these records out"),
            (weights < 0, "weights: {} are negative", "weights are 0 or more"),
            (weights > LARGEST, f"weights: {{}} are not finite, or beyond {LARGEST:g}", "give finite weights"),
            (np.array([not weights.any()]), "weights: all are zero", "at least one must be positive"),
            (np.isnan(low + high), "{} records have no bound (NaN)", "leave these records out"),
            (
                (abs(low) > LARGEST) | (abs(high) > LARGEST),
                f"{{}} records have a bound that is not finite, or beyond {LARGEST:g}",
                "give finite bounds, or the smallest and largest value that is possible",
            ),
            (low > high, "lo is above hi in {} records", "lo is the smaller bound, hi the larger"),
        ):
            if bad.any():
                counted = told.format(f"{int(bad.sum()):,}")
                raise SettingError(counted if told.startswith("weights") else f"{name!r}: {counted}", hint=hint)
        raise SettingError("weights: they are too large or too small to be summed up", hint="divide them by their mean")

    @property
    def shares(self) -> Reals:
        """The share of each record in a weighted mean."""
        return np.broadcast_to(self.weights / self.total, self.records)

    @cached_property
    def boxes(self) -> Boxes:
        """The distinct boxes."""
        from sfumato.kernels.quadratic import number_rows

        held = list(self.bounds.values())
        rows = np.column_stack([end for bounds in held for end in (bounds.lo, bounds.hi)])
        numbers, distinct = number_rows(rows)
        first = np.empty(distinct, dtype=np.int64)
        # written backwards, so that the first record of each number is left
        first[numbers[::-1]] = np.arange(self.records - 1, -1, -1)
        counted = np.bincount(numbers, weights=self.weights if self.step else None, minlength=distinct)
        chosen = np.ascontiguousarray(rows[first].T)
        squared = np.bincount(numbers, weights=self.weights**2, minlength=distinct) if self.step else counted
        return Boxes(chosen[0::2], chosen[1::2], counted / self.total, squared / self.total**2, numbers)


def _numbers(argument: str, name: str | None, given: Any) -> Reals:
    what = f"{argument}[{name!r}]" if name else argument
    try:
        if isinstance(given, np.ma.MaskedArray):
            given = np.ma.filled(given.astype(np.float64), np.nan)
        array = np.asarray(given)
        if array.dtype.kind not in "biufO" or any(isinstance(entry, str | bytes) for entry in _objects(array)):
            raise TypeError
        numbers = np.require(array, np.float64, ["C", "W"])
    except Exception:
        # a foreign message could show values
        raise SettingError(f"{what} does not hold numbers", hint="give an array of numbers") from None
    if numbers.ndim != 1:
        raise SettingError(f"{what} has {numbers.ndim} dimensions", hint="give one number a record")
    return numbers


def _objects(array: np.ndarray[Any, Any]) -> Iterable[object]:
    return array.flat if array.dtype.kind == "O" else ()


def columns_of(argument: str, given: Any) -> dict[str, Any]:
    """Return what is given by attribute: of a mapping, or of a frame."""
    if isinstance(given, Mapping):
        return {name: column for name, column in given.items() if isinstance(name, str)}
    names = getattr(given, "column_names", getattr(given, "columns", None))
    if names is None:
        raise SettingError(
            f"{argument} is a {type(given).__name__}, which does not map names to arrays",
            hint=f"give {argument}={{'x': [...], 'y': [...]}}, or a pandas or polars frame",
        )
    return {name: given[name] for name in names if isinstance(name, str)}


def _length(bounds: Mapping[str, tuple[Reals, Reals]], least: int) -> int:
    lengths = {
        f"{argument}[{name!r}]": end.size
        for name, ends in bounds.items()
        for argument, end in zip(("lo", "hi"), ends, strict=True)
    }
    (first, records), *_ = lengths.items()
    for what, length in lengths.items():
        if length != records:
            raise SettingError(f"{first} has {records:,} records, {what} has {length:,}", hint="give the same records")
    if records < least:
        raise SettingError(f"there are {records} records; a statistic needs at least two")
    return records
