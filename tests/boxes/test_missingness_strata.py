from __future__ import annotations

import ast

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.boxes.axes import axes_of
from sfumato.boxes.missingness_strata import Strata
from sfumato.errors import UnattainableError
from tests.boxes.tables import blocks, microfile, outside

RNG = np.random.default_rng(0)
LACKING = np.arange(100) < 29
FILE = pl.DataFrame(
    {
        "x": RNG.normal(size=100),
        "y": np.where(LACKING, np.nan, RNG.normal(size=100)),
        # who lacks y has one of two values only
        "ill": np.where(LACKING, RNG.choice(["a", "b"], 100), RNG.choice(["b", "c", "d"], 100)),
    },
    nan_to_null=True,
)


def test_strata_are_the_patterns_of_missing_values():
    file = microfile(0, 200, lacking=0.3, kinds=("age", "income", "job"))
    axes = axes_of(file, ["age", "income", "job"], {})
    strata = Strata.of(axes)
    patterns = np.stack([axis.missing for axis in axes], axis=1)
    assert len(strata) == len(np.unique(patterns, axis=0))
    np.testing.assert_array_equal(strata.lacking[strata.numbers], patterns)
    np.testing.assert_array_equal(np.sort(np.concatenate(strata.members())), np.arange(200))


def test_merging_costs_few_values_and_adds_none():
    file = microfile(1, 200, lacking=0.1, kinds=("age", "income", "job"))
    axes = axes_of(file, ["age", "income", "job"], {})
    strata = Strata.of(axes)
    merged = strata.merged(lambda some: some.sizes < 20, axes, 20)
    assert merged.sizes.min() >= 20
    before, after = strata.lacking[strata.numbers], merged.lacking[merged.numbers]
    assert (after | ~before).all()
    assert after.sum() < 3 * before.sum() + 60


def test_missing_values_stay_among_themselves():
    release = sf.Boxes(quasi=["x", "y"], k=5, missing="own").protect(FILE)
    assert release.table["y.lo"].is_null().to_list() == LACKING.tolist()
    assert all(len({bool(LACKING[place]) for place in block}) == 1 for block in blocks(release))


def test_what_cannot_stay_alone_is_refused_and_its_hints_work():
    given = {"quasi": ["x", "y"], "sensitive": "ill", "k": 5}
    with pytest.raises(UnattainableError, match=r"29 records with missing values of 'y' reach [\d.]+") as error:
        sf.Boxes(**given, l=3, missing="own").protect(FILE)
    assert error.value.hint == "missing='merged', or suppress=0.29, or l=2 would be attainable"
    assert sf.Boxes(**given, l=2, missing="own").protect(FILE).audit().holds


def test_leaving_a_stratum_out_keeps_closeness_to_what_is_left():
    given = {"quasi": ["x", "y"], "sensitive": "ill", "k": 5, "missing": "own"}
    with pytest.raises(UnattainableError, match=r"t of 'ill' = 0.3 is unattainable: .* missing values of 'y'"):
        sf.Boxes(**given, t=0.3).protect(FILE)
    release = sf.Boxes(**given, t=0.3, suppress=0.29).protect(FILE)
    assert release.private["left_out"] == 29
    assert release.audit().holds
    assert outside(sf.Microfile(FILE), release, np.flatnonzero(~LACKING)) == []


def test_too_few_records_that_lack_values_are_merged():
    few = FILE.with_columns(pl.when(pl.Series(np.arange(100) < 3)).then(None).otherwise(pl.col("x")).alias("x"))
    with pytest.raises(UnattainableError, match=r"k = 5 is unattainable: 3 records with missing values of 'x', 'y'"):
        sf.Boxes(quasi=["x", "y"], k=5, missing="own").protect(few)
    release = sf.Boxes(quasi=["x", "y"], k=5).protect(few)
    assert release.audit().holds
    assert outside(sf.Microfile(few), release) == []
    assert release.estimate("mean(y)").records == 71


def test_an_attribute_that_would_be_lost_is_refused():
    rare = FILE.with_columns(y=pl.when(pl.Series(np.arange(100) > 97)).then(pl.col("y")))
    with pytest.raises(UnattainableError, match=r"no value of 'y' could be released") as error:
        sf.Boxes(quasi=["x", "y"], k=5).protect(rare)
    assert "make 'y' an identifier" in error.value.hint
    assert sf.Boxes(quasi="x", identifiers="y", k=5).protect(rare).audit().holds


def test_few_records_that_lack_a_value_take_no_more_than_they_need():
    """Four of 2,000 lack their age; merging them with all others would cost every age."""
    rng = np.random.default_rng(5)
    ages = rng.integers(15, 95, 2000).astype(float)
    ages[:4] = np.nan
    file = pl.DataFrame({"age": ages, "income": rng.lognormal(3, 1, 2000)}, nan_to_null=True)
    release = sf.Boxes(quasi=["age", "income"], k=10).protect(file)
    lost = release.table["age.lo"].is_null()
    assert 10 <= lost.sum() < 20
    assert lost[:4].all()
    # those who lose their age are near them in what is left
    incomes = file["income"].to_numpy()
    assert incomes[lost.to_numpy()].std() < 0.5 * incomes.std()
    assert release.audit().holds
    assert outside(sf.Microfile(file), release) == []


def test_what_is_offered_works():
    rng = np.random.default_rng(6)
    lacking = rng.random((300, 2)) < 0.03
    file = pl.DataFrame(
        {
            "x": np.where(lacking[:, 0], np.nan, rng.normal(size=300)),
            "y": np.where(lacking[:, 1], np.nan, rng.normal(size=300)),
            "ill": rng.choice(["a", "b", "c", "d"], 300, p=[0.7, 0.2, 0.08, 0.02]),
        },
        nan_to_null=True,
    )
    tried = 0
    for limits in ({"l": 3}, {"t": 0.1}, {"l": 4, "t": 0.05}, {"k": 40}, {"l": 3.2, "diversity": "entropy"}):
        asked = {"quasi": ["x", "y"], "sensitive": "ill", "k": 5, "missing": "own", **limits}
        try:
            sf.Boxes(**asked).protect(file)
        except UnattainableError as error:
            for offer in error.hint.removesuffix(" would be attainable").split(", or "):
                changed = dict(part.split("=") for part in offer.split(" with ") if "=" in part)
                given = {
                    name: text.strip("'") if name == "missing" else ast.literal_eval(text)
                    for name, text in changed.items()
                }
                if given:
                    assert sf.Boxes(**{**asked, **given}).protect(file).audit().holds
                    tried += 1
    assert tried >= 5


def test_the_steward_learns_how_many_values_were_suppressed():
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 50, 300).astype(float), rng.integers(0, 50, 300).astype(float)
    x[:3], y[::2] = np.nan, np.nan
    file = pl.DataFrame({"x": x, "y": y}, nan_to_null=True)
    release = sf.Boxes(quasi=["x", "y"], k=5).protect(file)
    lost = {name: release.table[f"{name}.lo"].null_count() - file[name].null_count() for name in ("x", "y")}
    assert min(lost.values()) > 0
    (note,) = release.notes
    assert f"{lost['x']} of x, {lost['y']} of y" in note
    assert sf.Boxes(quasi=["y"], k=5).protect(file).notes == []
