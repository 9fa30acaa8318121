"""What the records of a household tell of each other, beside counting it literally."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import SettingError
from sfumato.measures.household_disclosure import compositions, intersect_households, recognisable_households, sharing
from sfumato.representations import Interval, Sets

MEMBERS = {"a": ("a",), "{a, b}": ("a", "b"), "{b, c}": ("b", "c"), "{a, b, c}": ("a", "b", "c")}
tables = st.lists(
    st.tuples(
        st.sampled_from([1, 2, 3, 4, None]),
        st.integers(0, 2),
        st.one_of(st.none(), st.tuples(st.integers(0, 3), st.integers(3, 6))),
        st.one_of(st.none(), st.sampled_from(list(MEMBERS))),
    ),
    min_size=1,
    max_size=12,
).filter(lambda rows: any(row[0] is not None for row in rows))


def released(rows) -> sf.Microfile:
    columns = {
        "home": pl.Series([row[0] for row in rows], dtype=pl.Int64),
        "age": [row[1] for row in rows],
        "rooms.lo": pl.Series([row[2] and row[2][0] for row in rows], dtype=pl.Int64),
        "rooms.hi": pl.Series([row[2] and row[2][1] for row in rows], dtype=pl.Int64),
        "town": pl.Series([row[3] for row in rows], dtype=pl.String),
    }
    return sf.Microfile(pl.DataFrame(columns), kinds={"home": "categorical"})


def alike(rows, place) -> tuple:
    """What is known of a record, taken literally."""
    home, age = rows[place][:2]
    near = [row for row in rows if row[0] == home] if home is not None else [rows[place]]
    intervals = [row[2] for row in near if row[2] is not None]
    towns = [frozenset(MEMBERS[row[3]]) for row in near if row[3] is not None]
    both = frozenset.intersection(*towns) if towns else None
    if both == frozenset():
        both = frozenset(row[3] for row in near if row[3] is not None)
    return age, intervals and (max(low for low, _ in intervals), min(high for _, high in intervals)), both


@given(rows=tables)
def test_records_are_laid_upon_each_other(rows):
    table = released(rows)
    keys = ["age", "rooms.lo", "rooms.hi", "town"]
    laid = intersect_households(table, keys, {"rooms": Interval(), "town": Sets(members=MEMBERS)}, household="home")
    known = [alike(rows, place) for place in range(len(rows))]
    expected = [known.count(one) for one in known]
    assert laid.blocks.sizes[laid.blocks.numbers].tolist() == expected
    if all(its[2] is None for its in rows) or all(its[3] is None for its in rows):
        return
    safety = sf.measure(
        table,
        quasi=keys,
        household="home",
        shared=["rooms", "town"],
        forms={"rooms": Interval(), "town": Sets(members=MEMBERS)},
    )
    assert (safety.intersected or safety).k.worst == min(expected)


@given(rows=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=14))
def test_households_are_told_apart_by_all_their_members(rows):
    table = sf.Microfile(pl.DataFrame({"home": [row[0] for row in rows], "age": [row[1] for row in rows]}))
    safety = sf.measure(table, quasi="age", household="home")
    members = {home: tuple(sorted(age for where, age in rows if where == home)) for home, _ in rows}
    counts = Counter(members.values())
    alone = [home for home, its in members.items() if counts[its] == 1]
    found = compositions(safety.blocks, table.encoded("home"))
    assert found == safety.compositions
    assert (found.households, found.unique) == (len(members), len(alone))
    assert found.records == sum(len(members[home]) for home in alone)


def test_a_missing_value_differs_from_none_but_is_told_by_the_others():
    table = pl.DataFrame({"home": [1, 1, 2, 2, 3, 3], "rooms": [3, None, 3, 3, None, None]})
    found = sharing(sf.Microfile(table), ["rooms"], household="home")["rooms"]
    assert (found.households, found.differing, found.shared) == (1, 0, True)
    safety = sf.measure(table, quasi="rooms", household="home", shared="rooms")
    assert safety.k.worst == 3
    assert safety.intersected.k.worst == 2
    assert safety.intersection.sharpened == 1
    assert sf.measure(table, quasi="rooms", household="home").intersection is None


def test_households_of_one_share_nothing():
    table = sf.Microfile(pl.DataFrame({"home": [1, 2, 3], "rooms": [3, 4, 5]}))
    assert not sharing(table, ["rooms"], household="home")["rooms"].shared


def test_shared_needs_who_lives_together():
    table = pl.DataFrame({"home": [1, 1], "rooms": [3, 3], "age": [4, 5]})
    with pytest.raises(SettingError, match="shared needs household"):
        sf.measure(table, quasi="rooms", shared="rooms")
    with pytest.raises(SettingError, match="shared names 'age', which is not quasi"):
        sf.measure(table, quasi="rooms", shared="age", household="home")
    with pytest.raises(SettingError, match="shared names 'age', which is not quasi"):
        sf.Promise(quasi="rooms", household="home", shared="age")
    with pytest.raises(SettingError, match="shared needs household"):
        sf.Promise(quasi="rooms", shared="rooms")


def test_a_profile_finds_what_looks_like_the_number_of_a_household():
    homes = [number // 3 for number in range(300)]
    frame = pl.DataFrame(
        {
            "dwelling": homes,
            "block": [home % 7 for home in homes],
            "heating": [home % 5 for home in homes],
            "age": [number * 7 % 83 for number in range(300)],
        }
    )
    assert sf.profile(frame).homes == ("dwelling",)
    assert sf.profile(frame.with_columns(block=pl.col("age") % 9)).homes == ()


def test_only_whole_households_are_put_together():
    homes = np.repeat(np.arange(50, dtype=np.int32), 3)
    rent = 400 + 10 * homes
    # one member of the first household has a rent of its own, and the second and third have the same
    rent[0] = 7
    rent[6:9] = rent[3]
    found = recognisable_households(sf.Microfile(pl.DataFrame({"rent": rent})), homes)
    assert (found.names, found.households, found.recognisable) == (("rent",), 50, 47)
