"""What a unit of width costs a statistic at each record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sfumato.array_types import Reals


@dataclass(frozen=True)
class AffineCost:
    """The absolute value of an affine function of a record's own values."""

    owner: str
    """The attribute whose width is charged."""
    attributes: tuple[str, ...]
    """The attributes that the cost depends on."""
    coefficients: Reals
    """The constant, then one coefficient per attribute."""

    def scaled(self, factor: float) -> AffineCost:
        """Return a multiple of this cost."""
        return replace(self, coefficients=factor * self.coefficients)


@dataclass(frozen=True)
class CostTerms:
    """What a unit of width costs at each record: the sum of affine costs and of costs listed by record."""

    affine: tuple[AffineCost, ...] = ()
    """Affine terms of the cost of each record."""
    by_record: Mapping[str, Reals] = field(default_factory=dict)
    """For each attribute whose width is charged, one number per record; NaN where a value is missing."""

    def scaled(self, factor: float) -> CostTerms:
        """Return a multiple of these costs."""
        return CostTerms(
            tuple(term.scaled(factor) for term in self.affine),
            {owner: factor * costs for owner, costs in self.by_record.items()},
        )
