"""The repair loop: attacks that found the hidden places no longer do."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import SettingError, UnattainableError
from sfumato.groups import AdversaryView
from sfumato.groups.mask.hardening import QUIET_VIEWS
from tests.attacks.towns import AGE, ARMY, GARRISON, HOURS, TOWNS, WAY, country

THERE, HERE = country(1), country(2)
RULES = {"group": ARMY, "variables": [AGE, HOURS, WAY], "third_party": THERE, "search": "exact"}
LEARNED = {"group": ARMY, "third_party": THERE, "attributes": ["age", "hours", "way", "sex"]}


class Onlooker:
    """Somebody who takes records for members as the test wants it."""

    def __init__(self, see, *, random=False, group=ARMY):
        self.see, self.random, self.group = see, random, group
        self.attempts = []

    def sighting(self, microfile, *, attempt, progress):
        self.attempts.append(attempt)
        return AdversaryView("somebody", self.see(microfile, attempt), 0.01, True)


def soldiers(microfile, attempt):
    return (microfile.encoded("army").values[microfile.encoded("army").codes] == 1).astype(float)


def mask(against, **kwargs):
    given = {
        "group": ARMY,
        "hide": [GARRISON],
        "identifiers": ["army"],
        "influential": ["age", "hours"],
        "seed": 0,
    } | kwargs
    return sf.GroupMask(**given, against=against)


def towns_of(release):
    return release.table["town"].to_list()


@pytest.mark.parametrize("swap", ["exact", "memetic", "greedy"])
def test_no_attack_finds_the_garrison_after_the_repair(swap):
    attacks = [sf.FuzzyRuleAttack(**RULES), sf.LearnedAttack(**LEARNED, learner="logistic")]
    assert sf.judge(attacks, HERE).places == (GARRISON,)
    release = mask(attacks, swap=swap, memetic={"generations": 200} if swap == "memetic" else {}).protect(HERE)
    assert "army" not in release.table.columns
    assert not sf.judge(attacks, HERE, release).disclosed
    # only places were exchanged, with the coast that they lie at, and each keeps its number of records
    assert release.table.drop("town", "coast").equals(HERE.drop("town", "coast", "army"))
    assert release.settings["exchanged"]["attributes"] == ["town", "coast"]
    assert sorted(towns_of(release)) == sorted(HERE["town"].to_list())
    told = release.private["groups"][0]["against"]
    assert [one["name"] for one in told["attacks"]] == ["fuzzy rules", "logistic regression"]
    assert [one["found_before"] for one in told["attacks"]] == [[GARRISON], [GARRISON]]
    assert [one["found_after"] for one in told["attacks"]] == [[], []]
    changed = sum(one != other for one, other in zip(towns_of(release), HERE["town"].to_list(), strict=True))
    assert told["changed_values"] == changed == release.private["groups"][0]["changed_records"]
    assert told["vital_released"] is False
    assert told["share_of_values"] == changed / (HERE.height * HERE.width)


def test_the_price_counts_values_of_each_attribute_that_tells_a_place():
    group = sf.Group(vital={"army": [1]}, parameter=["coast", "town"])
    attack = sf.LearnedAttack(**LEARNED | {"group": group}, learner="logistic")
    release = mask(attack, group=group, hide=[f"east/{GARRISON}"]).protect(HERE)
    told = release.private["groups"][0]
    changed = sum(int((release.table[name] != HERE[name]).sum()) for name in group.parameter)
    assert told["against"]["changed_values"] == changed
    # some stay on their coast
    assert told["changed_records"] < changed < 2 * told["changed_records"]


def test_what_is_public_does_not_tell_of_attacks():
    release = mask(sf.FuzzyRuleAttack(**RULES)).protect(HERE)
    assert "fuzzy rules" not in str(release.settings)
    assert release.settings["method"] == "exchange"
    assert "against" not in release.private["groups"][0]["mask"]


def test_who_sees_the_vital_attributes_sees_nothing_either():
    release = mask(sf.FuzzyRuleAttack(**RULES), identifiers=[]).protect(HERE)
    assert "army" in release.table.columns
    assert ARMY.quantity(release.table).outliers().labels == ()
    verdict = sf.judge(sf.FuzzyRuleAttack(**RULES), HERE, release)
    assert [one.attack for one in verdict.disclosures] == ["the vital attributes", "fuzzy rules"]
    assert not verdict.disclosed


def test_fresh_looks_must_find_nothing_several_times_in_a_row():
    def other_each_time(microfile, attempt):
        seen = soldiers(microfile, attempt)
        # a tenth of them, another at each look
        return seen * (np.arange(seen.size) % 10 == attempt % 10) if attempt < 2 else seen * 0.0

    looker = Onlooker(other_each_time, random=True)
    release = mask(looker).protect(HERE)
    assert release.private["groups"][0]["against"]["looks"] == len(looker.attempts)
    assert looker.attempts == list(range(len(looker.attempts)))
    assert len(looker.attempts) >= QUIET_VIEWS + 1


def test_who_draws_nothing_at_random_looks_once():
    looker = Onlooker(soldiers)
    mask(looker).protect(HERE)
    assert looker.attempts == [0]


def test_an_attack_that_cannot_be_stopped_is_told():
    def nearly_all(microfile, attempt):
        return (microfile.encoded("town").codes == TOWNS.index(GARRISON)).astype(float)

    # all of the garrison's records and no others: it cannot be emptied by nobody
    with pytest.raises(UnattainableError, match="against: somebody still finds 1 hidden place;") as error:
        mask(Onlooker(nearly_all), keep=["age", "hours"], influential=["sex"]).protect(
            HERE.with_columns(age=pl.int_range(pl.len()), hours=pl.int_range(pl.len()))
        )
    assert "hide fewer places" in str(error.value)


def test_masks_that_cannot_be_set_against_attacks():
    with pytest.raises(SettingError, match="give attacks, such as FuzzyRuleAttack"):
        mask("rules")
    elsewhere = sf.Group(vital={"army": [1]}, parameter="coast")
    with pytest.raises(SettingError, match="has another parameter"):
        mask(sf.FuzzyRuleAttack(**RULES | {"group": elsewhere}))
    women = sf.Group(vital={"sex": ["f"]}, parameter="town")
    with pytest.raises(SettingError, match="another group than the mask hides"):
        mask(sf.LearnedAttack(**LEARNED | {"group": women, "attributes": ["age"]})).protect(HERE)
    # the same people may be told in other words
    mask(sf.LearnedAttack(**LEARNED | {"group": sf.Group(vital="army >= 1", parameter="town")})).protect(HERE)
    with pytest.raises(SettingError, match="against needs places to hide"):
        mask(sf.FuzzyRuleAttack(**RULES), hide=None, target={GARRISON: 20})
    level = HERE.with_columns(army=(pl.int_range(pl.len()).over("town") < 5).cast(pl.Int8))
    with pytest.raises(SettingError, match="stands out nowhere"):
        mask(sf.FuzzyRuleAttack(**RULES), hide="outliers").protect(level)
