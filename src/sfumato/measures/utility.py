"""What a release has lost: detail, records, and the change of its statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Reals
from sfumato.errors import MicrofileError
from sfumato.measures.blocks import blocks_of
from sfumato.microfile.attribute import Kind
from sfumato.microfile.forms import Exact, Form, Interval, Sets
from sfumato.microfile.microfile import Microfile


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
    original: Microfile,
    table: Microfile,
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
    kept = table.records / original.records
    penalties = {
        name: kept * float(_cover(original, table, name, form).mean()) + (1 - kept) for name, form in stands.items()
    }
    before = _numbers(original, {name: Exact() for name in quasi}, weight)
    after = _numbers(table, stands, weight)
    names = [name for name in quasi if name in before and name in after]
    moments_before, moments_after = _moments(before, names), _moments(after, names)
    return Utility(
        penalties=penalties,
        suppressed=suppressed,
        discernibility=float((blocks.sizes.astype(np.float64) ** 2).sum() + suppressed * original.records),
        average_block=table.records / len(blocks),
        means={n: Change(float(moments_before[0][i]), float(moments_after[0][i])) for i, n in enumerate(names)},
        variances={
            n: Change(float(moments_before[1][i, i]), float(moments_after[1][i, i])) for i, n in enumerate(names)
        },
        correlations={
            (a, b): Change(_correlation(moments_before[1], i, j), _correlation(moments_after[1], i, j))
            for i, a in enumerate(names)
            for j, b in enumerate(names)
            if i < j
        },
    )


def _cover(original: Microfile, table: Microfile, name: str, form: Form) -> Reals:
    """Return the share of the attribute's range, or of its categories, that each released value covers."""
    if isinstance(form, Interval):
        numbers = original.numbers(name)
        spread = float(np.nanmax(numbers) - np.nanmin(numbers))
        low, high = (table.numbers(column) for column in form.columns(name))
        widths = np.where(np.isnan(high - low), spread, high - low)
        return np.minimum(widths / spread, 1.0) if spread > 0 else np.zeros(table.records)
    encoded = table.encoded(name)
    categories = max(original.encoded(name).values.size, 1)
    members = form.members if isinstance(form, Sets) else {}
    sizes = [len(members.get(str(value), ("",))) for value in encoded.values.tolist()]
    # a single category loses nothing; a missing one could be any
    share = np.array([size / categories if size > 1 else 0.0 for size in sizes] + [float(categories > 1)])
    return share[encoded.codes]


def _numbers(table: Microfile, forms: Mapping[str, Form], weight: str | None) -> dict[str, Reals]:
    numbers: dict[str, Reals] = {}
    for name, form in forms.items():
        columns = form.columns(name)
        if all(table.attribute(column).kind is Kind.NUMERIC for column in columns):
            numbers[name] = np.mean([table.numbers(column) for column in columns], axis=0)
    numbers[""] = table.numbers(weight) if weight else np.ones(table.records)
    return numbers


def _moments(numbers: Mapping[str, Reals], names: Sequence[str]) -> tuple[Reals, Reals]:
    """Return the weighted means and covariances, of pairwise complete records."""
    weights = numbers[""]
    means = np.array([_mean(numbers[name], weights) for name in names])
    covariances = np.empty((len(names), len(names)))
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            complete = ~np.isnan(numbers[one] + numbers[other])
            x, y, w = numbers[one][complete], numbers[other][complete], weights[complete]
            covariances[i, j] = _mean((x - _mean(x, w)) * (y - _mean(y, w)), w)
    return means, covariances


def _mean(values: Reals, weights: Reals) -> float:
    known = ~np.isnan(values)
    total = weights[known].sum()
    return float((values[known] * weights[known]).sum() / total) if total > 0 else float("nan")


def _correlation(covariances: Reals, i: int, j: int) -> float:
    scale = float(np.sqrt(covariances[i, i] * covariances[j, j]))
    return float(covariances[i, j]) / scale if scale > 0 else float("nan")
