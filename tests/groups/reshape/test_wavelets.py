"""Approximations and details, and what can be kept of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.errors import SettingError, UnattainableError
from sfumato.groups.reshape.wavelets import reshape_by_wavelet
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.groups.thompson_tau import outliers
from sfumato.groups.wavelet_transform import decompose, synthesis_matrix
from tests.groups.ct10_as_printed import largest_detail_scale, lowest_with_details
from tests.groups.signals import QUANTITY


def test_the_printed_coefficients():
    rows = {1: [0.637, 0, 0, -0.137], 2: [0.296, 0.233, 0, -0.029], 3: [0.079, 0.404, 0, 0.017],
            4: [-0.012, 0.512, 0, 0], 5: [-0.137, 0.637, 0, 0], 6: [-0.029, 0.296, 0.233, 0],
            10: [0, -0.029, 0.296, 0.233], 14: [0.233, 0, -0.029, 0.296], 15: [0.404, 0, 0.017, 0.079],
            16: [0.512, 0, 0, -0.012]}  # fmt: skip  # rows of numbers, as printed
    matrix = synthesis_matrix(16)
    for row, expected in rows.items():
        assert matrix[row - 1] == pytest.approx(expected, abs=0.0006)


@given(
    st.lists(st.integers(0, 1000), min_size=12, max_size=40),
    st.sampled_from(["haar", "db2", "sym2"]),
    st.integers(1, 2),
)
def test_perfect_reconstruction_for_any_length(values, wavelet, level):
    signal = np.array(values, dtype=float)
    parts = decompose(signal, wavelet, level)
    assert parts.approximation + parts.details == pytest.approx(signal, abs=1e-8)
    again = synthesis_matrix(signal.size, wavelet, level) @ parts.coefficients
    assert again == pytest.approx(parts.approximation, abs=1e-8)
    if signal.size % 2**level == 0:
        # ERRATA 003-5: the details have no mean
        assert parts.details.sum() == pytest.approx(0.0, abs=1e-6)


def test_the_peak_cannot_be_hidden_with_its_details():
    # ERRATA 003-4
    assert lowest_with_details(np.array(QUANTITY, dtype=float), 15) == pytest.approx(4319.641, abs=0.001)


@pytest.mark.parametrize("robust", [True, False])
def test_the_better_program(robust):
    task = Reshaping(QUANTITY, [15], robust=robust)
    scale, signal = largest_detail_scale(task, 8)
    assert scale == pytest.approx(0.2746, abs=0.00005)
    assert signal.mean() == pytest.approx(392.0)
    assert signal.min() > -1e-6
    assert signal[15] <= signal[8] + 1e-6
    assert decompose(signal).details == pytest.approx(
        scale * decompose(np.array(QUANTITY, dtype=float)).details, abs=1e-6
    )
    # no reference keeps more
    others = [largest_detail_scale(task, place)[0] for place in range(15)]
    assert max(others) == pytest.approx(scale)
    counts = reshape_by_wavelet(task)
    assert np.abs(counts - signal).max() < 1
    assert outliers(counts, robust=robust).indices == ()


@settings(max_examples=25)
@given(st.data())
def test_invariants(data):
    counts = data.draw(st.lists(st.integers(0, 60), min_size=12, max_size=24))
    counts[data.draw(st.integers(0, len(counts) - 1))] += 500
    task = Reshaping(counts, [int(np.argmax(counts))], fixed=[int(np.argmin(counts))])
    try:
        found = reshape_by_wavelet(task)
    except UnattainableError:
        assume(False)
    assert found.sum() == sum(counts)
    assert (found >= 0).all()
    assert found[task.fixed[0]] == counts[task.fixed[0]]
    assert task.flagged(found) == ()
    assert found[task.hidden[0]] <= np.delete(found, task.hidden[0]).max()


def test_low_places_are_raised_and_high_ones_lowered():
    counts = [50, 52, 49, 51, 0, 50, 53, 48, 51, 50, 300, 49, 52, 50, 51, 48]
    task = Reshaping(counts, [4, 10])
    assert task.flagged(counts) == (4, 10)
    found = reshape_by_wavelet(task)
    assert task.flagged(found) == ()
    assert found.sum() == sum(counts)


def test_bad_input():
    with pytest.raises(SettingError, match="11 places are too few for db2 at level 2") as error:
        reshape_by_wavelet(Reshaping([*range(10), 99], [10]))
    assert "levels allowed: 1 to 1" in str(error.value)
    with pytest.raises(SettingError, match="'db200' is not a discrete wavelet"):
        synthesis_matrix(16, "db200", 1)
    with pytest.raises(SettingError, match="no level 0"):
        synthesis_matrix(16, "db2", 0)


def test_what_cannot_be_done_says_so():
    # everything but the peak and one place is fixed
    with pytest.raises(UnattainableError, match=r"place 15 \(from 0\) cannot be hidden by db2 at level 2"):
        reshape_by_wavelet(Reshaping(QUANTITY, [15], fixed=range(14)))
