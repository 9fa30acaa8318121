"""Attack: name the highest places of a masked group, although no technique finds an outlier any more.

The masks of before moved a hidden place only as far as the rules of outliers needed, often level with the next highest
one. Whoever names the two highest places was then nearly always right.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.groups import HiddenGroupsCheck
from sfumato.release.audit import audit_files
from sfumato.release.certificate import read_private
from sfumato.release.opened_release import open_files
from tests.groups.mask.test_mask_protection import ARMY, mask, people
from tests.leaks.conftest import Figure

COLUMNS = ["PUMA", "AGEP", "SEX", "MSP", "HOUSING_TYPE", "EDU"]
GROUPS = [("HOUSING_TYPE", 2), ("HOUSING_TYPE", 3), ("EDU", "1"), ("EDU", "2"), ("EDU", "4"), ("EDU", "5")]


@pytest.fixture
def nist(real_data: Callable[[str], Path]) -> pl.DataFrame:
    path = real_data("nist_acs_excerpts/national2019.csv.gz")
    return pl.read_csv(path, infer_schema_length=None).select(COLUMNS)


def hits(values: np.ndarray, hidden: list[int], guesses: int) -> float:
    """Return how many hidden places are expected among the highest ones, of equal ones any being named."""
    cut = np.sort(values)[::-1][guesses - 1]
    above, equal = values > cut, values == cut
    return float(above[hidden].sum() + equal[hidden].sum() * (guesses - above.sum()) / equal.sum())


def masked(people: pl.DataFrame, column: str, value: object, hide: str) -> tuple[np.ndarray, list[int]]:
    """Mask a group's highest place, or all that stand out; return its counts, and the hidden places that were high."""
    group = sf.Group(vital={column: [value]}, parameter="PUMA")
    signal = group.quantity(people)
    places = [signal.labels[int(signal.values.argmax())]] if hide == "highest" else "outliers"
    release = sf.GroupMask(group=group, hide=places, influential=["AGEP", "SEX"], seed=1).protect(people)
    # who is hidden because they came to stand out was none of those that the attack is after
    wanted = places if hide == "highest" else [*signal.outliers(technique="any").labels]
    hidden = [place for place, label in enumerate(signal.labels) if label in wanted]
    high = [place for place in hidden if signal.values[place] > np.median(signal.values)]
    return group.quantity(release.table).values, high


@pytest.mark.parametrize(("hide", "before"), [("highest", 0.94), ("outliers", 0.72)])
def test_the_highest_places_are_a_guess(hide: str, before: float, nist: pl.DataFrame, figure: Figure) -> None:
    found, chance = [], []
    for column, value in GROUPS:
        after, hidden = masked(nist, column, value, hide)
        guesses = max(2, len(hidden))
        found.append(hits(after, hidden, guesses) / len(hidden))
        chance.append(guesses / after.size)
    now, baseline = float(np.mean(found)), float(np.mean(chance))
    figure(f"{hide} hidden (NIST): found among the top places", now=now, baseline=baseline, before=before)
    assert before > 3 * baseline
    assert now <= 1.25 * baseline


def test_an_audit_names_a_hidden_place_that_is_the_highest_again(tmp_path: Path, figure: Figure) -> None:
    """The counts have no outlier, so that techniques find nothing; whoever names the highest place is right."""
    record = mask().protect(people()).private["groups"][0]
    assert record["hidden"] == ["C"]
    forged = people({"A": 4, "B": 18, "C": 20, "D": 5, "E": 3, "F": 15})
    assert not ARMY.quantity(forged).outliers(technique="any").labels
    found = {}
    for name, table in (("honest", mask().protect(people()).table), ("forged", forged)):
        release = sf.Release(table, promise=sf.Promise(quasi=(), k=1), private={"groups": [record]})
        folder = release.write(tmp_path / name)
        opened = open_files(folder)
        found[name] = audit_files(
            opened, checks=[HiddenGroupsCheck(read_private(tmp_path / f"{name}.private", opened.certificate))]
        )
    what = "a hidden place that is the highest again: passes audit --private"
    figure(what, now=found["forged"].holds, baseline=0, before=1)
    assert found["honest"].holds
    assert [finding.message for finding in found["forged"].findings] == [
        "groups[0]: ranks reveal C, which the mask should hide: again among the highest or lowest places"
    ]
