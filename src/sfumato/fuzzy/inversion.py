"""The attack that inverts grades: which values could have given a record the grades that a release tells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Codes, Counts, Reals
from sfumato.fuzzy.released import PublicSets, on_levels

TRIED = 50_000
"""So many values are tried."""


@dataclass(frozen=True)
class Inversion:
    """How exactly grades give back an attribute's value."""

    attribute: str
    narrowest: float
    """The narrowest range of values that a record's grades leave."""
    median: float
    """The range that half of the records are left with at most."""
    span: float
    """The range over which the sets lie."""


@dataclass(frozen=True)
class Ranges:
    """Between which values of each attribute grades can lie."""

    lo: Reals
    hi: Reals
    """Different grades x attributes; NaN for grades that no tried value has."""
    of_records: Counts
    """Which of the different grades each record has."""
    span: Reals
    """Attributes x two: between which values were tried."""
    steps: Reals
    """How far apart those lie in each attribute, about; the true ends may lie so much further."""


def invert(sets: PublicSets, parts: Codes, levels: int, *, words: bool) -> list[Inversion]:
    """Tell how exactly released grades give back the values behind them.

    Parameters
    ----------
    sets, parts, levels, words
        As for :func:`ranges_behind`.
    """
    found = ranges_behind(sets, parts, levels, words=words)
    # grades that no tried value has leave less than the distance between two of them
    widths = np.nan_to_num(found.hi - found.lo, nan=0.0)[found.of_records]
    return [
        Inversion(attribute, float(its.min()), float(np.median(its)), float(span[1] - span[0]))
        for attribute, span, its in zip(sets.attributes, found.span, widths.T, strict=True)
    ]


def ranges_behind(sets: PublicSets, parts: Codes, levels: int, *, words: bool) -> Ranges:
    """Find the values behind released grades, by trying many.

    Parameters
    ----------
    sets
        What the release says of its sets.
    parts
        Records by sets: released grades in parts of ``levels``.
    levels
        On how many levels.
    words
        Whether only the words of the sets are released.
    """
    spans = sets.spans()
    # an even grid in one attribute, a random cloud in several; always the same
    if len(spans) == 1:
        tried = np.linspace(spans[0, 0], spans[0, 1], TRIED)[:, None]
    else:
        cloud = np.random.default_rng(0).random((TRIED, len(spans)))
        tried = spans[:, 0] + cloud * (spans[:, 1] - spans[:, 0])
    keys, of_tried = distinct_grades(on_levels(sets.grades(tried), levels), words=words)
    released, of_records = distinct_grades(parts, words=words)
    order = np.argsort(of_tried, kind="stable")
    starts = np.searchsorted(of_tried[order], np.arange(len(keys)))
    place = {key: number for number, key in enumerate(keys)}
    known = np.array([place.get(key, -1) for key in released])
    lo, hi = (
        np.where(known[:, None] >= 0, reduce.reduceat(tried[order], starts, axis=0)[known], np.nan)
        for reduce in (np.minimum, np.maximum)
    )
    return Ranges(lo, hi, of_records, spans, (spans[:, 1] - spans[:, 0]) * TRIED ** (-1.0 / len(spans)))


def distinct_grades(parts: Codes, *, words: bool) -> tuple[list[bytes], Counts]:
    """Return the different rows, and the row of each record."""
    shown = np.ascontiguousarray(parts > 0 if words else parts, dtype=np.int32)
    rows, inverse = np.unique(shown, axis=0, return_inverse=True)
    return [row.tobytes() for row in rows], inverse.ravel()
