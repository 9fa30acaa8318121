"""Memberships: records by fuzzy sets, checked before they are counted. Messages contain no membership."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sfumato.array_types import Reals
from sfumato.errors import SettingError
from sfumato.microfile import as_microfile

ROUNDING = 1e-9
"""How far a grade may be outside 0 to 1 because of rounding; it is clipped."""

SUM_SLACK = 1e-6
"""How far the sum of a record's memberships may be from 1, as after an iterated clustering."""


def as_grades(memberships: ArrayLike) -> Reals:
    """Return grades from 0 to 1, of one set or of several (records by sets), checked."""
    grades = np.asarray(memberships, dtype=np.float64)
    if grades.ndim not in (1, 2):
        raise SettingError(
            f"memberships have {grades.ndim} dimensions",
            hint="give one number per record, or a table of records by sets",
        )
    # NaN fails both comparisons; minimum and maximum need no temporary array
    if not grades.size or (grades.min() >= 0.0 and grades.max() <= 1.0):
        return grades
    outside = int(grades.size - np.count_nonzero((grades >= -ROUNDING) & (grades <= 1.0 + ROUNDING)))
    if outside:
        raise SettingError(f"memberships must be between 0 and 1; outside: {outside:,}")
    return np.clip(grades, 0.0, 1.0)


def category_memberships(microfile: Any, attribute: str) -> tuple[Reals, tuple[str, ...]]:
    """Return the records by the categories of an attribute, each a crisp set, and the categories.

    Missing values are a separate set, the last, named ``"missing"``.

    >>> import polars as pl
    >>> category_memberships(pl.DataFrame({"sex": ["f", "m", None]}), "sex")[0].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    encoded = as_microfile(microfile).encoded(attribute)
    names = (*map(str, encoded.values.tolist()), *(["missing"] if encoded.has_missing else []))
    grades = np.zeros((encoded.codes.size, len(names)))
    # the code of a missing value, -1, is the last column
    grades[np.arange(encoded.codes.size), encoded.codes] = 1.0
    return grades, names


def as_partition(memberships: ArrayLike) -> Reals:
    """Return records by sets, checked that the memberships of each record sum to 1: QADM14 Definition 6.

    >>> as_partition([[0.25, 0.75], [1, 0]]).shape
    (2, 2)
    """
    grades = as_grades(memberships)
    if grades.ndim != 2 or not grades.size:
        raise SettingError(
            "the memberships of a partition must be a table of records by sets, with at least one of each"
        )
    sums = grades.sum(axis=1)
    none = int(np.count_nonzero(sums == 0.0))
    if none:
        raise SettingError(
            f"records that belong to no set of the partition: {none:,}",
            hint="widen its sets; missing values need their own set (missing=... of a linguistic variable)",
        )
    gap = np.abs(sums - 1.0)
    off = int(np.count_nonzero(gap > SUM_SLACK))
    if off:
        raise SettingError(
            f"records whose memberships do not sum to 1: {off:,}; the largest difference is {gap.max():.3g}",
            hint="measures need a Ruspini partition; products of partitions need the product, not the minimum",
        )
    return grades
