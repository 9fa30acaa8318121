"""The attack that inverts grades: which values could have given a record the grades that a release tells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Codes, Counts
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


def invert(sets: PublicSets, parts: Codes, levels: int, *, words: bool) -> list[Inversion]:
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
    keys, of_tried = _keys(on_levels(sets.grades(tried), levels), words=words)
    released, of_records = _keys(parts, words=words)
    order = np.argsort(of_tried, kind="stable")
    starts = np.searchsorted(of_tried[order], np.arange(len(keys)))
    place = {key: number for number, key in enumerate(keys)}
    known = np.array([place.get(key, -1) for key in released])
    found = []
    for attribute, span, values in zip(sets.attributes, spans, tried.T, strict=True):
        lo, hi = (reduce.reduceat(values[order], starts) for reduce in (np.minimum, np.maximum))
        # grades that no tried value has leave less than the distance between two of them
        widths = np.where(known >= 0, (hi - lo)[known], 0.0)[of_records]
        found.append(Inversion(attribute, float(widths.min()), float(np.median(widths)), float(span[1] - span[0])))
    return found


def _keys(parts: Codes, *, words: bool) -> tuple[list[bytes], Counts]:
    """Return the different rows, and the row of each record."""
    shown = np.ascontiguousarray(parts > 0 if words else parts, dtype=np.int32)
    rows, inverse = np.unique(shown, axis=0, return_inverse=True)
    return [row.tobytes() for row in rows], inverse.ravel()
