"""What cells of labels have in common, household by household."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from sfumato.array_types import Codes, Counts, Flags
from sfumato.microfile import Encoded


def intersect_labels(
    columns: Mapping[str, Encoded],
    households: Codes,
    *,
    members: Mapping[str, frozenset[str]] | None = None,
    stands_for_any: Collection[str] = (),
) -> tuple[dict[str, Encoded], Flags]:
    """Intersect the sets behind labels; labels that stand for themselves differ or do not.

    Parameters
    ----------
    columns
        Released columns.
    households
        The household of each record, numbered from 0.
    members
        The set behind each label; default: each label stands for itself.
    stands_for_any
        Labels that stand for any value.

    Returns
    -------
    tuple
        The intersections, encoded like the columns; and which households have an empty one.
    """
    intersections = {}
    contradicted = np.zeros(int(households.max()) + 1, dtype=np.bool_)
    for column, encoded in columns.items():
        lowest, highest = _code_ranges(households, encoded.codes)
        codes = np.where(highest < 0, -1, lowest)
        mixed = np.flatnonzero(lowest < highest)
        labels = [str(value) for value in encoded.values.tolist()]
        sets = {label: frozenset((label,)) for label in labels} if members is None else members
        set_codes: dict[Any, int] = {
            sets[label]: code for code, label in enumerate(labels) if label not in stands_for_any
        }
        n_codes = len(labels)
        for household, label_codes in zip(mixed.tolist(), _codes_of(mixed, households, encoded.codes), strict=True):
            informative = [labels[code] for code in label_codes.tolist() if labels[code] not in stands_for_any]
            if not informative:
                # labels that stand for any value still do when they are intersected
                continue
            common = frozenset.intersection(*(sets[label] for label in informative))
            contradicted[household] |= not common
            codes[household] = set_codes.setdefault(common or tuple(label_codes.tolist()), n_codes)
            n_codes = max(n_codes, int(codes[household]) + 1)
        intersections[column] = Encoded(codes[households].astype(np.int32), np.arange(n_codes))
    return intersections, contradicted


def _code_ranges(households: Codes, codes: Codes) -> tuple[Codes, Codes]:
    """Return the lowest and highest code of each household; without any, the lowest is above the highest."""
    lowest = np.full(int(households.max()) + 1, np.iinfo(np.int32).max, dtype=np.int32)
    highest = np.full(lowest.size, -1, dtype=np.int32)
    present = codes >= 0
    np.minimum.at(lowest, households[present], codes[present])
    np.maximum.at(highest, households[present], codes[present])
    return lowest, highest


def _codes_of(selected: Counts, households: Codes, codes: Codes) -> list[Codes]:
    """Return the different codes of the selected households, ascending."""
    rows = np.isin(households, selected) & (codes >= 0)
    pairs = np.unique(np.stack([households[rows], codes[rows]], axis=1), axis=0)
    return np.split(pairs[:, 1], np.flatnonzero(np.diff(pairs[:, 0])) + 1) if len(pairs) else []
