from __future__ import annotations

import numpy as np
import pytest

import sfumato as sf
from sfumato.boxes.axes import QuasiAxis
from sfumato.boxes.preferred_cuts import Preference, preferred_places
from sfumato.datasets import health_survey
from sfumato.errors import SettingError


def stepped(places, preference):
    values = np.asarray(places, dtype=float)
    axis = QuasiAxis("age", "numeric", values, np.zeros(values.size, dtype=bool))
    return preferred_places({"age": preference}, 1.0, [axis], boxes=10)[0] - values


def test_a_point_is_a_step_of_one_usual_width():
    assert stepped([0, 17, 18, 100], Preference(points=[18])).tolist() == pytest.approx([0, 0, 10, 10])


def test_multiples_are_steps():
    assert stepped([0, 49, 50, 100], Preference(multiples=50)).tolist() == pytest.approx([0, 0, 10, 20])


def test_a_fuzzy_point_is_a_ramp_with_the_same_height():
    found = stepped([0.0, 9.5, 10.01, 10.5, 20.0], Preference(points=[10], spread=1.0))
    assert found[0] == 0
    assert found[-1] == pytest.approx(2)
    assert (np.diff(found) > 0).all()
    multiples = stepped([5.0, 9.5, 10.5, 15.0, 25.0], Preference(multiples=10, spread=1.0))
    assert (np.diff(multiples) > 0).all()
    assert multiples[3] - multiples[0] == pytest.approx(multiples[4] - multiples[3])


@pytest.mark.parametrize("edges", ["snapped", "tiling"])
def test_fewer_boxes_reach_across_preferred_points(edges):
    people = health_survey(3000)

    def across(**settings):
        release = sf.Boxes(quasi=["age", "income"], k=10, edges=edges, **settings).protect(people)
        low, high = (release.microfile.numbers(f"age.{end}") for end in ("lo", "hi"))
        return sum(((low < point) & (high > point)).mean() for point in (18, 65))

    assert across(prefer={"age": [18, 65]}, strength=5) < 0.6 * across()


def test_a_spread_beyond_the_next_multiple_is_refused():
    with pytest.raises(SettingError, match=r"at most half of multiples"):
        sf.Boxes(quasi=["age"], k=5, prefer={"age": {"multiples": 10, "spread": 6}})
