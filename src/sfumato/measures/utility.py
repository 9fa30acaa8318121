"""What a release has lost: detail, records, and the change of its statistics."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.arrays import Reals
from sfumato.errors import MicrofileError
from sfumato.measures.blocks import blocks_of
from sfumato.microfile.attribute import Kind
from sfumato.microfile.forms import Exact, Form, Interval, Sets
from sfumato.microfile.microfile import Microfile, as_microfile


@dataclass(frozen=True)
class Change:
    """A statistic before and after."""

    before: float
    after: float

    @property
    def difference(self) -> float:
        """After minus before."""
        return self.after - self.before


@dataclass(frozen=True)
class Utility:
    """What a release has lost against its original. It needs the original, so only the steward has it."""

    penalties: Mapping[str, float]
    """NCP: the mean share of each attribute's range (or of its categories) that a released value covers."""
    suppressed: int
    """Records left out."""
    discernibility: float
    """The sum of squared block sizes; a record left out counts as a block of everybody."""
    average_block: float
    """The records of a block, on average."""
    means: Mapping[str, Change]
    variances: Mapping[str, Change]
    correlations: Mapping[tuple[str, str], Change]

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
        The attributes that were made coarser.
    forms
        How they stand in the table; default: exactly. An interval counts as its middle in the statistics.
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


def _covered(original: Microfile, table: Microfile, name: str, form: Form) -> float:
    """Sum the shares of the attribute's range, or of its categories, that released values cover.

    A value that is missing in the release but was not in the original covers everything.
    """
    if isinstance(form, Interval):
        numbers = original.numbers(name)
        spread = float(np.nanmax(numbers) - np.nanmin(numbers))
        low, high = (table.numbers(column) for column in form.columns(name))
        known = ~np.isnan(high - low)
        widths = (high - low)[known]
        covered = float(np.minimum(widths / spread, 1.0).sum()) if spread > 0 else 0.0
    else:
        encoded = table.encoded(name)
        known = ~encoded.missing
        categories = max(original.encoded(name).values.size, 1)
        members = form.members if isinstance(form, Sets) else {}
        sizes = [len(members.get(str(value), ("",))) for value in encoded.values.tolist()]
        # a single category loses nothing
        share = np.array([min(size / categories, 1.0) if size > 1 else 0.0 for size in sizes])
        covered = float(share[encoded.codes[known]].sum())
    newly_missing = int((~known).sum()) - int(original.encoded(name).missing.sum())
    return covered + max(newly_missing, 0)


def _numbers(table: Microfile, forms: Mapping[str, Form], weight: str | None) -> dict[str, Reals]:
    numbers: dict[str, Reals] = {}
    for name, form in forms.items():
        columns = form.columns(name)
        if all(table.attribute(column).kind is Kind.NUMERIC for column in columns):
            numbers[name] = np.mean([table.numbers(column) for column in columns], axis=0)
    numbers[""] = table.numbers(weight) if weight else np.ones(table.records)
    return numbers


def _complete(numbers: Mapping[str, Reals], one: str, other: str) -> dict[str, Reals]:
    """Keep the records that have both attributes."""
    both = ~np.isnan(numbers[one] + numbers[other])
    return {name: numbers[name][both] for name in (one, other, "")}


def _covariance(numbers: Mapping[str, Reals], one: str, other: str) -> float:
    pair = _complete(numbers, one, other)
    x, y, weights = pair[one], pair[other], pair[""]
    return _mean((x - _mean(x, weights)) * (y - _mean(y, weights)), weights)


def _correlation(numbers: Mapping[str, Reals], one: str, other: str) -> float:
    pair = _complete(numbers, one, other)
    scale = float(np.sqrt(_covariance(pair, one, one) * _covariance(pair, other, other)))
    return _covariance(pair, one, other) / scale if scale > 0 else float("nan")


def _mean(values: Reals, weights: Reals) -> float:
    known = ~np.isnan(values)
    total = weights[known].sum()
    return float((values[known] * weights[known]).sum() / total) if total > 0 else float("nan")
