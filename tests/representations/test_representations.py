"""What the representations say about the same people."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest
from pydantic import TypeAdapter

import sfumato as sf
from sfumato.errors import MicrofileError, ReleaseError
from sfumato.fuzzy import ruspini
from sfumato.fuzzy.codebook_sets import ShapedSets
from sfumato.microfile import Microfile
from sfumato.representations import Form, Representation

SETS = sf.Sets(members={"20": ("20",), "{30, 40}": ("30", "40"), "*": ()}, open=("*",), numeric=True)
WORDS = sf.Fuzzy.of(ShapedSets(variable=ruspini("age", [20, 40])), shown="words", levels=4)
ALL: tuple[Representation, ...] = (sf.Exact(), sf.Interval(), SETS, WORDS)


def table(**columns: list[object]) -> Microfile:
    return Microfile(pl.DataFrame(columns, strict=False))


@pytest.mark.parametrize("form", ALL, ids=lambda form: form.form)
def test_each_survives_json_and_pickle(form):
    adapter = TypeAdapter(Form)
    assert adapter.validate_json(adapter.dump_json(form)) == form
    assert pickle.loads(pickle.dumps(form)) == form


@pytest.mark.parametrize(
    ("form", "columns", "described"),
    [
        (ALL[0], ("age",), "unchanged"),
        (ALL[1], ("age.lo", "age.hi"), "between age.lo and age.hi"),
        (ALL[2], ("age",), "as one of 3 sets of categories"),
        (ALL[3], ("age",), "as words of 2 fuzzy sets"),
        (WORDS.model_copy(update={"shown": "grades"}), tuple(f"age.{word}" for word in WORDS.sets), "as grades on 4"),
    ],
)
def test_columns_and_descriptions(form, columns, described):
    assert form.columns("age") == columns
    assert form.description("age").startswith(described)
    assert form.attributes("age") == ("age",)


def test_only_sharp_ends_are_bounds():
    exact, interval = table(age=[20, None]), table(**{"age.lo": [18, None], "age.hi": [25, None]})
    np.testing.assert_array_equal(sf.Exact().bounds(exact, "age"), [[20, np.nan], [20, np.nan]])
    np.testing.assert_array_equal(sf.Interval().bounds(interval, "age"), [[18, np.nan], [25, np.nan]])
    labels = table(age=["20", "{30, 40}"])
    np.testing.assert_array_equal(SETS.bounds(labels, "age"), [[20, 30], [20, 40]])
    # a label that stands for any value has no bounds, and neither have fuzzy sets
    assert not SETS.has_bounds(labels, "age")
    assert not WORDS.has_bounds(labels, "age")
    with pytest.raises(ReleaseError, match="guarantee no bounds"):
        WORDS.bounds(labels, "age")


def test_members_of_a_household_share_what_any_of_them_shows():
    households = np.array([0, 0, 1, 1], dtype=np.int32)
    interval = table(**{"age.lo": [10, 20, 10, 40], "age.hi": [30, 50, 20, 60]})
    columns, contradicted = sf.Interval().intersect(interval, "age", households)
    low, high = (columns[name] for name in ("age.lo", "age.hi"))
    assert low.values[low.codes].tolist() == [20, 20, 40, 40]
    assert high.values[high.codes].tolist() == [30, 30, 20, 20]
    assert contradicted.tolist() == [False, True]
    labels, contradicted = SETS.intersect(table(age=["*", "20", "20", "{30, 40}"]), "age", households)
    assert labels["age"].codes[0] == labels["age"].codes[1]
    assert contradicted.tolist() == [False, True]


def test_an_adversary_guesses_midpoints_and_single_categories():
    interval = table(**{"age.lo": [18], "age.hi": [22]})
    assert sf.Interval().reconstruct(interval, "age")["age"].to_list() == [20]
    labels = table(age=["20", "{30, 40}", "*"])
    assert SETS.reconstruct(labels, "age")["age"].to_list() == ["20", None, None]


def test_only_boxes_hold_newcomers():
    newcomers = Microfile(pl.DataFrame({"age": [20, 35]}))
    holds = sf.Interval().holding("age", pl.DataFrame({"age.lo": [10, 30], "age.hi": [30, 50]}), newcomers)
    assert holds(slice(None)).tolist() == [[True, False], [False, True]]
    with pytest.raises(ReleaseError, match="'age' is not released as boxes"):
        sf.Exact().holding("age", pl.DataFrame({"age": [20]}), newcomers)
    with pytest.raises(MicrofileError, match="unlike the release"):
        sf.Interval().holding("age", pl.DataFrame({"age.lo": [10], "age.hi": [30]}), _born())


def _born() -> Microfile:
    return Microfile(pl.DataFrame({"age": ["2000-01-01"]}).with_columns(pl.col("age").str.to_date()))
