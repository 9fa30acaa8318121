"""How well outliers were found: the confusion matrix of places, and what it tells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import SupportsIndex

from sfumato.attacks.bayes_test import Evidence, evidence_of
from sfumato.errors import SettingError


@dataclass(frozen=True)
class Adequacy:
    """The outliers that were found against the true ones, as counts of places.

    TC16 (18) calls outliers that were missed false positives, and the others false negatives; here they have their
    usual names.

    Every measure is a number whatever is empty. A share of no places is 1: where there are no true outliers none was
    missed, and where all places are outliers none was accused falsely. Youden's J and markedness are then 0, because
    what does not vary tells nothing apart.
    """

    true_positives: int
    """True outliers that were found."""
    false_negatives: int
    """True outliers that were not found: TC16's undisclosed outliers."""
    false_positives: int
    """Other places that were found: TC16's false outliers."""
    true_negatives: int
    """Other places that were not found."""

    @property
    def places(self) -> int:
        """How many places there are."""
        return self.true_positives + self.false_negatives + self.false_positives + self.true_negatives

    @property
    def accuracy(self) -> float:
        """The share of places that were judged rightly, TC16 (19); high whenever outliers are few."""
        return (self.true_positives + self.true_negatives) / self.places

    @property
    def sensitivity(self) -> float:
        """The share of the true outliers that were found."""
        return _share(self.true_positives, self.false_negatives)

    @property
    def specificity(self) -> float:
        """The share of the other places that were not found."""
        return _share(self.true_negatives, self.false_positives)

    @property
    def youden(self) -> float:
        """Youden's J, sensitivity + specificity - 1: 1 if all is found and nothing else, 0 if found by chance."""
        outliers = self.true_positives + self.false_negatives
        if outliers in (0, self.places):
            return 0.0
        return self.sensitivity + self.specificity - 1.0

    @property
    def markedness(self) -> float:
        """How far a finding can be believed: right shares of the found and of the not found places, minus 1."""
        found = self.true_positives + self.false_positives
        if found in (0, self.places):
            return 0.0
        # TC16 (20), printed as Youden's J; with the exchanged names it is this, see ERRATA 004-2
        right_found = _share(self.true_positives, self.false_positives)
        return right_found + _share(self.true_negatives, self.false_negatives) - 1.0

    @cached_property
    def bayes(self) -> Evidence:
        """The evidence that what was found depends on what is true, TC16 (22); it holds for few outliers as well."""
        return evidence_of(((self.true_positives, self.false_negatives), (self.false_positives, self.true_negatives)))


def adequacy(true_outliers: Iterable[SupportsIndex], found_outliers: Iterable[SupportsIndex], n: int) -> Adequacy:
    """Judge how well outliers were found.

    Parameters
    ----------
    true_outliers
        The places that are outliers, counted from 0; a place named twice counts once.
    found_outliers
        The places that were found, likewise.
    n
        How many places there are.

    Raises
    ------
    SettingError
        If there are no places, or if what is given are not places from 0 to n - 1.

    Examples
    --------
    >>> judged = adequacy([4, 28], [4, 28, 35], 38)
    >>> round(judged.sensitivity, 3), round(judged.specificity, 3), round(judged.youden, 3)
    (1.0, 0.972, 0.972)
    >>> print(judged.bayes)
    3.480 (strong)
    """
    if not _is_whole(n) or n < 1:
        raise SettingError(f"n must be a whole number of at least 1 (given: {n!r})")
    true, found = (
        _places(given, int(n), what)
        for given, what in ((true_outliers, "true_outliers"), (found_outliers, "found_outliers"))
    )
    right = len(true & found)
    missed, false = len(true) - right, len(found) - right
    return Adequacy(right, missed, false, int(n) - right - missed - false)


def _places(given: Iterable[SupportsIndex], n: int, what: str) -> set[int]:
    """Return places as a set, refusing what is none."""
    hint = f"give places from 0 to {n - 1}, as the indices of outliers are"
    try:
        listed = list(given)
    except TypeError:
        raise SettingError(f"{what} must be a set or list of places", hint=hint) from None
    for place in listed:
        if not _is_whole(place):
            raise SettingError(f"{what} holds a {type(place).__name__}, not only whole numbers", hint=hint)
    places = {int(place) for place in listed}
    outside = [place for place in places if not 0 <= place < n]
    if outside:
        raise SettingError(f"{what} holds {outside[0]}, which is none of the {n} places", hint=hint)
    return places


def _is_whole(given: object) -> bool:
    """Whether something is a whole number; True and False are answers, not numbers."""
    return isinstance(given, Integral) and not isinstance(given, bool)


def _share(part: int, rest: int) -> float:
    """Return part / (part + rest), and 1 of nothing."""
    return part / (part + rest) if part + rest else 1.0
