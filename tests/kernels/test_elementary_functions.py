from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.elementary_functions import decimal_exponent, exponentials, logarithms, powers

POSITIVE = st.floats(min_value=5e-324, allow_infinity=False)


def units_off(computed: float, exact: Decimal) -> float:
    """Return by how many units in the last place a number is off."""
    return float(abs(Decimal(computed) - exact) / Decimal(math.ulp(computed)))


@given(number=POSITIVE)
def test_logarithms_are_exact_to_the_last_digit(number):
    with localcontext() as context:
        context.prec = 50
        exact = Decimal(number).ln()
        assert units_off(float(logarithms(number)), exact) <= 1.0 or number == 1.0


@given(number=st.floats(-745.0, 709.7))
def test_exponentials_are_exact_to_the_last_digit(number):
    with localcontext() as context:
        context.prec = 50
        assert units_off(float(exponentials(number)), Decimal(number).exp()) <= 1.0


@given(base=st.floats(1e-3, 1e3), exponent=st.floats(-5.0, 5.0))
def test_powers_are_exact_but_for_a_few_digits(base, exponent):
    assert float(powers(base, exponent)) == pytest.approx(base**exponent, rel=1e-14)


def test_ends_are_as_they_are_with_numpy():
    with np.errstate(all="ignore"):
        ends = np.array([0.0, -0.0, -1.0, np.inf, np.nan, 5e-324, 1.0])
        assert np.array_equal(logarithms(ends)[:5], np.log(ends)[:5], equal_nan=True)
        ends = np.array([-np.inf, np.inf, np.nan, -800.0, 800.0, 0.0])
        assert np.array_equal(exponentials(ends), np.exp(ends), equal_nan=True)
    assert powers([0.0, 1.0, 4.0], 0.5).tolist() == [0.0, 1.0, 2.0]


def test_shapes_stay():
    assert logarithms(np.ones((2, 3))).shape == (2, 3)
    assert logarithms(2.0).shape == ()
    frozen = np.ones(3)
    frozen.flags.writeable = False
    assert exponentials(frozen).tolist() == pytest.approx([math.e] * 3)


@pytest.mark.parametrize("power", [*range(-307, 309)])
def test_decimal_exponents_are_exact_at_powers_of_ten(power):
    number = float(f"1e{power}")
    assert decimal_exponent(number) == power
    assert decimal_exponent(math.nextafter(number, 0.0)) == power - 1
