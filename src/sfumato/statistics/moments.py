"""Means and covariances of many records, and a few points with the same means and covariances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from sfumato.array_types import Flags, Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import eigen, product
from sfumato.threads import batches_of, side_by_side

LEAST = 50_000
"""The smallest number of records per thread."""
NEAR = 10_000
"""Number of records from which a preliminary mean is computed."""


class RecordMoments:
    """The values of attributes, with means and covariances over the records that lack none of some attributes.

    Parameters
    ----------
    values
        One number per record for each attribute, NaN where missing.
    weights
        Survey weights.

    Examples
    --------
    >>> records = RecordMoments({"x": np.array([0.0, 1.0, 5.0]), "y": np.array([2.0, 0.0, 1.0])}, None)
    >>> points = records.points(["x", "y"])
    >>> float(points["x"].mean()), round(float(points["x"].var()), 9)
    (2.0, 4.666666667)
    """

    def __init__(self, values: Mapping[str, Reals], weights: Reals | None) -> None:
        self.values = dict(values)
        self.weights = weights
        self.missing = {name: lacking for name, column in values.items() if (lacking := np.isnan(column)).any()}

    def points(self, names: Sequence[str]) -> dict[str, Reals]:
        """Return two points per attribute; together they have the means and covariances of the records."""
        means, covariances = self._of(tuple(names))
        levels, directions = eigen(covariances)
        # one point on either side along each axis of the ellipsoid
        away = directions * np.sqrt(len(means) * np.maximum(levels, 0.0))
        points = np.concatenate([means[:, None] + away, means[:, None] - away], axis=1)
        return dict(zip(names, points, strict=True))

    def complete(self, names: Sequence[str]) -> tuple[Reals, Flags]:
        """Return the values of the records that lack none of some attributes, and which records these are."""
        size = self.values[names[0]].size
        complete = ~np.logical_or.reduce([self.missing.get(name, np.zeros(size, dtype=np.bool_)) for name in names])
        return np.stack([self.values[name][complete] for name in names]), complete

    def _of(self, names: tuple[str, ...]) -> tuple[Reals, Reals]:
        lacking = [self.missing[name] for name in names if name in self.missing]
        if lacking:
            return self._moments(names, ~np.logical_or.reduce(lacking))
        shared, means, covariances = self._of_complete_attributes
        rows = [shared.index(name) for name in names]
        return means[rows], covariances[np.ix_(rows, rows)]

    @cached_property
    def _of_complete_attributes(self) -> tuple[list[str], Reals, Reals]:
        """All attributes that no record lacks, with their means and covariances."""
        names = [name for name in self.values if name not in self.missing]
        return names, *self._moments(tuple(names), None)

    def _moments(self, names: tuple[str, ...], complete: Flags | None) -> tuple[Reals, Reals]:
        weights = self.weights if complete is None or self.weights is None else self.weights[complete]
        columns = [self.values[name] if complete is None else self.values[name][complete] for name in names]
        size = columns[0].size
        total = float(size) if weights is None else float(weights.sum())
        if size < 2 or not total > 0:
            raise SettingError(
                f"{', '.join(map(repr, names))}: a statistic needs at least two records with a value, not {size}"
            )

        # near the means, so that rounding errors stay small
        centre = np.array([float(column[:: -(-size // NEAR)].mean()) for column in columns])

        def sums(batch: tuple[int, int]) -> Reals:
            away = np.ones((len(columns) + 1, batch[1] - batch[0]))
            for row, column in enumerate(columns):
                np.subtract(column[slice(*batch)], centre[row], out=away[row])
            weighted = away if weights is None else away * weights[slice(*batch)]
            return np.asarray(product(weighted, away.T))

        products = np.add.reduce(side_by_side(sums, batches_of(size, least=LEAST))) / total
        shift = products[-1, :-1]
        return centre + shift, products[:-1, :-1] - np.outer(shift, shift)
