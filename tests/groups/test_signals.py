"""What a signal shows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SettingError
from sfumato.groups import Signal
from sfumato.groups.wavelet_transform import decompose
from tests.groups.signals import QUANTITY


def signal_of(values, kind="quantity") -> Signal:
    return Signal(tuple(f"p{place}" for place in range(len(values))), np.array(values, dtype=float), kind)


def test_the_quantity_signal():
    signal = signal_of(QUANTITY)
    assert len(signal) == 16
    assert signal.mean == 392.0
    assert signal.deviation == pytest.approx(1070.8267833781522)
    assert signal.outliers(robust=False).labels == ("p10", "p15")
    assert signal.as_dict()["p10"] == 812.0
    assert signal.extremes.highest == (15,)
    assert signal.extremes.lowest == (6,)
    assert signal.extremes.peaks == (0, 2, 5, 7, 10, 12, 15)


def test_plateaus_and_flat_signals():
    assert signal_of([1, 3, 3, 2, 3]).extremes.peaks == (1, 4)
    assert signal_of([1, 3, 3, 2, 3]).extremes.highest == (1, 2, 4)
    assert signal_of([2, 2, 2]).extremes.peaks == ()


def test_details_add_up_with_the_approximation():
    signal = signal_of(QUANTITY)
    fine, coarse = signal.details("db2", 2)
    parts = decompose(signal.values)
    assert fine + coarse == pytest.approx(parts.details)
    assert coarse[0] != pytest.approx(parts.details[0])
    assert len(signal.details()) == 2


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=40))
def test_the_periodogram_shares_out_the_variance(values):
    frequencies, waves = signal_of(values).periodogram()
    assert frequencies.size == waves.size
    assert waves.sum() == pytest.approx(np.var(values), abs=1e-6)


def test_a_wave_has_one_frequency():
    frequencies, waves = signal_of(np.cos(np.arange(16) * np.pi / 2), "difference").periodogram()
    assert frequencies[waves.argmax()] == 0.25
    assert waves.max() == pytest.approx(0.5)
    assert np.delete(waves, waves.argmax()) == pytest.approx(0.0, abs=1e-12)


def test_signals_are_values():
    signal = signal_of([1, 2, 3])
    assert signal == signal_of([1, 2, 3])
    assert signal != signal_of([1, 2, 4])
    assert len({signal, signal_of([1, 2, 3])}) == 1
    with pytest.raises(ValueError, match="read-only"):
        signal.values[0] = 9


def test_bad_input():
    with pytest.raises(SettingError, match=r"one label per value \(given: 1 and 2\)"):
        Signal(("a",), np.array([1.0, 2.0]), "quantity")
    with pytest.raises(SettingError, match="must differ"):
        Signal(("a", "a"), np.array([1.0, 2.0]), "quantity")
    with pytest.raises(SettingError, match="cannot be negative"):
        signal_of([1, -1])
    with pytest.raises(SettingError, match="finite"):
        signal_of([1, np.inf])
    with pytest.raises(SettingError, match="quantity, concentration or difference"):
        signal_of([1, 2], "share")
    with pytest.raises(SettingError, match="too few for db2 at level 3"):
        signal_of(QUANTITY).details("db2", 3)
