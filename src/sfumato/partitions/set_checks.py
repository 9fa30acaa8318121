"""Sets that must not be released: they say nothing, reveal single records, or have too few records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.array_types import Flags, Reals
from sfumato.errors import UnattainableError
from sfumato.fuzzy import PublicSets, on_levels
from sfumato.microfile import Microfile
from sfumato.partitions.set_rounding import dominated
from sfumato.release import Release, fuzzy_forms, fuzzy_safety

if TYPE_CHECKING:
    from sfumato.partitions.fuzzy_partition import FuzzyPartition

ROUNDING = 1e-9
"""The relative rounding error of sums of shares."""


@dataclass(frozen=True)
class Graded:
    """The grades of all records in the sets of one attribute of the release."""

    sets: PublicSets
    grades: Reals
    lacking: Flags


def refuse_blur(graded: Mapping[str, Graded], settings: FuzzyPartition, levels: int) -> None:
    """Refuse sets to which all records belong alike: the attributes have no clusters."""
    for attribute in graded.values():
        grades = on_levels(attribute.grades[~attribute.lacking], levels)
        released = grades > 0 if settings.shown == "words" else grades
        if len(released) and (released == released[0]).all():
            raise UnattainableError(
                "all records would be released alike: grades on this number of levels cannot distinguish any clusters "
                f"in {len(attribute.sets.attributes)} attributes",
                hint="choose fewer attributes, a lower fuzzifier, method = 'k-means', or sets that divide the values",
                setting="quasi",
            )


def refuse_lonely(graded: Mapping[str, Graded], settings: FuzzyPartition, retained: Microfile) -> None:
    """Refuse clusters that rest on fewer than k records, or mostly on two: their centres would reveal these."""
    weights = np.ones(retained.records) if settings.weight is None else np.nan_to_num(retained.numbers(settings.weight))
    for attribute in graded.values():
        grades = attribute.grades[~attribute.lacking]
        shares = attribute.sets.centre_shares(grades, weights[~attribute.lacking])
        if shares is None:
            continue
        # this number of records with equal weights would be as dispersed
        effective = 1.0 / np.maximum((shares**2).sum(axis=0), np.finfo(np.float64).tiny)
        nearest = np.bincount(grades.argmax(axis=1), minlength=grades.shape[1])
        if effective.min() < settings.k * (1.0 - ROUNDING) or nearest.min() < settings.k or dominated(shares).any():
            raise UnattainableError(
                f"a set rests on fewer than k = {settings.k} records, or mostly on two, which its centre would reveal",
                hint="choose fewer sets or a smaller k, or leave out records that are far from all others",
                setting="k",
            )


def refuse_few(settings: FuzzyPartition, release: Release) -> None:
    """Refuse a release whose fuzzy sets have too few records."""
    if settings.q is None:
        return
    safety = fuzzy_safety(release.microfile, fuzzy_forms(release.codebook), release.promise)
    if safety is None:
        raise UnattainableError(
            "q cannot be measured: the fuzzy sets of all attributes have too many combinations",
            hint="choose fewer sets",
            setting="q",
        )
    reached = safety.q(operator=settings.operator).reached(settings.level)
    if reached < settings.q:
        raise UnattainableError(
            f"q = {settings.q} is unattainable: at level {settings.level:g} the fuzzy sets reach Q = {reached}",
            hint=f"choose q of at most {reached}, a lower level or fewer sets" if reached else "choose fewer sets",
            setting="q",
        )
