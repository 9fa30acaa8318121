"""What a unit of a box's width costs at each record: how sensitive what is to be preserved is there."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Flags, Reals
from sfumato.boxes.axes import Axis, as_rows
from sfumato.errors import SettingError
from sfumato.microfile.attribute import Kind
from sfumato.microfile.microfile import Microfile
from sfumato.parallel import batches_of, side_by_side
from sfumato.statistics.language import parse
from sfumato.statistics.moments import Moments
from sfumato.statistics.sensitivity import Term, Wanted, sensitivity_terms

FLOOR = 0.02
"""No width is cheaper than this share of the mean: what is not linear in the widths is never free."""


@dataclass(frozen=True)
class Costs:
    """What a unit of width costs."""

    rows: Reals
    """One row an axis: a_i of XF13 (4), or what the loss of detail costs; 0 where the value is missing."""
    spoken: Flags
    """Of which axes a statistic speaks."""
    wanted: tuple[Wanted, ...]
    """The statistics."""


def numeric_names(axes: Sequence[Axis]) -> list[str]:
    """Return the axes of which there are statistics."""
    return [axis.name for axis in axes if axis.kind == "numeric"]


def default_wanted(numeric: Sequence[str]) -> list[Wanted]:
    """Return the means, variances and correlations of all numeric quasi attributes, which are not constant."""
    names = [name if name.isidentifier() else f"`{name}`" for name in numeric]
    texts = [f"mean({name})" for name in names] + [f"var({name})" for name in names]
    texts += [f"corr({one}, {other})" for one, other in itertools.combinations(names, 2)]
    return [Wanted(statistic=text) for text in texts]


def blurred(
    wanted: Sequence[Wanted], microfile: Microfile, axes: Sequence[Axis]
) -> tuple[tuple[Wanted, ...], tuple[str, ...]]:
    """Return the statistics that boxes blur, and notes on those that stay exact; refuse what cannot be computed."""
    numeric = [
        name
        for name, attribute in microfile.attributes.items()
        if attribute.kind is Kind.NUMERIC and not microfile.series(name).dtype.is_temporal()
    ]
    kept, notes = [], []
    for one in wanted:
        statistic = parse(one.statistic)
        statistic.check(numeric, [name for name in microfile.names if name not in numeric])
        if set(statistic.attributes) & set(numeric_names(axes)):
            kept.append(one)
        else:
            notes.append(f"preserve: {statistic.text} names no numeric quasi attribute, so boxes do not change it.")
    return tuple(kept), tuple(notes)


def costs_of(
    axes: Sequence[Axis],
    given: Sequence[Wanted] | None,
    microfile: Microfile,
    weights: Reals | None,
    detail: float,
) -> Costs:
    """Return what widths cost, given the statistics that are wanted, if any.

    An attribute that no statistic speaks of costs, over its whole span, ``detail`` times as much as those of the
    statistics do on average.
    """
    wanted, terms = _terms(axes, given, microfile, weights)
    rows = _sensitivities(axes, terms, microfile)
    spans = np.array(side_by_side(lambda axis: axis.span, axes))
    means = np.array(side_by_side(lambda row: float(row.mean()), list(rows)))
    spoken = (means > 0) & (spans > 0)
    usual = float((means * spans)[spoken].mean()) if spoken.any() else 1.0

    def finish(row: int) -> None:
        if spoken[row]:
            np.maximum(rows[row], FLOOR * means[row], out=rows[row])
        else:
            rows[row] = detail * usual / (spans[row] or 1.0)
        if axes[row].lacks:
            rows[row][axes[row].missing] = 0.0
        if weights is not None:
            rows[row] *= weights * (microfile.records / weights.sum())

    side_by_side(finish, range(len(axes)))
    return Costs(rows, spoken, tuple(wanted))


def _numbers(microfile: Microfile, axes: Mapping[str, Axis], name: str) -> Reals:
    """Return an attribute's values, NaN where missing."""
    if name not in axes:
        return microfile.numbers(name)
    axis = axes[name]
    values = axis.places + float(axis.origin) if axis.origin else axis.places
    return np.where(axis.missing, np.nan, values) if axis.lacks else values


def _terms(
    axes: Sequence[Axis], given: Sequence[Wanted] | None, microfile: Microfile, weights: Reals | None
) -> tuple[Sequence[Wanted], list[Term]]:
    """Return the statistics, and their sensitivities as functions of the records' values."""
    numeric = [axis.name for axis in axes if axis.kind == "numeric" and axis.span > 0]
    wanted = default_wanted(numeric) if given is None else given
    known = {axis.name: axis for axis in axes}
    values = {name: _numbers(microfile, known, name) for name in _names(wanted)}

    moments = Moments(values, weights)
    found: list[tuple[Wanted, list[Term]]] = []
    for one in wanted:
        try:
            # derivatives depend on all records by their moments alone
            found.append((one, sensitivity_terms([one], moments.points(parse(one.statistic).attributes))))
        except SettingError as error:
            # the records that have its attributes may lack what defines a statistic
            if given is not None:
                raise SettingError(
                    f"preserve: {one.statistic} cannot be told: {error.message}", hint="leave it out of preserve"
                ) from None
    total = sum(one.importance for one, _ in found)
    terms = [term.scaled(one.importance / total) for one, its in found for term in its]
    return [one for one, _ in found], terms


def _names(wanted: Sequence[Wanted]) -> list[str]:
    return list(dict.fromkeys(name for one in wanted for name in parse(one.statistic).attributes))


def _sensitivities(axes: Sequence[Axis], terms: Sequence[Term], microfile: Microfile) -> Reals:
    from sfumato.kernels.affine import add_absolute

    found = np.zeros((len(axes), microfile.records))
    rows = {axis.name: row for row, axis in enumerate(axes)}
    terms = [term for term in terms if term.owner in rows]
    if not terms:
        return found
    names = list(dict.fromkeys(name for term in terms for name in term.attributes))
    known = {axis.name: axis for axis in axes}
    columns = as_rows([_numbers(microfile, known, name) for name in names])
    most = max(2, *(len(term.attributes) for term in terms))
    uses = np.full((len(terms), most), -1, dtype=np.int32)
    coefficients = np.zeros((len(terms), most + 1))
    for row, term in enumerate(terms):
        uses[row, : len(term.attributes)] = [names.index(name) for name in term.attributes]
        coefficients[row, : len(term.attributes) + 1] = term.coefficients
    owners = np.array([rows[term.owner] for term in terms], dtype=np.int32)
    side_by_side(
        lambda part: add_absolute(columns, *part, coefficients, uses, owners, found),
        batches_of(microfile.records, least=10_000),
    )
    return found
