"""The initial centres of a clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_array

from sfumato.array_types import Counts, Reals
from sfumato.fuzzy.clustering_input import in_parts, read_records

if TYPE_CHECKING:
    from sfumato.kernels.fuzzy_memberships import FuzzySets, Records

UNIFORMS = 12
"""A sum of this many uniform numbers has variance 1 and is nearly normal."""
SAMPLE = 100_000
"""The largest number of records from which initial centres are drawn; of more records, an even sample."""


def given_centres(init: Any, shape: tuple[int, int]) -> Reals:
    """Return the centres given by the user, checked."""
    try:
        centres: Reals = check_array(init, dtype=np.float64)
    except ValueError as error:
        raise ValueError(f"init must be 'k-means++' or an array of finite numbers of shape {shape}") from error
    if centres.shape != shape:
        raise ValueError(f"init has shape {centres.shape}; expected {shape[0]} sets by {shape[1]} attributes")
    return centres


class Drawing:
    """Centres drawn among records as k-means++ does: far from each other, and by weight.

    The result depends neither on the order of records nor on whether repeated records are replaced by weights: records
    are ordered by their projection on a random line.
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
        points = (numbers[:, attributes] - origins) * scales
        # attribute by attribute, so that equal records have equal projections to the last digit
        line = np.zeros(len(points))
        # nearly normal, by additions alone, which every machine rounds alike
        directions = random.random_sample((UNIFORMS, points.shape[1])).sum(axis=0) - UNIFORMS / 2
        for values, direction in zip(points.T, directions, strict=True):
            line += values * direction
        order = np.argsort(line, kind="stable")
        self._points, self._weights, self._random = points[order], every[order], random
        self._records = read_records(self._points, np.ones(1))

    def draw(self, n_sets: int, threads: int | None) -> Reals:
        """Return the initial centres."""
        nearest = np.full(len(self._points), np.inf)
        chosen = [self._one(self._weights)]
        for _ in range(1, n_sets):
            _come_nearer(self._records, self._points[chosen[-1:]], nearest, threads)
            chances = self._weights * nearest
            # if there are fewer different records than sets, some centres coincide
            chosen.append(self._one(chances if chances.any() else self._weights))
        return self._points[chosen]

    def _one(self, chances: Reals) -> int:
        heights = np.cumsum(chances)
        position = int(np.searchsorted(heights, self._random.random_sample() * heights[-1], side="right"))
        return min(position, int(np.flatnonzero(chances)[-1]))


def _come_nearer(records: Records, centres: Reals, nearest: Reals, threads: int | None) -> None:
    from sfumato.kernels.fuzzy_clustering import come_nearer

    sets = plain_sets(centres, 2.0)
    in_parts(nearest.size, lambda first, last: come_nearer(records, sets, first, last, nearest), threads)


def plain_sets(centres: Reals, fuzzifier: float) -> FuzzySets:
    """Return sets with the Euclidean norm."""
    from sfumato.kernels.fuzzy_memberships import FuzzySets

    n_attributes = centres.shape[1]
    return FuzzySets(np.ascontiguousarray(centres), np.empty((0, n_attributes, n_attributes)), float(fuzzifier))
