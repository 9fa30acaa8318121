from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.measures.criteria import CRITERIA
from sfumato.release.audit_result import Audit
from sfumato.release.certificate import Certificate, DataFacts
from sfumato.release.measured_release import ReleaseEvidence, evidence_of
from sfumato.release.preserved_statistics import PreservedNumber
from sfumato.report.build import page_of
from sfumato.report.charts.bar_chart import bars_chart
from sfumato.report.html_page import is_compact, render
from sfumato.statistics import range_of
from sfumato.views import Table
from sfumato.views.block_distribution import MAX_BARS, risk_bars, size_bars
from sfumato.views.method import uncertainty_sentences
from sfumato.views.promise import limits_passage, promise_card
from sfumato.views.risk import risk_card
from sfumato.views.statistics import in_words, meaning, statistics_card
from tests.report.releases import SETTINGS, resealed, written


def evidence(promise: sf.Promise, **settings) -> ReleaseEvidence:
    facts = DataFacts(file="data.csv", sha256="", records=5, columns={})
    made = Certificate.model_construct(
        software={}, promise=promise, measured={}, settings=settings, data=facts, codebook="", seal=""
    )
    return ReleaseEvidence("out", Audit((), {"records": 5}), made, None, None, ())


def words(promise: sf.Promise, **settings) -> str:
    return " ".join(promise_card(evidence(promise, **settings)).sentences)


def test_l_that_leans_on_missing_values_is_told_beside_the_limits(tmp_path):
    table = pl.DataFrame({"age": ["a", "a", "b", "b"], "ill": ["SECRET1", None, "SECRET1", "SECRET2"]})
    found = evidence_of(
        sf.Release(table, promise=sf.Promise(quasi="age", sensitive="ill", l=2)).write(tmp_path / "out")
    )
    assert any("counts a missing value as a value of its own" in one for one in limits_passage(found).sentences)


@pytest.mark.parametrize("quasi", ["age", ()])
def test_what_seems_to_name_people_is_told_first(tmp_path, quasi):
    table = pl.DataFrame(
        {
            "age": list("aabb"),
            "name": [f"SECRET{place}" for place in range(4)],
            "mail": [*"xyz", None],
            "pay": [1.5, 2.5, 3.5, 4.5],
            "town": list("uuvw"),
        }
    )
    promise = sf.Promise(quasi=quasi, k=2 if quasi else 1)
    told = risk_card(evidence_of(sf.Release(table, promise=promise).write(tmp_path / "out"))).sentences
    assert told[:2] == (
        "name has a different value in every record and is released unchanged: name it in identifiers.",
        "mail has a different value in every record that has one and is released unchanged: name it in identifiers.",
    )
    assert not any("another value" in one for one in told[2:])
    ill = sf.Promise(quasi="age", sensitive=["name", "mail"])
    told = risk_card(evidence_of(sf.Release(table, promise=ill).write(tmp_path / "ill"))).sentences
    assert not any("another value" in one for one in told)


def test_boxes_that_are_better_than_the_formula_are_not_told_as_a_part_of_it():
    usual = uncertainty_sentences({"achieved": 3.0, "optimum": 1.5, "ratio": 2.0})
    assert usual[0] == (
        "The average error of the preserved statistics is estimated at no more than 3 times their target (first-order "
        "estimate)."
    )
    assert usual[-1].endswith("is 1.5; this is 2 times as much.")
    better = uncertainty_sentences({"achieved": 0.0, "optimum": 1.5, "ratio": 0.0})
    assert better[-1].startswith("This is better than the theoretical optimum of 1.5,")
    assert uncertainty_sentences({"achieved": 3.0}) == usual[:-1]
    assert uncertainty_sentences({"achieved": "much"}) == []


def test_a_promise_is_told_in_plain_words():
    assert words(sf.Promise(quasi=["age", "sex"], k=10)) == (
        "By age and sex alone nobody can be singled out: every record has the same released values of these as at "
        "least 9 others (k = 10)."
    )
    assert words(sf.Promise(quasi="age", k=2)).endswith("the same released value of it as at least 1 other (k = 2).")
    assert "a record may be the only one with its age" in words(sf.Promise(quasi="age", k=1))


