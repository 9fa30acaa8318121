"""The cardinality of a fuzzy set: how many members it has.

There are several definitions. The sigma-count is additive and the one to compute with; Ralescu's cardinality (1) gives
the possibility of each number; its defuzzified form (2) is a whole number. Both have anomalies (ERRATA 002-8, 002-9),
which the page on QADM14 shows. In all of them, mu_(1) >= mu_(2) >= ... are a set's memberships in descending order,
mu_(0) = 1, and mu_(k) = 0 beyond the last.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sfumato.array_types import Counts, Reals
from sfumato.errors import SettingError
from sfumato.fuzzy.memberships import as_grades

HALF_SLACK = 1e-9
"""Memberships this close to 1/2 count as 1/2: (2) jumps there, and must not depend on the rounding of a slope."""


def sigma_count(memberships: ArrayLike) -> Reals:
    """Return the sum of the memberships, set by set.

    >>> sigma_count([[0.25, 0.75], [1, 0]]).tolist()
    [1.25, 0.75]
    """
    return np.asarray(as_grades(memberships).sum(axis=0), dtype=np.float64)


def nonfuzzy_cardinality(memberships: ArrayLike) -> Counts:
    """Return the whole number of members that is most possible, set by set: QADM14 (2).

    It is not additive: two members at 1/2 count as one together and as one each alone. It is 0 for a set none of whose
    members reach 1/2, however many there are.

    >>> [nonfuzzy_cardinality(set).item() for set in ([0.5, 0.5], [0.5], [0.4] * 9)]
    [1, 1, 0]
    """
    grades = as_grades(memberships)
    above = np.count_nonzero(grades > 0.5 + HALF_SLACK, axis=0)
    reaching = np.count_nonzero(grades >= 0.5 - HALF_SLACK, axis=0)
    return _closed_form(np.asarray(above), np.asarray(reaching))


def nonfuzzy_parts(grades: Reals, codes: Counts, n_parts: int) -> Counts:
    """Return QADM14 (2) of each part of one set; the codes say which part a record belongs to."""
    above = np.bincount(codes[grades > 0.5 + HALF_SLACK], minlength=n_parts)
    return _closed_form(above, np.bincount(codes[grades >= 0.5 - HALF_SLACK], minlength=n_parts))


def _closed_form(above: Counts, reaching: Counts) -> Counts:
    # QADM14 (2) is #{mu > 1/2} + [some mu = 1/2], see ERRATA 002-8: its j is the position of the last membership above
    # 1/2, or the one after it
    return np.asarray(above + (reaching > above), dtype=np.int64)


def fg_count(memberships: ArrayLike) -> Reals:
    """Return the degree to which a set has at least 0, 1, ..., n members: its k-th largest membership, and 1 for k = 0.

    Unlike :func:`possibility_at_least` it is 1 for all certain members, and never falls when a record joins.

    >>> fg_count([0.75, 1]).tolist()
    [1.0, 1.0, 0.75]
    """
    return _descending(memberships)[:-1]


def fuzzy_cardinality(memberships: ArrayLike) -> Reals:
    """Return how possible it is that a set has exactly 0, 1, ..., n members: QADM14 (1), by Ralescu.

    >>> fuzzy_cardinality([0.75, 1]).tolist()
    [0.0, 0.25, 0.75]
    """
    descending = _descending(memberships)
    # QADM14 (1): |A|_f(k) = mu_(k) ^ (1 - mu_(k+1))
    return np.minimum(descending[:-1], 1.0 - descending[1:])


def possibility_at_least(memberships: ArrayLike, k: ArrayLike | None = None) -> Reals:
    """Return how possible it is that a set has at least k members.

    Parameters
    ----------
    memberships
        Of one set; zeros have no effect.
    k
        One number or several; default: 0, 1, ..., n. The possibility is 0 beyond n.

    Examples
    --------
    >>> possibility_at_least([0.75, 1]).tolist(), possibility_at_least([0.75, 1], 3).item()
    ([0.75, 0.75, 0.75], 0.0)
    """
    descending = _descending(memberships)
    sizes = np.arange(descending.size - 1) if k is None else np.asarray(k, dtype=np.int64)
    if sizes.size and sizes.min() < 0:
        raise SettingError("k is negative", hint="a set has 0 members or more", setting="k")
    return at_least(descending)[np.minimum(sizes, descending.size - 1)]


def at_least(descending: Reals) -> Reals:
    """Return Poss(|A| >= k) for k = 0 to n + 1, from mu_(0) = 1, mu_(1), ..., mu_(n), mu_(n+1) = 0."""
    possibilities = descending.copy()
    # j = max{s >= 1: mu_(s-1) + mu_(s) > 1}, and 0 for an empty set; the sums descend
    j = int(np.count_nonzero(descending[:-1] + descending[1:] > 1.0))
    # mu_(k) for k >= j, else (1 - mu_(j)) v mu_(j); mu_(k) = 0 for k > n: ERRATA 002-10
    possibilities[:j] = max(1.0 - descending[j], descending[j])
    return possibilities


def _descending(memberships: ArrayLike) -> Reals:
    """Return mu_(0) = 1, mu_(1), ..., mu_(n), mu_(n+1) = 0."""
    grades = as_grades(memberships)
    if grades.ndim != 1:
        raise SettingError("give the memberships of one set", hint="such as memberships[:, 0]")
    return descending_of(grades)


def descending_of(grades: Reals) -> Reals:
    """Sort a set's memberships, with the ends that the formulas need."""
    descending = np.empty(grades.size + 2)
    descending[0], descending[-1] = 1.0, 0.0
    inner = descending[1:-1]
    inner[:] = grades
    inner.sort()
    inner[:] = inner[::-1].copy()
    return descending
