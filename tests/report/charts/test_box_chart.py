from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import SettingError
from sfumato.report import boxes_chart, write_picture
from sfumato.report.charts import box_chart


@pytest.fixture
def release():
    table = pl.DataFrame(
        {
            "age.lo": [20, 20, 30, 30, 40, 40, None],
            "age.hi": [29, 29, 30, 30, 49, 49, None],
            "born.lo": [datetime.date(1990, 1, 1)] * 4 + [datetime.date(1980, 1, 1)] * 3,
            "born.hi": [datetime.date(1999, 12, 31)] * 4 + [datetime.date(1989, 12, 31)] * 3,
            "pay.lo": [1.5, 1.5, 2.0, 2.0, 3.0, 4.0, 4.0],
            "pay.hi": [2.5, 2.5, 2.0, 2.0, 5.0, 5.0, 5.0],
            "sex": ["f", "f", "m", "m", "m", "m", "m"],
        }
    )
    forms = {name: sf.Interval() for name in ("age", "born", "pay")}
    return sf.Release(table, promise=sf.Promise(quasi=["sex", "pay", "age"], k=1), forms=forms)


def drawn_in(chart) -> list[list[dict]]:
    content = chart.to_dict()
    return [content["datasets"][layer["data"]["name"]] for layer in content["layer"]]


def test_boxes_are_drawn_with_their_counts(release):
    chart = boxes_chart(release, "age", "pay")
    areas, lines = drawn_in(chart)
    assert [(box["x"], box["x2"], box["y"], box["y2"], box["records"]) for box in areas] == [
        (20, 29, 1.5, 2.5, 2),
        (40, 49, 3.0, 5.0, 1),
        (40, 49, 4.0, 5.0, 1),
    ]
    # without any width it would not be seen as an area
    assert [(box["x"], box["x2"], box["records"]) for box in lines] == [(30, 30, 2)]
    assert (areas[0]["across"], areas[0]["upward"]) == ("20 to 29", "1.5 to 2.5")
    content = chart.to_dict()
    assert content["title"]["text"] == "age and pay, k = 1"
    assert content["title"]["subtitle"] == [
        "6 records in 4 different boxes of these two attributes",
        "1 record with a missing value is not drawn",
    ]
    assert [content["layer"][0]["encoding"][axis]["axis"]["title"] for axis in "xy"] == ["age", "pay"]


def test_the_first_two_quasi_attributes_are_drawn_if_none_is_named(release):
    assert boxes_chart(release).to_dict()["title"]["text"] == "pay and age, k = 1"
    assert boxes_chart(release, "born").to_dict()["title"]["text"] == "born and pay, k = 1"


def test_dates_have_an_axis_of_time(release, tmp_path):
    chart = boxes_chart(release, "born", "pay")
    (areas, _) = drawn_in(chart)
    assert areas[0]["across"] == "1980-01-01 to 1989-12-31"
    assert areas[0]["x"] == datetime.datetime(1980, 1, 1, tzinfo=datetime.UTC).timestamp() * 1000
    across = chart.to_dict()["layer"][0]["encoding"]["x"]
    assert (across["type"], across["scale"]["type"]) == ("temporal", "utc")
    assert write_picture(chart, tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_of_many_boxes_some_are_drawn(monkeypatch):
    monkeypatch.setattr(box_chart, "MAX_BOXES", 50)
    lows = np.arange(200) % 20
    table = pl.DataFrame({"x.lo": lows, "x.hi": lows + 2, "y.lo": np.arange(200), "y.hi": np.arange(200) + 3})
    forms = {"x": sf.Interval(), "y": sf.Interval()}
    chart = boxes_chart(sf.Release(table, promise=sf.Promise(quasi=["x", "y"], k=1), forms=forms))
    areas, lines = drawn_in(chart)
    assert (len(areas), len(lines)) == (50, 0)
    assert "a random 50 of the boxes are drawn" in chart.to_dict()["title"]["subtitle"][0]


def test_boxes_upon_each_other_are_fainter():
    def opacity(shift: int) -> float:
        lows = np.arange(40) * shift
        table = pl.DataFrame({"x.lo": lows, "x.hi": lows + 10, "y.lo": lows, "y.hi": lows + 10})
        forms = {"x": sf.Interval(), "y": sf.Interval()}
        chart = boxes_chart(sf.Release(table, promise=sf.Promise(quasi=["x", "y"], k=1), forms=forms))
        return chart.to_dict()["layer"][0]["mark"]["fillOpacity"]

    assert opacity(10) == box_chart.STRONGEST
    assert box_chart.FAINTEST <= opacity(1) < opacity(10)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ("agee", None, "'agee' is not released as intervals.*\n.*did you mean 'age'"),
        ("sex", None, "'sex' is not released as intervals"),
        ("age", "age", "needs two attributes"),
    ],
)
def test_what_cannot_be_drawn(release, x, y, message):
    with pytest.raises(SettingError) as refused:
        boxes_chart(release, x, y)
    assert refused.match(message)


def test_a_release_without_boxes_cannot_be_drawn(release):
    table = pl.DataFrame({"sex": ["f", "f"]})
    with pytest.raises(SettingError, match=r"needs two attributes that are released as intervals \(available: 0\)"):
        boxes_chart(sf.Release(table, promise=sf.Promise(quasi="sex", k=2)))
    empty = pl.DataFrame({"x.lo": [1, None], "x.hi": [2, None], "y.lo": [None, 1], "y.hi": [None, 2]})
    forms = {"x": sf.Interval(), "y": sf.Interval()}
    with pytest.raises(SettingError, match="no box can be drawn"):
        boxes_chart(sf.Release(empty, promise=sf.Promise(quasi=["x", "y"], k=1), forms=forms))
