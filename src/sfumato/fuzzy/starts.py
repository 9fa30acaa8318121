"""Where clustering starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_array

from sfumato.arrays import Counts, Reals
from sfumato.fuzzy.records import in_parts, read_records

if TYPE_CHECKING:
    from sfumato.kernels.memberships import Records, Sets

UNIFORMS = 12
"""A sum of so many uniform numbers has variance 1 and is nearly normal."""
SAMPLE = 100_000
"""Of more records than this, so many are taken, evenly, to draw the first centres from."""


def given_centres(init: Any, shape: tuple[int, int]) -> Reals:
    """Return centres that the user gave, checked."""
    try:
        centres: Reals = check_array(init, dtype=np.float64)
    except ValueError as error:
        raise ValueError(f"init must be 'k-means++' or an array of finite numbers of shape {shape}") from error
    if centres.shape != shape:
        raise ValueError(
            f"init has the shape {centres.shape}, but there are to be {shape[0]} sets of {shape[1]} attributes"
        )
    return centres


class Drawing:
    """Centres drawn among records as k-means++ does: far from each other, and by weight.

    Neither the order of records nor a weight in place of repetitions changes what is drawn, for draws go along the
    order of records' places on a random line.
    """

    def __init__(
        self,
        numbers: Reals,
        weights: Reals,
        attributes: Counts,
        origins: Reals,
        scales: Reals,
        random: np.random.RandomState,
    ) -> None:
        every = np.broadcast_to(weights, len(numbers))
        if len(numbers) > SAMPLE:
            strata = (np.arange(SAMPLE) + random.random_sample(SAMPLE)) * (len(numbers) / SAMPLE)
            chosen = strata.astype(np.int64)
            if every[chosen].any():
                numbers, every = numbers[chosen], every[chosen]
        places = (numbers[:, attributes] - origins) * scales
        # attribute by attribute, so that equal records get equal places to the last digit
        line = np.zeros(len(places))
        # about normal, by additions alone, which every machine rounds alike
        directions = random.random_sample((UNIFORMS, places.shape[1])).sum(axis=0) - UNIFORMS / 2
        for values, direction in zip(places.T, directions, strict=True):
            line += values * direction
        order = np.argsort(line, kind="stable")
        self._places, self._weights, self._random = places[order], every[order], random
        self._records = read_records(self._places, np.ones(1))

    def draw(self, n_sets: int, threads: int | None) -> Reals:
        """Return the first centres."""
        nearest = np.full(len(self._places), np.inf)
        chosen = [self._one(self._weights)]
        for _ in range(1, n_sets):
            _come_nearer(self._records, self._places[chosen[-1:]], nearest, threads)
            chances = self._weights * nearest
            # with fewer different records than sets, some centres coincide
            chosen.append(self._one(chances if chances.any() else self._weights))
        return self._places[chosen]

    def _one(self, chances: Reals) -> int:
        heights = np.cumsum(chances)
        place = int(np.searchsorted(heights, self._random.random_sample() * heights[-1], side="right"))
        return min(place, int(np.flatnonzero(chances)[-1]))


def _come_nearer(records: Records, centres: Reals, nearest: Reals, threads: int | None) -> None:
    from sfumato.kernels.clustering import come_nearer

    sets = plain_sets(centres, 2.0)
    in_parts(nearest.size, lambda first, last: come_nearer(records, sets, first, last, nearest), threads)


def plain_sets(centres: Reals, fuzzifier: float) -> Sets:
    """Return sets with ordinary lengths."""
    from sfumato.kernels.memberships import Sets

    n_attributes = centres.shape[1]
    return Sets(np.ascontiguousarray(centres), np.empty((0, n_attributes, n_attributes)), float(fuzzifier))
