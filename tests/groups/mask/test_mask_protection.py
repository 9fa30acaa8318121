"""Masks: what stays, what is reached, what is told, and what is refused."""

from __future__ import annotations

import json
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import SettingError, UnattainableError

ARMY = sf.Group(vital={"work": ["army"]}, parameter="area")
COUNTS = {"A": 4, "B": 6, "C": 40, "D": 5, "E": 3, "F": 7}

LEVEL = {"wavelet": {"level": 1}}
"""So few places cannot be halved more often."""


def people(counts: dict[str, int] = COUNTS, *, size: int = 80, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [
        (area, "army" if number < members else "shop") for area, members in counts.items() for number in range(size)
    ]
    order = rng.permutation(len(rows))
    return pl.DataFrame(
        {
            "id": np.arange(len(rows)),
            "area": [rows[place][0] for place in order],
            "work": [rows[place][1] for place in order],
            "age": rng.integers(16, 80, len(rows)),
            "sex": rng.choice(["m", "f"], len(rows)),
            "hours": pl.Series(rng.integers(0, 60, len(rows))).set(pl.Series(rng.random(len(rows)) < 0.1), None),
            "weight": rng.gamma(20.0, 1.0, len(rows)),
        }
    )


def mask(**given: object) -> sf.GroupMask:
    return sf.GroupMask(**({"group": ARMY, "hide": ["C"], "influential": ["age", "sex", "hours"], "seed": 0} | given))


@pytest.mark.parametrize("swap", ["exact", "greedy"])
@pytest.mark.parametrize("reshape", ["least", "wavelet", "moments", "decoy"])
def test_every_way_hides_the_place_and_keeps_the_rest(reshape: str, swap: str) -> None:
    frame = people()
    release = mask(reshape=reshape, swap=swap, **LEVEL.get(reshape, {})).protect(frame)
    after = release.table
    assert "C" not in ARMY.quantity(after).outliers().labels
    assert ARMY.quantity(after).as_dict() == release.private["after"]
    assert sum(release.private["after"].values()) == sum(COUNTS.values())
    # only places are exchanged: all else stands where it stood
    assert after.drop("area").equals(frame.drop("area"))
    assert after["area"].value_counts().sort("area").equals(frame["area"].value_counts().sort("area"))
    changed = (after["area"] != frame["area"]).sum()
    assert changed == release.private["groups"][0]["changed_records"] == 2 * len(release.private["swaps"])


def test_memetic_search_hides_the_place() -> None:
    release = mask(swap="memetic", memetic={"generations": 60}).protect(people())
    assert "C" not in ARMY.quantity(release.table).outliers().labels
    exact = mask(target=release.private["after"], hide=None).protect(people())
    assert exact.private["cost"] <= release.private["cost"] + 1e-9


def test_the_least_mask_moves_few_more_than_others() -> None:
    moved = {
        how: mask(reshape=how, **LEVEL.get(how, {})).protect(people()).private["groups"][0]["moved"]
        for how in ("least", "wavelet", "moments", "decoy")
    }
    # where the hidden place lands is drawn, which may take some more
    assert moved["least"] <= 1.25 * min(moved.values())


def test_a_target_is_reached_and_the_rest_balances() -> None:
    release = mask(hide=None, target={"C": 10, "A": 20}).protect(people())
    after = release.private["after"]
    assert (after["C"], after["A"], sum(after.values())) == (10, 20, 65)
    exact = mask(hide=None, target={**COUNTS, "C": 30, "A": 14}).protect(people()).private
    assert exact["after"] == {**COUNTS, "C": 30, "A": 14}
    assert exact["groups"][0]["moved"] == 10


def test_known_places_stay() -> None:
    counts = {**COUNTS, "G": 60, "H": 5}
    release = mask(hide="outliers", known=["G"]).protect(people(counts))
    assert release.private["after"]["G"] == 60
    assert release.private["groups"][0]["hidden"] == ["C"]
    assert ARMY.quantity(release.table).outliers().labels == ("G",)


def test_nothing_to_hide_changes_nothing() -> None:
    frame = people(dict.fromkeys("ABCDEF", 6))
    release = mask(hide="outliers").protect(frame)
    assert release.table.equals(frame)
    assert release.private["cost"] == 0


@pytest.mark.parametrize("signal", ["concentration", "difference"])
def test_shares_are_masked_in_their_own_domain(signal: str) -> None:
    frame = people()
    more = {"universe": {"age": {"least": 18, "most": 70}}, "signal": signal}
    if signal == "difference":
        more["other"] = {"sex": ["f"], "work": ["shop"]}
    release = mask(**more).protect(frame)
    record = release.private["groups"][0]
    if signal == "concentration":
        before, after = (ARMY.concentration(its, universe=more["universe"]) for its in (frame, release.table))
    else:
        before, after = (
            ARMY.difference(its, universe=more["universe"], other=more["other"]) for its in (frame, release.table)
        )
    assert "C" in before.outliers().labels
    assert "C" not in after.outliers().labels
    assert record["signal"]["after"] == after.as_dict()


def test_attributes_that_must_not_change_do_not() -> None:
    frame = people()
    after = mask(keep=["sex"]).protect(frame).table
    table = [its.group_by("area", "sex").len().sort("area", "sex") for its in (frame, after)]
    assert table[0].equals(table[1])


def test_identifiers_leave_and_frames_stay_of_their_kind() -> None:
    frame = people().to_pandas()
    frame.index = frame.index[::-1]
    release = mask(identifiers=["id"]).protect(frame)
    assert isinstance(release.table, pd.DataFrame)
    assert "id" not in release.table.columns
    assert release.table["age"].tolist() == frame["age"].tolist()
    assert release.private["swaps"] == mask().protect(people()).private["swaps"]


def test_what_the_release_says_gives_nothing_away(tmp_path) -> None:
    release = mask().protect(people())
    release.write(tmp_path / "out", seed=1)
    public = "".join(file.read_text() for file in (tmp_path / "out").iterdir() if file.suffix == ".json")
    assert release.settings["exchanged"] == {"attributes": ["area"]}
    assert "army" not in public
    assert "vital" not in public
    assert "hidden" not in public
    private = next((tmp_path / "out.private").iterdir()).read_text()
    assert "army" in private


def test_statistics_that_an_exchange_changes_are_not_told() -> None:
    frame = people().with_columns(area=pl.col("area").replace_strict({name: i for i, name in enumerate("ABCDEF")}))
    group = sf.Group(vital={"work": ["army"]}, parameter="area")
    release = mask(group=group, hide=["2"]).protect(frame)
    assert release.estimate("mean(area)").value == pytest.approx(frame["area"].mean())
    assert release.estimate("corr(age, weight)").guaranteed
    for statistic in ("corr(area, age)", "regress(age ~ area)"):
        with pytest.raises(SettingError, match="'area' may have been swapped"):
            release.estimate(statistic)
    with pytest.raises(SettingError, match="'area' may have been swapped"):
        release.estimate("mean(area)", weight="weight")


def weighted_people(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    frame = people({**COUNTS, "G": 9, "H": 2, "I": 5, "J": 8}, seed=seed)
    return frame.with_columns(weight=pl.Series(rng.gamma(2.0, 10.0, frame.height)))


@pytest.mark.parametrize("signal", ["quantity", "concentration"])
@pytest.mark.parametrize("seed", range(4))
def test_weights_do_not_show_a_hidden_place(seed: int, signal: str) -> None:
    frame, how = weighted_people(seed), {"influential": ["sex"], "signal": signal}
    release = mask(weight="weight", **how).protect(frame)
    record = release.private["groups"][0]
    assert record["weighted"]["before"]["C"] > record["weighted"]["after"]["C"]
    assert "C" in record["weighted"]["outliers"]["before"]
    for weight in (None, "weight"):
        assert "C" not in getattr(ARMY, signal)(release.table, weight=weight).outliers().labels
    # who does not count with weights moves fewer people
    assert mask(**how).protect(frame).private["groups"][0]["moved"] <= record["moved"]


def test_weights_that_show_a_place_in_any_case_are_refused_unless_they_stay_secret() -> None:
    giant = (pl.col("area") == "C") & (pl.col("work") == "army") & (pl.col("age") == 30)
    frame = weighted_people(0).with_columns(weight=pl.when(giant).then(1e6).otherwise("weight"))
    assert frame.filter(giant).height > 0
    how = mask(weight="weight", spare=["age == 30"])
    with pytest.raises(UnattainableError, match="counted with the weights 'weight', the group still stands out at C"):
        how.protect(frame)
    secret = how.model_copy(update={"identifiers": ("weight",)}).protect(frame)
    assert "weight" not in secret.table.columns
    assert "C" in secret.private["groups"][0]["weighted"]["outliers"]["after"]


@pytest.mark.parametrize("swap", ["exact", "memetic"])
def test_outliers_leave_none_behind(swap: str) -> None:
    counts = dict(zip("ABCDEFGHIJK", [6, 1, 5, 9, 5, 3, 7, 8, 2, 4, 43], strict=True))
    named = mask(hide=["K"], reshape="wavelet", level=1).protect(people(counts)).private["groups"][0]
    # others take over what K has lost
    assert named["outliers"]["after"]
    assert "K" not in named["outliers"]["after"]
    record = mask(hide="outliers", reshape="wavelet", level=1, swap=swap).protect(people(counts)).private["groups"][0]
    assert record["outliers"] == {"before": ["K"], "after": []}
    assert {"K"} < set(record["hidden"])


def test_where_not_all_can_be_hidden_those_that_stood_out_are() -> None:
    counts = dict(zip("ABCDEFG", [0, 0, 21, 1, 0, 1, 1], strict=True))
    record = mask(hide="outliers", reshape="wavelet", level=1).protect(people(counts)).private["groups"][0]
    assert record["hidden"] == record["outliers"]["before"] == ["C"]
    # others have come to stand out, which is told
    assert record["outliers"]["after"]
    assert "C" not in record["outliers"]["after"]
    for how in ({"reshape": "moments"}, {"reshape": "least"}, {"reshape": "wavelet", "level": 1, "hide": ["C"]}):
        record = mask(**({"hide": "outliers"} | how)).protect(people(counts)).private["groups"][0]
        assert "C" in record["hidden"]
        assert not {*record["hidden"]} & {*record["outliers"]["after"]}


def test_what_is_told_of_spared_people_is_true() -> None:
    frame = people()
    men = frame.filter((pl.col("area") == "C") & (pl.col("work") == "army") & (pl.col("sex") == "m")).height
    with pytest.raises(UnattainableError) as refused:
        mask(hide=None, target={"C": 2}, spare=["sex == 'f'"]).protect(frame)
    assert refused.value.message == f"place C must give 38 vital records, but {men} may leave it: {38 - men} short"
    women = frame.filter((pl.col("area") == "A") & (pl.col("work") == "shop") & (pl.col("sex") == "f")).height
    with pytest.raises(UnattainableError) as refused:
        mask(hide=None, target={"A": 60}, spare=["sex == 'm'"]).protect(frame)
    assert f"'A' can have at most {women + 4} members, because no more of its records can be" in refused.value.message


def test_errors_name_only_places_that_the_steward_has_named() -> None:
    with pytest.raises(UnattainableError, match=r"^'C' cannot be hidden"):
        mask(spare=["age > 20"]).protect(people())
    with pytest.raises(UnattainableError, match=r"^1 hidden place cannot be hidden"):
        mask(spare=["age > 20"], hide="outliers").protect(people())
    rest = {"A": 4, "B": 6, "D": 24, "E": 3, "F": 26}
    with pytest.raises(UnattainableError, match=r"^a place must give 38 vital records"):
        mask(hide=None, target=rest, spare=["sex == 'f'"]).protect(people())


def test_places_without_a_universe_are_counted() -> None:
    with pytest.raises(SettingError, match="universe: 1 place has nobody of it, so no share can be computed"):
        mask(signal="concentration", universe="area != 'SECRET'").protect(people(COUNTS | {"SECRET": 0}))


@pytest.mark.parametrize("swap", ["exact", "greedy", "memetic"])
@pytest.mark.parametrize(
    ("spared", "message"),
    [
        ("work == 'army'", "spare: all members belong to groups that stay"),
        ("work == 'shop'", "spare: all other people belong to groups that stay"),
    ],
)
def test_sparing_everybody_is_refused(spared: str, message: str, swap: str) -> None:
    with pytest.raises(UnattainableError, match=message):
        mask(spare=[spared], swap=swap).protect(people())
    # where nothing is to be hidden, nobody has to move
    even = people(dict.fromkeys(COUNTS, 6))
    assert mask(hide="outliers", spare=[spared], swap=swap).protect(even).private["cost"] == 0


def test_a_memetic_search_leaves_spared_people_where_they_are() -> None:
    frame = people()
    in_c = "area == 'C' and work == 'army'"
    with pytest.raises(UnattainableError, match="hide: nobody may leave the places that need fewer members"):
        mask(swap="memetic", memetic={"generations": 5}, spare=[in_c]).protect(frame)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=5, max_size=9), st.integers(0, 2**31 - 1))
