"""Words that are crisp sets of categories."""

from __future__ import annotations

import polars as pl
import pytest
from pydantic import TypeAdapter

from sfumato.errors import SettingError
from sfumato.fuzzy import AnyVariable, CategoricalVariable, LinguisticVariable
from sfumato.microfile import Microfile
from sfumato.settings import Settings

WAY = CategoricalVariable(attribute="way", values={"car": "car", "on foot": ("walk", "bicycle")})


def test_a_category_has_one_word_and_what_is_missing_or_not_listed_has_none():
    frame = pl.DataFrame({"way": ["bicycle", "car", "ferry", None, ""]})
    assert WAY.memberships(frame).tolist() == [[0, 1], [1, 0], [0, 0], [0, 0], [0, 0]]


def test_the_rest_and_missing_values_can_have_words():
    frame = pl.DataFrame({"way": ["bicycle", "ferry", None]})
    both = WAY.model_copy(update={"rest": "other", "missing": "unknown"})
    assert both.names == ("car", "on foot", "other", "unknown")
    assert both.memberships(frame).tolist() == [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert WAY.model_copy(update={"missing": "unknown"}).memberships(frame).tolist() == [
        [0, 1, 0],
        [0, 0, 0],
        [0, 0, 1],
    ]
    assert both.words() == {
        "car": "car",
        "on foot": "walk or bicycle",
        "other": "any other category",
        "unknown": "no category is known",
    }


def test_numbers_may_be_codes():
    sex = CategoricalVariable(attribute="sex", values={"male": 1, "female": ["2"]})
    people = Microfile(pl.DataFrame({"sex": [1.0, 2.0, 9.0]}), missing={"sex": [9]})
    assert sex.memberships(people).tolist() == [[1, 0], [0, 1], [0, 0]]
    assert sex.memberships(pl.DataFrame({"sex": ["1", "2"]})).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"values": {}}, "values"),
        ({"values": {"a": []}}, "values.a"),
        ({"values": {"a": [1], "b": ["1", 2]}}, "a category of 'b' already has another word"),
        ({"values": {"a": 1}, "rest": "a"}, "must differ from those of the values"),
        ({"values": {"a": 1}, "rest": "b", "missing": "b"}, "must differ from those of the values"),
        ({"values": {"a": 1}, "others": "b"}, "unknown setting 'others'"),
    ],
)
def test_what_is_wrong(settings, message):
    with pytest.raises(SettingError, match=message):
        CategoricalVariable(attribute="x", **settings)


def test_a_recipe_tells_variables_apart_by_what_their_words_hold():
    read = TypeAdapter(AnyVariable).validate_python
    assert isinstance(read({"attribute": "sex", "values": {"male": [1], "female": 2}}), CategoricalVariable)
    numbers = read({"attribute": "age", "values": {"young": {"shape": "falling", "corners": [20, 30]}}})
    assert isinstance(numbers, LinguisticVariable)
    assert read(numbers) is numbers
    assert read(WAY) is WAY


def test_misspelt_settings_get_the_hint_of_their_kind():
    class Words(Settings):
        variables: tuple[AnyVariable, ...]

    with pytest.raises(SettingError, match=r"'variables\[0\].rset'\nHint: did you mean 'rest'"):
        Words(variables=[{"attribute": "a", "values": {"x": 1}, "rset": "y"}])
    with pytest.raises(SettingError, match=r"values.x.cornrs'\nHint: did you mean 'corners'"):
        Words(variables=[{"attribute": "a", "values": {"x": {"shape": "pi", "cornrs": [1, 2, 3, 4]}}}])
