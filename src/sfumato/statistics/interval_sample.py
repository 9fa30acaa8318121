"""A sample of interval data: checked, weighted, and with equal boxes merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.errors import SettingError

LARGEST = 1e70
"""The fourth powers of larger numbers may overflow."""


@dataclass(frozen=True)
class AttributeBounds:
    """The bounds of one attribute, checked, with their means."""

    lo: Reals
    hi: Reals
    low: float
    """The weighted mean of the lower bounds."""
    high: float
    """The weighted mean of the upper bounds."""
    reach: float
    """The weighted mean distance of the bounds from the first one; rounding errors are proportional to it."""
    exact: bool
    """Whether every lower bound equals its upper bound."""

    @property
    def middle(self) -> float:
        """The mean of the midpoints."""
        return self.low + 0.5 * (self.high - self.low)


@dataclass(frozen=True)
class DistinctBoxes:
    """The distinct boxes of some attributes, with the share of records in each."""

    lo: Reals
    """One row per attribute."""
    hi: Reals
    shares: Reals
    """Sum to one."""
    squares: Reals
    """The sum of the squared shares of the records in each box."""
    box_ids: Codes
    """The index of each record's box."""

    @property
    def counts(self) -> Counts:
        """The number of records in each box."""
        return np.bincount(self.box_ids, minlength=self.shares.size)

    @property
    def middles(self) -> Reals:
        """The midpoints of the boxes, one row per attribute."""
        return self.lo + 0.5 * (self.hi - self.lo)

    @property
    def halves(self) -> Reals:
        """The half-widths, one row per attribute."""
        return 0.5 * (self.hi - self.lo)