def test_masks_keep_what_they_must(counts: list[int], seed: int) -> None:
    named = {chr(ord("A") + place): count for place, count in enumerate(counts)} | {"Z": 30}
    frame = people(named, size=45, seed=seed)
    try:
        release = mask(hide=["Z"]).protect(frame)
    except UnattainableError:
        return
    after = release.table
    assert "Z" not in ARMY.quantity(after).outliers().labels
    assert after.drop("area").equals(frame.drop("area"))
    assert ARMY.quantity(after).values.sum() == ARMY.quantity(frame).values.sum()
    assert after["area"].sort().equals(frame["area"].sort())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"group": sf.Group(vital={"work": ["navy"]}, parameter="area")}, "nobody with a place belongs"),
        ({"group": sf.Group(vital="age > 0", parameter="area")}, "everybody with a place belongs"),
        ({"group": sf.Group(vital="age > 30", parameter="work")}, "unknown place 'C'"),
        ({"hide": ["X"]}, "hide: unknown place 'X'"),
        ({"hide": []}, "hide names no place"),
        ({"known": ["C"]}, "'C' cannot be both changed and known"),
        ({"hide": None}, "either the places to hide or a target"),
        ({"target": {"C": 3}}, "either the places to hide or a target"),
        ({"hide": None, "target": {"C": 3.5}}, "target"),
        ({"hide": None, "target": {"C": -3}}, "setting 'target.C'"),
        ({"hide": None, "target": {"C": 10**30}}, "setting 'target.C'"),
        ({"hide": list(COUNTS)}, "no place is left to which members could go"),
        ({"signal": "concentration", "universe": {"sex": ["x"]}}, "universe: nobody belongs to it"),
        ({"signal": "difference", "other": {"work": ["navy"]}}, "other: nobody belongs to it"),
        ({"hide": None, "target": {"Q": 3}}, "target: unknown place 'Q'"),
        ({"hide": None, "target": {"C": 81}}, "target: 'C' can have at most 80 members"),
        ({"hide": None, "target": {"C": 70}}, "the places that it leaves open have 5 members too few"),
        (
            {"hide": None, "target": dict.fromkeys(COUNTS, 5)},
            "all places together get 30 members, but the group has 65",
        ),
        ({"influential": ["area"]}, "'area' is the parameter"),
        ({"influential": ["agee"]}, "influential: unknown column 'agee'"),
        ({"keep": ["area"]}, "'area' is the parameter"),
        ({"along": ["area"]}, "'area' is the parameter"),
        ({"along": ["aera"]}, "along: unknown column 'aera'"),
        ({"along": ["work"]}, "along: 'work' defines who is meant by vital"),
        ({"along": ["age"]}, "along: 'age' moves with the place, so it has no effect in influential"),
        ({"along": ["weight"], "weight": "weight"}, "along: weights and identifiers cannot move with the place"),
        ({"reshape": "wavelet", "level": 9}, "level"),
        ({"reshape": "wavelet", "wavelet": "dbx"}, "wavelet"),
        ({"signal": "difference"}, "other and signal = 'difference' need each other"),
        ({"universe": "age > 3"}, "universe has no meaning"),
        ({"restrictions": {"C": {"shape": "z", "corners": [1, 2]}}}, "restrictions: this has no effect unless swap"),
        ({"memetic": {"generations": 5}}, "memetic: this has no effect unless swap = 'memetic'"),
        ({"swap": "memetic", "memetic": {"selection": "roulette", "tournament": 3}}, "tournament"),
        ({"wavelet": "nonsense"}, "'nonsense' is not a discrete wavelet"),
        ({"wavelet": "db2"}, "wavelet: this has no effect unless reshape = 'wavelet'"),
        ({"level": 2, "reshape": "decoy"}, "level: this has no effect unless reshape = 'wavelet'"),
        ({"hide": None, "target": {"C": 9}, "reshape": "decoy"}, "reshape: this has no effect beside a target"),
        ({"hide": None, "target": {"3": 9, 3: 8}}, "a place is named twice"),
        ({"weight": "area"}, "weight: this is the parameter"),
        ({"keep": ["sex", "work"]}, "keep: members differ from everybody else in 'work'"),
        ({"universe": "age = 3", "signal": "concentration"}, "universe: 'age = 3' is not a condition"),
        ({"spare": ["age + 3"]}, "spare: unsupported expression in condition 'age + 3'"),
        ({"hide": None, "target": {"C": 9}, "swap": "memetic"}, "cannot attain a target"),
        ({"decoys": ["A"]}, "decoys: this has no effect unless reshape = 'decoy'"),
        ({"identifiers": ["area"]}, "is the parameter, which is released"),
    ],
)
def test_wrong_masks_are_refused(given: dict, message: str) -> None:
    with pytest.raises((SettingError, UnattainableError)) as refused:
        mask(**given).protect(people())
    assert message in refused.value.message


