"""The result of an estimate: the value of a statistic, its ranges and its sampling error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from sfumato.formatting import NO_RANGE, counted, guaranteed_range, json_content, value_with_range
from sfumato.notebook_tables import table
from sfumato.statistics.trimmed_estimate import Weighted


@dataclass(frozen=True)
class Estimate:
    """A statistic and its accuracy."""

    statistic: str
    """As it was written; for a regression, followed by the coefficient."""
    value: float
    """Computed at the midpoints of the boxes."""
    lower: float
    """Lower end of the guaranteed range: no data within the boxes give less."""
    upper: float
    """Upper end of the guaranteed range: no data within the boxes give more."""
    attained: tuple[float, float]
    """The attained range: each of its ends is reached by some data within the boxes, as found by search."""
    linear: tuple[float, float]
    """The linear range of XK13 and XF13: a first-order approximation, not a guarantee."""
    sampling_error: float
    """A / sqrt(M): the standard error of drawing M records from a population; linearised if there are weights."""
    guaranteed: bool
    """Whether ``lower`` and ``upper`` are proved; if not, they are infinite."""
    records: int
    """The number of records."""
    left_out: int = 0
    """The number of records left out because a value is missing."""
    weight: str | None = None
    """The attribute that weights the records, if any."""
    contributions: Mapping[str, float] = field(default_factory=dict, hash=False)
    """How much each attribute contributes to the half-width of the linear range."""
    weighted: Weighted | None = None
    """The statistic with rare boxes left out or weighted less, if requested; all other fields use all records."""

    @property
    def width(self) -> float:
        """The width of the guaranteed range."""
        return self.upper - self.lower

    def summary(self) -> dict[str, Any]:
        """Return plain numbers for JSON; null for numbers that are not finite."""
        numbers = {item.name: json_content(getattr(self, item.name)) for item in fields(self)}
        return numbers | {"weighted": self.weighted.summary() if self.weighted else None}

    @property
    def formatted(self) -> tuple[str, str]:
        """The value and the guaranteed range in few digits; the range is rounded outwards, so that it stays valid."""
        value, span = value_with_range(self.value, self.lower, self.upper)
        return value, span if self.guaranteed else NO_RANGE

    def __str__(self) -> str:
        value, span = self.formatted
        sentence = f"{self.statistic} = {value}, {guaranteed_range(span)}"
        return sentence if self.weighted is None else f"{sentence}\n  {self.weighted}"

    def _repr_html_(self) -> str:
        return _as_html(self.statistic, {self.statistic: self})


@dataclass(frozen=True)
class Regression(Mapping[str, Estimate]):
    """The coefficients of a regression by name: ``(intercept)`` and the predictors.

    The values, ranges and sampling errors of all coefficients are also available as dictionaries.
    """

    statistic: str
    """As it was written."""
    coefficients: Mapping[str, Estimate] = field(hash=False)
    """One estimate per coefficient, the intercept first."""

    def __getitem__(self, name: str) -> Estimate:
        return self.coefficients[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.coefficients)

    def __len__(self) -> int:
        return len(self.coefficients)

    @property
    def value(self) -> dict[str, float]:
        """Computed at the midpoints of the boxes."""
        return {name: estimate.value for name, estimate in self.items()}

    @property
    def lower(self) -> dict[str, float]:
        """Lower end of the guaranteed range: no data within the boxes give less."""
        return {name: estimate.lower for name, estimate in self.items()}

    @property
    def upper(self) -> dict[str, float]:
        """Upper end of the guaranteed range: no data within the boxes give more."""
        return {name: estimate.upper for name, estimate in self.items()}

    @property
    def attained(self) -> dict[str, tuple[float, float]]:
        """The attained ranges."""
        return {name: estimate.attained for name, estimate in self.items()}

    @property
    def linear(self) -> dict[str, tuple[float, float]]:
        """The linear ranges: approximations, not guarantees."""
        return {name: estimate.linear for name, estimate in self.items()}

    @property
    def sampling_error(self) -> dict[str, float]:
        """The standard errors of drawing the records from a population."""
        return {name: estimate.sampling_error for name, estimate in self.items()}

    @property
    def weighted(self) -> dict[str, Weighted | None]:
        """With rare boxes left out or weighted less; each coefficient has its own weights."""
        return {name: estimate.weighted for name, estimate in self.items()}

    @property
    def guaranteed(self) -> bool:
        """Whether the ranges of all coefficients are proved."""
        return all(estimate.guaranteed for estimate in self.values())

    @property
    def records(self) -> int:
        """The number of records."""
        return next(iter(self.values())).records

    @property
    def left_out(self) -> int:
        """The number of records left out because a value is missing."""
        return next(iter(self.values())).left_out

    @property
    def weight(self) -> str | None:
        """The attribute that weights the records, if any."""
        return next(iter(self.values())).weight

    def summary(self) -> dict[str, Any]:
        """Return plain numbers for JSON; null for numbers that are not finite."""
        facts = {name: getattr(self, name) for name in ("statistic", "guaranteed", "records", "left_out", "weight")}
        return facts | {"coefficients": {name: estimate.summary() for name, estimate in self.items()}}

    def __str__(self) -> str:
        return "\n".join(str(estimate) for estimate in self.values())

    def _repr_html_(self) -> str:
        return _as_html(self.statistic, self)


def _as_html(title: str, estimates: Mapping[str, Estimate]) -> str:
    """Write estimates as a table of values and guaranteed ranges."""
    rows = [(name, *estimate.formatted, estimate.sampling_error) for name, estimate in estimates.items()]
    first = next(iter(estimates.values()))
    basis = counted(first.records, "record") + (f", weighted by {first.weight}" if first.weight else "")
    notes = [f"{basis}; {first.left_out:,} left out because a value is missing." if first.left_out else f"{basis}."]
    notes += [f"{name}: {estimate.weighted}" for name, estimate in estimates.items() if estimate.weighted]
    return table(title, ("", "value", "guaranteed range", "sampling error"), rows, notes=notes)
