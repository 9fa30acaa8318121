"""Means and covariances of many records, and a few points that have the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from sfumato.arrays import Flags, Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import eigen, product
from sfumato.parallel import batches_of, side_by_side

LEAST = 50_000
"""Fewer records are not worth a thread of their own."""
NEAR = 10_000
"""The mean of about so many records is near that of all."""


class Moments:
    """Means and covariances of attributes, each over the records that have all that are asked for together.

    Parameters
    ----------
    values
        One number a record of each attribute, NaN where missing.
    weights
        Survey weights.

    Examples
    --------
    >>> points = Moments({"x": np.array([0.0, 1.0, 5.0]), "y": np.array([2.0, 0.0, 1.0])}, None).points(["x", "y"])
    >>> float(points["x"].mean()), round(float(points["x"].var()), 9)
    (2.0, 4.666666667)
    """

    def __init__(self, values: Mapping[str, Reals], weights: Reals | None) -> None:
        self.values = dict(values)
        self.weights = weights
        self.missing = {name: its for name, column in values.items() if (its := np.isnan(column)).any()}

    def points(self, names: Sequence[str]) -> dict[str, Reals]:
        """Return two points an attribute whose means and covariances are those of the records."""
        means, covariances = self._of(tuple(names))
        levels, directions = eigen(covariances)
        # along each axis of the ellipsoid one point on either side
        away = directions * np.sqrt(len(means) * np.maximum(levels, 0.0))
        points = np.concatenate([means[:, None] + away, means[:, None] - away], axis=1)
        return dict(zip(names, points, strict=True))

    def _of(self, names: tuple[str, ...]) -> tuple[Reals, Reals]:
        lacking = [self.missing[name] for name in names if name in self.missing]
        if lacking:
            return self._moments(names, ~np.logical_or.reduce(lacking))
        whole, means, covariances = self._whole
        rows = [whole.index(name) for name in names]
        return means[rows], covariances[np.ix_(rows, rows)]

    @cached_property
    def _whole(self) -> tuple[list[str], Reals, Reals]:
        """All attributes that no record lacks, which share their records."""
        names = [name for name in self.values if name not in self.missing]
        return names, *self._moments(tuple(names), None)

    def _moments(self, names: tuple[str, ...], complete: Flags | None) -> tuple[Reals, Reals]:
        weights = self.weights if complete is None or self.weights is None else self.weights[complete]
        columns = [self.values[name] if complete is None else self.values[name][complete] for name in names]
        size = columns[0].size
        total = float(size) if weights is None else float(weights.sum())
        if size < 2 or not total > 0:
            raise SettingError(f"{size} records have a value of {', '.join(map(repr, names))}; at least two are needed")

        # near the means already, so that rounding does no harm
        centre = np.array([float(column[:: -(-size // NEAR)].mean()) for column in columns])

        def sums(part: tuple[int, int]) -> Reals:
            away = np.ones((len(columns) + 1, part[1] - part[0]))
            for row, column in enumerate(columns):
                np.subtract(column[slice(*part)], centre[row], out=away[row])
            weighted = away if weights is None else away * weights[slice(*part)]
            return np.asarray(product(weighted, away.T))

        products = np.add.reduce(side_by_side(sums, batches_of(size, least=LEAST))) / total
        shift = products[-1, :-1]
        return centre + shift, products[:-1, :-1] - np.outer(shift, shift)
