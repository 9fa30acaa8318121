from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.boxes.axes import axes_of, space_of
from sfumato.boxes.constraints import BoxRule, limits_with
from sfumato.boxes.cut_engine import subdivide
from sfumato.boxes.swap_refinement import Effort, swap_records
from sfumato.kernels.boxes.limit_check import DISTINCT
from sfumato.kernels.boxes.swap_records import (
    CODED,
    COMPARED,
    NOISED,
    SETTLED,
    SWAPPED,
    TESTED,
    WEIGHED,
    WORK,
    exchange_groups,
)
from sfumato.progress import silent
from sfumato.randomness import Secret


def refined(frame: pl.DataFrame, effort: Effort, *, k: int = 5, threads: int = 1) -> np.ndarray:
    axes = axes_of(sf.Microfile(frame), frame.columns, {})
    places = np.stack([axis.coordinates for axis in axes])
    space = space_of(axes, places, np.ones_like(places))
    limits, codes = limits_with(k, [], np.ones(frame.height, dtype=bool)), 32
    boxes = subdivide(space, limits, [np.arange(frame.height)], codes, threads=threads, progress=silent)
    found = swap_records(
        space,
        limits,
        boxes,
        codes,
        strata=None,
        effort=effort,
        heat=1.0,
        secret=Secret.from_seed(1),
        threads=threads,
        progress=lambda share: None,
    )
    return found.numbers_of(frame.height)


def table(numbers: int, categories: int, records: int = 1500) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=records) for i in range(numbers)}
    columns |= {f"c{i}": rng.choice([f"v{j}" for j in range(20)], records) for i in range(categories)}
    return pl.DataFrame(columns)


@pytest.mark.parametrize(("numbers", "categories"), [(3, 0), (0, 8), (2, 3)])
def test_work_ends_near_what_was_bought(numbers, categories):
    effort = Effort(None, 0.2)
    refined(table(numbers, categories), effort)
    assert effort.spent == pytest.approx(0.2, rel=0.05)
    assert effort.turn > 1


def test_a_pass_that_takes_longer_than_what_was_bought_is_not_finished():
    frame, whole = table(0, 8), Effort(1)
    refined(frame, whole)
    effort = Effort(None, 0.3 * whole.spent)
    refined(frame, effort)
    assert effort.turn == 1
    assert effort.spent == pytest.approx(effort.seconds, rel=0.2)


def test_a_pass_over_categories_is_counted_for_what_it_takes():
    plain, coded = Effort(1), Effort(1)
    refined(table(8, 0), plain)
    refined(table(0, 8), coded)
    # measured: about 30 times as long
    assert 10 * plain.spent < coded.spent


@pytest.mark.parametrize("heat", [0.0, 1.0])
@pytest.mark.parametrize("limited", [False, True])
def test_the_kernel_counts_what_it_does(heat, limited):
    """Two boxes of two records in one attribute: everything that happens can be counted by hand."""
    frame = pl.DataFrame({"x": [0.0, 10.0, 1.0, 11.0]})
    axes = axes_of(sf.Microfile(frame), frame.columns, {})
    places = np.stack([axis.coordinates for axis in axes])
    codes = np.array([0, 1, 0, 1], dtype=np.int32)
    rules = [BoxRule("l", "s", DISTINCT, 1, codes=codes, n_values=2)] if limited else []
    work, order = np.zeros(WORK, dtype=np.int64), np.arange(4)
    made = exchange_groups(
        space_of(axes, places, np.ones_like(places)), limits_with(2, rules, np.ones(4, dtype=bool)), order,
        np.array([2, 4]), np.array([0, 1]), np.array([0, 2]), 4, heat, 1, np.zeros(4, dtype=np.int64), work,
    )  # fmt: skip
    assert made == work[SWAPPED] == 1
    assert work[SETTLED] == 4 + 4 * made
    # without heat, the last two records no longer gain anything by leaving
    weighed = 4 * 4 if heat else work[WEIGHED]
    assert work[WEIGHED] == weighed > 0
    assert work[NOISED] == (weighed if heat else 0)
    assert work[TESTED] == (4 * made if limited else 0)
    assert work[CODED] == work[COMPARED] == 0


def test_work_does_not_depend_on_threads():
    frame, efforts = table(2, 2), [Effort(None, 0.05) for _ in range(2)]
    one, two = (refined(frame, effort, threads=threads) for effort, threads in zip(efforts, (1, 2), strict=True))
    assert (one == two).all()
    assert efforts[0] == efforts[1]


def test_heat_is_gone_in_the_last_passes():
    effort, left = Effort(None, 1.0), []
    while effort.share < 1:
        left.append(effort.warmth)
        effort.begin(1000)
        done = 0
        while some := effort.next_groups(1000 - done):
            effort.add(np.array([some * 20_000, 0, 0, 0, 0, 0, 0]), some)
            done += some
        effort.turn += 1
    assert left[0] == 1.0
    assert left[-2:] == [0.0, 0.0]
    assert left == sorted(left, reverse=True)
    assert effort.spent == pytest.approx(1.0, rel=0.02)
