from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import MicrofileError, ReleaseError
from sfumato.look_alikes import look_alikes, numbers_alike

ALIKE = [
    ("flu", "Flu"),
    ("HIV+", "HIV +"),
    ("1", "1.0"),
    ("01", "1"),
    ("-0.0", "0"),
    ("\u0661", "1"),
    ("flu", "fIu"),
    ("0", "O"),
    ("cancer", "c\u0430ncer"),
    ("yes", "y\u0435s"),
    ("HIV", "\u041dIV"),
    ("HIV", "H\u2160V"),
    ("hiv", "hi\u03bd"),
    ("\u0412\u043e\u0434\u0430", "\u0432\u043e\u0434\u0430"),
    ("a-b", "a\u2013b"),
    ("a-b", "a \u2212 b"),
    ("flu", "f\u200dlu"),
    ("flu", "flu\u2800"),
    ("\u00df", "ss"),
]
DIFFERENT = [
    ("flu", "flu."),
    ("HIV+", "HIV-"),
    ("1", "-1"),
    ("1", "10"),
    ("1.01", "1.1"),
    ("1 2", "12"),
    ("1-2", "12"),
    ("1e2", "100"),
    ("AI", "AL"),
    ("I10", "110"),
    ("<1", ">1"),
    ("5 \u03bcg", "5 mg"),
    ("<=50K", ">50K"),
    ("250.01", "250.1"),
    ("\u0434\u0430", "\u043d\u0435\u0442"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_texts_that_look_alike(one, other):
    assert look_alikes([one, other, "another"]) == 2


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_texts_that_do_not(one, other):
    assert look_alikes([one, other]) == 0


def test_numbers_look_alike_in_their_last_digits():
    pay = 50000.1
    assert numbers_alike(np.array([pay, np.nextafter(pay, 1e9), 60000.0])) == 2
    assert numbers_alike(np.array([-pay, -pay + 1e-8, 60000.0])) == 2
    assert numbers_alike(np.array([0.1 + 0.2, 0.3])[::-1]) == 2
    assert numbers_alike(np.array([pay, pay + 1e-6, pay + 0.01])) == 0
    # whole numbers differ in a digit that is seen, and zero has no digits
    assert numbers_alike(np.array([1e15, 1e15 + 1])) == 0
    assert numbers_alike(np.array([-1e-300, 0.0, 1e-300, 1.0])) == 0
    assert numbers_alike(np.array([1e308, 1.5e308])) == 0
    assert numbers_alike(np.array([])) == 0


def test_many_random_numbers_do_not_look_alike_by_chance():
    # some of them agree in 12 digits
    numbers = np.unique(np.random.default_rng(1).random(3_000_000) + 0.5)
    close = np.diff(numbers) <= 1e-12
    assert close.sum() > 2
    assert numbers_alike(numbers) == 0


def test_salaries_that_differ_in_the_last_digit_are_refused(tmp_path):
    place = np.arange(40)
    pay = np.where(place % 2 == 0, 50000.0, np.nextafter(50000.0, 1e9))
    frame = pl.DataFrame({"region": np.where(place < 20, "n", "s"), "age": place, "pay": pay})
    promise = sf.Promise(quasi=["region"], sensitive="pay", k=20, l=2)
    with pytest.raises(ReleaseError, match="'pay' has 2 values that look like another one"):
        sf.Release(frame.drop("age"), promise=promise).write(tmp_path / "out")
    with pytest.raises(MicrofileError, match=r"column 'pay' .sensitive. has 2 values that look like another one"):
        sf.Boxes(quasi=["age"], sensitive="pay", k=5, l=2).protect(frame)
