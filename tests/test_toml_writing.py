"""TOML is written so that it says what it should, and changed without losing comments."""

from __future__ import annotations

import math
import tomllib
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SettingError
from sfumato.toml_writing import edited_toml, same_toml, toml_text, toml_value

SCALARS = st.one_of(
    st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.text(max_size=8), st.dates(min_value=date(1, 1, 1))
)
KEYS = st.text(max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
TABLES = st.dictionaries(KEYS, VALUES, max_size=4)


@given(TABLES)
def test_what_is_written_says_the_same(tables):
    assert same_toml(tomllib.loads(toml_text(tables)), tables)


@given(TABLES, TABLES)
def test_a_changed_text_says_what_it_should(before, after):
    assert same_toml(tomllib.loads(edited_toml(toml_text(before), after)), after)


@given(TABLES)
def test_an_unchanged_text_stays_as_it_is(tables):
    text = f"# first\n{toml_text(tables)}# last"
    assert edited_toml(text, tables) == text


@pytest.mark.parametrize(
    ("text", "tables", "expected"),
    [
        ("a = 1 # x\n", {"a": 2}, "a = 2 # x\n"),
        ("a = 1 # x", {"a": 1, "b": 2}, "a = 1 # x\nb = 2"),
        ("# x\n[t]\na = 1\n", {"b": 2, "t": {"a": 1}}, "# x\nb = 2\n[t]\na = 1\n"),
        ("a = 1\nb = 2 # x\n", {"b": 2}, "b = 2 # x\n"),
        ("a = [1, 2] # x\n", {"a": [2]}, "a = [2] # x\n"),
        ("a = [1, 2] # x\n", {"a": [1]}, "a = [1] # x\n"),
        ("a = [1, 2] # x\n", {"a": [1, 2, 3]}, "a = [1, 2, 3] # x\n"),
        ("a = [\n  1, # x\n  2 # y\n]\n", {"a": [1, 2, 3]}, "a = [\n  1, # x\n  2, # y\n  3,\n]\n"),
        ("a = [\n  1, # x\n  2, # y\n]\n", {"a": [2]}, "a = [\n  2, # y\n]\n"),
        ("a = { b = 1, c = [2] } # x\n", {"a": {"b": 1, "c": [3]}}, "a = { b = 1, c = [3] } # x\n"),
        ("[[p]] # x\na = 1\n", {"p": [{"a": 1}, {"a": 2}]}, "[[p]] # x\na = 1\n\n[[p]]\na = 2\n"),
        ("[[p]] # x\na = 1\n[[p]] # y\na = 2\n", {"p": [{"a": 2}]}, "[[p]] # y\na = 2\n"),
        (
            "[t] # x\na = 1\n[t.u]\nb = 1\n",
            {"t": {"a": 1, "c": 2, "u": {"b": 1}}},
            "[t] # x\na = 1\nc = 2\n[t.u]\nb = 1\n",
        ),
    ],
)
def test_only_what_changes_is_written_differently(text, tables, expected):
    assert edited_toml(text, tables) == expected


def test_values_that_toml_does_not_have():
    assert (toml_value(math.inf), toml_value(math.nan)) == ("inf", "nan")
    with pytest.raises(SettingError, match="a set cannot be written in TOML"):
        toml_value({1})
