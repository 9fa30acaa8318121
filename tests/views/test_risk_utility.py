from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.release.measured_release import evidence_of
from sfumato.report.charts.risk_utility_chart import risk_utility_chart
from sfumato.views.risk_utility import COLUMNS, ROWS, Circle, circles_of, risk_utility_passage
from tests.report.releases import SETTINGS, written


def rows_of(section, caption):
    (table,) = [table for table in section.tables if table.caption == caption]
    return {row[0]: row[1:] for row in table.rows}


def test_detail_and_risk_of_a_release_by_hand(tmp_path):
    wanted = [{"statistic": "mean(age)", "accuracy": 3.0}, {"statistic": "corr(age, pay)"}]
    evidence = evidence_of(written(tmp_path / "out", settings=SETTINGS | {"preserve": wanted}))
    section = risk_utility_passage(evidence)
    # each age covers 9 of the 39 years from 20 to 59, each pay 1 of 3
    assert rows_of(section, "Detail lost, by attribute") == {
        "age": ("23.1%", "23.1%", "0%"),
        "pay": ("33.3%", "33.3%", "0%"),
    }
    # the mean age lies in a range of 9 years, three quarters of which are welcome twice
    width, sampled, times = rows_of(section, "Accuracy of preserved statistics")["mean(age)"]
    assert (width, times) == ("9", "1.5")
    estimate = evidence.release.estimate("mean(age)")
    assert sampled == f"{9 / (4 * estimate.sampling_error):.2g}"
    assert rows_of(section, "Accuracy of preserved statistics")["corr(age, pay)"][2] == "-"
    # three blocks of 14 records
    assert "28.2% of the detail of the quasi-identifiers is lost" in section.sentences[0]
    assert "probability 21.4%" in section.sentences[0]


def test_without_statistics_and_with_missing_values(tmp_path):
    table = pl.DataFrame({"age": ["20-39"] * 3 + [None] * 3})
    folder = sf.Release(table, promise=sf.Promise(quasi="age", k=3)).write(tmp_path / "out")
    section = risk_utility_passage(evidence_of(folder))
    assert [table.caption for table in section.tables] == ["Detail lost, by attribute"]
    assert section.tables[0].rows == (("age", "50%", "50%", "50%"),)


def test_nothing_is_compared_where_files_do_not_belong_together(tmp_path):
    folder = written(tmp_path / "out")
    (folder / "data.csv").write_text((folder / "data.csv").read_text().replace("SECRET1", "SECRET0"))
    assert risk_utility_passage(evidence_of(folder)) is None


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 10**5)), min_size=1, max_size=300))
def test_circles_hold_every_record_once(blocks):
    gone, sizes = (np.array(its, dtype=float) for its in zip(*blocks, strict=True))
    circles = circles_of(gone, 1 / sizes, sizes)
    assert sum(one.records for one in circles) == sizes.sum()
    assert len(circles) <= COLUMNS * ROWS
    average = sum(one.lost * one.records for one in circles) / sizes.sum()
    assert average == pytest.approx(float(gone @ sizes / sizes.sum()), rel=1e-4, abs=1e-5)
    assert all(-1e-9 <= one.lost <= 1 + 1e-9 and 0 < one.risk <= 1 for one in circles)


def test_a_million_blocks_are_drawn_as_few_circles():
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 500, 1_000_000).astype(float)
    circles = circles_of(rng.random(sizes.size), 1 / sizes, sizes)
    assert len(circles) <= COLUMNS * ROWS
    content = risk_utility_chart(circles, Circle(0.5, 0.01, 10)).to_dict()
    assert content["layer"][0]["encoding"]["y"]["scale"]["type"] == "log"
    # the average is told by a sign and a word
    assert content["layer"][1]["mark"]["shape"] == "cross"
    assert content["layer"][2]["mark"]["text"] == "average"
