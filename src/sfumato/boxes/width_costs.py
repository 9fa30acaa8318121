"""The cost of a unit of width at each record: how sensitive the preserved statistics are there."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Flags, Reals
from sfumato.boxes.axes import QuasiAxis, as_rows
from sfumato.errors import SettingError
from sfumato.microfile import Kind, Microfile
from sfumato.statistics import CostTerms, RecordMoments, Wanted, parse
from sfumato.threads import batches_of, side_by_side

FLOOR = 0.02
"""The smallest cost, as a share of the mean: second-order effects are never free."""


@dataclass(frozen=True)
class WidthCosts:
    """The cost of a unit of width."""

    rows: Reals
    """One row per axis: a_i of XF13 (4), or the cost of lost detail; 0 where the value is missing."""
    spoken: Flags
    """Which axes a statistic depends on."""
    preserved: tuple[Wanted, ...]
    """The statistics."""


def numeric_names(axes: Sequence[QuasiAxis]) -> list[str]:
    """Return the axes of numeric attributes."""
    return [axis.name for axis in axes if axis.kind == "numeric"]


def default_wanted(numeric: Sequence[str]) -> list[Wanted]:
    """Return the means, variances and correlations of numeric quasi attributes, which must not be constant."""
    names = [name if name.isidentifier() else f"`{name}`" for name in numeric]
    texts = [f"mean({name})" for name in names] + [f"var({name})" for name in names]
    texts += [f"corr({x}, {y})" for x, y in itertools.combinations(names, 2)]
    return [Wanted(statistic=text) for text in texts]


def blurred(
    preserved: Sequence[Wanted], microfile: Microfile, axes: Sequence[QuasiAxis]
) -> tuple[tuple[Wanted, ...], tuple[str, ...]]:
    """Return the statistics that boxes blur, and notes on those that stay exact; refuse unknown attributes."""
    numeric = [
        name
        for name, attribute in microfile.attributes.items()
        if attribute.kind is Kind.NUMERIC and not microfile.series(name).dtype.is_temporal()
    ]
    affected, notes = [], []
    for position, request in enumerate(preserved):
        statistic = parse(request.statistic)
        try:
            statistic.check(numeric, [name for name in microfile.names if name not in numeric])
        except SettingError as error:
            raise error.within("preserve", position) from None
        if set(statistic.attributes) & set(numeric_names(axes)):
            affected.append(request)
        else:
            notes.append(f"preserve: {statistic.text} names no numeric quasi attribute, so boxes do not change it.")
    return tuple(affected), tuple(notes)


def costs_of(
    axes: Sequence[QuasiAxis],
    requested: Sequence[Wanted] | None,
    microfile: Microfile,
    weights: Reals | None,
    detail: float,
) -> WidthCosts:
    """Return the costs of widths, given the statistics to preserve, if any.

    An attribute that no statistic depends on costs, over its whole span, ``detail`` times as much as the attributes of
    the statistics do on average.
    """
    preserved, terms = _terms(axes, requested, microfile, weights)
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
    return WidthCosts(rows, spoken, tuple(preserved))


def _numbers(microfile: Microfile, axes: Mapping[str, QuasiAxis], name: str) -> Reals:
    """Return an attribute's values, NaN where missing."""
    if name not in axes:
        return microfile.numbers(name)
    axis = axes[name]
    values = axis.coordinates + float(axis.origin) if axis.origin else axis.coordinates
    return np.where(axis.missing, np.nan, values) if axis.lacks else values


def _terms(
    axes: Sequence[QuasiAxis], requested: Sequence[Wanted] | None, microfile: Microfile, weights: Reals | None
) -> tuple[Sequence[Wanted], list[CostTerms]]:
    """Return the statistics that are defined, and what a unit of width costs each of them."""
    numeric = [axis.name for axis in axes if axis.kind == "numeric" and axis.span > 0]
    preserved = default_wanted(numeric) if requested is None else requested
    axes_by_name = {axis.name: axis for axis in axes}
    records = RecordMoments({name: _numbers(microfile, axes_by_name, name) for name in _names(preserved)}, weights)
    defined: list[tuple[Wanted, CostTerms]] = []
    for request in preserved:
        try:
            defined.append((request, parse(request.statistic).cost_terms(records, request.accuracy)))
        except SettingError as error:
            # the records with values may be too few, or constant
            if requested is not None:
                raise SettingError(
                    f"preserve: {request.statistic} cannot be computed: {error.message}",
                    hint="leave it out of preserve",
                    setting=("preserve", request.statistic),
                    column=error.column,
                ) from None
    total = sum(request.importance for request, _ in defined)
    terms = [costs.scaled(request.importance / total) for request, costs in defined]
    return [request for request, _ in defined], terms


def _names(preserved: Sequence[Wanted]) -> list[str]:
    return list(dict.fromkeys(name for request in preserved for name in parse(request.statistic).attributes))


def _sensitivities(axes: Sequence[QuasiAxis], terms: Sequence[CostTerms], microfile: Microfile) -> Reals:
    """Return what a unit of width costs the statistics at each record, one row per axis."""
    sums = np.zeros((len(axes), microfile.records))
    _add_affine(sums, axes, terms, microfile)
    rows = {axis.name: row for row, axis in enumerate(axes)}
    for costs in terms:
        for owner, by_record in costs.by_record.items():
            if owner in rows:
                sums[rows[owner]] += np.nan_to_num(by_record, nan=0.0)
    return sums


def _add_affine(sums: Reals, axes: Sequence[QuasiAxis], terms: Sequence[CostTerms], microfile: Microfile) -> None:
    """Add the affine costs, all at once."""
    from sfumato.kernels.abs_affine import add_absolute

    rows = {axis.name: row for row, axis in enumerate(axes)}
    affine = [term for costs in terms for term in costs.affine if term.owner in rows]
    if not affine:
        return
    names = list(dict.fromkeys(name for term in affine for name in term.attributes))
    axes_by_name = {axis.name: axis for axis in axes}
    columns = as_rows([_numbers(microfile, axes_by_name, name) for name in names])
    n_uses = max(2, *(len(term.attributes) for term in affine))
    uses = np.full((len(affine), n_uses), -1, dtype=np.int32)
    coefficients = np.zeros((len(affine), n_uses + 1))
    for row, term in enumerate(affine):
        uses[row, : len(term.attributes)] = [names.index(name) for name in term.attributes]
        coefficients[row, : len(term.attributes) + 1] = term.coefficients
    owners = np.array([rows[term.owner] for term in affine], dtype=np.int32)
    side_by_side(
        lambda batch: add_absolute(columns, *batch, coefficients, uses, owners, sums),
        batches_of(microfile.records, least=10_000),
    )
