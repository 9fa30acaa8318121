"""The attack that inverts grades: which values could have given a record the grades in a release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.fuzzy.codebook_sets import PublicSets, on_levels

TRIED = 50_000
"""How many values are tried."""
LINES = 1000
"""Along how many lines the width of what grades leave is measured, of all different grades together."""
STEPS = 200
"""How many values are tried on each of them."""
ALONE = 2000
"""How many are tried where there is only one attribute."""
SOUGHT = 300
"""At most how many different grades are searched for that none of the tried values has."""
ROUNDS, AROUND = 8, 40
"""How often such a search is repeated, and how many values it tries each time."""
CLOSE = 0.01
"""A value counts as given back where grades leave at most this share of the attribute's extent."""
LEAST_WIDTH = 0.05
"""Grades that leave a smaller share of an attribute's extent give its values back."""


@dataclass(frozen=True)
class Inversion:
    """How exactly grades give back an attribute's value to somebody who knows all other attributes of the sets.

    The grades and the other attributes of a record leave a part of the attribute's axis. Its length, averaged over all
    values of the other attributes with which the grades are possible, is the width that the grades leave.
    """

    attribute: str
    """The attribute that is recovered."""
    narrowest: float
    """The width that the grades of the worst record leave."""
    median: float
    """The width that the grades of half of the records leave at most."""
    extent: float
    """From where to where the sets lie: what widths are compared with."""
    exposed: float
    """The share of the records that is given back to within :data:`CLOSE` of the extent, if the values behind their
    grades are equally probable."""
    hundredth: float
    """The width that one record in a hundred is left at most, on the same condition; not averaged over the values of
    the other attributes."""

    @property
    def share(self) -> float:
        """The narrowest width as a share of the extent."""
        return self.narrowest / self.extent if self.extent > 0 else 0.0


@dataclass(frozen=True)
class Ranges:
    """Between which values of each attribute grades can lie."""

    lo: Reals
    """The lower ends, in the shape of ``hi``."""
    hi: Reals
    """Different grades x attributes; NaN for grades that no tried value has."""
    of_records: Counts
    """Which of the different grades each record has."""
    span: Reals
    """Attributes x two: between which values were tried."""
    steps: Reals
    """About how far apart those are in each attribute; the true ends may be this much further out."""


