from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.boxes.axes import axes_of
from sfumato.boxes.width_costs import FLOOR, costs_of
from sfumato.statistics import Wanted, combined_sensitivities, parse
from sfumato.statistics.moments import RecordMoments

RNG = np.random.default_rng(0)
VALUES = {"x": RNG.normal(5, 2, 300), "y": RNG.gamma(2, 3, 300), "z": RNG.uniform(-1, 1, 300)}
WEIGHTS = RNG.uniform(0.5, 3.0, 300)
WANTED = [
    Wanted(statistic="mean(x)", importance=2.0),
    Wanted(statistic="var(y)"),
    Wanted(statistic="std(x)"),
    Wanted(statistic="cov(y, z)"),
    Wanted(statistic="corr(x, y)", accuracy=0.01),
    Wanted(statistic="regress(z ~ x + y)"),
]


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("wanted", WANTED)
def test_affine_terms_add_up_to_the_sensitivities(wanted, weights):
    expected = combined_sensitivities([wanted], VALUES, weights)
    costs = {name: np.zeros(300) for name in expected}
    terms = parse(wanted.statistic).cost_terms(RecordMoments(VALUES, weights), wanted.accuracy)
    for term in terms.affine:
        rows = np.stack([np.ones(300), *(VALUES[name] for name in term.attributes)])
        costs[term.owner] += abs(term.coefficients @ rows)
    assert not terms.by_record
    for name, sensitivities in expected.items():
        np.testing.assert_allclose(costs[name], sensitivities, rtol=1e-8)


def test_costs_are_the_combined_sensitivities():
    file = sf.Microfile(pl.DataFrame(VALUES))
    axes = axes_of(file, ["x", "y", "z"], {})
    expected = combined_sensitivities(WANTED, VALUES)
    for row, its in zip(axes, costs_of(axes, WANTED, file, None, 1.0).rows, strict=True):
        np.testing.assert_allclose(its, np.maximum(expected[row.name], FLOOR * expected[row.name].mean()))


def test_weights_scale_costs_and_missing_values_cost_nothing():
    frame = pl.DataFrame(VALUES).with_columns(
        pl.when(pl.Series(np.arange(300) < 50)).then(None).otherwise(pl.col("x")).alias("x")
    )
    file = sf.Microfile(frame)
    axes = axes_of(file, ["x"], {})
    rows = costs_of(axes, [Wanted(statistic="mean(x)")], file, WEIGHTS, 1.0).rows
    assert not rows[0, :50].any()
    ratio = rows[0, 50:] / WEIGHTS[50:]
    np.testing.assert_allclose(ratio, ratio[0])


def test_an_attribute_that_no_statistic_speaks_of_costs_its_detail():
    file = sf.Microfile(pl.DataFrame(VALUES))
    axes = axes_of(file, ["x", "z"], {})
    one, two = (costs_of(axes, [Wanted(statistic="mean(x)")], file, None, detail) for detail in (1.0, 2.0))
    assert one.spoken.tolist() == [True, False]
    # over their spans both cost the same
    assert one.rows[0].mean() * axes[0].span == pytest.approx(one.rows[1].mean() * axes[1].span)
    np.testing.assert_allclose(two.rows[1], 2 * one.rows[1])


def test_costs_of_many_records_do_not_hang_on_which_are_looked_at():
    """Heavy tails, a period and one outlier: what a sample would get wrong."""
    rng = np.random.default_rng(3)
    x = np.exp(3 * rng.normal(size=130_000))
    x[1] = 1e9
    y = np.where(np.arange(130_000) % 2, 50.0, 0.0) + rng.normal(size=130_000)
    values = {"x": x, "y": y}
    file = sf.Microfile(pl.DataFrame(values))
    wanted = [Wanted(statistic=text) for text in ("mean(x)", "var(y)", "corr(x, y)")]
    found = costs_of(axes_of(file, ["x", "y"], {}), wanted, file, None, 1.0)
    expected = combined_sensitivities(wanted, values)
    for row, name in enumerate(("x", "y")):
        floor = FLOOR * expected[name].mean()
        np.testing.assert_allclose(found.rows[row], np.maximum(expected[name], floor), rtol=1e-6)


def test_the_steward_is_told_the_uncertainty_of_heavy_tails():
    rng = np.random.default_rng(4)
    values = {"x": np.exp(2 * rng.normal(size=70_000)), "y": rng.normal(size=70_000)}
    release = sf.Boxes(quasi=["x", "y"], k=5, passes=0).protect(pl.DataFrame(values))
    wanted = [Wanted(**one) for one in release.settings["preserve"]]
    costs = combined_sensitivities(wanted, values)
    table = release.table
    halves = {name: 0.5 * (table[f"{name}.hi"] - table[f"{name}.lo"]).to_numpy() for name in values}
    # without the floor that keeps no width free
    mine = sum(float((costs[name] * half).mean()) for name, half in halves.items())
    assert release.private["uncertainty"]["achieved"] == pytest.approx(mine, rel=0.05)
