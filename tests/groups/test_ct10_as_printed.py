"""CT10's printed numbers."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import SettingError
from sfumato.groups.reshaping_problem import Reshaping
from tests.groups.ct10_as_printed import literal_recipe, violated
from tests.groups.signals import CONCENTRATION, FINAL, QUANTITY

USED = [0, 379.097, 1000.0, 5464.854]
BOUNDS = {
    1: "<=",
    2: "<=",
    3: "<=",
    5: ">=",
    6: ">=",
    7: ">=",
    8: ">=",
    9: ">=",
    10: ">=",
    14: ">=",
    15: "<=",
    16: "<=",
}
A2 = [1369.821, 687.286, 244.677, 41.992, -224.98, 11.373, 112.86, 79.481, 82.24, 175.643, 244.757, 289.584, 340.918,
      693.698, 965.706, 1156.942]  # fmt: skip  # rows of numbers, as printed
DETAILS = [-1350.821, -675.286, -91.677, 29.008, 237.98, 67.627, -105.86, -46.481, -66.24, 94.357, 567.243, -154.584,
           -99.918, -679.698, -905.706, 3180.058]  # fmt: skip  # rows of numbers, as printed
NEW_A2 = [-750.103, -70.09, 244.677, 194.196, 241.583, 345.372, 434.049, 507.612, 585.225, 1559.452, 2293.431, 2787.164,
          3345.271, 1587.242, 449.819, -66.997]  # fmt: skip  # rows of numbers, as printed
CHANGED = [-2100.924, -745.376, 153.0, 223.204, 479.563, 413.0, 328.189, 461.131, 518.985, 1653.809, 2860.674, 2632.58,
           3245.352, 907.543, -455.887, 3113.061]  # fmt: skip  # rows of numbers, as printed


def test_the_quantity_example():
    found = literal_recipe(QUANTITY, USED, shift=2150)
    assert found.before.coefficients == pytest.approx([2272.128, 136.352, 158.422, 569.098], abs=0.0006)
    assert found.before.detail_coefficients == pytest.approx([-508.185, 15.587, 546.921, -315.68], abs=0.0006)
    assert found.before.approximation == pytest.approx(A2, abs=0.0006)
    assert found.before.details == pytest.approx(DETAILS, abs=0.0006)
    assert found.approximation == pytest.approx(NEW_A2, abs=0.0011)
    assert found.changed == pytest.approx(CHANGED, abs=0.0011)
    # ERRATA 003-3: so much of the details is left
    assert found.scale == pytest.approx(0.13042781529541464, rel=1e-6)
    assert found.counts.tolist() == FINAL


def test_what_the_recipe_does():
    # ERRATA 003-3, 003-8
    task = Reshaping(QUANTITY, [15])
    assert task.moved(FINAL) == 3822
    assert int(np.argmax(FINAL)) == 12


def test_the_printed_constraints():
    rows = [(row - 1, sign, A2[row - 1]) for row, sign in BOUNDS.items()]
    assert violated(16, USED, rows, tolerance=0.001) == ()
    # ERRATA 003-1: the printed solution keeps them as well, but does not give the printed signal
    printed = [0, 379.097, 31805.084, 5464.854]
    assert violated(16, printed, rows, tolerance=0.01) == ()
    assert literal_recipe(QUANTITY, printed, shift=2150, rescale=False).approximation.max() == pytest.approx(
        20216, abs=1
    )


def test_the_concentration_example():
    found = literal_recipe(CONCENTRATION, [0, 0.002, 0.147, 0.025], shift=0.5, rescale=False)
    assert found.counts is None
    assert found.before.coefficients == pytest.approx([0.073, 0.023, 0.018, 0.059], abs=0.001)
    assert found.before.detail_coefficients == pytest.approx([0.003, -0.001, 0.036, -0.018], abs=0.001)
    assert found.approximation == pytest.approx(
        [-0.003, 0, 0.001, 0.001, 0.001, 0.035, 0.059, 0.075, 0.093, 0.049, 0.022, 0.011, -0.004, 0.003, 0.005, 0.0],
        abs=0.001,
    )
    final = [0.463, 0.477, 0.518, 0.499, 0.498, 0.538, 0.551, 0.573, 0.586, 0.566, 0.554, 0.498, 0.491, 0.472, 0.474,
             0.592]  # fmt: skip  # rows of numbers, as printed
    assert found.final == pytest.approx(final, abs=0.0015)
    # ERRATA 003-7: the peak is still there
    assert int(np.argmax(found.final)) == 15


def test_the_sign_of_row_five():
    # ERRATA 003-6
    printed = [(0, "<=", 0.038), (1, "<=", 0.025), (2, "<=", 0.016), (3, "<=", 0.011), (4, ">=", 0.005),
               (5, ">=", 0.009), (6, ">=", 0.01), (7, ">=", 0.009), (8, ">=", 0.009), (9, ">=", 0.019),
               (13, "<=", 0.034), (14, "<=", 0.034), (15, "<=", 0.037)]  # fmt: skip  # rows of numbers, as printed
    assert violated(16, [0, 0.002, 0.147, 0.025], printed, tolerance=0.0005) == (4,)


def test_bad_input():
    with pytest.raises(SettingError, match=r"4 coefficients are needed \(given: 3\)"):
        literal_recipe(QUANTITY, [1, 2, 3], shift=0)
    with pytest.raises(SettingError, match=r"a shift of 100 leaves negative values") as error:
        literal_recipe(QUANTITY, USED, shift=100)
    assert "shift by 2100.92 or more" in str(error.value)
