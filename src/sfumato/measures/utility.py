"""What a release has lost: detail, records, information, and the change of its statistics."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.array_types import Reals
from sfumato.errors import MicrofileError, SettingError
from sfumato.measures.blocks import blocks_of
from sfumato.microfile import Kind, Microfile, as_microfile
from sfumato.quiet_repr import quiet
from sfumato.representations import Exact, Form


@dataclass(frozen=True)
class Change:
    """A statistic before and after."""

    before: float
    """In the original."""
    after: float
    """In the release."""

    @property
    def difference(self) -> float:
        """After minus before."""
        return self.after - self.before


@quiet
@dataclass(frozen=True)
class Utility:
    """What a release has lost against its original. It needs the original, so only the steward has it."""

    penalties: Mapping[str, float]
    """NCP: the mean share of each attribute's range (or of its categories) that a released value covers."""
    suppressed: int
    """Suppressed records."""
    discernibility: float
    """The sum of squared block sizes; a suppressed record counts as a block of all records."""
    average_block: float
    """The records of a block, on average."""
    means: Mapping[str, Change]
    """The mean of each numeric attribute."""
    variances: Mapping[str, Change]
    """The variance of each."""
    correlations: Mapping[tuple[str, str], Change]
    """The correlation of each two."""

    @property
    def penalty(self) -> float:
        """GCP: the mean of the penalties; 0 nothing lost, 1 everything."""
        return float(np.mean(list(self.penalties.values())))


def utility_of(
    original: Microfile | Any,
    table: Microfile | Any,
    *,
    quasi: Sequence[str],
    forms: Mapping[str, Form] | None = None,
    weight: str | None = None,
) -> Utility:
    """Compare a released table with its original.

    Parameters
    ----------
    original, table
        Before and after; records may be fewer and in another order.
    quasi
        The attributes that were generalised.
    forms
        How they are released; default: exactly. An interval counts as its middle in the statistics.
    weight
        Survey weights for the statistics, a column of both.
    """
    original, table = as_microfile(original), as_microfile(table)
    for name in quasi:
        original.attribute(name)
    stands = {name: (forms or {}).get(name, Exact()) for name in quasi}
    suppressed = original.records - table.records
    if suppressed < 0:
        raise MicrofileError(
            f"the release has {table.records:,} records, the original only {original.records:,}",
            hint="compare a release with the file that it was made of",
        )
    blocks = blocks_of(table, [column for name, form in stands.items() for column in form.columns(name)])
    penalties = {
        name: (_covered(original, table, name, form) + suppressed) / original.records for name, form in stands.items()
    }
    before = _numbers(original, {name: Exact() for name in quasi}, weight)
    after = _numbers(table, stands, weight)
    names = [name for name in quasi if name in before and name in after]
    variances_before, variances_after = ({n: _covariance(x, n, n) for n in names} for x in (before, after))
    return Utility(
        penalties=penalties,
        suppressed=suppressed,
        discernibility=float((blocks.sizes.astype(np.float64) ** 2).sum() + suppressed * original.records),
        average_block=table.records / len(blocks),
        means={n: Change(_mean(before[n], before[""]), _mean(after[n], after[""])) for n in names},
        variances={n: Change(variances_before[n], variances_after[n]) for n in names},
        correlations={
            (a, b): Change(_correlation(before, a, b), _correlation(after, a, b))
            for a, b in itertools.combinations(names, 2)
        },
    )


@dataclass(frozen=True)
class InformationLoss:
    """How far the released representative of each value is from the value. Only the steward can measure it."""

    attributes: Mapping[str, float]
    """For each attribute, the squared differences relative to those from its mean: 0 if every value is exact, 1 if the
    release is only as good as the mean, above 1 if it misleads."""

    @property
    def mean(self) -> float:
        """The mean of the attributes' losses."""
        return float(np.mean(list(self.attributes.values())))