def test_what_is_released_unchanged_outside_the_promise_is_counted(tmp_path):
    table = pl.DataFrame({"age": list("aabb"), "pay": [1.5, 2.5, 1.5, 2.5], "town": list("uuvv")})

    def told(name, *columns):
        release = sf.Release(table.select(columns), promise=sf.Promise(quasi="age", k=2)).write(tmp_path / name)
        found = evidence_of(release)
        return promise_card(found).sentences[1:], risk_card(found).sentences[-1]

    promised, risk = told("two", "age", "pay", "town")
    unchanged = "released unchanged: the promise does not cover this"
    assert promised == (f"2 other attributes are {unchanged}, and they may single people out.",)
    assert risk.endswith("also knows any of the 2 attributes that are released unchanged (pay and town).")
    promised, risk = told("one", "age", "pay")
    assert promised == (f"1 other attribute is {unchanged}, and it may single people out.",)
    assert risk.endswith("also knows the 1 attribute that is released unchanged (pay).")
    assert told("none", "age")[0] == ()


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"l": 3}, "ill has at least 3 different values (l = 3)"),
        ({"l": 3, "diversity": "entropy"}, "a mix of values as even as 3 equally frequent ones"),
        ({"l": 3, "diversity": "recursive", "c": 2}, "of which none dominates (c = 2)"),
        (
            {"t": 0.3},
            "within a distance of 0.3 of that in the whole file, where 0 means equal",
        ),
        ({"alpha": 0.5}, "no value that more than 50% of the records share"),
        ({"beta": 2}, "by more than 200% (beta = 2)"),
        ({"delta": 1}, "exp(1)"),
        ({"max_risk": 0.05}, "a probability above 5%"),
        ({"household": "home"}, "at least 4 households"),
        ({"q": 7}, "at least 7 records with a possibility of at least 0.5"),
        ({"missing": "wildcard"}, "equal to any value"),
    ],
)
def test_every_limit_is_told(limits, told):
    assert told in words(sf.Promise(quasi="age", sensitive="ill", k=4, **limits))


def test_every_limit_that_is_measured_has_a_name(tmp_path):
    limits = {"l": 2, "t": 0.9, "alpha": 0.9, "beta": 9, "delta": 9, "max_risk": 0.9}
    found = limits_passage(evidence_of(written(tmp_path / "out", promise=limits)))
    rows = {row[0]: row[1:] for row in found.tables[0].rows}
    assert rows["Records in a block (k), at least"] == ("4", "4", "yes")
    assert len(rows) == len(limits) + 1
    assert {criterion.label.format("ill") for criterion in CRITERIA} > set(rows)


def test_exchanged_attributes_are_stated_and_nothing_else():
    told = words(sf.Promise(quasi="age", k=2), exchanged={"attributes": ["place"]})
    assert "Values of place may have been swapped between records." in told
    for strange in (5, {"attributes": 5}, {"share": 1}):
        assert "swapped" not in words(sf.Promise(quasi="age", k=2), exchanged=strange)


def test_a_release_without_a_promise_about_people_says_so():
    nothing = sf.Promise.model_construct(**{**dict(sf.Promise(quasi="x", k=1)), "quasi": ()})
    given = evidence(nothing, method="exchange", exchanged={"attributes": ["place"]})
    assert "Individuals are not protected" in promise_card(given).sentences[0]
    assert "no guarantee for individuals" in given.audit.verdict
    assert "was not measured" in risk_card(given).sentences[0]
    page = render(page_of(given))
    assert page.count("Individuals are not protected") == 2
    assert "values were swapped between records" in page


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=200))
def test_bars_hold_every_block_once(sizes):
    counts = np.array(sizes, dtype=np.int64)
    for bars in (size_bars(counts), risk_bars(1.0 / counts, counts)):
        assert sum(bar.blocks for bar in bars) == counts.size
        assert sum(bar.records for bar in bars) == counts.sum()
        assert len({bar.label for bar in bars}) == len(bars) <= MAX_BARS + 1


def test_bars_of_many_sizes_end_at_round_numbers():
    bars = size_bars(np.arange(10, 262))
    assert [bar.label for bar in bars][:3] == ["10 to 14", "15 to 19", "20 to 29"]
    assert [bar.label for bar in bars][-1] == "200 to 261"
    assert (bars[0].blocks, bars[0].records) == (5, 10 + 11 + 12 + 13 + 14)


