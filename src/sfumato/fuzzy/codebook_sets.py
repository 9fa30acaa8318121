"""Fuzzy sets as published in a codebook: anybody can compute the grades of any values from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from pydantic import Field, TypeAdapter, model_validator

from sfumato.array_types import Codes, Reals
from sfumato.fuzzy.shapes import Crisp, written
from sfumato.fuzzy.variables import LinguisticVariable
from sfumato.kernels.algebra import eigen, pseudo_inverse
from sfumato.kernels.elementary_functions import powers
from sfumato.settings import Settings

BETWEEN = " / "
"""The separator between the words of a record that belongs to several sets."""


class ShapedSets(Settings):
    """The words of one attribute."""

    kind: Literal["shapes"] = "shapes"
    variable: LinguisticVariable
    """The sets and their shapes."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attribute."""
        return (self.variable.attribute,)

    def words(self) -> dict[str, str]:
        """Return what each set means."""
        return self.variable.words()

    def check(self) -> None:
        """Refuse sets whose grades do not sum to one everywhere."""
        self.variable.check_ruspini()

    def grades(self, values: Reals) -> Reals:
        """Return the grades of values: records by sets."""
        return self.variable.grades(values[:, 0])

    def centre_shares(self, grades: Reals, weights: Reals | None) -> Reals | None:
        """Return None: a shape does not depend on records."""
        return None

    def midpoints(self) -> Reals:
        """Return the middle of the values that belong fully to each set: sets by attributes."""
        midpoints = []
        for shape in self.variable.values.values():
            bends = np.array(shape.bends)
            # an open end counts as its bend; both ends of an interval count, though the upper one is in the next set
            full = bends if isinstance(shape, Crisp) else bends[shape.grades(bends) == 1]
            midpoints.append([0.5 * (full.min() + full.max())])
        return np.array(midpoints)

    def spans(self) -> Reals:
        """Return the range of the sets, extended by its width on either side: attributes by two."""
        bends = sorted(bend for shape in self.variable.values.values() for bend in shape.bends) or [0.0]
        width = bends[-1] - bends[0]
        return np.array([[bends[0] - width, bends[-1] + width]])

    def extents(self) -> Reals:
        """Return the extent of the sets: from the lowest corner of a shape to the highest."""
        bends = [bend for shape in self.variable.values.values() for bend in shape.bends] or [0.0]
        return np.array([max(bends) - min(bends) or 1.0])


