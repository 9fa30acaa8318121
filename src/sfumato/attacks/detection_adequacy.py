"""Adequacy: how well outliers were found, from the confusion matrix of places."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import SupportsIndex

from sfumato.attacks.bayes_independence import Evidence, evidence_of
from sfumato.errors import SettingError


@dataclass(frozen=True)
class Adequacy:
    """The confusion matrix of true outliers and outliers that were found, in numbers of places.

    TC16 (18) exchanges the names of false positives and false negatives; here they have their usual meaning.

    Every measure is defined even if a row or column of the matrix is empty. A share of no places is 1: without true
    outliers none was missed, and if all places are outliers none was found wrongly. Youden's J and markedness are then
    0, because a constant distinguishes nothing.
    """

    true_positives: int
    """True outliers that were found."""
    false_negatives: int
    """True outliers that were not found: TC16's undisclosed outliers."""
    false_positives: int
    """Places that were found but are not outliers: TC16's false outliers."""
    true_negatives: int
    """Places that are not outliers and were not found."""

    @property
    def places(self) -> int:
        """The number of places."""
        return self.true_positives + self.false_negatives + self.false_positives + self.true_negatives

    @property
    def accuracy(self) -> float:
        """The share of places that were classified correctly, TC16 (19); always high if outliers are few."""
        return (self.true_positives + self.true_negatives) / self.places

    @property
    def sensitivity(self) -> float:
        """The share of the true outliers that were found."""
        return _share(self.true_positives, self.false_negatives)

    @property
    def specificity(self) -> float:
        """The share of the places that are not outliers and were not found."""
        return _share(self.true_negatives, self.false_positives)

    @property
    def youden(self) -> float:
        """Youden's J, sensitivity + specificity - 1: 1 if exactly the outliers are found, 0 on average by chance."""
        outliers = self.true_positives + self.false_negatives
        if outliers in (0, self.places):
            return 0.0
        return self.sensitivity + self.specificity - 1.0

    @property
    def markedness(self) -> float:
        """Positive plus negative predictive value, minus 1: how far a finding can be trusted."""
        n_found = self.true_positives + self.false_positives
        if n_found in (0, self.places):
            return 0.0
        # TC16 (20), printed as Youden's J; with the exchanged names it is this, see ERRATA 004-2
        positive_predictive_value = _share(self.true_positives, self.false_positives)
        return positive_predictive_value + _share(self.true_negatives, self.false_negatives) - 1.0

    @cached_property
    def bayes(self) -> Evidence:
        """The evidence that findings depend on the truth, TC16 (22); also meaningful if outliers are few."""
        return evidence_of(((self.true_positives, self.false_negatives), (self.false_positives, self.true_negatives)))


def adequacy(true_outliers: Iterable[SupportsIndex], found_outliers: Iterable[SupportsIndex], n: int) -> Adequacy:
    """Measure how well outliers were found.

    Parameters
    ----------
    true_outliers
        The indices of the places that are outliers, from 0; duplicates count once.
    found_outliers
        The indices of the places that were found.
    n
        The number of places.

    Raises
    ------
    SettingError
        If there are no places, or an index is not a whole number from 0 to n - 1.

    Examples
    --------
    >>> result = adequacy([4, 28], [4, 28, 35], 38)
    >>> round(result.sensitivity, 3), round(result.specificity, 3), round(result.youden, 3)
    (1.0, 0.972, 0.972)
    >>> print(result.bayes)
    3.480 (strong)
    """
    if not _is_whole(n) or n < 1:
        raise SettingError(f"n must be a whole number of at least 1 (given: {n!r})")
    true_indices = _checked_indices(true_outliers, int(n), "true_outliers")
    found_indices = _checked_indices(found_outliers, int(n), "found_outliers")
    n_hits = len(true_indices & found_indices)
    n_missed, n_false = len(true_indices) - n_hits, len(found_indices) - n_hits
    return Adequacy(n_hits, n_missed, n_false, int(n) - n_hits - n_missed - n_false)


def _checked_indices(outliers: Iterable[SupportsIndex], n: int, argument: str) -> set[int]:
    """Return the indices of places as a set; refuse anything else."""
    hint = f"give indices of places from 0 to {n - 1}"
    try:
        listed = list(outliers)
    except TypeError:
        raise SettingError(f"{argument} must be a set or list of places", hint=hint) from None
    for index in listed:
        if not _is_whole(index):
            raise SettingError(f"{argument} contains a {type(index).__name__}, not only whole numbers", hint=hint)
    indices = {int(index) for index in listed}
    outside = [index for index in indices if not 0 <= index < n]
    if outside:
        raise SettingError(f"{argument} contains {outside[0]}, which is not one of the {n} places", hint=hint)
    return indices


def _is_whole(value: object) -> bool:
    """Say whether a value is a whole number; True and False are not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def _share(count: int, rest: int) -> float:
    """Return count / (count + rest), or 1 if both are 0."""
    return count / (count + rest) if count + rest else 1.0
