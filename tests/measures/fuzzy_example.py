"""The worked example of QADM14: fifteen people, ages in three fuzzy sets, weights in two crisp ones."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
from hypothesis import strategies as st

from sfumato.fuzzy import crisp, product, ruspini
from tests.measures.test_safety import AGES, HOURS, WEIGHTS

PEOPLE = pl.DataFrame({"age": AGES, "fnlwgt": WEIGHTS, "hours": HOURS})
AGE = ruspini("age", [33, (37, 38), 42], names=["A_A", "A_B", "A_C"])
# I_A ends below 200000, see ERRATA 002-5
FNLWGT = crisp("fnlwgt", [200000], names=["I_A", "I_B"])
MEMBERSHIPS = product([AGE.memberships(PEOPLE), FNLWGT.memberships(PEOPLE)])
CRISP = product([crisp("age", [36, 41]).memberships(PEOPLE), FNLWGT.memberships(PEOPLE)])

CLASSES = [
    {9: 1, 12: 1, 13: 1, 14: 1},
    {5: 1, 15: Fraction(3, 4)},
    {1: Fraction(3, 4), 2: Fraction(3, 4)},
    {3: 1, 6: 1, 11: 1, 15: Fraction(1, 4)},
    {1: Fraction(1, 4), 2: Fraction(1, 4), 7: 1, 10: 1},
    {4: 1, 8: 1},
]
"""The members of A_A x I_A, A_A x I_B, A_B x I_A, and so on, by the people's numbers."""


def exact(number) -> Fraction:
    """The fraction that a floating number stands for."""
    found = Fraction(float(number)).limit_denominator(10_000)
    assert abs(float(found) - float(number)) < 1e-14
    return found


some_missing = st.sampled_from([0, 1, 2, 3, None])


@st.composite
def partitions(draw, *, crisp_only=False, sensitive=some_missing):
    """Memberships in eighths, exact as floating numbers, and sensitive values."""
    sets = draw(st.integers(1, 4))
    records = draw(st.integers(1, 12))
    grades = np.zeros((records, sets))
    for record in range(records):
        parts = 1 if crisp_only else 8
        for place in draw(st.lists(st.integers(0, sets - 1), min_size=parts, max_size=parts)):
            grades[record, place] += 1 / parts
    values = draw(st.lists(sensitive, min_size=records, max_size=records))
    return grades, values
