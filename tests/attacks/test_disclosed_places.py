"""Attacks on a file and on its releases: what they find, and what they refuse."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.attacks.attack_caveats import distinct_comparisons
from sfumato.attacks.disclosed_places import Verdict, judge
from sfumato.attacks.reconstruction import reconstructed
from sfumato.errors import MicrofileError, SettingError
from sfumato.microfile.microfile import Microfile
from tests.attacks.towns import AGE, ARMY, GARRISON, HOURS, TOWNS, WAY, country

THERE, HERE = country(1), country(2)
RULES = {"group": ARMY, "variables": [AGE, HOURS, WAY], "third_party": THERE, "search": "exact"}


@pytest.fixture(scope="module")
def attacks():
    learned = {"group": ARMY, "third_party": THERE, "attributes": ["age", "hours", "way", "sex"]}
    return [
        sf.FuzzyRuleAttack(**RULES),
        sf.FuzzyRuleAttack(**RULES | {"search": "evolution", "evolution": {"runs": 2, "generations": 20}}),
        sf.LearnedAttack(**learned),
        sf.LearnedAttack(**learned, learner="logistic"),
    ]


def test_all_attacks_find_the_garrison_without_the_vital_attribute(attacks):
    verdict = judge(attacks, HERE)
    assert [disclosure.attack for disclosure in verdict.disclosures] == [
        "fuzzy rules",
        "fuzzy rules",
        "gradient boosting",
        "logistic regression",
    ]
    for disclosure in verdict.disclosures:
        assert disclosure.disclosed == (GARRISON,)
        assert disclosure.labels[int(np.argmax(disclosure.auxiliary.values))] == GARRISON
        assert disclosure.true == ARMY.quantity(HERE)
    assert verdict.disclosed
    assert verdict.places == (GARRISON,)


def test_attacks_do_not_use_the_vital_attribute(attacks):
    blind = HERE.with_columns(army=pl.col("army").shuffle(seed=1))
    for disclosure, group in zip(judge(attacks, HERE).disclosures, judge(attacks, blind).disclosures, strict=True):
        assert disclosure.auxiliary == group.auxiliary
        assert disclosure.true != group.true


def test_rules_are_written_in_words(attacks):
    model = attacks[0].evolve()
    assert model.rules[0].words == "if age is young and hours is long then the group"
    assert model.signal(HERE.drop("army")).outliers() == (GARRISON,)
    assert GARRISON not in model.signal(HERE, region="coast").outliers(known=[GARRISON])


def test_memberships_are_those_of_the_classifier(attacks):
    model = attacks[3].learn()
    chances = model.memberships(HERE)
    assert ((chances == 0) | (chances >= model.cut)).all()
    truth = HERE["army"].to_numpy() == 1
    assert chances[truth].mean() > 5 * chances[~truth].mean()
    # odds of 3 to 4, unless as many are to be found as there are members
    assert model.cut <= 0.75 / 1.75


def test_known_places_disclose_nothing(attacks):
    attack = sf.FuzzyRuleAttack(**RULES, known=[GARRISON])
    (disclosure,) = judge(attack, HERE).disclosures
    assert (disclosure.disclosed, disclosure.standing_out, disclosure.adequacy.places) == ((), (), len(TOWNS) - 1)
    with pytest.raises(SettingError, match="known: unknown place 'x'"):
        judge(sf.FuzzyRuleAttack(**RULES, known=["x"]), HERE)


def test_regions_are_judged_separately():
    (disclosure,) = judge(sf.FuzzyRuleAttack(**RULES, region="coast"), HERE).disclosures
    assert set(disclosure.regions) == {"east", "west"}
    assert GARRISON in disclosure.disclosed
    assert disclosure.summary()["signals"][0]["region"] == "east"


def test_counting_members_is_an_attack_on_a_release_with_the_vital_attributes(attacks):
    verdict = judge(attacks[:1], HERE, HERE)
    assert [disclosure.attack for disclosure in verdict.disclosures] == ["the vital attributes", "fuzzy rules"]
    assert verdict.disclosures[0].disclosed == (GARRISON,)
    assert [disclosure.attack for disclosure in judge(attacks[:1], HERE, HERE.drop("army")).disclosures] == [
        "fuzzy rules"
    ]


def test_attributes_missing_in_a_release_are_not_used(attacks):
    complete = judge(attacks[:1], HERE, HERE.drop("army")).disclosures[0]
    lacking = judge(attacks[:1], HERE, HERE.drop("army", "hours")).disclosures[0]
    without = [rule.genes for rule in lacking.model.rules if "hours" not in rule.words]
    # only rules that do not ask for it still hold
    assert len(without) < len(lacking.model.rules)
    assert 0 < lacking.auxiliary.values.sum() < complete.auxiliary.values.sum()


def test_boxes_are_attacked_by_their_midpoints(attacks):
    people = HERE.drop("army")
    release = sf.Boxes(quasi=["age", "hours", "way"], k=5, seed=0).protect(people)
    reconstruction = reconstructed(release)
    assert {"age", "hours", "way", "town"} <= set(reconstruction.names)
    low, high = release.table["age.lo"].to_numpy(), release.table["age.hi"].to_numpy()
    assert reconstruction.numbers("age").tolist() == ((low + high) / 2).tolist()
    assert judge(attacks[3], HERE, release).disclosures[0].correlation > 0.5


@pytest.mark.parametrize("shown", ["words", "grades"])
def test_fuzzy_sets_are_attacked_by_the_values_behind_them(attacks, shown):
    fuzzy = sf.FuzzyPartition(quasi=["age", "hours"], sets=4, k=5, shown=shown, seed=0)
    release = fuzzy.protect(HERE.drop("army"))
    reconstruction = reconstructed(release)
    off = np.abs(reconstruction.numbers("age") - HERE["age"].to_numpy())
    assert np.nanmedian(off) < 20
    assert judge(attacks[3], HERE, release).disclosures[0].correlation > 0


def test_records_removed_by_harmonising_are_ignored():
    steps = [{"keep": {"age": {"least": 22}}}, {"map": "way", "to": {"walk": "on foot"}, "others": {"become": "ride"}}]
    third_party = sf.harmonise(THERE, steps).microfile
    way = {"attribute": "way", "values": {"walking": "on foot", "riding": "ride"}}
    attack = sf.FuzzyRuleAttack(**RULES | {"variables": [AGE, HOURS, way], "third_party": third_party}, harmonise=steps)
    sighting = attack.sighting(Microfile(HERE))
    assert sighting.memberships.size == HERE.height
    assert not sighting.claimed[HERE["age"].to_numpy() < 22].any()
    assert sighting.claimed.any()


def test_a_filter_on_a_withheld_attribute_is_refused():
    steps = [{"keep": "hours > 20"}]
    third_party = sf.harmonise(THERE, steps).microfile
    attack = sf.FuzzyRuleAttack(**RULES | {"variables": [AGE, WAY], "third_party": third_party}, harmonise=steps)
    with pytest.raises(
        SettingError, match=r"harmonise\[0\]: keep: 'hours' has no value .*\nHint: leave the step out, or release"
    ):
        judge(attack, HERE, HERE.drop("hours"))


def test_different_groups_are_not_judged_together():
    rules = sf.FuzzyRuleAttack(**RULES)
    same = sf.Group(vital="army == 1", parameter="town")
    assert judge([rules, sf.FuzzyRuleAttack(**RULES | {"group": same})], HERE).places == (GARRISON,)
    for group in (sf.Group(vital={"sex": ["m"]}, parameter="town"), sf.Group(vital={"army": [1]}, parameter="coast")):
        with pytest.raises(SettingError, match="attacks: they look for different groups"):
            judge([rules, sf.FuzzyRuleAttack(**RULES | {"group": group})], HERE)


def test_files_are_compared_once_per_distinct_comparison(attacks):
    assert distinct_comparisons(attacks) == [attacks[0], attacks[2]]
    assert distinct_comparisons([attacks[0], attacks[0].model_copy(update={"third_party": country(3)})])[1:]
    assert distinct_comparisons([attacks[0].model_copy(update={"third_party": None})]) == []


def test_vital_values_may_be_coded_differently_in_the_third_party_file():
    third_party = THERE.with_columns(
        army=pl.when(pl.col("army") == 1).then(pl.lit("soldier")).otherwise(pl.lit("none"))
    )
    attack = sf.FuzzyRuleAttack(**RULES | {"third_party": third_party})
    with pytest.raises(SettingError, match="third-party file has no vital records"):
        attack.learn()
    attack = sf.FuzzyRuleAttack(**RULES | {"third_party": third_party}, third_party_vital={"army": ["soldier"]})
    assert judge(attack, HERE).places == (GARRISON,)


def test_variables_are_derived_from_the_third_party_file_by_default():
    attack = sf.FuzzyRuleAttack(group=ARMY, third_party=THERE, search="exact", attributes=["age", "hours", "way"])
    assert judge(attack, HERE).places == (GARRISON,)
    every = sf.FuzzyRuleAttack(group=ARMY, third_party=THERE.with_columns(same=pl.lit(1), town=pl.lit("x")))
    names = [variable.attribute for variable in every.evolve().variables]
    assert names == ["coast", "age", "hours", "way", "sex"]


def test_rules_about_too_few_members_are_not_used():
    strict = sf.FuzzyRuleAttack(**RULES, min_members=10_000)
    assert strict.evolve().rules == ()
    assert not judge(strict, HERE).disclosed


def test_the_same_people_are_warned_about(attacks):
    with pytest.warns(UserWarning, match="contains the same people as the attacked file"):
        judge(sf.FuzzyRuleAttack(**RULES | {"third_party": HERE}), HERE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judge(attacks[0], HERE)


def test_the_worst_attack_is_the_verdict(attacks):
    verdict = judge(attacks, HERE)
    only = [
        disclosure for disclosure in verdict.disclosures if len(disclosure.disclosed) == len(verdict.worst.disclosed)
    ]
    assert verdict.worst.adequacy.youden == max(disclosure.adequacy.youden for disclosure in only)
    assert not Verdict(tuple(judge(sf.FuzzyRuleAttack(**RULES, min_members=1e6), HERE).disclosures)).disclosed


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 0}, "alpha"),
        ({"alpha": 1.5}, "alpha"),
        ({"min_support": 2}, "min_support"),
        ({"min_confidence_ratio": -1}, "min_confidence_ratio"),
        ({"search": "all"}, "search"),
        ({"variables": [AGE, AGE]}, "an attribute has two variables"),
        ({"variables": [AGE | {"attribute": "town"}]}, "'town' is vital or the parameter"),
        ({"variables": [AGE | {"attribute": "army"}]}, "'army' is vital or the parameter"),
        ({"significance": 1}, "significance"),
        ({"variabels": [AGE]}, "did you mean 'variables'"),
    ],
)
def test_invalid_settings_are_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        sf.FuzzyRuleAttack(**RULES | settings)


@pytest.mark.parametrize("learner", ["boosting", "logistic"])
def test_attributes_without_values_are_not_learned_from(learner):
    blank = THERE.with_columns(age=pl.lit(None, dtype=pl.Int64), floor=pl.lit(None, dtype=pl.Int64))
    attack = sf.LearnedAttack(group=ARMY, third_party=blank, learner=learner)
    assert [feature.name for feature in attack.learn().features] == ["coast", "hours", "way", "sex"]
    with pytest.raises(SettingError, match="'age' has only missing values in the third-party file"):
        sf.LearnedAttack(group=ARMY, third_party=blank, learner=learner, attributes=["sex", "age"]).learn()
    with pytest.raises(SettingError, match="'age' has only missing values"):
        sf.LearnedAttack(group=ARMY, third_party=blank.select("age", "town", "army"), learner=learner).learn()


def test_files_that_do_not_fit_are_refused(attacks):
    with pytest.raises(SettingError, match="attacks: the list is empty"):
        judge([], HERE)
    with pytest.raises(SettingError, match="needs a file to learn from"):
        sf.FuzzyRuleAttack(**RULES | {"third_party": None}).learn()
    with pytest.raises(SettingError, match="all records of the third-party file are vital"):
        attacks[0].learn(THERE.filter(pl.col("army") == 1))
    with pytest.raises(SettingError, match="equally many members at every place"):
        judge(attacks[0], HERE.with_columns(army=pl.lit(0)))
    with pytest.raises(SettingError, match="its places are not those of the original"):
        judge(attacks[0], HERE, HERE.filter(pl.col("town") != "t05"))
    with pytest.raises((SettingError, MicrofileError), match="'way'"):
        judge(attacks[0], HERE.drop("way"))
    with pytest.raises(MicrofileError, match="'sex' is missing in the attacked file"):
        judge(attacks[2], HERE.drop("sex"))
    with pytest.raises(MicrofileError, match="'age' is categorical in the attacked file and numeric in"):
        judge(attacks[2], HERE.with_columns(pl.col("age").cast(pl.String)))
    with pytest.raises(MicrofileError, match="'age' has only missing values in the attacked file"):
        judge(attacks[2], HERE.with_columns(age=pl.lit(None, dtype=pl.Int64)))
    with pytest.raises(SettingError, match="no attribute 'sex'"):
        attacks[2].learn().memberships(HERE.drop("sex"))
    with pytest.raises(SettingError, match="attributes: unknown column 'aeg'"):
        sf.LearnedAttack(group=ARMY, third_party=THERE, attributes=["aeg"]).learn()
    with pytest.raises(SettingError, match="'town' is vital or the parameter"):
        sf.LearnedAttack(group=ARMY, third_party=THERE, attributes=["town"]).learn()
