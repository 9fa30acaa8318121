"""Statistics of the released records in exact fractions, beside the ranges that a release guarantees."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction

from tests.generated_cases.files import Failure, Written
from tests.generated_cases.tables import Table

ROUNDING = Fraction(1, 10**13)
"""A range without width is a statistic in floating point: it may miss the exact one by this share of what is summed."""


def statistic(
    written: Written, table: Table, asked: str, coefficient: str, weight: str | None, lower: float, upper: float
) -> Iterator[Failure]:
    """Compare a guaranteed range with the exact statistic of the released records."""
    names = [part.strip() for part in asked[asked.index("(") + 1 : -1].replace("~", ",").split(",")]
    rows = []
    for row, tag in enumerate(written.tags):
        visible = all(written.cells[part][row] is not None for name in names for part in written.columns(name))
        values = [table.columns[name].values[tag] for name in names]
        if visible and not any(table.columns[name].missing(value) for name, value in zip(names, values, strict=True)):
            heft = Fraction(table.columns[weight].values[tag]) if weight else Fraction(1)
            rows.append((heft, [table.columns[name].exact(value) for name, value in zip(names, values, strict=True)]))
    truth = _true_value(asked.partition("(")[0], rows, coefficient)
    if truth is None:
        return
    beyond = max(_above(lower, truth), -_above(upper, truth))
    if lower == upper:
        beyond -= ROUNDING * _size(asked.partition("(")[0], rows, coefficient)
    if beyond > 0:
        traits = ", ".join(table.columns[name].trait for name in names)
        what = asked.partition("(")[0]
        yield Failure("range", f"{what} {coefficient} of {traits}: {float(truth)!r} not in [{lower!r}, {upper!r}]")


def _size(what: str, rows: list[tuple[Fraction, list[Fraction]]], coefficient: str) -> Fraction:
    """Return how large the numbers are that a statistic is the sum or the ratio of."""
    columns = list(zip(*(values for heft, values in rows if heft), strict=True))
    sizes = [max(map(abs, column)) for column in columns]
    spans = [max(column) - min(column) for column in columns]
    if what == "mean":
        return sizes[0]
    if what in ("var", "cov"):
        return spans[0] * spans[-1]
    if what == "std":
        return spans[0]
    if what == "corr":
        return Fraction(1)
    variance = _true_value("var", [(heft, [values[1]]) for heft, values in rows], "")
    slope = spans[0] * spans[1] / variance if variance else Fraction(0)
    return sizes[0] + slope * sizes[1] if coefficient == "(intercept)" else slope


def _above(end: float, truth: Fraction) -> Fraction:
    return Fraction(end) - truth if math.isfinite(end) else Fraction(-1 if end < 0 else 1)


def _true_value(what: str, rows: list[tuple[Fraction, list[Fraction]]], coefficient: str) -> Fraction | None:
    total = sum(heft for heft, _ in rows)
    if not total:
        return None
    means = [sum(heft * values[place] for heft, values in rows) / total for place in range(len(rows[0][1]))]

    def covariance(one: int, other: int) -> Fraction:
        return sum(heft * (v[one] - means[one]) * (v[other] - means[other]) for heft, v in rows) / total

    if what == "mean":
        return means[0]
    if what in ("var", "std"):
        return covariance(0, 0) if what == "var" else _root(covariance(0, 0))
    if what == "cov":
        return covariance(0, 1)
    if what == "corr":
        product = covariance(0, 0) * covariance(1, 1)
        if not product:
            return None
        square = covariance(0, 1) ** 2 / product
        return _root(square) * (1 if covariance(0, 1) >= 0 else -1)
    spread = covariance(1, 1)
    if not spread:
        return None
    slope = covariance(0, 1) / spread
    return means[0] - slope * means[1] if coefficient == "(intercept)" else slope


def _root(value: Fraction) -> Fraction:
    """Return the square root to sixty digits."""
    with localcontext() as context:
        context.prec = 60
        return Fraction((Decimal(value.numerator) / Decimal(value.denominator)).sqrt())
