from __future__ import annotations

import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import health_survey
from sfumato.release.measured_release import evidence_of
from sfumato.views.promise import promise_card
from sfumato.views.risk import attacks_passage, risk_card
from tests.report.releases import written

PEOPLE = pl.DataFrame(
    {
        "age": ["20-39"] * 4 + ["40-59"] * 6,
        "ill": ["a", "a", "b", "a", "a", "b", "b", "b", "b", "b"],
        "pay": [1.0, 1.0, 3.0, 3.0] + [9.0, 11.0] * 3,
        "weight": [10.0] * 10,
        "home": [0, 1, 2, 3, 4, 5, 6, 7, 8, 8],
    }
)


@pytest.fixture
def section_of(tmp_path):
    def make(table=PEOPLE, *, settings=None, **promise):
        given = sf.Promise(**({"quasi": "age", "k": 4} | promise))
        release = sf.Release(table, promise=given, settings=settings or {})
        return attacks_passage(evidence_of(release.write(tmp_path / "out", force=True)))

    return make


def rows_of(section, caption):
    (table,) = [table for table in section.tables if table.caption.startswith(caption)]
    return {row[0]: row[1:] for row in table.rows}


def test_finding_a_record_by_hand(section_of):
    found = rows_of(section_of(), "Re-identification")
    assert found["picks a record at random"] == ("10 records", "10% (1 in 10)", "10% (1 in 10)")
    candidates = "at least 4 records in the block"
    assert found["knows that the person is in the file"] == (candidates, "20% (1 in 5)", "25% (1 in 4)")
    assert len(found) == 2


def test_weights_and_households_are_other_intruders(section_of):
    found = rows_of(section_of(weight="weight"), "Re-identification")
    people, _, best = found["does not know who is in the file"]
    assert people == "at least 40 similar people, by the weights"
    # f = 4, p = 0.1: p / (f - (1 - p))
    assert best == "3.2% (1 in 31)"
    # who does know it is not hindered by those outside
    assert found["knows that the person is in the file"][2] == "25% (1 in 4)"
    homes = rows_of(section_of(household="home"), "Re-identification")["looks for any member of a household"]
    # two of six in one household: 1 - (5/6)^2
    assert homes[2] == "30.6% (1 in 3.3)"


def test_guessing_by_hand(section_of):
    section = section_of(sensitive=["ill", "pay"], l=2, t=0.9)
    found = rows_of(section, "Inference")
    # b for everybody is right for six of ten; a for the first four and b for the others for eight
    assert found["ill"] == ("60%", "80%", "83.3%", "0", "l = 2, t = 0.9")
    near = rows_of(section, "Error")["pay"]
    assert near[1] == "1"
    assert "ill" not in rows_of(section, "Error")


def test_what_does_not_apply_is_said(section_of, tmp_path):
    assert "No attribute was named as sensitive" in section_of().sentences[-1]
    exchanged = section_of(settings={"exchanged": {"attributes": ["home"]}})
    assert "even the right record may show a wrong value" in " ".join(exchanged.sentences)
    group_only = sf.Release(PEOPLE, promise=sf.Promise(quasi=(), k=1)).write(tmp_path / "group")
    told = attacks_passage(evidence_of(group_only))
    assert "no attack on them is measured" in told.sentences[0]
    assert not told.tables
    broken = written(tmp_path / "broken")
    (broken / "certificate.json").unlink()
    assert attacks_passage(evidence_of(broken)) is None


def test_fuzzy_sets_are_attacked_by_their_words(tmp_path):
    partition = sf.FuzzyPartition(quasi=["age", "hours"], sensitive=["income"], k=5, seed=0)
    evidence = evidence_of(partition.protect(health_survey(500)).write(tmp_path / "out"))
    section = attacks_passage(evidence)
    assert "knows age and hours of a person" in section.sentences[0]
    assert "anyone who knows the values knows the sets" in section.sentences[1]
    assert float(rows_of(section, "Error")["income"][2].rstrip("%")) <= 100


def test_the_first_screen_says_for_whom_the_risk_holds(tmp_path):
    promise = sf.Promise(quasi="age", k=4, weight="weight", sensitive=["ill", "pay"])
    evidence = evidence_of(sf.Release(PEOPLE, promise=promise).write(tmp_path / "out"))
    told = " ".join(risk_card(evidence).sentences)
    assert "somebody who does not know who is in the file" in told
    assert "the probability of the right record is at most 25% (1 in 4)" in told
    assert "Guessing ill, the most exposed attribute, from the block is correct for 80% of the records" in told
    assert "(83.3% in the most revealing block). Guessing without the block is correct for 60%." in told


def test_what_is_certain_of_most_records_is_told_first(tmp_path):
    table = PEOPLE.with_columns(ill=pl.Series(["a"] * 4 + ["a", "b"] * 3), pay=pl.Series([1.0, 2.0] * 2 + [9.0] * 6))
    promise = sf.Promise(quasi="age", k=4, sensitive=["ill", "pay"])
    told = " ".join(risk_card(evidence_of(sf.Release(table, promise=promise).write(tmp_path / "out"))).sentences)
    assert "pay, the most exposed attribute, is disclosed for 6 records" in told


def test_l_that_leans_on_missing_values_is_told(tmp_path):
    table = PEOPLE.with_columns(ill=pl.Series(["a"] * 3 + [None] + ["a", "b"] * 3))
    promise = sf.Promise(quasi="age", k=4, l=2, sensitive="ill")
    evidence = evidence_of(sf.Release(table, promise=promise).write(tmp_path / "out"))
    assert evidence.audit.holds
    assert "some block may have only 1 known value." in " ".join(promise_card(evidence).sentences)
    whole = sf.Release(PEOPLE, promise=promise).write(tmp_path / "whole")
    assert "missing value" not in " ".join(promise_card(evidence_of(whole)).sentences)


def test_what_a_block_gives_away_stands_on_the_first_screen(tmp_path):
    table = PEOPLE.with_columns(ill=pl.Series(["a"] * 4 + ["a", "b"] * 3))
    evidence = evidence_of(
        sf.Release(table, promise=sf.Promise(quasi="age", k=4, sensitive="ill")).write(tmp_path / "out")
    )
    told = " ".join(risk_card(evidence).sentences)
    assert "ill is disclosed for 4 records: all records of their blocks have the same value." in told
    assert "from the block is correct for 70% of all records; guessing from the whole file, for 70%" in told
