"""Logarithms, exponentials and powers by additions, multiplications and divisions alone.

Those of the C library and of numpy differ in the last digit from processor to processor. These are the same on every
machine, because each of their steps is rounded as IEEE 754 prescribes. Errors are below one unit in the last place of
logarithms and exponentials; formulas and coefficients are those of Sun's fdlibm.
"""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.compiled import compiled_ratios, compiled_ratios_inside, interpreted_while_small

LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""The logarithm of 2 in two parts, of which whole multiples of the first are exact."""
INVERSE_LN2 = 1.44269504088896338700
ROOT_HALF = np.int64(0x3FE6A09E667F3BCD)
"""The bits of the root of 1/2."""
SUBNORMAL = 2.0**-1022
SCALE, SCALED = 2.0**54, 54
LARGEST, SMALLEST = 709.782712893384, -745.1332191019412
"""Beyond these, exponentials are infinite or 0."""


@compiled_ratios_inside
def _logarithm(number: float) -> float:
    """Return the natural logarithm of a positive, finite number."""
    small = number < SUBNORMAL
    bits = np.float64(number * SCALE if small else number).view(np.int64)
    # number = 2^exponent (1 + f), with 1 + f between the root of 1/2 and the root of 2
    exponent = (bits - ROOT_HALF) >> np.int64(52)
    f = np.int64(bits - (exponent << np.int64(52))).view(np.float64) - 1.0
    power = float(exponent - SCALED if small else exponent)
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01))
    odd = z * (
        6.666666666666735130e-01
        + w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01))
    )
    half_square = 0.5 * f * f
    return power * LN2_HIGH - ((half_square - (s * (half_square + (even + odd)) + power * LN2_LOW)) - f)


@compiled_ratios_inside
def logarithm(number: float) -> float:
    """Return the natural logarithm; -infinity of 0, NaN of what is below 0."""
    if number > 0.0:
        return _logarithm(number) if number < np.inf else number
    return -np.inf if number == 0.0 else np.nan


@compiled_ratios_inside
def _exponential(number: float) -> float:
    """Return e to the power of a number, as far as it is neither 0 nor infinite."""
    # NaN becomes a number here, because it has no whole part
    within = number if number > SMALLEST else SMALLEST
    within = within if within < LARGEST else LARGEST
    power = float(np.floor(within * INVERSE_LN2 + 0.5))
    high, low = within - power * LN2_HIGH, power * LN2_LOW
    rest = high - low
    t = rest * rest
    c = rest - t * (
        1.66666666666666019037e-01
        + t
        * (
            -2.77777777770155933842e-03
            + t * (6.61375632143793436117e-05 + t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))
        )
    )
    result = 1.0 - ((low - (rest * c) / (2.0 - c)) - high)
    # in two steps, because 2^power itself may be too large or too small a number
    exponent = np.int64(power)
    first = exponent >> np.int64(1)
    result = result * np.int64((first + np.int64(1023)) << np.int64(52)).view(np.float64)
    return result * np.int64((exponent - first + np.int64(1023)) << np.int64(52)).view(np.float64)


@compiled_ratios_inside
def exponential(number: float) -> float:
    """Return e to the power of a number."""
    result = _exponential(number)
    if number > LARGEST:
        return np.inf
    if number < SMALLEST:
        return 0.0
    return result if number == number else number


@compiled_ratios_inside
def power_of(base: float, exponent: float) -> float:
    """Return a positive power of a number that is not negative, or any power of a positive one."""
    result = _exponential(exponent * _logarithm(base))
    return result if base > 0.0 else base


@interpreted_while_small
@compiled_ratios
def map_logarithms(numbers: Reals, results: Reals) -> None:
    """Write the natural logarithms of ``numbers`` (IN) to ``results`` (OUT)."""
    for index in range(numbers.size):
        results[index] = logarithm(numbers[index])


@interpreted_while_small
@compiled_ratios
def map_exponentials(numbers: Reals, results: Reals) -> None:
    """Write e to the power of ``numbers`` (IN) to ``results`` (OUT)."""
    for index in range(numbers.size):
        results[index] = exponential(numbers[index])


@interpreted_while_small
@compiled_ratios
def map_powers(bases: Reals, exponent: float, results: Reals) -> None:
    """Write powers of ``bases`` (IN) to ``results`` (OUT)."""
    for index in range(bases.size):
        results[index] = power_of(bases[index], exponent)
