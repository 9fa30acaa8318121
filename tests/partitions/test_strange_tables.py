"""Whatever is in a table and asked for, a fuzzy partition answers with a release that holds or with our own errors."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import SfumatoError, UnattainableError
from tests.partitions.strange_tables import foreign


@pytest.mark.parametrize("first", [0, 50, 100, 150])
def test_nothing_foreign_is_raised_or_warned(first):
    assert [found for seed in range(first, first + 50) if (found := foreign(seed))] == []


def test_a_span_beyond_all_numbers_is_refused_without_a_warning():
    file = pl.DataFrame({"x": np.tile([-1.7e308, 0.0, 1.7e308], 20), "y": np.arange(60.0)})
    with pytest.raises(SfumatoError, match="column 'x'"):
        sf.FuzzyPartition(quasi=["x", "y"]).protect(file)


def test_an_attribute_without_weight_is_refused():
    """Gustafson-Kessel finds no norm of an attribute that is constant among the records that count."""
    weights = np.repeat([0.0, 1.0], 60)
    file = pl.DataFrame({"x": np.arange(120.0), "y": np.where(weights > 0, 3.0, np.arange(120.0)), "w": weights})
    with pytest.raises(UnattainableError, match=r"'y' .* and a positive weight"):
        sf.FuzzyPartition(quasi=["x", "y"], weight="w", method="gustafson-kessel").protect(file)


def test_an_attribute_that_only_varies_without_weight_is_refused():
    rng = np.random.default_rng(0)
    weights = np.repeat([0.0, 1.0], 60)
    y = np.where(weights > 0, rng.normal(size=120), 1e12)
    file = pl.DataFrame({"x": rng.normal(size=120), "y": y, "w": weights})
    with pytest.raises(UnattainableError, match=r"'y' \(quasi\) hardly varies"):
        sf.FuzzyPartition(quasi=["x", "y"], weight="w", method="gustafson-kessel").protect(file)


def durations() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    stay = [dt.timedelta(hours=int(hours)) for hours in rng.integers(1, 90, 120)]
    return pl.DataFrame(
        {"stay": stay, "age": rng.integers(20, 80, 120).astype(float), "ill": rng.choice(["x", "y"], 120)}
    )


@pytest.mark.parametrize(
    "made",
    [
        lambda: sf.Boxes(quasi=["stay", "age"], k=5),
        lambda: sf.Boxes(quasi=["age"], sensitive=["stay"], k=5, l=2),
        lambda: sf.FuzzyPartition(quasi=["stay", "age"]),
        lambda: sf.FuzzyPartition(quasi=["age"], sensitive=["stay"], l=2),
        lambda: sf.FuzzyPartition(quasi=["age"], sensitive=["stay"], t=0.5),
        lambda: sf.Boxes(quasi=["age"], sensitive=["stay"], k=5, t=0.5),
        lambda: sf.Boxes(quasi=["age", "ill"], k=5, preserve=["mean(stay)"]),
    ],
)
def test_durations_are_released_or_refused_in_our_own_words(made, tmp_path):
    try:
        release = made().protect(durations())
        folder = release.write(tmp_path / "out")
    except SfumatoError:
        return
    assert sf.open_release(folder).audit().holds


def test_durations_are_measured_profiled_and_masked_or_refused():
    file = durations()
    for attempt in (
        lambda: sf.profile(file),
        lambda: sf.measure(file, quasi=["stay", "age"], sensitive=["ill"]),
        lambda: sf.measure(file, quasi=["age"], sensitive=["stay"]),
        lambda: sf.Group(vital={"ill": ["x"]}, parameter="stay").quantity(file),
        lambda: sf.GroupMask(
            group=sf.Group(vital={"ill": ["x"]}, parameter="stay"), hide="outliers", influential=["age"]
        ).protect(file),
    ):
        try:
            attempt()
        except SfumatoError:
            continue
