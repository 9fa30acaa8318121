from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.boxes.axes import axes_of, space_of
from sfumato.boxes.cutting import subdivide
from sfumato.boxes.exchanging import Effort, exchange_records
from sfumato.boxes.limits import limits_with
from sfumato.progress import silent
from sfumato.randomness import Secret


def refined(frame: pl.DataFrame, effort: Effort, *, k: int = 5, threads: int = 1) -> np.ndarray:
    axes = axes_of(sf.Microfile(frame), frame.columns, {})
    places = np.stack([axis.places for axis in axes])
    space = space_of(axes, places, np.ones_like(places))
    limits, codes = limits_with(k, [], np.ones(frame.height, dtype=bool)), 32
    boxes = subdivide(space, limits, [np.arange(frame.height)], codes, threads=threads, progress=silent)
    found = exchange_records(
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
def test_work_ends_within_a_pass_of_what_was_bought(numbers, categories):
    effort = Effort(None, 0.2)
    refined(table(numbers, categories), effort)
    assert abs(effort.spent - 0.2) <= effort.last
    assert effort.turn > 0


def test_a_pass_over_categories_is_counted_for_what_it_takes():
    plain, coded = Effort(1), Effort(1)
    refined(table(8, 0), plain)
    refined(table(0, 8), coded)
    # measured: about 30 times as long
    assert 10 * plain.spent < coded.spent


def test_work_does_not_depend_on_threads():
    frame, efforts = table(2, 2), [Effort(None, 0.05) for _ in range(2)]
    one, two = (refined(frame, effort, threads=threads) for effort, threads in zip(efforts, (1, 2), strict=True))
    assert (one == two).all()
    assert efforts[0] == efforts[1]


def test_heat_is_gone_in_the_last_passes():
    effort, left = Effort(None, 1.0), []
    while effort.share < 1:
        left.append(effort.warmth)
        effort.add(np.array([0, 0]), 2_000_000)
    assert left[0] == 1.0
    assert left[-2:] == [0.0, 0.0]
    assert left == sorted(left, reverse=True)
    assert len(left) == pytest.approx(10, abs=1)
