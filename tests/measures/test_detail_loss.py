from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import health_survey
from sfumato.errors import MicrofileError, SettingError
from sfumato.measures import detail_of


def test_detail_by_hand():
    table = pl.DataFrame(
        {
            "age.lo": [20, 20, 40, None],
            "age.hi": [40, 40, 40, None],
            "job": ["ab", "c", None, "ab"],
            "sex": ["f", None, "m", "m"],
        }
    )
    forms = {"age": sf.Interval(), "job": sf.Sets(members={"ab": ("a", "b"), "c": ("c",), "de": ("d", "e")})}
    found = detail_of(table, quasi=["age", "job", "sex"], forms=forms)
    assert found.attributes["age"].tolist() == [1.0, 1.0, 0.0, 1.0]
    # two of five categories; a single one covers nothing; nothing is told of what is missing
    assert found.attributes["job"].tolist() == [0.4, 0.0, 1.0, 0.4]
    assert found.attributes["sex"].tolist() == [0.0, 1.0, 0.0, 0.0]
    assert found.by_record == pytest.approx([1.4 / 3, 2 / 3, 1 / 3, 1.4 / 3])
    assert found.mean == pytest.approx(np.mean([1.4, 2, 1, 1.4]) / 3)


def test_dates_and_constants():
    days = [date(2020, 1, 1), date(2020, 1, 11)]
    table = pl.DataFrame({"day.lo": [days[0], days[0]], "day.hi": days, "one.lo": [5, 5], "one.hi": [5, 5]})
    found = detail_of(table, quasi=["day", "one"], forms=dict.fromkeys(("day", "one"), sf.Interval()))
    assert found.attributes["day"].tolist() == [0.0, 1.0]
    assert found.attributes["one"].tolist() == [0.0, 0.0]
    empty = pl.DataFrame({"x.lo": pl.Series([None], dtype=pl.Int64), "x.hi": pl.Series([None], dtype=pl.Int64)})
    assert detail_of(empty, quasi=["x"], forms={"x": sf.Interval()}).mean == 1.0


def test_boxes_lose_what_their_penalty_says():
    people = sf.Microfile(health_survey(500).frame.select("age", "hours").drop_nulls())
    release = sf.Boxes(quasi=["age", "hours"], k=10, edges="tight").protect(people)
    forms = {name: entry.form for name, entry in release.codebook.attributes.items()}
    penalties = sf.utility_of(people, release.microfile, quasi=["age", "hours"], forms=forms).penalties
    # tight boxes of everybody span just what the original does
    found = detail_of(release.microfile, quasi=["age", "hours"], forms=forms)
    assert {name: its.mean() for name, its in found.attributes.items()} == pytest.approx(dict(penalties))


@pytest.mark.parametrize("shown", ["words", "grades"])
def test_fuzzy_sets_cover_what_their_inversion_leaves(shown):
    people = health_survey(400).select(["age", "hours"])
    partition = sf.FuzzyPartition(quasi=["age", "hours"], method="sets", sets=2, k=3, shown=shown, levels=2)
    release = partition.protect(people)
    forms = {name: entry.form for name, entry in release.codebook.attributes.items()}
    found = detail_of(release.microfile, quasi=release.promise.quasi, forms=forms)
    inverted = release.audit().measured["fuzzy"]["inversion"]
    for name, its in inverted.items():
        # values are tried as far again on either side of the sets
        tried = 3 * its["extent"]
        assert np.median(found.attributes[name]) == pytest.approx(its["median"] / tried, rel=0.01)
        assert found.attributes[name].min() == pytest.approx(its["narrowest"] / tried, rel=0.01)


def test_what_cannot_be_measured():
    with pytest.raises(SettingError, match="quasi is empty"):
        detail_of(pl.DataFrame({"x": [1]}), quasi=[])
    with pytest.raises(MicrofileError, match="no record"):
        detail_of(pl.DataFrame({"x": pl.Series([], dtype=pl.Int64)}), quasi=["x"])
