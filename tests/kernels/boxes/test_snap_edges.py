from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.boxes.snap_edges import part_starts, snap_down


@given(
    numbers=st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=20),
    step=st.sampled_from([1, 2, 5, 10]),
    strictly=st.booleans(),
)
def test_multiples_below_whole_numbers(numbers, step, strictly):
    multiples, same = snap_down(np.array(numbers, dtype=float), float(step), 1.0, strictly)
    plain = [math.floor((number - strictly) / step) * step for number in numbers]
    assert multiples.tolist() == plain
    assert same.tolist() == [multiple == original for multiple, original in zip(plain, numbers, strict=True)]


@given(numbers=st.lists(st.integers(-3000, 3000), min_size=1, max_size=20))
def test_multiples_are_as_they_are_written(numbers):
    multiples, _ = snap_down(np.array([number / 100 for number in numbers]), 0.05, 100.0, False)
    assert multiples.tolist() == [float(f"{math.floor(number / 5) * 5 / 100:.2f}") + 0.0 for number in numbers]


def test_multiples_that_doubles_cannot_distinguish_are_those_of_a_longer_step():
    multiples, same = snap_down(np.array([1e30, -1e30]), 1.0, 1.0, True)
    assert (multiples < [1e30, -1e30]).all()
    assert not same.any()


@given(
    counts=st.lists(st.integers(0, 9), min_size=1, max_size=40),
    gaps=st.lists(st.integers(1, 7), min_size=40, max_size=40),
    least=st.integers(1, 8),
    wide=st.integers(1, 8),
)
def test_parts_hold_enough_records_or_are_wide(counts, gaps, least, wide):
    points = np.cumsum(gaps[: len(counts)])
    below = np.concatenate([[0], np.cumsum(counts)[:-1]])
    starts = part_starts(points, below, least, wide)
    plain, before = [points[0]], 0
    for point, records in zip(points[1:], below[1:], strict=True):
        if records == before:
            plain[-1] = point
        elif records - before >= least or point - plain[-1] >= wide:
            plain.append(point)
            before = records
    assert starts.tolist() == plain
    held = below[np.searchsorted(points, starts)]
    assert ((np.diff(held) >= least) | (np.diff(starts) >= wide)).all()
