"""What is known of a statistic: its value, the range it is sure to lie in, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from sfumato.html import table
from sfumato.statistics.dismissal import Weighted
from sfumato.statistics.wording import plain, told, within


@dataclass(frozen=True)
class Estimate:
    """A statistic, and how exact it is."""

    statistic: str
    """As it was asked for; of a regression, with the coefficient behind it."""
    value: float
    """At the middles of the boxes."""
    lower: float
    """No data that lie in the boxes have less."""
    upper: float
    """No data that lie in the boxes have more."""
    attained: tuple[float, float]
    """A range whose ends some data in the boxes really have, as found by search."""
    linear: tuple[float, float]
    """The range of XK13 and XF13. It ignores what is not linear and is an approximation, not a guarantee."""
    sampling_error: float
    """A / sqrt(M): what drawing M records from a population adds, as a standard error; with weights, linearised."""
    guaranteed: bool
    """Whether ``lower`` and ``upper`` are proved; if not, they are infinite."""
    records: int
    """How many records it is of."""
    left_out: int = 0
    """How many records were left out because a value is missing."""
    weight: str | None = None
    """The attribute that weights the records, if any."""
    contributions: Mapping[str, float] = field(default_factory=dict, hash=False)
    """The part of half the width of the linear range that each attribute's boxes cause."""
    weighted: Weighted | None = None
    """The statistic with rare boxes dismissed or weighted less, if that is wanted; all else is of all records."""

    @property
    def width(self) -> float:
        """The width of the guaranteed range."""
        return self.upper - self.lower

    def summary(self) -> dict[str, Any]:
        """Return plain numbers; null stands for what is not finite."""
        found = {name.name: plain(getattr(self, name.name)) for name in fields(self)}
        return found | {"weighted": self.weighted.summary() if self.weighted else None}

    @property
    def told(self) -> tuple[str, str]:
        """The value and the guaranteed range in few digits; the range is rounded outwards, so that it stays true."""
        return told(self.value, self.lower, self.upper)

    def __str__(self) -> str:
        value, sure = self.told
        sentence = f"{self.statistic} = {value}, " + (within(sure) if self.guaranteed else "no range is proved")
        return sentence if self.weighted is None else f"{sentence}\n  {self.weighted}"

    def _repr_html_(self) -> str:
        return _as_html(self.statistic, {self.statistic: self})


@dataclass(frozen=True)
class Regression(Mapping[str, Estimate]):
    """The coefficients of a regression by name: ``(intercept)`` and the predictors.

    The value, the ranges and the sampling errors of all coefficients are also here at once, as dictionaries.
    """

    statistic: str
    """As it was asked for."""
    coefficients: Mapping[str, Estimate] = field(hash=False)
    """One estimate a coefficient, the intercept first."""

    def __getitem__(self, name: str) -> Estimate:
        return self.coefficients[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.coefficients)

    def __len__(self) -> int:
        return len(self.coefficients)

    @property
    def value(self) -> dict[str, float]:
        """At the middles of the boxes."""
        return {name: estimate.value for name, estimate in self.items()}

    @property
    def lower(self) -> dict[str, float]:
        """No data that lie in the boxes have less."""
        return {name: estimate.lower for name, estimate in self.items()}

    @property
    def upper(self) -> dict[str, float]:
        """No data that lie in the boxes have more."""
        return {name: estimate.upper for name, estimate in self.items()}

    @property
    def attained(self) -> dict[str, tuple[float, float]]:
        """Ranges whose ends some data in the boxes really have."""
        return {name: estimate.attained for name, estimate in self.items()}

    @property
    def linear(self) -> dict[str, tuple[float, float]]:
        """Ranges that ignore what is not linear."""
        return {name: estimate.linear for name, estimate in self.items()}

    @property
    def sampling_error(self) -> dict[str, float]:
        """What drawing records from a population adds, as standard errors."""
        return {name: estimate.sampling_error for name, estimate in self.items()}

    @property
    def weighted(self) -> dict[str, Weighted | None]:
        """With rare boxes dismissed or weighted less, for each coefficient in its own way."""
        return {name: estimate.weighted for name, estimate in self.items()}

    @property
    def guaranteed(self) -> bool:
        """Whether the ranges of all coefficients are proved."""
        return all(estimate.guaranteed for estimate in self.values())

    @property
    def records(self) -> int:
        """How many records it is of."""
        return next(iter(self.values())).records

    @property
    def left_out(self) -> int:
        """How many records were left out because a value is missing."""
        return next(iter(self.values())).left_out

    @property
    def weight(self) -> str | None:
        """The attribute that weights the records, if any."""
        return next(iter(self.values())).weight

    def summary(self) -> dict[str, Any]:
        """Return plain numbers; null stands for what is not finite."""
        told = {name: getattr(self, name) for name in ("statistic", "guaranteed", "records", "left_out", "weight")}
        return told | {"coefficients": {name: estimate.summary() for name, estimate in self.items()}}

    def __str__(self) -> str:
        return "\n".join(str(estimate) for estimate in self.values())

    def _repr_html_(self) -> str:
        return _as_html(self.statistic, self)


def _as_html(title: str, estimates: Mapping[str, Estimate]) -> str:
    """Write estimates as a table: their values, and where these surely lie."""
    rows = [
        (name, one.told[0], one.told[1] if one.guaranteed else "no range is proved", one.sampling_error)
        for name, one in estimates.items()
    ]
    first = next(iter(estimates.values()))
    counted = f"Of {first.records:,} records" + (f", weighted by {first.weight}" if first.weight else "")
    notes = [f"{counted}; {first.left_out:,} lack a value." if first.left_out else f"{counted}."]
    notes += [f"{name}: {one.weighted}" for name, one in estimates.items() if one.weighted]
    return table(title, ("", "value", "surely in", "sampling error"), rows, notes=notes)
