"""Doubles that enclose exact numbers: integers and decimals may have more digits than a double holds."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl

from sfumato.array_types import Reals

DIGITS = 15
"""Doubles distinguish decimal numbers of up to this many digits, and print them as they were written."""


def outward(number: int | Decimal, side: int) -> float:
    """Return the double nearest to a number, or the next one towards a side (-1 or 1) if the nearest falls short.

    >>> outward(2**53 + 1, -1) == 2**53, outward(2**53 + 1, 1) == 2**53 + 2, outward(5, 1)
    (True, True, 5.0)
    """
    nearest = float(number)
    short = Fraction(nearest) > number if side < 0 else Fraction(nearest) < number
    return math.nextafter(nearest, side * math.inf) if short else nearest


def parsed_outward(text: str, side: int) -> float:
    """Return the double that a text means, rounded to a side if it has more digits than doubles distinguish.

    >>> parsed_outward("0.1", -1), parsed_outward("9007199254740993", 1) == 2**53 + 2
    (0.1, True)
    """
    number = Decimal(text)
    return float(number) if len(number.as_tuple().digits) <= DIGITS else outward(number, side)


def enclosing(series: pl.Series) -> tuple[Reals, Reals]:
    """Return doubles below and above each number of a column, NaN where it is null; usually both are the same."""
    numbers = series.cast(pl.Float64)
    nearest = numbers.fill_null(float("nan")).to_numpy()
    if series.dtype.is_integer():
        inexact = (numbers.cast(pl.Int128, strict=False) != series.cast(pl.Int128)).fill_null(numbers.is_not_null())
    elif isinstance(series.dtype, pl.Decimal):
        inexact = (numbers.abs() >= 10.0 ** (DIGITS - series.dtype.scale)).fill_null(value=False)
    else:
        return nearest, nearest
    if not inexact.any():
        return nearest, nearest
    is_inexact = inexact.to_numpy()
    below, above = (np.where(is_inexact, np.nextafter(nearest, limit), nearest) for limit in (-np.inf, np.inf))
    return below, above
