"""Codes that nest, and codes that look like missing values."""

from __future__ import annotations

import polars as pl
import pytest

import sfumato as sf
from sfumato.suggesting.code_hierarchies import missing_codes, nested


def levels_of(values, k=5):
    people = sf.Microfile(pl.DataFrame({"x": values}))
    return nested(people.encoded("x"), k)


def looks_missing(values, k=2):
    people = sf.Microfile(pl.DataFrame({"x": values}))
    return missing_codes(people, "x", people.encoded("x"), k)


def test_codes_nest_by_their_first_signs():
    levels = levels_of(["02139"] * 5 + ["02140"] * 6 + ["94305"] * 7)
    assert levels is not None
    assert levels["02139"] == ("0213*", "021**", "02***", "0****", "*****")
    assert list(levels) == ["02139", "02140", "94305"]


def test_a_rare_code_stands_among_all_its_neighbours_or_nowhere():
    levels = levels_of(["02139"] * 40 + ["02141", "94305"])
    assert levels is not None
    # whether 02141 occurs cannot be seen, and nobody but one is in 943
    assert {f"021{last:02}" for last in range(100)} == set(levels)


def test_rare_codes_with_letters_are_left_out():
    levels = levels_of(["I10"] * 30 + ["I25"] * 30 + ["E11"])
    assert levels is not None
    assert set(levels) == {"I10", "I25"}


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(["north", "south", "east"] * 20, id="words"),
        pytest.param(["1", "22", "333", "4444"] * 20, id="of many lengths"),
        pytest.param([f"{number:05}" for number in range(0, 90_000, 1000)], id="all rare"),
        pytest.param(["1"] * 20 + ["2"] * 20, id="of one sign"),
    ],
)
def test_what_does_not_nest(values):
    assert levels_of(values) is None


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([1, 2, 3, -1, -1], [-1]),
        ([10, 20, 30, 99, 99], [99]),
        ([97, 98, 99, 99], []),
        ([1, 2, 3, 9, 9], [9]),
        ([1, 2, 3, -1], []),
        ([-500, -2, 1, 2, 300, 300], []),
        ([0.5, 1.5, 2.5, 99.0, 99.0], []),
        (["a", "b", "?", "?"], ["?"]),
        (["a", "b", "Unknown", "Unknown", "?"], ["Unknown"]),
    ],
)
def test_codes_that_look_like_missing_values(values, codes):
    assert looks_missing(values) == codes
