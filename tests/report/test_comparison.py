from __future__ import annotations

import itertools
import math

import pytest

from sfumato.comparison import METHODS, Compared, Found, Outcome, Refusal
from sfumato.errors import SettingError
from sfumato.measures import InformationLoss
from sfumato.report import compare_chart, comparison, write_picture
from sfumato.report import labels as labelling


def found(rate: float, loss: float, k: int = 5) -> Found:
    return Found(100, 9, k, k, k, k, None, None, None, None, rate, 0.2, InformationLoss({"x": loss}))


def compared(*results: Found | Refusal, quasi: tuple[str, ...] = ("x", "y")) -> Compared:
    outcomes = tuple(Outcome(method, result) for method, result in zip(METHODS, results, strict=False))
    return Compared(quasi, (), 100, 5, "words", outcomes)


USUAL = (found(0.001, 0.5, 1000), found(0.002, 0.6), Refusal("k = 5 cannot be kept", None), found(0.19, 0.01))


def layers_of(chart) -> tuple[list[dict], list[dict], dict]:
    content = chart.to_dict()
    data = [content["datasets"][layer["data"]["name"]] for layer in content["layer"]]
    # each label is there twice: its white edge, and itself
    return data[-1], [label for its in data[1:-1:2] for label in its], content


def rooms_of(labels: list[dict], across: labelling.Axis, upward: labelling.Axis) -> list[tuple[float, ...]]:
    rooms = []
    for label in labels:
        width = labelling.LETTER * len(label["label"])
        left = across.share(label["loss"]) * comparison.WIDTH
        left -= {"left": 0, "right": width, "center": width / 2}[label["align"]]
        middle = upward.share(label["risk"]) * comparison.HEIGHT
        rooms.append((left, middle - labelling.LINE / 2, left + width, middle + labelling.LINE / 2))
    return rooms


def test_every_release_is_a_point_with_a_label_and_a_shape():
    points, labels, content = layers_of(compare_chart(compared(*USUAL)))
    assert [(one["method"], one["risk"], one["loss"], one["k"]) for one in points] == [
        ("k-means", 0.001, 0.5, 1000),
        ("fuzzy c-means", 0.002, 0.6, 5),
        ("boxes", 0.19, 0.01, 5),
    ]
    assert {one["label"] for one in labels} == {"k-means, k = 1,000", "fuzzy c-means, k = 5", "boxes, k = 5"}
    shapes = content["layer"][-1]["encoding"]["shape"]
    assert shapes["scale"]["domain"] == list(METHODS.values())
    assert len(set(shapes["scale"]["range"])) == len(METHODS)
    assert "color" not in content["layer"][-1]["encoding"]


def test_what_was_refused_and_what_is_seen_are_told_in_words():
    _, _, content = layers_of(compare_chart(compared(*USUAL)))
    assert content["title"]["text"] == ["Risk and information loss of x, y, k = 5"]
    assert content["title"]["subtitle"][1] == "Cannot keep k = 5: Gustafson-Kessel."
    assert "boxes: information loss 0.01, risk 19.000%" in content["description"]


def test_risks_of_different_orders_are_on_a_logarithmic_axis():
    def scale(*rates):
        _, _, content = layers_of(compare_chart(compared(*(found(rate, 0.5) for rate in rates))))
        return content["layer"][-1]["encoding"]["y"]

    assert scale(0.1, 0.2)["scale"]["type"] == "linear"
    wide = scale(0.0002, 0.2)
    assert wide["scale"]["type"] == "log"
    assert wide["axis"]["values"] == [0.0001, 0.001, 0.01, 0.1]
    assert scale(0.01, 0.2)["axis"]["values"] == [0.01, 0.02, 0.05, 0.1, 0.2]


@pytest.mark.parametrize(
    "results",
    [
        USUAL,
        [found(0.01, 0.5, 12_345)] * 4,
        [found(0.0002 * 1.02**n, 0.5 + 0.01 * n) for n in range(4)],
        [found(0.2 if n == 3 else 0.0002, 0.7 - 0.02 * n, 54_321) for n in range(4)],
        [found(1.0, 0.0), found(1.0, 0.0)],
    ],
)
def test_labels_lie_on_no_point_and_on_no_other_label(results):
    given = compared(*results)
    points, labels, content = layers_of(compare_chart(given))
    x, y = (content["layer"][-1]["encoding"][axis]["scale"] for axis in "xy")
    across, upward = labelling.Axis(*x["domain"]), labelling.Axis(*y["domain"], logarithmic=y["type"] == "log")
    rooms = rooms_of(labels, across, upward)
    assert len(rooms) == len(given.found)
    half = math.sqrt(comparison.SIZE) / 2
    spots = [(across.share(p["loss"]) * comparison.WIDTH, upward.share(p["risk"]) * comparison.HEIGHT) for p in points]
    marks = [(left - half, low - half, left + half, low + half) for left, low in spots]
    for one, other in [*itertools.combinations(rooms, 2), *itertools.product(rooms, marks)]:
        assert (
            one[2] <= other[0] + 1e-6
            or other[2] <= one[0] + 1e-6
            or one[3] <= other[1] + 1e-6
            or other[3] <= one[1] + 1e-6
        )
    for left, low, right, high in rooms:
        assert left >= 0
        assert low >= 0
        assert right <= comparison.WIDTH
        assert high <= comparison.HEIGHT


@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.html"])
def test_it_becomes_a_picture(tmp_path, name):
    content = write_picture(compare_chart(compared(*USUAL)), tmp_path / name).read_bytes()
    assert len(content) > 1000
    if name == "a.svg":
        assert b"boxes, k = 5" in content


def test_many_attributes_leave_the_title_readable():
    chart = compare_chart(compared(*USUAL, quasi=tuple(f"attribute{n}" for n in range(20))))
    assert max(map(len, chart.to_dict()["title"]["text"])) <= comparison.LETTERS


def test_nothing_cannot_be_drawn():
    with pytest.raises(SettingError, match="nothing to draw"):
        compare_chart(compared(Refusal("no", None)))
