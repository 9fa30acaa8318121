"""Memberships: records by fuzzy sets, checked before anything is counted. No message shows one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sfumato.arrays import Reals
from sfumato.errors import SettingError
from sfumato.microfile.microfile import as_microfile

ROUNDING = 1e-9
"""How far a grade may lie outside 0 to 1, as quotients of sums do; it is put back."""

SUM_SLACK = 1e-6
"""How far a record's memberships may sum to something else than 1: what an iterated clustering leaves."""


def as_grades(memberships: ArrayLike) -> Reals:
    """Take grades from 0 to 1, of one set or of several (records by sets)."""
    grades = np.asarray(memberships, dtype=np.float64)
    if grades.ndim not in (1, 2):
        raise SettingError(f"memberships must be of records, or of records by sets (given: {grades.ndim} dimensions)")
    # what is no number lies nowhere; both ends are found without a temporary
    if not grades.size or (grades.min() >= 0.0 and grades.max() <= 1.0):
        return grades
    outside = int(grades.size - np.count_nonzero((grades >= -ROUNDING) & (grades <= 1.0 + ROUNDING)))
    if outside:
        raise SettingError(f"memberships must lie between 0 and 1; {outside:,} do not")
    return np.clip(grades, 0.0, 1.0)


def category_memberships(microfile: Any, attribute: str) -> tuple[Reals, tuple[str, ...]]:
    """Return the records by the categories of an attribute, each a crisp set, and the categories.

    A missing category is a set of its own, the last, named ``"missing"``.

    >>> import polars as pl
    >>> category_memberships(pl.DataFrame({"sex": ["f", "m", None]}), "sex")[0].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    encoded = as_microfile(microfile).encoded(attribute)
    names = (*map(str, encoded.values.tolist()), *(["missing"] if encoded.has_missing else []))
    grades = np.zeros((encoded.codes.size, len(names)))
    # -1, a missing one, is the last column
    grades[np.arange(encoded.codes.size), encoded.codes] = 1.0
    return grades, names


def as_partition(memberships: ArrayLike) -> Reals:
    """Take records by sets, each record's memberships summing to 1: QADM14 Definition 6.

    >>> as_partition([[0.25, 0.75], [1, 0]]).shape
    (2, 2)
    """
    grades = as_grades(memberships)
    if grades.ndim != 2 or not grades.size:
        raise SettingError("memberships of a partition are a table of records by sets, with at least one of each")
    sums = grades.sum(axis=1)
    none = int(np.count_nonzero(sums == 0.0))
    if none:
        raise SettingError(
            f"{none:,} records belong to no set of the partition",
            hint="widen its sets; missing values need one of their own (missing=... of a linguistic variable)",
        )
    gap = np.abs(sums - 1.0)
    off = int(np.count_nonzero(gap > SUM_SLACK))
    if off:
        raise SettingError(
            f"the memberships of {off:,} records do not sum to 1, by up to {gap.max():.3g}",
            hint="measures need a Ruspini partition; products of partitions need the product, not the minimum",
        )
    return grades
