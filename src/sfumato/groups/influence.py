"""The influential metric: what it costs that two records take each other's place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Codes, Counts, Reals


@dataclass(frozen=True)
class Influence:
    """What is compared of records, attribute by attribute.

    Ordinal attributes differ by their squared relative difference, which is at most one; a missing value differs
    from every other by one, and from another missing one not at all. Categories differ by one or not at all.

    Examples
    --------
    >>> ages = np.array([[30.0, 10.0, 0.0]])
    >>> areas = np.array([[1, 2, 1]], dtype=np.int32)
    >>> kept = np.zeros(3, dtype=np.int32)
    >>> influence = Influence(ages, np.ones(1), areas, np.ones(1), kept)
    >>> influence.between(np.array([0, 0]), np.array([1, 2]))
    array([1.25, 1.  ])
    """

    ordinal: Reals
    """Attributes x records, NaN where missing."""
    omegas: Reals
    """What each of them weighs."""
    nominal: Codes
    """Attributes x records, -1 where missing."""
    gammas: Reals
    """What each of them weighs."""
    kept: Codes
    """One code a record: only records with the same one may take each other's place."""

    @property
    def most(self) -> float:
        """The most that two records can differ by."""
        return float(self.omegas.sum() + self.gammas.sum())

    def between(self, ones: Counts, others: Counts) -> Reals:
        """Return what it costs that each of some records and another take each other's place; infinite if they may not.

        Parameters
        ----------
        ones, others
            Numbers of records, of shapes that go together.
        """
        found: Reals = np.zeros(np.broadcast(ones, others).shape)
        # CT10 (5), TC16 (25); 0/0 is 0, and the sum of absolute values keeps it bounded: see ERRATA 003-10
        for values, omega in zip(self.ordinal, self.omegas, strict=True):
            found += omega * relative_difference(values[ones], values[others]) ** 2
        # TC16 prints the operator the other way round: see ERRATA 004-7
        for codes, gamma in zip(self.nominal, self.gammas, strict=True):
            found += gamma * (codes[ones] != codes[others])
        found[self.kept[ones] != self.kept[others]] = np.inf
        return found


def relative_difference(ones: Reals, others: Reals) -> Reals:
    """Return (r - s) / (|r| + |s|): 0 for equal values, also both missing; 1 where one of them is missing."""
    size = np.abs(ones) + np.abs(others)
    with np.errstate(invalid="ignore"):
        found: Reals = np.where(size > 0, (ones - others) / size, 0.0)
    missing = np.isnan(ones), np.isnan(others)
    return np.where(missing[0] | missing[1], (missing[0] != missing[1]).astype(np.float64), found)
