from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.boxes.axes import QuasiAxis
from sfumato.boxes.detail_choice import LADDER, Trial, choose_detail
from sfumato.boxes.width_costs import WidthCosts
from sfumato.datasets import health_survey

QUASI = ("age", "region", "sex", "education")


def half_width(release):
    return release.estimate("mean(age)").width / 2


@pytest.fixture(scope="module")
def people():
    return health_survey(2000)


def test_the_wanted_accuracy_is_met_where_categories_are_quasi(people):
    wanted = {"statistic": "mean(age)", "accuracy": 1.0}
    boxes = {"quasi": QUASI, "k": 10, "preserve": [wanted]}
    full = sf.Boxes(**boxes, detail=1.0).protect(people)
    chosen = sf.Boxes(**boxes).protect(people)
    assert half_width(full) > 1.0 >= half_width(chosen)
    assert full.notes == []
    (choice, price) = chosen.notes
    assert choice.startswith("detail = 0.")
    assert "so that the target is met" in choice
    # the release has another error, which is reported beside this one
    assert "in trial boxes, before refining them and rounding their edges" in choice
    assert "region, sex" in price
    assert chosen.audit().holds


def test_detail_that_is_not_needed_is_not_given_up(people):
    wanted = {"statistic": "mean(age)", "accuracy": 20.0}
    boxes = {"quasi": QUASI, "k": 10, "preserve": [wanted]}
    full = sf.Boxes(**boxes, detail=1.0).protect(people)
    chosen = sf.Boxes(**boxes).protect(people, secret=full.secret)
    assert chosen.table.equals(full.table)
    assert chosen.notes == []
    # without preserve nothing is wanted more than anything else
    assert sf.Boxes(quasi=QUASI, k=10).protect(people).notes == []


def test_a_statistic_of_what_stays_exact_is_noted(people):
    release = sf.Boxes(quasi=QUASI, k=10, preserve=["mean(age)", "mean(hours)"], detail=1.0).protect(people)
    assert release.notes == ["preserve: mean(hours) names no numeric quasi attribute, so boxes do not change it."]
    assert release.estimate("mean(hours)").width == 0


AXES = [QuasiAxis(name, "numeric", np.arange(3.0), np.zeros(3, dtype=bool)) for name in ("age", "town")]
COSTS = WidthCosts(np.ones((2, 3)), np.array([True, False]), ())


@pytest.mark.parametrize(
    ("uncertainties", "detail", "tried"),
    [
        ((0.9, 0, 0, 0, 0), 1.0, 1),
        ((3.0, 0.9, 0, 0, 0), 0.3, 2),
        ((3.0, 2.0, 1.5, 1.1, 0.9), 0.01, 5),
        # a step that hardly helps is not taken
        ((3.0, 2.9, 0.1, 0.1, 0.1), 1.0, 2),
        ((3.0, 2.0, 1.9, 0.1, 0.1), 0.3, 3),
    ],
)
def test_steps_down_the_ladder(uncertainties, detail, tried):
    seen = []

    def trial(one):
        seen.append(one)
        return Trial(uncertainties[LADDER.index(one)], 0.1)

    assert choose_detail(AXES, COSTS, trial)[0] == detail
    assert len(seen) == tried


def test_nothing_is_tried_where_all_attributes_are_named():
    costs = WidthCosts(np.ones((2, 3)), np.array([True, True]), ())
    assert choose_detail(AXES, costs, lambda _: pytest.fail("tried")) == (1.0, ())


def test_notes_hold_no_value_of_a_record():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"age": rng.normal(5e6, 1e5, 300).round(3), "town": rng.choice(["SECRET", "other"], 300)})
    boxes = sf.Boxes(quasi=["age", "town"], k=5, preserve=[{"statistic": "mean(age)", "accuracy": 1e-3}])
    told = " ".join(boxes.protect(frame).notes)
    assert "detail" in told
    assert "SECRET" not in told
