"""The influential metric: what it costs that two records swap their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Codes, Counts, Reals
from sfumato.microfile import Kind, Microfile


@dataclass(frozen=True)
class Influence:
    """The attributes in which records are compared.

    Ordinal attributes differ by their squared relative difference, which is at most one; a missing value differs
    from every other by one, and from another missing one not at all. Categories differ by one or not at all.

    Examples
    --------
    >>> ages = np.array([[30.0, 10.0, 0.0]])
    >>> areas = np.array([[1, 2, 1]], dtype=np.int32)
    >>> classes = np.zeros(3, dtype=np.int32)
    >>> influence = Influence(ages, np.ones(1), areas, np.ones(1), classes)
    >>> influence.between(np.array([0, 0]), np.array([1, 2]))
    array([1.25, 1.  ])
    """

    ordinal: Reals
    """Attributes x records, NaN where missing."""
    omegas: Reals
    """The weight of each ordinal attribute."""
    nominal: Codes
    """Attributes x records, -1 where missing."""
    gammas: Reals
    """The weight of each nominal attribute."""
    swap_classes: Codes
    """One code per record: only records of the same class may swap their places."""

    @property
    def largest(self) -> float:
        """The largest possible cost of one swap."""
        return float(self.omegas.sum() + self.gammas.sum())

    def between(self, records: Counts, partners: Counts) -> Reals:
        """Return what it costs that records and their partners swap places; infinite where they may not.

        Parameters
        ----------
        records, partners
            Record indices, of shapes that broadcast.
        """
        costs: Reals = np.zeros(np.broadcast(records, partners).shape)
        # CT10 (5), TC16 (25); 0/0 is 0, and the sum of absolute values keeps it bounded: see ERRATA 003-10
        for values, omega in zip(self.ordinal, self.omegas, strict=True):
            costs += omega * relative_difference(values[records], values[partners]) ** 2
        # TC16 prints the operator the other way round: see ERRATA 004-7
        for codes, gamma in zip(self.nominal, self.gammas, strict=True):
            costs += gamma * (codes[records] != codes[partners])
        costs[self.swap_classes[records] != self.swap_classes[partners]] = np.inf
        return costs


def relative_difference(values: Reals, compared: Reals) -> Reals:
    """Return (r - s) / (|r| + |s|): 0 for equal values, also both missing; 1 where one of them is missing."""
    size = np.abs(values) + np.abs(compared)
    with np.errstate(invalid="ignore"):
        relative: Reals = np.where(size > 0, (values - compared) / size, 0.0)
    missing = np.isnan(values), np.isnan(compared)
    return np.where(missing[0] | missing[1], (missing[0] != missing[1]).astype(np.float64), relative)


def influence_in(microfile: Microfile, importances: Mapping[str, float], swap_classes: Codes) -> Influence:
    """Return the metric over the records of a microfile.

    Parameters
    ----------
    microfile
        The records.
    importances
        The weight of each influential attribute.
    swap_classes
        One code per record: only records of the same class may swap their places.
    """
    ordinal = [name for name in importances if microfile.attribute(name).kind is not Kind.CATEGORICAL]
    nominal = [name for name in importances if name not in ordinal]
    microfile.encode_together([*nominal, *(name for name in ordinal if microfile.attribute(name).order)])
    return Influence(
        _stacked([_comparable_values(microfile, name) for name in ordinal], microfile.records, np.float64),
        np.array([importances[name] for name in ordinal]),
        _stacked([microfile.encoded(name).codes for name in nominal], microfile.records, np.int32),
        np.array([importances[name] for name in nominal]),
        swap_classes,
    )


def _comparable_values(microfile: Microfile, name: str) -> Reals:
    """Return values whose relative differences make sense; ordered categories have their rank, from 1."""
    if microfile.attribute(name).kind is Kind.ORDINAL:
        codes = microfile.encoded(name).codes
        return np.where(codes < 0, np.nan, codes + 1.0)
    values = microfile.numbers(name)
    # dates are counted from an arbitrary day, so relative differences need another origin: the earliest date
    return values - np.nanmin(values) if microfile.series(name).dtype.is_temporal() else values


def _stacked(rows: list[np.ndarray], records: int, dtype: type) -> np.ndarray:
    return np.stack(rows).astype(dtype) if rows else np.empty((0, records), dtype=dtype)
