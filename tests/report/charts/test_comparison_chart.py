from __future__ import annotations

import pytest

from sfumato.comparison import Compared, ComparedRelease, Outcome, Refusal
from sfumato.errors import SettingError
from sfumato.measures import InformationLoss
from sfumato.protection_registry import compared_methods
from sfumato.report import compare_chart, write_picture
from sfumato.report.charts import comparison_chart

TITLES = {method.name: method.title for method in compared_methods()}


def found(rate: float, loss: float, k: int = 5) -> ComparedRelease:
    return ComparedRelease(100, 9, k, k, k, k, None, None, None, None, rate, 0.2, InformationLoss({"x": loss}))


def compared(*results: ComparedRelease | Refusal, quasi: tuple[str, ...] = ("x", "y")) -> Compared:
    outcomes = tuple(Outcome(method, result) for method, result in zip(TITLES, results, strict=False))
    return Compared(quasi, (), 100, 5, "words", outcomes)


USUAL = (found(0.001, 0.5, 1000), found(0.002, 0.6), Refusal("k = 5 cannot be kept", None), found(0.19, 0.01))


def points_of(chart) -> tuple[list[dict], dict]:
    content = chart.to_dict()
    return content["datasets"][content["data"]["name"]], content


def test_every_release_is_a_point_with_a_label_and_a_shape():
    points, content = points_of(compare_chart(compared(*USUAL)))
    assert [(one["method"], one["risk"], one["loss"], one["k"]) for one in points] == [
        ("k-means", 0.001, 0.5, 1000),
        ("fuzzy c-means", 0.002, 0.6, 5),
        ("boxes", 0.19, 0.01, 5),
    ]
    shapes = content["encoding"]["shape"]["scale"]
    assert shapes["domain"] == ["k-means, k = 1,000", "fuzzy c-means, k = 5", "boxes, k = 5"]
    assert len(set(shapes["range"])) == 3
    assert "color" not in content["encoding"]


def test_what_was_refused_and_what_is_seen_are_told_in_words():
    _, content = points_of(compare_chart(compared(*USUAL)))
    assert content["title"]["text"] == ["Risk and information loss for x, y, k = 5"]
    assert content["title"]["subtitle"][1] == "k = 5 is unattainable for Gustafson-Kessel."
    assert "boxes: information loss 0.01, risk 19.000%" in content["description"]


def test_risks_of_different_orders_are_on_a_logarithmic_axis():
    def scale(*rates):
        _, content = points_of(compare_chart(compared(*(found(rate, 0.5) for rate in rates))))
        return content["encoding"]["y"]

    assert scale(0.1, 0.2)["scale"]["type"] == "linear"
    wide = scale(0.0002, 0.2)
    assert wide["scale"]["type"] == "log"
    assert wide["axis"]["values"] == [0.0001, 0.001, 0.01, 0.1]
    assert scale(0.01, 0.2)["axis"]["values"] == [0.01, 0.02, 0.05, 0.1, 0.2]


@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.html"])
def test_it_becomes_a_picture(tmp_path, name):
    content = write_picture(compare_chart(compared(*USUAL)), tmp_path / name).read_bytes()
    assert len(content) > 1000
    if name == "a.svg":
        assert b"boxes, k = 5" in content


def test_many_attributes_leave_the_title_readable():
    chart = compare_chart(compared(*USUAL, quasi=tuple(f"attribute{n}" for n in range(20))))
    assert max(map(len, chart.to_dict()["title"]["text"])) <= comparison_chart.LINE_LENGTH


def test_nothing_cannot_be_drawn():
    with pytest.raises(SettingError, match="nothing to draw"):
        compare_chart(compared(Refusal("no", None)))