def test_a_risk_at_the_end_of_a_bar_belongs_to_the_lower_one():
    found = {bar.label: bar.records for bar in risk_bars(1.0 / np.array([10.0, 20.0, 50.0]), np.array([10, 20, 50]))}
    assert found == {"1.5% to 2%": 50, "2% to 3%": 0, "3% to 5%": 20, "5% to 7%": 0, "7% to 10%": 10}
    assert [bar.label for bar in risk_bars(np.array([0.5, 0.5]), np.array([2, 2]))] == ["50%"]


def test_a_bar_is_drawn_with_its_number():
    content = bars_chart(size_bars(np.array([3, 2, 3])), title="size").to_dict()
    (values,) = content["datasets"].values()
    assert values == [{"label": "2", "records": 2}, {"label": "3", "records": 6}]
    assert [layer["mark"]["type"] for layer in content["layer"]] == ["bar", "text"]


LO = {"x": [0.0, 1.0, 2.5, 6.0], "y": [1.0, 2.0, 2.0, 5.0]}
HI = {"x": [1.0, 3.0, 3.0, 9.0], "y": [2.0, 2.0, 4.0, 7.0]}


@pytest.mark.parametrize(
    ("statistic", "low", "high", "told"),
    [
        ("mean(x)", LO, LO, "Exact"),
        ("mean(x)", LO, HI, "no more uncertainty than sampling"),
        (
            "corr(x, y)",
            {"x": [0, 1, 2], "y": [0, 1, 0]},
            {"x": [2, 3, 4], "y": [2, 3, 2]},
            "its sign is uncertain",
        ),
        ("corr(x, y)", {"x": [0, 5, 9], "y": [0, 5, 9]}, {"x": [1, 6, 10], "y": [1, 6, 10]}, "Its sign is certain"),
        ("mean(x)", {"x": [0, 0]}, {"x": [1, 1]}, "Only the protection limits"),
    ],
)
def test_what_a_statistic_can_tell_is_said_in_words(statistic, low, high, told):
    assert told in meaning(PreservedNumber(statistic, None, range_of(statistic, low, high)))


def test_names_of_statistics_are_said_in_words():
    one = range_of("mean(x)", LO, HI)
    assert in_words(PreservedNumber("mean(`a: b`)", None, one)) == "Mean of a: b"
    assert in_words(PreservedNumber("regress(y ~ a + b)", "a", one)) == "Slope of a in the regression of y on a and b"
    assert in_words(PreservedNumber("regress(y ~ a)", "(intercept)", one)) == "Intercept of the regression of y on a"


def test_a_statistic_that_cannot_be_told_says_why(tmp_path):
    wanted = [{"statistic": "mean(ill)"}, {"statistic": "mean(age)"}]
    found = evidence_of(written(tmp_path / "out", settings=SETTINGS | {"preserve": wanted}))
    assert [one.refusal == "" for one in found.preserved] == [False, True]
    page = page_of(found)
    assert "'ill'" in page.statistics.rows[1][3]
    assert "For 1 of them the table below gives a guaranteed range" in " ".join(statistics_card(found).sentences)


@pytest.mark.parametrize(("suppress", "told"), [(0.0, False), (0.05, True)])
def test_ranges_are_not_called_those_of_records_that_were_left_out(tmp_path, suppress, told):
    found = evidence_of(written(tmp_path / "out", settings=SETTINGS | {"suppress": suppress}))
    sentences = " ".join(statistics_card(found).sentences)
    assert "the original values of the released records" in sentences
    assert ("The statistics do not cover suppressed records" in sentences) == told
    assert ("of the records may have been suppressed." in render(page_of(found))) == told


def test_settings_of_strange_forms_are_found_and_passed_over(tmp_path):
    strange = {"method": 5, "grids": 5, "preserve": 5, "apart": {"age": 5}, "suppress": "x"}
    page = page_of(evidence_of(resealed(written(tmp_path / "out"), **strange)))
    assert "does not name the method" in render(page)
    assert not page.holds


def test_tables_with_short_cells_stay_tables_on_narrow_screens():
    assert is_compact(Table("", ("a", "b"), (("x", "1"),)))
    assert not is_compact(Table("", ("a", "b"), (("x", "1" * 60),)))
