from __future__ import annotations

import re

import numpy as np
import pytest

import sfumato as sf
from sfumato.datasets import census
from sfumato.errors import SettingError
from sfumato.groups import Signal
from sfumato.report import boxes_chart, estimates_chart, signal_chart, write_picture
from sfumato.report.charts.chart_export import check_picture
from sfumato.statistics import range_of

LO = {"x": [0.0, 1.0, 2.5, 6.0], "y": [1.0, 2.0, 2.0, 5.0]}
HI = {"x": [1.0, 3.0, 3.0, 9.0], "y": [2.0, 2.0, 4.0, 7.0]}


@pytest.fixture
def chart():
    texts = ("mean(x)", "var(x)", "corr(x, y)", "regress(y ~ x)")
    return estimates_chart([*(range_of(text, LO, HI) for text in texts), range_of("mean(x)", LO, LO)])


def lanes_of(chart, panel: int) -> list[str]:
    content = chart.to_dict()
    bars = content["concat"][panel]["layer"][0]
    return [span["lane"] for span in content["datasets"][bars["data"]["name"]]]


def test_every_estimate_and_coefficient_is_drawn(chart):
    panels = chart.to_dict()["concat"]
    assert [(*panel["title"]["subtitle"][:-2], *panel["title"]["text"]) for panel in panels] == [
        ("mean(x)",),
        ("var(x)",),
        ("corr(x, y)",),
        ("regress(y ~ x)", "(intercept)"),
        ("regress(y ~ x)", "x"),
        ("mean(x)",),
    ]
    assert lanes_of(chart, 1) == ["guaranteed", "attained", "linear (approximate)", "± 2 sampling errors"]


def test_a_range_that_is_not_proved_is_not_drawn():
    found = range_of("regress(y ~ x)", {"x": [0, 0.5], "y": [0, 1]}, {"x": [1, 1.5], "y": [0.1, 2]})
    chart = estimates_chart([found])
    assert "guaranteed" not in lanes_of(chart, 1)
    assert "no guaranteed range" in chart.to_dict()["concat"][1]["title"]["subtitle"][1]


def test_what_is_weighted_is_told_under_what_is_sure():
    found = range_of("mean(x)", LO, HI, dismiss="fuzzy")
    lines = estimates_chart(found).to_dict()["concat"][0]["title"]["subtitle"]
    assert " ".join(lines).endswith(str(found.weighted))


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a.svg", b"<svg"), ("a.HTML", b"\n<!DOCTYPE html>")]
)
def test_pictures_are_whole_files(chart, tmp_path, name, start):
    path = write_picture(chart, tmp_path / name)
    content = path.read_bytes()
    assert content.lstrip().startswith(start.lstrip())
    assert [file.name for file in tmp_path.iterdir()] == [name]
    if path.suffix == ".HTML":
        # nothing is fetched from outside, and no name ends the script
        assert not re.search(rb"<(script|link)[^>]*(src|href)=", content)


def test_names_of_attributes_stay_text(tmp_path):
    name = "</script><script>alert(1)</script>"
    found = range_of(f"mean(`{name}`)", {name: [0.0, 1.0]}, {name: [1.0, 2.0]})
    content = write_picture(estimates_chart(found), tmp_path / "a.html").read_text()
    assert content.count("<script>") == content.count("</script>") == 2
    assert "alert(1)" in content


def test_names_of_pictures_are_checked(chart, tmp_path):
    with pytest.raises(SettingError, match=r"supported: .png, .svg, .html"):
        write_picture(chart, tmp_path / "a.jpg")
    with pytest.raises(SettingError, match="cannot be written"):
        write_picture(chart, tmp_path / "no" / "a.png")
    with pytest.raises(SettingError, match="cannot be written"):
        write_picture(chart, tmp_path / f"{'a' * 300}.png")
    with pytest.raises(SettingError, match="is inside the release"):
        check_picture(tmp_path / "out" / ".." / "a.png", beside=tmp_path)
    with pytest.raises(SettingError, match="no estimate to draw"):
        estimates_chart([])


def test_signals_are_drawn_beside_each_other_with_a_mark_above_what_stands_out(tmp_path):
    places = tuple("abcdefgh")
    before = Signal(places, np.array([3.0, 4.0, 90.0, 2.0, 4.0, 1.0, 3.0, 2.0]), "quantity")
    after = Signal(places, np.array([13.0, 14.0, 15.0, 12.0, 14.0, 11.0, 13.0, 12.0]), "quantity")
    (rows,) = signal_chart({"before": before, "after": after}).to_dict()["datasets"].values()
    assert [(one["place"], one["when"]) for one in rows if one["outlier"]] == [("c", "before")]
    assert [one["value"] for one in rows if one["when"] == "after"] == after.values.tolist()
    drawn = write_picture(signal_chart({"before": before, "after": after}), tmp_path / "signals.svg").read_text()
    assert drawn.count("▼") == 1
    with pytest.raises(SettingError, match="the same kind and the same places"):
        signal_chart({"one": before, "other": Signal(places, before.values, "difference")})
    with pytest.raises(SettingError, match="1 to 4 signals"):
        signal_chart({})


def charts():
    people = census(1_000)
    release = sf.Boxes(quasi=["age", "hours"], k=5).protect(people.select(["age", "hours", "income"]))
    soldiers = sf.Group(vital={"service": [1]}, parameter="workplace").quantity(people)
    return {
        "boxes": boxes_chart(release, "age", "hours"),
        "estimates": estimates_chart(release.estimate("mean(age)")),
        "signal": signal_chart(soldiers),
    }


def test_notebooks_draw_charts_without_a_network():
    import altair as alt

    for name, made in charts().items():
        # also what is made of a chart
        for chart in (made, made.properties(title="Ten at least")):
            (drawn,) = chart._repr_mimebundle_().items()
            assert drawn[0] == "image/svg+xml", name
            assert drawn[1].startswith("<svg")
            links = {link for link in re.findall(r"https?://[^\"' <>]+", drawn[1]) if "www.w3.org" not in link}
            assert links == set(), name
        assert isinstance(made, alt.TopLevelMixin)
        with alt.renderers.enable("json"):
            assert "application/json" in str(made._repr_mimebundle_())
