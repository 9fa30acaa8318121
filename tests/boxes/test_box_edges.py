from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.boxes.box_edges import resolution_of
from tests.boxes.tables import blocks, files, hierarchies, microfile, quasi_of


@settings(max_examples=40)
@given(file=files, k=st.integers(2, 8), share=st.sampled_from([0.01, 0.04, 1.0]))
def test_no_snapped_edge_is_a_rare_value_of_its_block(file, k, share):
    quasi = [name for name in quasi_of(file) if name in ("age", "income", "born")]
    if not quasi:
        return
    try:
        release = sf.Boxes(quasi=quasi, k=k, snap=share).protect(file)
    except sf.errors.UnattainableError:
        return
    for name in quasi:
        original = file.series(name)
        often = dict(original.value_counts().iter_rows())
        for block in blocks(release):
            for end in ("lo", "hi"):
                edge = release.microfile.series(f"{name}.{end}")[block[0]]
                if edge is not None and edge in set(original.gather(block)):
                    assert often[edge] >= k or (edge == 0 and end == "lo")


@settings(max_examples=40)
@given(
    seed=st.integers(0, 999), scale=st.sampled_from([1e-6, 0.37, 1.0, 1e3, 1e7]), digits=st.sampled_from([2, 9, None])
)
def test_snapped_edges_lie_on_the_grid_that_is_told(seed, scale, digits):
    values = np.random.default_rng(seed).normal(1, 3, 80) * scale
    values = values if digits is None else values.round(digits)
    release = sf.Boxes(quasi="x", k=4, preserve=[]).protect(pl.DataFrame({"x": values}))
    if not values.any():
        # of zeros alone every number is a grid
        assert release.settings["grids"] == {}
        return
    grid = release.settings["grids"]["x"]
    edges = release.table.to_numpy().ravel() / grid
    np.testing.assert_allclose(edges, np.rint(edges), rtol=1e-9, atol=1e-6)
    # written as people write: 1, 2 or 5 times a power of ten
    assert f"{grid:.3e}"[:5] in ("1.000", "2.000", "5.000")


def test_snapping_costs_no_more_than_is_allowed():
    file = microfile(0, 300, kinds=("income",))
    for share in (0.02, 0.1, 0.5):
        tight, snapped = (
            sf.Boxes(quasi="income", k=5, edges=edges, snap=share).protect(file).private["uncertainty"]["achieved"]
            for edges in ("tight", "snapped")
        )
        assert tight < snapped <= (1 + share) * tight * 1.001


def test_dates_are_snapped_to_the_calendar():
    file = microfile(1, 200, kinds=("born",))
    release = sf.Boxes(quasi="born", k=20).protect(file)
    assert release.settings["grids"]["born"] in ("1y", "5y", "3mo", "1mo")
    low, high = release.table["born.lo"], release.table["born.hi"]
    assert set(low.dt.day()) == {1}
    assert set((high + datetime.timedelta(days=1)).dt.day()) == {1}


def test_tight_edges_say_how_many_values_they_show():
    file = microfile(2, 100, kinds=("income",))
    release = sf.Boxes(quasi="income", k=5, edges="tight").protect(file)
    values = file.numbers("income")
    ends = [(release.table[f"income.{end}"].to_numpy() == values).sum() for end in ("lo", "hi")]
    assert release.private["shown"] == sum(ends) > 0
    assert sf.Boxes(quasi="income", k=5).protect(file).private["shown"] == 0
    # it is counted on the original, so that nothing of it may be public
    assert "shown" not in release.settings


def test_a_grid_is_not_chosen_for_records_that_are_left_out():
    values = np.concatenate([np.random.default_rng(0).normal(size=95), 1e6 * np.arange(1, 6)])
    release = sf.Boxes(quasi="x", k=5, suppress=0.05).protect(pl.DataFrame({"x": values}))
    assert release.settings["grids"]["x"] < 0.1


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ([1, 5, 300], 1.0),
        ([0.1, 0.25, 7], 0.01),
        ([0.0, 0.0], 1.0),
        ([1e-8, 3.33e-7], 1e-9),
        ([1e-12, 2e-12], None),
        ([1 / 3, 0.5], None),
        ([0.1 + 0.2, 0.3], 0.1),
        (np.float32([0.1, 0.7]).astype(float), 0.1),
    ],
)
def test_the_unit_in_which_numbers_are_written(values, unit):
    found = resolution_of(np.asarray(values, dtype=float))
    assert found == (None if unit is None else pytest.approx(unit))


def test_sets_and_ranges_tell_their_members():
    file = microfile(3, 120, kinds=("grade", "town", "job"))
    release = sf.Boxes(quasi=["grade", "town", "job"], k=10, hierarchies=hierarchies(["town"])).protect(file)
    for name in ("grade", "town", "job"):
        members = release.codebook.attributes[name].form.members
        assert set(members) == set(release.table[name].unique())
        for block in blocks(release):
            values = set(file.series(name).gather(block))
            told = set(members[release.table[name][block[0]]])
            assert values <= told
            # only a node of a hierarchy, or a range, has more than a box needs
            assert name != "job" or values == told


@pytest.mark.parametrize("edges", ["snapped", "tight", "tiling"])
@pytest.mark.parametrize("dtype", [pl.Int64, pl.UInt64, pl.Datetime("ns"), pl.Datetime("us")])
def test_numbers_that_a_double_does_not_tell_apart_are_inside(edges, dtype):
    rng = np.random.default_rng(0)
    values = pl.Series("x", 1_700_000_000_000_000_000 + rng.integers(0, 5000, 600))
    if dtype == pl.UInt64:
        values = values.cast(pl.UInt64) + (1 << 63)
    elif dtype == pl.Datetime("us"):
        values = values // 1000
    values = values.cast(dtype)
    boxes = sf.Boxes(quasi="x", k=5, edges=edges)
    if edges == "tiling" and dtype in (pl.UInt64, pl.Datetime("ns")):
        # cells that overlap would be no tiling
        with pytest.raises(sf.errors.SettingError, match="larger or finer than the cuts of a tiling can represent"):
            boxes.protect(pl.DataFrame({"x": values}))
        return
    table = boxes.protect(pl.DataFrame({"x": values})).table
    lo, hi, exact = (series.cast(pl.Float64) if dtype == pl.UInt64 else series for series in (*table, values))
    assert (lo <= exact).all()
    assert (hi >= exact).all()
