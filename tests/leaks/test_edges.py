"""A rare value at the end of a domain is not given away by the edge of its box."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf

FILES = 13


def zeros(seed: int, *, rare: bool) -> np.ndarray:
    """Whole numbers from 1 to 399, of which one is zero if it is rare."""
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 400, 1000)
    if rare:
        values[rng.integers(1000)] = 0
    return values


def released(values: np.ndarray, **settings) -> pl.DataFrame:
    return sf.Boxes(quasi="x", k=5, **settings).protect(pl.DataFrame({"x": values})).table


def boxes_said_to_hold_a_zero(table: pl.DataFrame) -> list[float]:
    """The attack: a negative edge of numbers that are never negative is there for a zero's sake."""
    return sorted({low for low in table["x.lo"].to_list() if low < 0})


def test_an_edge_does_not_tell_that_a_rare_zero_occurs(figure):
    told = sum(bool(boxes_said_to_hold_a_zero(released(zeros(seed, rare=True)))) for seed in range(FILES))
    wrongly = sum(bool(boxes_said_to_hold_a_zero(released(zeros(seed, rare=False)))) for seed in range(FILES))
    figure("a rare zero told by a negative edge", now=told / FILES, baseline=wrongly / FILES, before=1.0)
    assert told == wrongly == 0


def test_lowest_edges_are_alike_whether_a_rare_zero_occurs_or_not(figure):
    """The attack: without a zero the lowest edge would lie higher, if it depended on it."""
    with_zero, without = (
        [released(zeros(seed, rare=rare))["x.lo"].min() for seed in range(FILES)] for rare in (True, False)
    )
    told = sum(one != other for one, other in zip(with_zero, without, strict=True))
    figure(
        "files with a rare zero told from those without by the lowest edge", now=told / FILES, baseline=0, before=1.0
    )
    assert told == 0


@pytest.mark.parametrize("snap", [0.05, 1.0])
def test_a_rare_zero_among_large_whole_numbers_is_not_given_away(snap, figure):
    large = np.random.default_rng(0).integers(2**60, 2**61, 200).tolist()
    release = sf.Boxes(quasi="x", k=5, snap=snap, seed=1).protect(pl.DataFrame({"x": [0, 3, *large]}))
    told = bool((release.table["x.lo"] < 0).any())
    figure(f"edges: rare zeros among numbers above 2^53, snap {snap:g}", now=told, baseline=0, before=0)
    assert not told


@pytest.mark.parametrize(("rare", "end"), [(0, "lo"), (13, "hi")])
def test_the_outermost_edge_does_not_tell_which_block_holds_a_rare_outermost_value(rare, end, figure):
    """The attack: the one record with a rare outermost value is in a block with the outermost edge.

    Without such an edge of its own, somebody who knows that the value occurs guesses among the blocks at that end:
    the baseline.
    """
    now, baseline = [], []
    for seed in range(FILES):
        rng = np.random.default_rng(seed)
        file = pl.DataFrame({"x": rng.integers(1, 13, 1500), "y": rng.integers(0, 1000, 1500)})
        file[7, "x"] = rare
        table = sf.Boxes(quasi=["x", "y"], k=5, snap=0.001).protect(file).table
        blocks = table.with_columns(file["x"]).group_by(table.columns).agg(pl.col("x").unique())
        held = blocks.filter(pl.col(f"x.{end}") == table[f"x.{end}"][7])["x"].list.contains(rare)
        at_the_end = blocks["x"].list.eval((pl.element() - rare).abs() <= 1).list.any().sum()
        assert held.any()
        now.append(held.sum() / held.len())
        baseline.append(1 / at_the_end)
    figure(
        f"blocks with the outermost edge that hold the rare {rare}",
        now=np.mean(now),
        baseline=np.mean(baseline),
        before=1.0,
    )
    assert np.mean(now) <= 1.5 * np.mean(baseline)
