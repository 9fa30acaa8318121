"""Whatever is wrong in a recipe, the error points at its line."""

from __future__ import annotations

import pytest

from sfumato.errors import MicrofileError, SettingError, SfumatoError, UnattainableError
from sfumato.recipe import Recipe
from sfumato.toml_document import TomlDocument, lines_of
from tests.attacks.towns import country

RECIPE = """seed = 3
[microfile]
path = "here.csv"
identifiers = ["army"]
kinds = { coast = "categorical" }
missing = { age = [999] }

[[protect]]
method = "group"
vital = { army = [1] }
parameter = "town"
hide = ["t03"]
influential = [
    "age",
    "sex",
]
against = true

[[protect]]
method = "boxes"
quasi = [
    "age",  # a comment, with ] and "quotes
    "way",
]
sensitive = ["sex"]
k = 5
l = 2
preserve = [
    "mean(age)",
    { statistic = "std(age)" },
]

[attack]
search = "exact"
attackers = ["rules"]

[[attack.variables]]
attribute = "age"

[attack.variables.values]
young = { shape = "falling", corners = [25, 35] }
old = { shape = "rising", corners = [25, 35] }

[[attack.variables]]
attribute = "way"
values = { foot = "walk", car = ["car", "van"] }

[attack.third_party]
path = "there.csv"
kinds = { way = "categorical" }
harmonise = [
    { keep = "age >= 10" },
    { scale = "hours", plus = 1 },
    { map = "sex", to = { m = "m", f = "f" } },
]
"""

