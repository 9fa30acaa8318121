"""Attack: pick out the exchanged records of a group mask by columns that go with the place, and put them back.

The intruder has the release alone. Whoever shares their place with few of those that have the same value, or their
value with few of those at the same place, was probably exchanged; the place where that value is usual is probably
theirs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import SettingError
from tests.leaks.conftest import Figure

RARE = 0.1
"""Up to this share a combination is suspicious."""


def suspects(table: pl.DataFrame, columns: list[str], place: str) -> np.ndarray:
    """Say which records look exchanged: fewer than one in ten of the others with their values share their place."""
    counted = table.with_columns(
        both=pl.len().over([*columns, place]) - 1.0,
        value=pl.len().over(columns) - 1.0,
        there=pl.len().over(place) - 1.0,
    )
    of_value = np.where(counted["value"] > 0, counted["both"] / counted["value"], 1.0)
    of_place = np.where(counted["there"] > 0, counted["both"] / counted["there"], 1.0)
    # where the place has one usual value, a rare one is suspicious; where a value has one usual place, another place is
    usual = counted.group_by(place).agg(pl.col("both").max() / pl.len())["both"].min()
    found: np.ndarray = (of_value <= RARE) | ((of_place <= RARE) & (usual > 0.5))
    return found


def put_back(table: pl.DataFrame, columns: list[str], place: str) -> pl.DataFrame:
    """Give each record the place that is usual for its values."""
    usual = table.group_by([*columns, place]).len().sort("len", place, descending=True).unique(columns, keep="first")
    return table.drop(place).join(usual.drop("len"), on=columns, how="left", maintain_order="left")


def found_and_right(before: pl.DataFrame, after: pl.DataFrame, columns: list[str], place: str) -> tuple[float, float]:
    """Return the share of the exchanged records that are found, and of the suspects that were exchanged."""
    moved = (before[place] != after[place]).to_numpy()
    suspected = suspects(after, columns, place)
    return float(suspected[moved].mean()), float(moved[suspected].mean()) if suspected.any() else 0.0


def unguarded(mask: sf.GroupMask, people: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    """Return what the mask makes of a file if columns beside the place stay as they are and nothing is refused."""
    without = mask.model_copy(update={"identifiers": tuple(columns)}).protect(people)
    return without.table.with_columns(people[columns])


@pytest.fixture
def nist(real_data: Callable[[str], object]) -> pl.DataFrame:
    return pl.read_csv(real_data("nist_acs_excerpts/national2019.csv.gz"), infer_schema_length=None)


QUARTERS = sf.Group(vital={"HOUSING_TYPE": [3]}, parameter="PUMA")


def test_density_no_longer_gives_swaps_away(nist: pl.DataFrame, figure: Figure) -> None:
    signal = QUARTERS.quantity(nist)
    top = signal.labels[int(signal.values.argmax())]
    mask = sf.GroupMask(group=QUARTERS, hide=[top], influential=["AGEP", "SEX"])
    # the attack works on what was released before: all swaps found, no false alarm, the hidden place's count restored
    bare = unguarded(mask, nist, ["DENSITY"])
    assert found_and_right(nist, bare, ["DENSITY"], "PUMA") == (1.0, 1.0)
    assert QUARTERS.quantity(put_back(bare, ["DENSITY"], "PUMA")) == signal
    release = mask.protect(nist)
    assert release.settings["exchanged"]["attributes"] == ["PUMA", "DENSITY"]
    moved = (nist["PUMA"] != release.table["PUMA"]).to_numpy()
    found, _ = found_and_right(nist, release.table, ["DENSITY"], "PUMA")
    restored = QUARTERS.quantity(put_back(release.table, ["DENSITY"], "PUMA"))
    assert found == 0.0
    assert restored == QUARTERS.quantity(release.table) != signal
    figure("mask beside DENSITY (NIST): exchanged records found", now=found, baseline=moved.mean(), before=1.0)
    # whoever insists that density stays is refused, with what it would show
    with pytest.raises(SettingError, match=r"'DENSITY' would show who was swapped: 100% of the swapped records"):
        mask.model_copy(update={"along": ()}).protect(nist)


ARMY = sf.Group(vital={"work": ["army"]}, parameter="area")


def made(*, size: int = 400) -> pl.DataFrame:
    """Make 16 areas in four regions, and two codes of which neither alone says anything of the area."""
    rng = np.random.default_rng(5)
    members = [9, 12, 7, 10, 8, 90, 11, 13, 6, 9, 14, 10, 12, 8, 11, 7]
    area = np.repeat(np.arange(16), size)
    number = np.tile(np.arange(size), 16)
    code = rng.integers(0, 16, area.size)
    return pl.DataFrame(
        {
            "area": [f"a{place:02}" for place in area],
            "work": np.where(number < np.array(members)[area], "army", "other"),
            "age": rng.integers(18, 66, area.size),
            # one record in a hundred says another region than that of its area
            "region": np.where(rng.random(area.size) < 0.01, rng.integers(0, 4, area.size), area // 4),
            "bureau": code,
            "desk": (area - code) % 16,
        }
    )


@pytest.mark.parametrize(
    ("columns", "others"), [(["region"], ["bureau", "desk"]), (["bureau", "desk"], ["region"])], ids=["region", "pair"]
)
def test_columns_that_nearly_tell_the_place_are_refused(columns: list[str], others: list[str], figure: Figure) -> None:
    people = made().drop(others)
    mask = sf.GroupMask(group=ARMY, hide=["a05"], influential=["age"])
    bare = unguarded(mask, people, columns)
    found, right = found_and_right(people, bare, columns, "area")
    moved = float((people["area"] != bare["area"]).mean())
    assert found > 0.5
    assert right > 10 * moved
    # which of two comes first depends on who is exchanged
    either = "|".join(" and ".join(map(repr, names)) for names in (columns, columns[::-1]))
    with pytest.raises(SettingError, match=f"({either}) would show who was swapped"):
        mask.protect(people)
    # withheld, or moved along, they show nothing
    hidden = mask.model_copy(update={"identifiers": tuple(columns)}).protect(people)
    assert not set(columns) & set(hidden.table.columns)
    release = mask.model_copy(update={"along": tuple(columns)}).protect(people)
    now, _ = found_and_right(people, release.table, columns, "area")
    assert now <= 0.05
    figure(f"mask beside {' and '.join(columns)}: exchanged records found", now=now, baseline=moved, before=found)
    if columns == ["bureau", "desk"]:
        assert ARMY.quantity(put_back(bare, columns, "area")).values[5] == 90
        assert ARMY.quantity(put_back(release.table, columns, "area")).values[5] < 90


def test_unrelated_columns_are_released() -> None:
    people = made().select("area", "work", "age").with_columns(shoe=pl.col("age") % 7)
    release = sf.GroupMask(group=ARMY, hide=["a05"], influential=["age"]).protect(people)
    assert release.table.columns == people.columns
    assert release.settings["exchanged"]["attributes"] == ["area"]
