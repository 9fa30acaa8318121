"""Several techniques: what TC16's misses is found, and masks hide from all of them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import sqrt
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import hypergeom
from scipy.stats import t as student

import sfumato as sf
from sfumato.errors import SettingError, UnattainableError
from sfumato.groups.outlier_panel import among_highest, chance_correlation, correlation, crowded_at_top, detections
from sfumato.groups.outlier_techniques import detect_with
from tests.groups.mask.test_mask_protection import mask, people

SEVERAL = [5, 5, 5, 5, 90, 100, 110, 120, 5, 5]
"""Outliers that widen the quartiles, so that TC16's technique finds none of them."""


def test_what_widens_the_quartiles_is_found_by_others() -> None:
    assert sf.outliers(SEVERAL).indices == ()
    for technique in ("median", "deviates", "gap", "any"):
        assert sf.outliers(SEVERAL, technique=technique).indices == (4, 5, 6, 7)
    with pytest.raises(SettingError, match="technique must be tau, median, deviates, gap or any"):
        sf.outliers(SEVERAL, technique="eye")


def rosner(values: np.ndarray, alpha: float) -> set[int]:
    """Remove the farthest value again and again; the last removal that is significant counts with all before."""
    left, gone, count = list(range(values.size)), [], 0
    for number in range(1, (values.size - 1) // 2 + 1):
        its = values[left]
        size = len(left)
        farthest = max(left, key=lambda place: abs(values[place] - its.mean()))
        quantile = student.isf(alpha / (2 * size), size - 2)
        limit = (size - 1) * quantile / sqrt((size - 2 + quantile**2) * size)
        if abs(values[farthest] - its.mean()) / its.std(ddof=1) > limit:
            count = number
        left.remove(farthest)
        gone.append(farthest)
    return set(gone[:count])


@pytest.mark.parametrize("seed", range(20))
def test_deviates_are_those_of_rosner(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 1, 25)
    values[: seed % 5] += rng.uniform(3, 9)
    assert set(detect_with("deviates", values, alpha=0.05, unit=0.0)) == rosner(values, 0.05)


def test_chance_alone_is_seldom_found() -> None:
    rng = np.random.default_rng(7)
    signals = [rng.poisson(30, 20).astype(float) for _ in range(300)]
    found = {
        technique: np.mean([bool(detect_with(technique, signal, alpha=0.01)) for signal in signals])
        for technique in ("median", "deviates", "gap")
    }
    assert max(found.values()) <= 0.03


def test_a_signal_of_zeros_has_the_spread_of_counts() -> None:
    # the quartiles coincide, and what stands out most would hide the rest by its own distance
    values = np.array([0.0] * 12 + [40.0, 300.0])
    assert 12 not in sf.outliers(values)
    assert detect_with("median", values, alpha=0.01) == (12, 13)


def test_ranks_are_compared_with_chance() -> None:
    values = np.arange(30.0)
    for places in ([29], [29, 28, 3], [29, 28, 27, 1]):
        hits = sum(place >= 30 - len(places) for place in places)
        chance = hypergeom.sf(hits - 1, 30, len(places), len(places))
        assert among_highest(values, places, range(30))[1] == pytest.approx(chance)
    # an equal place is as good a guess
    assert among_highest(np.array([1.0] * 10), [0, 1], range(10))[1] == 1.0


@pytest.mark.parametrize(("size", "fewest"), [(3, 1), (4, 1), (5, 2), (10, 3), (20, 7), (60, 20)])
def test_enough_others_are_above_a_hidden_place(size: int, fewest: int) -> None:
    values = np.arange(size, dtype=float)
    found = [above for above in range(size) if not crowded_at_top(values, [size - 1 - above], range(size))]
    assert found == list(range(fewest, size))


def test_as_many_highest_places_as_are_hidden_hold_about_as_many_as_by_chance() -> None:
    values = np.arange(20.0)
    # three of twenty: chance finds .45 among the three highest, and one is more than a quarter above
    assert crowded_at_top(values, [17, 10, 3], range(20)) == (17,)
    assert crowded_at_top(values, [16, 10, 3], range(20)) == ()
    # equal places are named at random
    level = np.where(values >= 10, 10.0, values)
    assert crowded_at_top(level, [17, 10, 12], range(20)) == (17, 10, 12)
    assert crowded_at_top(np.ones(20), [17, 10, 12], range(20)) == ()


def test_a_correlation_by_chance_is_that_of_hidden_places_elsewhere() -> None:
    rng = np.random.default_rng(2)
    true = rng.poisson(10, 30).astype(float)
    true[:3] = 80, 90, 100
    assert correlation(true, true) > chance_correlation(true, true, range(3), 0.01)
    hidden = true.copy()
    hidden[:3] = 10, 9, 11
    assert correlation(true, hidden) < chance_correlation(true, hidden, range(3), 0.01)
    # of five places, one alone may be found by chance
    assert chance_correlation(true[:5], true[:5], [0], 0.01) == 1.0


def assert_hidden(release: sf.Release, group: sf.Group) -> None:
    """See with the table alone that no technique finds a hidden place, and that none is on top."""
    record = release.private["groups"][0]
    signal = group.quantity(release.table)
    hidden = [signal.labels.index(label) for label in record["hidden"]]
    assert hidden
    for detection in detections(signal.values, alpha=0.01, robust=True, unit=1.0):
        assert not {*hidden} & {*detection.places}, detection.name
    # wherever the highest places are cut off, enough of them are others; which side a place was on is in the record
    before = np.array([record["before"][label] for label in signal.labels])
    high = [place for place in hidden if before[place] >= np.median(before)]
    for cut in signal.values[high]:
        right, all_above = (signal.values[high] >= cut).sum(), (signal.values >= cut).sum()
        assert right * (len(signal) - len(high)) <= 3 * len(high) * (all_above - right)
    assert all(not its["after"] for its in record["panel"].values())


def test_the_mask_hides_what_widens_the_quartiles() -> None:
    frame = people({chr(65 + place): count for place, count in enumerate(SEVERAL)}, size=200)
    release = mask(hide="outliers").protect(frame)
    record = release.private["groups"][0]
    assert {*"EFGH"} <= {*record["hidden"]}
    assert_hidden(release, mask().group)
    # TC16's technique would have moved nobody
    assert (record["at_least"], record["proven"]) == (0, False)


@pytest.mark.parametrize("hide", ["outliers", ["306"]])
def test_a_base_in_hawaii_is_hidden_from_every_technique(hide: object, real_data: Callable[[str], Path]) -> None:
    columns = ["PUMA", "MIL", "AGEP", "SEX"]
    frame = pl.read_parquet(real_data("pums_hi/pums_person_hi_2018.parquet"), columns=columns)
    army = sf.Group(vital={"MIL": [1]}, parameter="PUMA")
    release = sf.GroupMask(group=army, hide=hide, influential=["AGEP", "SEX"]).protect(frame)
    before, after = army.quantity(frame).as_dict(), release.private["after"]
    # it was 171 when only TC16's technique was asked
    assert before["306"] == 179
    assert after["306"] <= 125
    assert_hidden(release, army)


@pytest.mark.parametrize("counts", [(6, 26, 56), (10, 58, 39), (54, 56, 7), (0, 0, 30)])
def test_three_places_are_masked_or_refused(counts: tuple[int, ...]) -> None:
    frame = people(dict(zip("ABC", counts, strict=True)))
    try:
        release = mask(hide="outliers").protect(frame)
    except (SettingError, UnattainableError):
        return
    record = release.private["groups"][0]
    assert not {*record["hidden"]} & {*record["outliers"]["after"]}


@pytest.mark.parametrize("reshape", ["least", "moments", "decoy"])
def test_generated_masks_leave_no_hidden_place_standing_out(reshape: str) -> None:
    rng = np.random.default_rng(11)
    for _ in range(12):
        size = int(rng.integers(5, 11))
        counts = np.where(rng.random(size) < 0.3, rng.integers(30, 75, size), rng.integers(0, 6, size))
        frame = people({chr(65 + place): int(count) for place, count in enumerate(counts)})
        try:
            record = mask(hide="outliers", reshape=reshape).protect(frame).private["groups"][0]
        except (SettingError, UnattainableError):
            continue
        assert not {*record["hidden"]} & {*record["outliers"]["after"]}
        assert all(not its["after"] for its in record["panel"].values())


def test_a_search_ends_after_a_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.groups import reshaping_problem
    from sfumato.groups.reshape import initial_solution

    looks = 0
    original = reshaping_problem.Reshaping.hides

    def counted(self: reshaping_problem.Reshaping, counts: object) -> bool:
        nonlocal looks
        looks += 1
        return original(self, counts)

    monkeypatch.setattr(reshaping_problem.Reshaping, "hides", counted)
    rng = np.random.default_rng(4)
    counts = np.where(np.arange(70) < 30, rng.integers(60, 400, 70), rng.integers(0, 9, 70))
    initial_solution.initial_counts(reshaping_problem.Reshaping(counts, hidden=tuple(range(30)), panel=True))
    assert looks <= initial_solution.MOST_TRIES


def test_errors_of_a_recipe_count_places_that_nobody_named() -> None:
    from sfumato.groups.mask.observed_signal import describe_places

    found = ["C", "E"]
    assert describe_places(mask(hide=found), found) == "C, E"
    assert describe_places(mask(hide="outliers"), found) == "2 hidden places"


def test_ranks_agree_with_all_ways_to_choose() -> None:
    values = np.array([3.0, 9, 4, 7, 1, 8, 2, 6])
    _, chance = among_highest(values, [1, 5], range(8))
    top = {1, 5}
    assert chance == pytest.approx(sum({*pair} == top for pair in combinations(range(8), 2)) / 28)