class ClusteredSets(Settings):
    """Sets around centres in several attributes, each with its own norm."""

    kind: Literal["clusters"] = "clusters"
    attributes: tuple[str, ...]
    """The attributes that were clustered together."""
    names: tuple[str, ...]
    """The names of the sets."""
    centres: tuple[tuple[float, ...], ...]
    """Sets by attributes."""
    norms: tuple[tuple[tuple[float, ...], ...], ...]
    """Sets by attributes by attributes: A of (x - v)'A(x - v)."""
    fuzzifier: float | None = Field(default=None, gt=1)
    """m of the memberships; default: a record belongs to the nearest set only."""

    @model_validator(mode="after")
    def _fits(self) -> ClusteredSets:
        width = len(self.attributes)
        if not len(self.names) == len(self.centres) == len(self.norms) or not width:
            raise ValueError("there must be as many names as centres and norms")
        square = all(len(norm) == width and all(len(row) == width for row in norm) for norm in self.norms)
        if not square or any(len(centre) != width for centre in self.centres):
            raise ValueError("centres and norms must have as many numbers as there are attributes")
        levels = np.stack([eigen(norm)[0] for norm in self.norms])
        if not (levels[:, 0] > 0).all():
            raise ValueError("norms must be positive definite")
        return self

    def words(self) -> dict[str, str]:
        """Return what each set means."""
        how = "the nearer" if self.fuzzifier else "the nearest"
        centres = [
            ", ".join(f"{name} {written(value)}" for name, value in zip(self.attributes, centre, strict=True))
            for centre in self.centres
        ]
        return {name: f"{how} to {centre}" for name, centre in zip(self.names, centres, strict=True)}

    def grades(self, values: Reals) -> Reals:
        """Return the grades of values: records by sets."""
        squares = np.empty((len(values), len(self.centres)))
        for column_of_set, (centre, norm) in enumerate(zip(self.centres, self.norms, strict=True)):
            away = values - np.array(centre)
            squares[:, column_of_set] = sum(
                factor * away[:, row] * away[:, column]
                for row, factors in enumerate(norm)
                for column, factor in enumerate(factors)
                if factor
            )
        squares = np.maximum(squares, 0.0)
        nearest = squares.min(axis=1, keepdims=True)
        if self.fuzzifier is None:
            grades = np.zeros_like(squares)
            grades[np.arange(len(values)), squares.argmin(axis=1)] = 1.0
            return grades
        # u_i = 1 / sum_j (d_i^2 / d_j^2)^(1/(m-1)); at a centre the nearest sets share the record
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(nearest > 0, nearest / squares, squares == 0)
        shares = powers(relative, 1.0 / (self.fuzzifier - 1.0))
        grades = shares / shares.sum(axis=1, keepdims=True)
        return np.asarray(grades, dtype=np.float64)

    def check(self) -> None:
        """Accept every set: the grades of clusters sum to one."""

    def centre_shares(self, grades: Reals, weights: Reals | None) -> Reals:
        """Return the share of each record in the centre of each set: records by sets, each column summing to 1."""
        masses = grades ** (self.fuzzifier or 1.0)
        masses = masses if weights is None else masses * weights[:, None]
        return np.asarray(masses / np.maximum(masses.sum(axis=0), np.finfo(np.float64).tiny), dtype=np.float64)

    def midpoints(self) -> Reals:
        """Return the centres: sets by attributes."""
        return np.array(self.centres)

    def spans(self) -> Reals:
        """Return the range of the sets, slightly extended: attributes by two."""
        centres = np.array(self.centres)
        beyond = 0.5 * np.ptp(centres, axis=0) + self._reach()
        return np.stack([centres.min(axis=0) - beyond, centres.max(axis=0) + beyond], axis=1)

    def extents(self) -> Reals:
        """Return how far the sets reach in each attribute: from the lowest to the highest centre, and a norm beyond."""
        return np.asarray(np.ptp(np.array(self.centres), axis=0) + 2.0 * self._reach(), dtype=np.float64)

    def _reach(self) -> Reals:
        reaches = []
        for norm in map(np.array, self.norms):
            # in their own units, attributes may differ by more than a matrix can represent
            units = np.sqrt(np.diagonal(norm))
            reaches.append(np.sqrt(np.diagonal(pseudo_inverse(norm / units / units[:, None]))) / units)
        # one way along which a set is long does not make all of them reach so far
        return np.asarray(np.min(reaches, axis=0), dtype=np.float64)


PublicSets: TypeAlias = ShapedSets | ClusteredSets
_READ: TypeAdapter[PublicSets] = TypeAdapter(Annotated[PublicSets, Field(discriminator="kind")])


def read_sets(definition: Mapping[str, Any]) -> PublicSets:
    """Return the sets defined in a codebook."""
    return _READ.validate_python(definition)


def on_levels(grades: Reals, levels: int) -> Codes:
    """Round grades to multiples of 1 / ``levels`` by largest remainders, so that those of a record still sum to one.

    >>> on_levels(np.array([[0.5, 0.3, 0.2]]), 4).tolist()
    [[2, 1, 1]]
    """
    scaled = grades * levels
    floors = np.floor(scaled + 1e-9)
    lacking = levels - floors.sum(axis=1, keepdims=True)
    order = np.argsort(floors - scaled, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(grades.shape[1])[None], axis=1)
    rounded: Codes = (floors + (ranks < lacking)).astype(np.int32)
    return rounded
