"""Records as numbers for clustering: checked, and read by kernels in parts that do not depend on the threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, validate_data

from sfumato.arrays import Reals
from sfumato.parallel import batches_of, side_by_side

if TYPE_CHECKING:
    from sfumato.kernels.memberships import Records, Sets

LEAST = 8192
"""Fewer records than this are not worth a part of their own."""

Found = TypeVar("Found")


def numbers_of(estimator: BaseEstimator, table: Any, *, reset: bool) -> Reals:
    """Return a table of records as finite numbers, without copying it where it holds such."""
    try:
        numbers: Reals = validate_data(estimator, table, reset=reset, dtype=np.float64, order=None)
    except ValueError as error:
        raise ValueError(_without_values(str(error), "X")) from None
    return numbers


def weights_of(given: Any, numbers: Reals) -> Reals:
    """Return one weight a record, or a single 1 for all where none are given."""
    if given is None:
        return np.ones(1)
    try:
        weights: Reals = _check_sample_weight(given, numbers, dtype=np.float64, ensure_non_negative=True)
    except ValueError as error:
        raise ValueError(_without_values(str(error), "sample_weight")) from None
    if not 0.0 < float(weights.sum()) < np.inf:
        raise ValueError("sample_weight must have a finite sum above 0")
    return np.ascontiguousarray(weights)


def _without_values(message: str, name: str) -> str:
    """Return a message of scikit-learn without the records that it may show."""
    if "could not convert" in message:
        return f"{name} holds text where numbers are needed; encode categories as numbers first"
    if message.startswith("Complex data"):
        return "Complex data not supported"
    # "Expected 2D array, got 1D array instead:\narray=[...].\nReshape your data ..."
    said, shown, rest = message.partition(":\narray=")
    return f"{said}. Reshape{rest.rpartition('Reshape')[2]}" if shown else message


def read_records(
    numbers: Reals, weights: Reals, attributes: Any = None, origins: Reals | None = None, scales: Any = 1.0
) -> Records:
    """Return records as kernels read them: some attributes, each less its origin, times its scale."""
    from sfumato.kernels.memberships import Records

    if not (numbers.flags.c_contiguous or numbers.flags.f_contiguous):
        numbers = np.ascontiguousarray(numbers)
    row, weights = numbers.ravel(order="K"), weights.view()
    # kernels are compiled once for each kind of array, and what frames give may not be written to
    row.flags.writeable = weights.flags.writeable = False
    by_record, by_attribute = (step // 8 for step in numbers.strides)
    used = np.arange(numbers.shape[1]) if attributes is None else np.asarray(attributes, dtype=np.int64)
    return Records(
        row,
        by_record,
        by_attribute,
        used,
        np.zeros(used.size) if origins is None else np.asarray(origins, dtype=np.float64),
        np.broadcast_to(scales, used.size).astype(np.float64),
        weights,
        int(weights.size > 1),
    )


def in_parts(records: int, work: Callable[[int, int], Found], threads: int | None) -> list[Found]:
    """Do some work on parts of the records side by side, and return its results in their order."""
    return side_by_side(lambda part: work(*part), batches_of(records, least=LEAST), threads)


@dataclass(frozen=True)
class Sums:
    """What the next sets are made of, and the objective of the last ones."""

    masses: Reals
    """For each set the sum of w u^m."""
    firsts: Reals
    """For each set the sum of w u^m x."""
    scatters: Reals
    """For each set the sum of w u^m (x - v)(x - v)', or no set at all."""
    objective: float


def sum_records(records: Records, count: int, sets: Sets, threads: int | None, *, scatters: bool) -> Sums:
    """Sum up all records in one pass."""
    from sfumato.kernels.clustering import sum_up

    n_sets, n_attributes = sets.centres.shape

    def part(first: int, last: int) -> tuple[Reals, Reals, float]:
        moments = np.empty((n_sets, 1 + n_attributes))
        products = np.empty((n_sets if scatters else 0, n_attributes, n_attributes))
        return moments, products, sum_up(records, sets, first, last, moments, products)

    found = in_parts(count, part, threads)
    moments = np.sum([one[0] for one in found], axis=0)
    upper = np.triu(np.sum([one[1] for one in found], axis=0))
    both = upper + np.swapaxes(np.triu(upper, 1), 1, 2)
    return Sums(moments[:, 0], moments[:, 1:], both, float(np.sum([one[2] for one in found])))


@dataclass(frozen=True)
class Spread:
    """Where records lie and how far they spread."""

    means: Reals
    variances: Reals


def spread_of(numbers: Reals, weights: Reals, threads: int | None) -> Spread:
    """Return weighted means and variances; that of a constant attribute is exactly 0."""
    from sfumato.kernels.memberships import Sets

    attributes = numbers.shape[1]
    origin = numbers[0].copy()
    # a single set has every record as a full member, whatever the fuzzifier; but 2 is for records already scaled
    whole = Sets(np.zeros((1, attributes)), np.empty((0, attributes, attributes)), 3.0)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = sum_records(read_records(numbers, weights, origins=origin), len(numbers), whole, threads, scatters=True)
        shifts = sums.firsts[0] / sums.masses[0]
        variances = np.diag(sums.scatters[0]) / sums.masses[0] - shifts**2
    if not np.isfinite(variances).all():
        raise ValueError("X holds numbers too far apart for their squares to be represented; rescale it")
    return Spread(origin + shifts, np.maximum(variances, 0.0))