def test_too_few_places_are_refused() -> None:
    with pytest.raises(SettingError, match="only one place"):
        mask(hide=["A"]).protect(people({"A": 5}))
    with pytest.raises(SettingError, match="parameter: there are 2 places, and hiding needs 3 or more"):
        mask(hide=["A"]).protect(people({"A": 5, "B": 30}))


def test_places_can_be_numbers() -> None:
    numbers = {name: 100 * number for number, name in enumerate(COUNTS, start=1)}
    frame = people().with_columns(pl.col("area").replace_strict(numbers))
    hidden = mask(hide=300, known=[100], reshape="decoy", decoys=[200]).protect(frame).private["groups"][0]
    assert (hidden["hidden"], hidden["known"]) == (["300"], ["100"])
    assert "200" in hidden["outliers"]["after"]
    assert mask(hide=None, target={300: 30, 400.0: 15}).protect(frame).private["after"]["400"] == 15
    few = {"shape": "z", "corners": [8, 20]}
    search = mask(hide=[300], swap="memetic", memetic={"generations": 30}, restrictions={300: few})
    assert search.protect(frame).private["groups"][0]["hidden"] == ["300"]


def test_a_kept_attribute_may_be_one_of_several_vital_ones() -> None:
    young = sf.Group(vital={"work": ["army"], "age": {"most": 30}}, parameter="area")
    # C is full of young people
    frame = people(dict.fromkeys(COUNTS, 60)).with_columns(
        age=pl.when(pl.col("area") == "C").then(pl.col("age") // 3).otherwise("age")
    )
    after = mask(group=young, keep=["work"], influential=["sex"]).protect(frame).table
    table = [its.group_by("area", "work").len().sort("area", "work") for its in (frame, after)]
    assert table[0].equals(table[1])


def test_a_mask_by_dates_can_be_read_from_its_record() -> None:
    frame = people().with_columns(born=pl.lit(date(2024, 1, 1)).dt.offset_by(pl.format("-{}y", "age")))
    born = {"born": {"least": date(1980, 1, 1), "most": date(2000, 1, 1)}, "work": ["army"]}
    record = mask(group=sf.Group(vital=born, parameter="area")).protect(frame).private["groups"][0]
    again = sf.GroupMask(**json.loads(json.dumps(record["mask"])))
    assert again.group.quantity(frame).as_dict() == record["before"]
