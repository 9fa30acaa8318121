"""The [attack] table of a recipe."""

from __future__ import annotations

import pytest

from sfumato.errors import MicrofileError, SettingError, UnattainableError
from sfumato.recipe import Recipe
from tests.attacks.towns import GARRISON, country

RECIPE = """
seed = 3
[microfile]
path = "here.csv"
identifiers = ["army"]

[[protect]]
method = "group"
vital = { army = [1] }
parameter = "town"
hide = ["t03"]
against = true

[attack]
third_party = "there.csv"
search = "exact"
attackers = ["rules", "logistic"]
"""


@pytest.fixture
def written(tmp_path):
    country(1).write_csv(tmp_path / "there.csv")
    country(2).write_csv(tmp_path / "here.csv")

    def write(text=RECIPE):
        (tmp_path / "r.toml").write_text(text)
        return tmp_path / "r.toml"

    return write


def test_the_group_is_taken_from_the_mask(written):
    recipe = Recipe.from_toml(written())
    assert recipe.plan.group == recipe.protections[0].group
    assert (recipe.plan.seed, recipe.against) == (3, (0,))
    people = recipe.read()
    attacks, steps = recipe.attacks(people)
    assert [attack.name for attack in attacks] == ["fuzzy rules", "logistic regression"]
    # neither identifiers nor the parameter
    assert attacks[0].attributes == ("coast", "age", "hours", "way", "sex")
    assert steps == [("there.csv", ())]


def test_a_recipe_masks_against_its_attack(written):
    recipe = Recipe.from_toml(written())
    record = recipe.run().private["groups"][0]
    assert record["hidden"] == [GARRISON]
    assert [attack["found_after"] for attack in record["against"]["attacks"]] == [[], []]


def test_a_later_mask_must_not_lead_the_attack_to_the_place_again(written):
    later = """
[[protect]]
method = "group"
vital = "way == 'walk' and age <= 32"
parameter = "town"
target = { t03 = 260 }
"""
    text = RECIPE.replace("\n[attack]", f"{later}\n[attack]")
    with pytest.raises(UnattainableError, match="after the masks that follow, fuzzy rules finds 1 hidden"):
        Recipe.from_toml(written(text)).run()
    harmless = text.replace("way == 'walk' and age <= 32", "age >= 60")
    record = Recipe.from_toml(written(harmless)).run().private["groups"]
    assert record[1]["moved"] > 0
    assert [attack["found_after"] for attack in record[0]["against"]["attacks"]] == [[], []]


def test_several_third_party_files_are_harmonised_and_concatenated(written, tmp_path):
    country(4).rename({"age": "AGE"}).write_csv(tmp_path / "elsewhere.csv")
    both = """third_party = [
    "there.csv",
    { path = "elsewhere.csv", harmonise = [{ keep = "AGE >= 20" }, { rename = { AGE = "age" } }] },
]"""
    recipe = Recipe.from_toml(written(RECIPE.replace('third_party = "there.csv"', both)))
    (first, _), steps = recipe.attacks(recipe.read())
    assert first.third_party.records == 24_000 - steps[1][1][0].removed
    assert steps[1][1][0].removed > 0


def test_a_recipe_that_only_attacks_protects_nothing(written):
    text = RECIPE[: RECIPE.index("[[protect]]")] + RECIPE[RECIPE.index("[attack]") :]
    text += 'vital = { army = [1] }\nparameter = "town"\n'
    recipe = Recipe.from_toml(written(text))
    assert recipe.protections == ()
    with pytest.raises(SettingError, match="protects nothing"):
        recipe.run()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('third_party = "there.csv"', 'third_party = "their.csv"', "line 15: .*file .*their.csv does not exist"),
        ('third_party = "there.csv"', "", "'attack.third_party' is missing"),
        ("against = true", 'against = "rules"', "line 12: setting 'protect\\[0\\].against': give true or false"),
        ('search = "exact"', 'serach = "exact"', "line 16: unknown setting 'attack.serach'"),
        (
            'search = "exact"',
            'harmonise = [{ hmm = "age" }]',
            "line 16: .*a step needs a verb; did you mean 'hhmm'",
        ),
        ('"logistic"]', '"forest"]', "'attack.attackers\\[1\\]'"),
        ('search = "exact"', "alpha = 2", "line 16: setting 'attack.alpha'"),
        ('search = "exact"', 'parameter = "coast"', "looks at another parameter than the mask's"),
        ('search = "exact"', 'attributes = ["salary"]', "'salary'"),
        ('search = "exact"', 'vital = { army = [7] }\nparameter = "town"', "another group than the mask hides"),
    ],
)
def test_errors_point_at_the_line(written, old, new, message):
    assert old in RECIPE
    with pytest.raises((SettingError, MicrofileError), match=message):
        Recipe.from_toml(written(RECIPE.replace(old, new))).run()


def test_an_attack_needs_a_group(written):
    text = RECIPE[: RECIPE.index("[[protect]]")] + RECIPE[RECIPE.index("[attack]") :]
    with pytest.raises(SettingError, match=r"'attack\.vital' is missing"):
        Recipe.from_toml(written(text))
    with pytest.raises(SettingError, match="the recipe has no \\[attack\\]"):
        Recipe.from_toml(written(RECIPE[: RECIPE.index("[attack]")]))


def test_files_that_do_not_agree_are_refused(written, tmp_path):
    country(1).rename({"age": "AGE"}).write_csv(tmp_path / "there.csv")
    recipe = Recipe.from_toml(written(RECIPE.replace('search = "exact"', 'attributes = ["age", "hours"]')))
    with pytest.raises(MicrofileError, match="'age' is missing in"):
        recipe.run()
