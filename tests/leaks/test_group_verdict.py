"""Attack: find the hidden places of a masked group by whatever technique works best, or by taking the highest places.

The masks of before hid places from the modified Thompson tau technique alone, which several outliers together deceive.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.attacks.disclosed_places import Disclosure
from sfumato.groups.outlier_techniques import detect_with
from tests.groups.mask.test_mask_protection import ARMY, mask, people
from tests.leaks.conftest import Figure

MILITARY = sf.Group(vital={"MIL": [1]}, parameter="PUMA")
BEFORE = {"100": 10, "200": 3, "301": 125, "302": 97, "303": 3, "304": 11, "305": 3, "306": 171, "307": 35, "308": 30}
"""What the mask of before made of Hawaii's 10, 3, 125, 87, 3, 11, 5, 179, 35, 30."""
HIDDEN = ("301", "302", "306", "307", "308")


def found(group: sf.Group, table: pl.DataFrame, hidden: tuple[str, ...]) -> float:
    """Return the share of the hidden places that the best technique finds, if three in four of its finds are right."""
    signal = group.quantity(table)
    highest = tuple(np.flatnonzero(signal.values == signal.values.max()).tolist())
    looks = [detect_with(name, signal.values, alpha=0.05) for name in ("median", "deviates", "gap")]
    looks += [signal.outliers().indices, highest]
    right = [sum(signal.labels[place] in hidden for place in places) for places in looks]
    return max(
        hits / len(hidden) if 4 * hits > 3 * len(places) else 0.0 for hits, places in zip(right, looks, strict=True)
    )


@pytest.fixture
def hawaii(real_data: Callable[[str], Path]) -> Callable[[int], pl.DataFrame]:
    def read(year: int) -> pl.DataFrame:
        path = real_data(f"pums_hi/pums_person_hi_{year}.parquet")
        frame = pl.read_parquet(path, columns=["PUMA", "MIL", "AGEP", "SEX", "WKHP"])
        return frame.with_columns(pl.col("MIL").fill_null(0))

    return read


def to_the_eye(people: pl.DataFrame, release: sf.Release, third_party: pl.DataFrame) -> Disclosure:
    attack = sf.LearnedAttack(
        group=MILITARY, third_party=third_party, attributes=["AGEP", "SEX", "WKHP"], learner="logistic"
    )
    seen = sf.judge(attack, people, release).disclosures[0]
    assert seen.attack == "the vital attributes"
    return seen


def test_hawaii_is_hidden_and_the_verdict_says_the_worst(hawaii: Callable[[int], pl.DataFrame], figure: Figure) -> None:
    here, there = hawaii(2018), hawaii(2015)
    given = {"group": MILITARY, "influential": ["AGEP", "SEX"]}
    old = sf.GroupMask(**given, target=BEFORE).protect(here)
    before = found(MILITARY, old.table, HIDDEN)
    assert MILITARY.quantity(old.table).outliers().labels == ()
    assert before > 0.5
    # TC16's technique finds nothing in it, and the verdict says nevertheless that it is disclosed
    seen = to_the_eye(here, old, there)
    assert "306" in seen.disclosed
    assert seen.follows
    assert seen.correlation > 0.99
    release = sf.GroupMask(**given, hide="outliers").protect(here)
    now = found(MILITARY, release.table, HIDDEN)
    assert now == 0.0
    seen = to_the_eye(here, release, there)
    assert (seen.disclosed, seen.follows) == ((), False)
    figure("hidden places found, Hawaii's military (share)", now=now, baseline=len(HIDDEN) / 10, before=before)


def test_several_outliers_no_longer_hide_each_other(figure: Figure) -> None:
    counts = dict(zip("ABCDEFGHIJ", [5, 5, 5, 5, 90, 100, 110, 120, 5, 5], strict=True))
    frame = people(counts, size=200)
    before = found(ARMY, frame, tuple("EFGH"))
    assert before == 1.0
    release = mask(hide="outliers").protect(frame)
    now = found(ARMY, release.table, tuple("EFGH"))
    assert now == 0.0
    figure("hidden places found, four of ten alike (share)", now=now, baseline=0.4, before=before)
