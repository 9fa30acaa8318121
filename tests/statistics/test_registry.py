from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.boxes.axes import axes_of
from sfumato.boxes.width_costs import FLOOR, costs_of
from sfumato.errors import SettingError
from sfumato.statistics import Wanted, parse, range_of
from sfumato.statistics.moments import RecordMoments
from sfumato.statistics.registry import STATISTICS
from tests.statistics.toy_statistic import CUT, NEAR, ShareAbove, UnprovedShare

RNG = np.random.default_rng(5)
VALUES = {"x": RNG.normal(0.3, 1.0, 2000), "y": RNG.normal(0.0, 1.0, 2000)}


@pytest.fixture
def toy(monkeypatch):
    for statistic in (ShareAbove, UnprovedShare):
        monkeypatch.setitem(STATISTICS, statistic.name, statistic)


def test_every_statistic_is_written_as_its_form_says():
    for name, statistic in STATISTICS.items():
        assert name == statistic.name
        parsed = parse(statistic.form)
        assert type(parsed) is statistic
        assert parsed.canonical == statistic.form


def test_statistics_are_described_in_words():
    assert parse("corr(age, hours)").described() == "Correlation of age and hours"
    assert parse("regress(y ~ a + b)").described("(intercept)") == "Intercept of the regression of y on a and b"
    assert parse("regress(y ~ a)").described("a") == "Slope of a in the regression of y on a"
    assert parse("regress(y ~ a)").described() == "Regression of y on a"
    signed = [text for text in ("mean(x)", "var(x)", "std(x)", "cov(x, y)", "corr(x, y)") if parse(text).has_sign()]
    assert signed == ["cov(x, y)", "corr(x, y)"]
    assert parse("regress(y ~ a)").has_sign("a")
    assert not parse("regress(y ~ a)").has_sign("(intercept)")


def test_a_registered_statistic_is_parsed_and_estimated(toy):
    assert parse(" above( `x` ) ").canonical == "above(x)"
    with pytest.raises(SettingError, match="unknown statistic 'abov'") as caught:
        parse("abov(x)")
    assert "did you mean 'above'?" in caught.value.hint
    lo = {"x": [-2.0, -1.0, -0.1, 0.2]}
    hi = {"x": [-1.0, 0.5, 0.1, 0.4]}
    estimate = range_of("above(x)", lo, hi)
    assert (estimate.value, estimate.lower, estimate.upper) == (0.25, 0.25, 0.75)
    assert estimate.guaranteed
    # the linear range counts only records whose middle is near the cut
    assert estimate.linear == pytest.approx((0.225, 0.275))
    assert estimate.sampling_error == pytest.approx(math.sqrt(0.25 * 0.75 / 4))


def test_a_statistic_without_a_proof_is_not_guaranteed(toy):
    estimate = range_of("unproved(x)", {"x": [-2.0, -0.1, 0.2]}, {"x": [-1.0, 0.1, 0.4]})
    assert not estimate.guaranteed
    assert (estimate.lower, estimate.upper) == (-math.inf, math.inf)
    assert estimate.attained == (estimate.value, estimate.value)
    assert "no guaranteed range" in str(estimate)
    exact = range_of("unproved(x)", {"x": [-2.0, 1.0]}, {"x": [-2.0, 1.0]})
    assert (exact.guaranteed, exact.lower, exact.upper) == (True, 0.5, 0.5)


def test_costs_by_record_are_used_as_they_are(toy):
    values = {**VALUES, "x": np.where(np.arange(2000) < 100, np.nan, VALUES["x"])}
    terms = parse("above(x)").cost_terms(RecordMoments(values, None), 0.01)
    assert not terms.affine
    near = abs(VALUES["x"] - CUT) < NEAR
    expected = np.where(near, 100.0, 0.0)
    np.testing.assert_allclose(terms.by_record["x"][100:], expected[100:])
    assert np.isnan(terms.by_record["x"][:100]).all()

    file = sf.Microfile(pl.DataFrame(values, nan_to_null=True))
    axes = axes_of(file, ["x", "y"], {})
    wanted = [Wanted(statistic="above(x)", accuracy=0.01), Wanted(statistic="mean(y)", accuracy=0.5)]
    rows = costs_of(axes, wanted, file, None, 1.0).rows
    assert not rows[0, :100].any()
    half = np.where(np.arange(2000) < 100, 0.0, 0.5 * expected)
    np.testing.assert_allclose(rows[0, 100:], np.maximum(half, FLOOR * half.mean())[100:])
    np.testing.assert_allclose(rows[1], 1.0)


def test_costs_by_record_shape_boxes(toy):
    """Boxes for the share are narrow at the cut and wide elsewhere; boxes for the mean are about as wide everywhere."""
    near = abs(VALUES["x"] - CUT) < NEAR / 2
    ratios = []
    for statistic in ("above(x)", "mean(x)"):
        preserve = [{"statistic": statistic, "accuracy": 0.02}, {"statistic": "mean(y)", "accuracy": 0.05}]
        table = sf.Boxes(quasi=["x", "y"], k=10, preserve=preserve).protect(pl.DataFrame(VALUES)).table
        widths = (table["x.hi"] - table["x.lo"]).to_numpy()
        ratios.append(widths[near].mean() / widths[~near].mean())
    assert ratios[0] < 0.2
    assert ratios[1] > 0.6
