"""Logarithms, exponentials, powers and decimal exponents, the same to the last digit on every machine.

Those of the C library and of numpy differ in the last digit from processor to processor.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sfumato.array_types import Reals


def logarithms(numbers: Any) -> Reals:
    """Return natural logarithms, number by number.

    >>> logarithms([1.0, 8.0]).tolist()
    [0.0, 2.0794415416798357]
    """
    from sfumato.kernels.transcendental import map_logarithms

    return _mapped(map_logarithms, numbers)


def exponentials(numbers: Any) -> Reals:
    """Return e to the power of each number.

    >>> exponentials([0.0, 1.0]).round(12).tolist()
    [1.0, 2.718281828459]
    """
    from sfumato.kernels.transcendental import map_exponentials

    return _mapped(map_exponentials, numbers)


def powers(bases: Any, exponent: float) -> Reals:
    """Return positive powers of numbers that are not negative, or any powers of positive ones.

    >>> powers([0.0, 2.0], 0.5).round(12).tolist()
    [0.0, 1.414213562373]
    """
    from sfumato.kernels.transcendental import map_powers

    return _mapped(map_powers, bases, float(exponent))


def _mapped(kernel: Any, numbers: Any, *options: float) -> Reals:
    array = np.asarray(numbers, dtype=np.float64)
    row = np.ascontiguousarray(array).ravel()
    # kernels are compiled once for each kind of array, and what frames give may not be written to
    row = row if row.flags.writeable else row.copy()
    results = np.empty_like(row)
    kernel(row, *options, results)
    return results.reshape(array.shape)


def decimal_exponent(number: float) -> int:
    """Return n with 10^n <= number < 10^(n + 1), of a positive number; exact, which a rounded logarithm is not.

    >>> decimal_exponent(1000.0), decimal_exponent(999.9999999999999), decimal_exponent(0.05)
    (3, 2, -2)
    """
    digits = math.floor(0.30103 * (math.frexp(number)[1] - 1))
    return (
        digits + 1 if number >= float(f"1e{digits + 1}") else digits if number >= float(f"1e{digits}") else digits - 1
    )
