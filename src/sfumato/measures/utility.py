"""What a release has lost: detail, records, information, and the change of its statistics."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.arrays import Reals
from sfumato.errors import MicrofileError, SettingError
from sfumato.fuzzy.released import PublicSets, ShapedSets, memberships_of, sets_of
from sfumato.fuzzy.shapes import Crisp
from sfumato.kernels.algebra import product
from sfumato.measures.blocks import blocks_of
from sfumato.measures.detail import covered_shares
from sfumato.microfile.attribute import Kind
from sfumato.microfile.forms import Exact, Form, Fuzzy, Interval, Sets
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.printing import quiet


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
    """Records left out."""
    discernibility: float
    """The sum of squared block sizes; a record left out counts as a block of everybody."""
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


@dataclass(frozen=True)
class InformationLoss:
    """How far what a release tells of each record lies from its values. Only the steward can measure it."""

    attributes: Mapping[str, float]
    """Of each attribute, the squared differences over those from its mean: 0 if every value is told, 1 if no more than
    the mean is, above 1 if what is told misleads."""

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
    """Measure how far what a release tells of each record lies from its values.

    Of an interval, or of a label of numbers, the middle is told; of fuzzy sets their centres, weighted by the released
    grades; words are counted as equal grades. A value that is missing in the original is skipped; one that only the
    release lacks counts as its mean. An attribute whose values are all equal loses nothing.

    Parameters
    ----------
    original, table
        Before and after, the same records in the same order.
    quasi
        The numeric attributes that were made coarser.
    forms
        How they stand in the table, where not exactly; fuzzy sets of several attributes tell of each of them.

    Examples
    --------
    >>> import polars as pl
    >>> from sfumato.microfile.forms import Interval
    >>> people = pl.DataFrame({"age": [20, 30, 50, 60]})
    >>> release = pl.DataFrame({"age.lo": [20, 20, 50, 50], "age.hi": [30, 30, 60, 60]})
    >>> information_loss(people, release, quasi=["age"], forms={"age": Interval()}).mean
    0.1
    """
    original, table = as_microfile(original), as_microfile(table)
    if original.records != table.records:
        raise MicrofileError(
            f"the release has {table.records:,} records, the original {original.records:,}",
            hint="information loss is measured record by record; leave out of the original what the release leaves out",
        )
    if not quasi:
        raise SettingError("quasi is empty, so that no information can be lost")
    told: dict[str, Reals] = {}
    for name, form in ({name: Exact() for name in quasi} | dict(forms or {})).items():
        if isinstance(form, Fuzzy):
            told |= _told_by_sets(table, name, form)
        elif name in quasi and isinstance(form, Interval):
            low, high = (table.numbers(column) for column in form.columns(name))
            told[name] = low + 0.5 * (high - low)
        elif name in quasi and isinstance(form, Sets):
            told[name] = _middles(table, name, form)
        elif name in quasi and name in table.attributes:
            told[name] = table.numbers(name)
    lacking = [name for name in quasi if name not in told]
    if lacking:
        raise MicrofileError(f"the release tells nothing of {lacking[0]!r}", hint="name its form in forms")
    return InformationLoss({name: _lost(original.numbers(name), told[name]) for name in quasi})


def _middles(table: Microfile, name: str, form: Sets) -> Reals:
    """Return the middles of the numbers behind labels, NaN where a label does not say between which they lie."""
    encoded = table.encoded(name)
    ends = [form.ends(str(label)) for label in encoded.values.tolist()]
    # the last entry stands for a missing value, whose code is -1
    return np.array([*(np.nan if one is None else sum(one) / 2 for one in ends), np.nan])[encoded.codes]


def _told_by_sets(table: Microfile, attribute: str, form: Fuzzy) -> dict[str, Reals]:
    """Return what fuzzy sets tell of each of their attributes, NaN of a record without a set."""
    sets = sets_of(form)
    grades = memberships_of(table, attribute, form)[:, : len(form.sets)]
    known = grades.sum(axis=1) > 0
    told = np.where(known[:, None], product(grades, _centres(sets)), np.nan)
    return {name: told[:, place] for place, name in enumerate(sets.attributes)}


def _centres(sets: PublicSets) -> Reals:
    """Return the centres of sets, by attributes; of a shape, the middle of what belongs to it fully."""
    if not isinstance(sets, ShapedSets):
        return np.array(sets.centres)
    centres = []
    for shape in sets.variable.values.values():
        bends = np.array(shape.bends)
        # an open end is not far away; of a plain interval both ends count, though the upper one belongs to the next
        full = bends if isinstance(shape, Crisp) else bends[shape.grades(bends) == 1]
        centres.append([0.5 * (full.min() + full.max())])
    return np.array(centres)


def _lost(values: Reals, told: Reals) -> float:
    known = ~np.isnan(values)
    values, told = values[known], told[known]
    if not values.size:
        return 0.0
    mean = values.mean()
    around = float(((values - mean) ** 2).sum())
    missed = float(((values - np.where(np.isnan(told), mean, told)) ** 2).sum())
    return missed / around if around > 0 else 0.0


def _covered(original: Microfile, table: Microfile, name: str, form: Form) -> float:
    """Sum the shares of the attribute's range, or of its categories, that released values cover.

    A value that is missing in the release but was not in the original covers everything.
    """
    whole: dict[str, Any] = {"categories": list(original.encoded(name).values)}
    if isinstance(form, Interval):
        numbers = original.numbers(name)
        whole = {"span": float(np.nanmax(numbers) - np.nanmin(numbers))}
    shares, known = covered_shares(table, name, form, **whole)
    newly_missing = int((~known).sum()) - int(original.encoded(name).missing.sum())
    return float(shares[known].sum()) + max(newly_missing, 0)


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