ATTACK = """[microfile]
path = "here.csv"
identifiers = ["army"]

[attack]
third_party = "there.csv"
vital = { army = [1] }
parameter = "town"
search = "exact"
attackers = ["rules"]
known = ["t05"]
region = "coast"
variables = "acs"
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("country")
    country(1, 3000).write_csv(folder / "there.csv")
    country(2, 3000).write_csv(folder / "here.csv")
    return folder


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        pytest.param('identifiers = ["army"]', 'identifiers = ["amry"]', SettingError, id="identifiers of the file"),
        pytest.param("kinds = { coast", "kinds = { cost", SettingError, id="kinds"),
        pytest.param("missing = { age", "missing = { aeg", SettingError, id="missing"),
        pytest.param("vital = { army", "vital = { amry", SettingError, id="vital"),
        pytest.param("vital = { army = [1] }", 'vital = "army = 1"', SettingError, id="condition"),
        pytest.param('parameter = "town"', 'parameter = "twon"', SettingError, id="parameter"),
        pytest.param('hide = ["t03"]', 'hide = ["t99"]', SettingError, id="place"),
        pytest.param('    "sex",', '    "sxe",', SettingError, id="entry of influential"),
        pytest.param('    "way",', '    "wya",', SettingError, id="entry of quasi"),
        pytest.param('sensitive = ["sex"]', 'sensitive = ["age"]', SettingError, id="two roles"),
        pytest.param('sensitive = ["sex"]', 'sensitive = ["sex"] \nweight = "coast"', MicrofileError, id="weight"),
        pytest.param("k = 5", "k = 50000", UnattainableError, id="k"),
        pytest.param("l = 2", "l = 20", UnattainableError, id="l"),
        pytest.param("l = 2", "l = 2 \nprefer = { way = [2] }", SettingError, id="prefer"),
        pytest.param('"mean(age)"', '"maen(age)"', SettingError, id="statistic"),
        pytest.param('"mean(age)"', '"mean(way)"', SettingError, id="statistic of categories"),
        pytest.param('"std(age)"', '"std(way)"', SettingError, id="statistic within a table"),
        pytest.param('attackers = ["rules"]', 'attackers = ["rulez"]', SettingError, id="attacker"),
        pytest.param('attribute = "way"', 'attribute = "wya"', SettingError, id="variable"),
        pytest.param('attribute = "way"', 'atribute = "way"', SettingError, id="name within a variable"),
        pytest.param('shape = "falling"', 'shape = "faling"', SettingError, id="shape"),
        pytest.param('"falling", corners = [25, 35]', '"falling", corners = [35, 25]', SettingError, id="corners"),
        pytest.param("age >= 10", "aeg >= 10", SettingError, id="attribute of a step"),
        pytest.param("{ keep", "{ kep", SettingError, id="step"),
        pytest.param('scale = "hours"', 'scale = "huors"', SettingError, id="attribute of another step"),
        pytest.param("plus = 1", "pluss = 1", SettingError, id="name within a step"),
        pytest.param(', f = "f"', "", MicrofileError, id="values that a step does not list"),
        pytest.param("kinds = { way", "kinds = { wya", SettingError, id="kinds of the third party"),
        pytest.param('path = "there.csv"', 'path = "their.csv"', SettingError, id="file of the third party"),
    ],
)
def test_the_line_of_a_mistake(files, old, new, kind):
    assert RECIPE.count(old) == 1
    text = RECIPE.replace(old, new)
    (files / "r.toml").write_text(text)
    line = RECIPE[: RECIPE.index(old)].count("\n") + 1 + new.count("\n")
    with pytest.raises(SfumatoError) as wrong:
        Recipe.from_toml(files / "r.toml").run()
    assert type(wrong.value) is kind
    assert (wrong.value.file, wrong.value.line) == (files / "r.toml", line)
    assert str(wrong.value).startswith(f"r.toml, line {line}: ")
    written_lines = TomlDocument(files / "r.toml", text, {}).lines
    assert wrong.value.setting in written_lines or wrong.value.setting[:-1] in written_lines


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[attack]", "[[attack]]", "write [attack] with one bracket"),
        (
            '"there.csv"',
            "[]",
            "give the path of a file, a table with its path, or a list of these",
        ),
        ('"there.csv"', "3", "'attack.third_party': give the path of a file"),
        ('known = ["t05"]', 'known = ["t99"]', "attack: known: unknown place 't99'"),
        ('region = "coast"', 'region = "cost"', "attack: region: unknown column 'cost'"),
        ('region = "coast"', 'region = "sex"', "attack: region: 'sex' does not give each place one region"),
        (
            "vital = { army = [1] }",
            "vital = { army = [7] }",
            "attack: vital: the third-party file has no vital records",
        ),
        (
            'variables = "acs"',
            'variables = "asc"',
            "'attack.variables': give a list of variables, or 'acs' (given: 'asc')",
        ),
        ('variables = "acs"', "variables = 3", "'attack.variables': give a list (given: 3)"),
        (
            'variables = "acs"',
            'variables = ["age"]',
            "'attack.variables[0]': give a table (a dictionary) (given: 'age')",
        ),
        ('variables = "acs"', 'attributes = ["town"]', "attack: attributes: 'town' is vital or the parameter"),
    ],
)
def test_the_line_of_a_mistake_that_an_attack_finds(files, old, new, message):
    assert ATTACK.count(old) == 1
    text = ATTACK.replace(old, new)
    text = text if "variables" in old else text.replace('variables = "acs"\n', "")
    (files / "r.toml").write_text(text)
    with pytest.raises(SettingError) as wrong:
        attacked(files / "r.toml")
    line = text[: text.index(new)].count("\n") + 1
    assert (wrong.value.file, wrong.value.line) == (files / "r.toml", line)
    assert str(wrong.value).startswith(f"r.toml, line {line}: ")
    assert message in wrong.value.message


def attacked(path):
    asked = Recipe.from_toml(path)
    people = asked.read()
    return asked.judge(asked.attacks(people)[0], people)


def test_entries_of_lists_and_tables_have_lines():
    text = 'a = [\n  1, # ]\n  {x = "}", y = [[\n2]]},\n]\nb.c = {}\nd = """\n]"""\n[t]\ne = 1\n'
    assert lines_of(text) == {
        ("a",): 1,
        ("a", 0): 2,
        ("a", 1): 3,
        ("a", 1, "x"): 3,
        ("a", 1, "y"): 3,
        ("a", 1, "y", 0): 3,
        ("a", 1, "y", 0, 0): 4,
        ("b",): 6,
        ("b", "c"): 6,
        ("d",): 7,
        ("t",): 9,
        ("t", "e"): 10,
    }