class Sample:
    """Records whose attributes are known between bounds.

    Parameters
    ----------
    lo, hi
        The bounds of each attribute, one number per record.
    names
        The attributes to use, in this order.
    weights
        Survey weights, one per record; none: all records count the same.
    least
        The smallest allowed number of records.
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
        from sfumato.kernels.interval_variance import sum_bounds

        bounds = {name: (_numbers("lo", name, lo[name]), _numbers("hi", name, hi[name])) for name in names}
        self.records = _length(bounds, least)
        self.weights = np.ones(1) if weights is None else _numbers("weights", None, weights)
        self.step = 0 if weights is None else 1
        if weights is not None and self.weights.size != self.records:
            raise SettingError(
                f"weights has length {self.weights.size:,}, the bounds have length {self.records:,}",
                hint="give one weight per record",
                setting="weights",
            )
        self.bounds: dict[str, AttributeBounds] = {}
        for name, (low, high) in bounds.items():
            good, sums = sum_bounds(low, high, self.weights, self.step, LARGEST)
            if not good:
                self._explain(name, low, high)
            self.total, self.squares, mean_low, mean_high, reach, wide = sums.tolist()
            origin = float(low[0])
            self.bounds[name] = AttributeBounds(low, high, origin + mean_low, origin + mean_high, reach, not wide)

    def weighty(self) -> Sample:
        """Return the records with a positive weight; the others have no effect, but could be far from all the rest."""
        if not self.step or self.weights.all():
            return self
        weighted = self.weights > 0
        lo = {name: bounds.lo[weighted] for name, bounds in self.bounds.items()}
        hi = {name: bounds.hi[weighted] for name, bounds in self.bounds.items()}
        return Sample(lo, hi, list(self.bounds), self.weights[weighted], least=1)

    def _explain(self, name: str, low: Reals, high: Reals) -> None:
        """Raise an error that counts the wrong weights or bounds."""
        weights = self.weights
        for wrong, message, hint in (
            (np.isnan(weights), "missing in {}", "remove these records"),
            (weights < 0, "negative in {}", "weights are 0 or more"),
            (weights > LARGEST, f"infinite or above {LARGEST:g} in {{}}", "give finite weights"),
            (np.array([not weights.any()]), "all are zero", "at least one must be positive"),
        ):
            if wrong.any():
                raise SettingError(f"weights: {message.format(_count(wrong))}", hint=hint, setting="weights")
        for wrong, message, hint in (
            (np.isnan(low + high), "no bound (NaN) in {}", "remove these records"),
            (
                (abs(low) > LARGEST) | (abs(high) > LARGEST),
                f"a bound is infinite or beyond {LARGEST:g} in {{}}",
                "give finite bounds, such as the smallest and the largest possible value",
            ),
            (low > high, "lo is above hi in {}", "lo is the smaller bound, hi the larger"),
        ):
            if wrong.any():
                raise SettingError(f"{name!r}: {message.format(_count(wrong))}", hint=hint, column=name)
        raise SettingError(
            "weights are too large or too small to be added up", hint="divide them by their mean", setting="weights"
        )

    @property
    def shares(self) -> Reals:
        """The share of each record in a weighted mean."""
        return np.broadcast_to(self.weights / self.total, self.records)

    @cached_property
    def boxes(self) -> DistinctBoxes:
        """The distinct boxes."""
        from sfumato.kernels.quadratic_max import number_rows

        bounds = list(self.bounds.values())
        rows = np.column_stack([end for column in bounds for end in (column.lo, column.hi)])
        box_ids, n_boxes = number_rows(rows)
        first = np.empty(n_boxes, dtype=np.int64)
        # written backwards, so that the first record of each box remains
        first[box_ids[::-1]] = np.arange(self.records - 1, -1, -1)
        counted = np.bincount(box_ids, weights=self.weights if self.step else None, minlength=n_boxes)
        chosen = np.ascontiguousarray(rows[first].T)
        squared = np.bincount(box_ids, weights=self.weights**2, minlength=n_boxes) if self.step else counted
        return DistinctBoxes(chosen[0::2], chosen[1::2], counted / self.total, squared / self.total**2, box_ids)


def _count(flags: Flags) -> str:
    n_records = int(flags.sum())
    return "1 record" if n_records == 1 else f"{n_records:,} records"


def _numbers(argument: str, name: str | None, content: Any) -> Reals:
    subject = f"{argument}[{name!r}]" if name else argument
    try:
        if isinstance(content, np.ma.MaskedArray):
            content = np.ma.filled(content.astype(np.float64), np.nan)
        array = np.asarray(content)
        if array.dtype.kind not in "biufO" or any(isinstance(entry, str | bytes) for entry in _objects(array)):
            raise TypeError
        numbers = np.require(array, np.float64, ["C", "W"])
    except Exception:
        # a foreign message could show values
        raise SettingError(
            f"{subject} does not hold numbers", hint="give an array of numbers", setting=argument, column=name
        ) from None
    if numbers.ndim != 1:
        raise SettingError(
            f"{subject} has {numbers.ndim} dimensions", hint="give one number per record", setting=argument
        )
    return numbers


def _objects(array: np.ndarray[Any, Any]) -> Iterable[object]:
    return array.flat if array.dtype.kind == "O" else ()


def columns_of(argument: str, table: Any) -> dict[str, Any]:
    """Return the columns of a mapping or a frame by name."""
    if isinstance(table, Mapping):
        return {name: column for name, column in table.items() if isinstance(name, str)}
    names = getattr(table, "column_names", getattr(table, "columns", None))
    if names is None:
        raise SettingError(
            f"{argument} is a {type(table).__name__}, which does not map names to arrays",
            hint=f"give {argument}={{'x': [...], 'y': [...]}}, or a pandas or polars frame",
        )
    return {name: table[name] for name in names if isinstance(name, str)}


def _length(bounds: Mapping[str, tuple[Reals, Reals]], least: int) -> int:
    lengths = {
        f"{argument}[{name!r}]": end.size
        for name, ends in bounds.items()
        for argument, end in zip(("lo", "hi"), ends, strict=True)
    }
    (first, records), *_ = lengths.items()
    for label, length in lengths.items():
        if length != records:
            raise SettingError(
                f"{first} has {records:,} records, {label} has {length:,}", hint="lo and hi need the same records"
            )
    if records < least:
        raise SettingError(f"a statistic needs at least two records, not {records}")
    return records