def information_loss(
    original: Microfile | Any,
    table: Microfile | Any,
    *,
    quasi: Sequence[str],
    forms: Mapping[str, Form] | None = None,
) -> InformationLoss:
    """Measure how far the released representative of each value is from the value.

    An interval, or a label of numbers, is represented by its midpoint; fuzzy sets by their centres, weighted by the
    released grades; words count as equal grades. A value that is missing in the original is skipped; one that only the
    release lacks counts as its mean. An attribute whose values are all equal loses nothing.

    Parameters
    ----------
    original, table
        Before and after, the same records in the same order.
    quasi
        The numeric attributes that were generalised.
    forms
        How they are released, where not exactly; fuzzy sets of several attributes cover each of them.

    Examples
    --------
    >>> import polars as pl
    >>> from sfumato.representations import Interval
    >>> people = pl.DataFrame({"age": [20, 30, 50, 60]})
    >>> release = pl.DataFrame({"age.lo": [20, 20, 50, 50], "age.hi": [30, 30, 60, 60]})
    >>> information_loss(people, release, quasi=["age"], forms={"age": Interval()}).mean
    0.1
    """
    original, table = as_microfile(original), as_microfile(table)
    if original.records != table.records:
        raise MicrofileError(
            f"the release has {table.records:,} records, the original {original.records:,}",
            hint="information loss is measured record by record: remove suppressed records from the original first",
        )
    if not quasi:
        raise SettingError("quasi is empty, so no information can be lost")
    estimates: dict[str, Reals] = {}
    for name, form in ({name: Exact() for name in quasi} | dict(forms or {})).items():
        is_released = all(column in table.attributes for column in form.columns(name))
        if is_released and any(attribute in quasi for attribute in form.attributes(name)):
            estimates |= form.estimates(table, name)
    lacking = [name for name in quasi if name not in estimates]
    if lacking:
        raise MicrofileError(f"the release does not contain {lacking[0]!r}", hint="name its form in forms")
    return InformationLoss({name: _lost(original.numbers(name), estimates[name]) for name in quasi})


def _lost(values: Reals, estimates: Reals) -> float:
    present = ~np.isnan(values)
    values, estimates = values[present], estimates[present]
    if not values.size:
        return 0.0
    mean = values.mean()
    around = float(((values - mean) ** 2).sum())
    missed = float(((values - np.where(np.isnan(estimates), mean, estimates)) ** 2).sum())
    return missed / around if around > 0 else 0.0


def _covered(original: Microfile, table: Microfile, name: str, form: Form) -> float:
    """Sum the shares of the attribute's range, or of its categories, that released values cover.

    A value that is missing in the release but was not in the original covers everything.
    """
    shares, present = form.coverage(table, name, original)
    newly_missing = int((~present).sum()) - int(original.encoded(name).missing.sum())
    return float(shares[present].sum()) + max(newly_missing, 0)


def _numbers(table: Microfile, forms: Mapping[str, Form], weight: str | None) -> dict[str, Reals]:
    numbers: dict[str, Reals] = {}
    for name, form in forms.items():
        columns = form.columns(name)
        if all(table.attribute(column).kind is Kind.NUMERIC for column in columns):
            numbers[name] = np.mean([table.numbers(column) for column in columns], axis=0)
    numbers[""] = table.numbers(weight) if weight else np.ones(table.records)
    return numbers


def _complete(numbers: Mapping[str, Reals], first: str, second: str) -> dict[str, Reals]:
    """Keep the records that have both attributes."""
    both = ~np.isnan(numbers[first] + numbers[second])
    return {name: numbers[name][both] for name in (first, second, "")}


def _covariance(numbers: Mapping[str, Reals], first: str, second: str) -> float:
    pair = _complete(numbers, first, second)
    x, y, weights = pair[first], pair[second], pair[""]
    return _mean((x - _mean(x, weights)) * (y - _mean(y, weights)), weights)


def _correlation(numbers: Mapping[str, Reals], first: str, second: str) -> float:
    pair = _complete(numbers, first, second)
    scale = float(np.sqrt(_covariance(pair, first, first) * _covariance(pair, second, second)))
    return _covariance(pair, first, second) / scale if scale > 0 else float("nan")


def _mean(values: Reals, weights: Reals) -> float:
    present = ~np.isnan(values)
    total = weights[present].sum()
    return float((values[present] * weights[present]).sum() / total) if total > 0 else float("nan")