def invert(sets: PublicSets, level_counts: Codes, levels: int, *, words: bool) -> list[Inversion]:
    """Measure how exactly released grades, together with all other attributes, give back the values behind them.

    Nothing is used but what a release says. Grades that no value has that could be found leave nothing, so that the
    measure errs to the narrow side.

    Parameters
    ----------
    sets, level_counts, levels, words
        As for :func:`ranges_behind`.
    """
    released, of_records = np.unique(_shown(level_counts, words=words), axis=0, return_inverse=True)
    counts = np.bincount(of_records.ravel(), minlength=len(released))
    search = _Search(sets, levels, words)
    behind = search.points_behind(released)
    # all lines along an only attribute are the same
    alone = len(sets.attributes) == 1
    each, steps = (1, ALONE) if alone else (max(1, LINES // len(released)), STEPS)
    inversions = []
    for column, (attribute, extent) in enumerate(zip(sets.attributes, sets.extents().tolist(), strict=True)):
        widths, close, lines = np.zeros(len(released)), np.ones(len(released)), [np.zeros(1)] * len(released)
        for row, points in enumerate(behind):
            if len(points):
                lengths = search.lengths(points[:each], column, released[row], steps)
                # of points spread evenly in a region, the harmonic mean is that of its slices
                with np.errstate(divide="ignore"):
                    widths[row] = len(lengths) / (1.0 / lengths).sum()
                close[row], lines[row] = (lengths <= CLOSE * extent).mean(), lengths
        order = np.argsort(widths, kind="stable")
        half = order[np.searchsorted(np.cumsum(counts[order]), counts.sum() / 2)]
        exposed = float((close * counts).sum() / counts.sum())
        rare = _hundredth(lines, counts)
        inversions.append(Inversion(attribute, float(widths.min()), float(widths[half]), extent, exposed, rare))
    return inversions


def _hundredth(lines: list[Reals], counts: Counts) -> float:
    """Return the length that the line of one record in a hundred has at most."""
    lengths = np.concatenate(lines)
    weights = np.repeat(counts / [line.size for line in lines], [line.size for line in lines])
    order = np.argsort(lengths, kind="stable")
    return float(lengths[order][np.searchsorted(np.cumsum(weights[order]), counts.sum() / 100)])


@dataclass(frozen=True)
class _Search:
    """Values of the attributes of sets, and the grades that they would be released with."""

    sets: PublicSets
    levels: int
    words: bool

    def shown(self, points: Reals) -> Codes:
        return _shown(on_levels(self.sets.grades(points), self.levels), words=self.words)

    def points_behind(self, released: Codes) -> list[Reals]:
        """Return points that have the given grades, evenly over their region; none where none was found."""
        spans = self.sets.spans()
        middles, widths = spans.mean(axis=1), spans[:, 1] - spans[:, 0]
        even = _lattice(TRIED, len(spans)) - 0.5
        row_of = {key.tobytes(): row for row, key in enumerate(released)}
        behind: list[Reals] = [np.empty((0, len(spans)))] * len(released)
        # records far from all sets may have grades that nothing near them has
        for reach in (1.0, 4.0):
            tried = middles + reach * widths * even
            tried_grades = self.shown(tried)
            keys, of_tried = np.unique(tried_grades, axis=0, return_inverse=True)
            order = np.argsort(of_tried.ravel(), kind="stable")
            ends = np.cumsum(np.bincount(of_tried.ravel(), minlength=len(keys)))
            for key, first, last in zip(keys, [0, *ends], ends, strict=False):
                number = row_of.get(key.tobytes(), -1)
                if number >= 0 and not len(behind[number]):
                    behind[number] = tried[order[first:last]]
            if reach == 1.0:
                near, grades = tried, tried_grades
            if all(map(len, behind)):
                return behind
        for number in [number for number, points in enumerate(behind) if not len(points)][:SOUGHT]:
            start = near[np.abs(grades - released[number]).sum(axis=1).argmin()]
            behind[number] = self._nearby(start, released[number], widths)
        return behind

    def _nearby(self, start: Reals, target: Codes, widths: Reals) -> Reals:
        """Search for points with the target grades around one with similar grades."""
        even = 2.0 * _lattice(AROUND, start.size) - 1.0
        best, least = start, np.inf
        for step in 2.0 ** -np.arange(3, 3 + ROUNDS):
            tried = best + step * widths * even
            away = np.abs(self.shown(tried) - target).sum(axis=1)
            if not away.min():
                return np.asarray(tried[away == 0], dtype=np.float64)
            if away.min() < least:
                best, least = tried[away.argmin()], away.min()
        return np.empty((0, start.size))

    def lengths(self, points: Reals, column: int, key: Codes, steps: int) -> Reals:
        """Return how much of the line through each point, along one attribute, has the same grades."""
        low, high = self.sets.spans()[column]
        lows = np.minimum(low, points[:, column] - (high - low))
        highs = np.maximum(high, points[:, column] + (high - low))
        inside = (points[:, column] >= low) & (points[:, column] <= high)
        lows, highs = np.where(inside, low, lows), np.where(inside, high, highs)
        shares = (np.arange(steps) + 0.5) / steps
        lines = np.repeat(points, steps, axis=0)
        lines[:, column] = (lows[:, None] + (highs - lows)[:, None] * shares).ravel()
        same: Flags = (self.shown(lines) == key).all(axis=1).reshape(len(points), steps)
        # a point has its own grades, also where the tried values on both sides have others
        return np.asarray(np.maximum(same.sum(axis=1), 0.5) / steps * (highs - lows), dtype=np.float64)


def _shown(level_counts: Codes, *, words: bool) -> Codes:
    return np.ascontiguousarray(level_counts > 0 if words else level_counts, dtype=np.int32)


def _lattice(count: int, dimensions: int) -> Reals:
    """Return points that fill the unit cube evenly, always the same: multiples of square roots of primes, modulo 1."""
    primes: list[int] = []
    candidate = 2
    while len(primes) < dimensions:
        if all(candidate % prime for prime in primes):
            primes.append(candidate)
        candidate += 1
    return np.asarray(np.arange(1, count + 1)[:, None] * np.sqrt(primes) % 1.0, dtype=np.float64)


def ranges_behind(sets: PublicSets, level_counts: Codes, levels: int, *, words: bool) -> Ranges:
    """Find the values behind released grades, by trying many.

    Parameters
    ----------
    sets
        What the release says of its sets.
    level_counts
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
    released, of_records = distinct_grades(level_counts, words=words)
    order = np.argsort(of_tried, kind="stable")
    starts = np.searchsorted(of_tried[order], np.arange(len(keys)))
    row_of = {key: row for row, key in enumerate(keys)}
    key_rows = np.array([row_of.get(key, -1) for key in released])
    lo, hi = (
        np.where(key_rows[:, None] >= 0, reduce.reduceat(tried[order], starts, axis=0)[key_rows], np.nan)
        for reduce in (np.minimum, np.maximum)
    )
    return Ranges(lo, hi, of_records, spans, (spans[:, 1] - spans[:, 0]) * TRIED ** (-1.0 / len(spans)))


def distinct_grades(level_counts: Codes, *, words: bool) -> tuple[list[bytes], Counts]:
    """Return the different rows, and the row of each record."""
    rows, inverse = np.unique(_shown(level_counts, words=words), axis=0, return_inverse=True)
    return [row.tobytes() for row in rows], inverse.ravel()
