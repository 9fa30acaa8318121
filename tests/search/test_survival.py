"""Who lives on."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.search.survival import survivors


@given(st.lists(st.integers(0, 6), min_size=1, max_size=20), st.data())
def test_nobody_fitter_dies_and_of_equals_the_first_live_on(grades, data):
    count = data.draw(st.integers(1, len(grades)))
    living = survivors(np.array(grades, dtype=float), count)
    expected = sorted(range(len(grades)), key=lambda number: (-grades[number], number))[:count]
    assert living.tolist() == expected
