"""Records as numbers for clustering: checked, and passed to kernels in batches that do not depend on the threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, validate_data

from sfumato.array_types import Reals
from sfumato.threads import batches_of, side_by_side

if TYPE_CHECKING:
    from sfumato.kernels.fuzzy_memberships import FuzzySets, Records

LEAST = 8192
"""The smallest batch of records."""

Result = TypeVar("Result")


def numbers_of(estimator: BaseEstimator, table: Any, *, reset: bool) -> Reals:
    """Return a table of records as finite numbers, without a copy if possible."""
    try:
        numbers: Reals = validate_data(estimator, table, reset=reset, dtype=np.float64, order=None)
    except ValueError as error:
        raise ValueError(_without_values(str(error), "X")) from None
    return numbers


def weights_of(sample_weight: Any, numbers: Reals) -> Reals:
    """Return one weight per record, or a single 1 for all."""
    if sample_weight is None:
        return np.ones(1)
    try:
        weights: Reals = _check_sample_weight(sample_weight, numbers, dtype=np.float64, ensure_non_negative=True)
    except ValueError as error:
        raise ValueError(_without_values(str(error), "sample_weight")) from None
    if not 0.0 < float(weights.sum()) < np.inf:
        raise ValueError("sample_weight must have a finite sum above 0")
    return np.ascontiguousarray(weights)


def _without_values(message: str, name: str) -> str:
    """Return a message of scikit-learn without the values that it may contain."""
    if "could not convert" in message:
        return f"{name} holds text where numbers are needed; encode categories as numbers first"
    if message.startswith("Complex data"):
        return "Complex data not supported"
    # "Expected 2D array, got 1D array instead:\narray=[...].\nReshape your data ..."
    problem, separator, rest = message.partition(":\narray=")
    return f"{problem}. Reshape{rest.rpartition('Reshape')[2]}" if separator else message


def read_records(
    numbers: Reals, weights: Reals, attributes: Any = None, origins: Reals | None = None, scales: Any = 1.0
) -> Records:
    """Return records as kernels read them: some attributes, each minus its origin, times its scale."""
    from sfumato.kernels.fuzzy_memberships import Records

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


def in_parts(records: int, work: Callable[[int, int], Result], threads: int | None) -> list[Result]:
    """Apply a function to batches of the records in parallel, and return the results in order."""
    return side_by_side(lambda batch: work(*batch), batches_of(records, least=LEAST), threads)


@dataclass(frozen=True)
class Sums:
    """Sums from which the next sets are computed, and the objective of the current ones."""

    masses: Reals
    """For each set the sum of w u^m."""
    firsts: Reals
    """For each set the sum of w u^m x."""
    scatters: Reals
    """For each set the sum of w u^m (x - v)(x - v)'; or empty."""
    objective: float


def sum_records(records: Records, count: int, sets: FuzzySets, threads: int | None, *, scatters: bool) -> Sums:
    """Sum up all records in one pass."""
    from sfumato.kernels.fuzzy_clustering import sum_up

    n_sets, n_attributes = sets.centres.shape

    def part(first: int, last: int) -> tuple[Reals, Reals, float]:
        moments = np.empty((n_sets, 1 + n_attributes))
        products = np.empty((n_sets if scatters else 0, n_attributes, n_attributes))
        return moments, products, sum_up(records, sets, first, last, moments, products)

    batches = in_parts(count, part, threads)
    moments = np.sum([batch[0] for batch in batches], axis=0)
    upper = np.triu(np.sum([batch[1] for batch in batches], axis=0))
    both = upper + np.swapaxes(np.triu(upper, 1), 1, 2)
    return Sums(moments[:, 0], moments[:, 1:], both, float(np.sum([batch[2] for batch in batches])))


@dataclass(frozen=True)
class Spread:
    """The mean and the variance of each attribute."""

    means: Reals
    variances: Reals


def spread_of(numbers: Reals, weights: Reals, threads: int | None) -> Spread:
    """Return weighted means and variances; the variance of a constant attribute is exactly 0."""
    from sfumato.kernels.fuzzy_memberships import FuzzySets

    attributes = numbers.shape[1]
    origin = numbers[0].copy()
    # a single set has every record as a full member, whatever the fuzzifier; but 2 is for records already scaled
    single = FuzzySets(np.zeros((1, attributes)), np.empty((0, attributes, attributes)), 3.0)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = sum_records(read_records(numbers, weights, origins=origin), len(numbers), single, threads, scatters=True)
        shifts = sums.firsts[0] / sums.masses[0]
        variances = np.diag(sums.scatters[0]) / sums.masses[0] - shifts**2
    if not np.isfinite(variances).all():
        raise ValueError("X holds numbers so far apart that their squares overflow; rescale it")
    return Spread(origin + shifts, np.maximum(variances, 0.0))
