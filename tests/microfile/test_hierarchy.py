from __future__ import annotations

import copy
import datetime
import pickle

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import MicrofileError, SettingError


def test_arx_form(tmp_path):
    file = tmp_path / "h.csv"
    file.write_text("20;20-39;*\n30;20-39;*\n40;40-59;*\n")
    hierarchy = sf.Hierarchy.from_csv(file)
    people = sf.Microfile(pl.DataFrame({"age": [20, 40, 77, None]}))
    found = hierarchy.generalize(people, "age", level=1)
    assert found.labels.to_list() == ["20-39", "40-59", "*", None]
    assert (found.unknown_values, found.unknown_records) == (1, 1)
    assert hierarchy.generalize(people, "age", level=0).labels.to_list() == ["20", "40", "77", None]


def test_arx_hierarchies_cover_adult(real_data):
    people = sf.read(real_data("arx_adult/adult.csv.gz"))
    for name in people.names:
        hierarchy = sf.Hierarchy.from_csv(real_data(f"arx_adult/adult_hierarchy_{name}.csv"))
        for level in range(hierarchy.height + 1):
            assert hierarchy.generalize(people, name, level=level).unknown_records == 0


@given(st.floats(-1e6, 1e6), st.sampled_from([[5], [5, 10, 20], [0.5, 1, 10]]))
def test_intervals_hold_their_numbers_and_nest(number, widths):
    path = sf.Hierarchy.intervals(widths).path(number)
    lows = []
    for label, width in zip(path, widths, strict=False):
        low, high = (float(part) for part in label.strip("[)").split(", "))
        assert low - 1e-3 * width <= number <= high + 1e-3 * width
        lows.append(low)
    assert path[-1] == "*"


@pytest.mark.parametrize("width", [0.1, 0.01, 0.3])
def test_decimal_edges_belong_to_the_interval_they_begin(width):
    hierarchy = sf.Hierarchy.intervals([width, round(3 * width, 2)])
    for step in range(300):
        edge = round(step * width, 2)
        assert hierarchy.path(edge)[0].startswith(f"[{edge:g}, ")
    assert sf.Hierarchy.intervals([0.1, 0.3]).path(0.3) == ("[0.3, 0.4)", "[0.3, 0.6)", "*")
    assert sf.Hierarchy.intervals([5], origin=3).path(7) == ("[3, 8)", "*")


def test_dates_have_a_hierarchy():
    people = sf.Microfile(pl.DataFrame({"born": pl.Series(["1999-12-31", None]).str.to_date()}))
    hierarchy = sf.Hierarchy.automatic(people, "born")
    assert hierarchy.generalize(people, "born", level=2).labels.to_list() == ["1999", None]


def test_prefixes_refuse_other_lengths():
    people = sf.Microfile(pl.DataFrame({"zip": ["02139", "1234"]}))
    found = sf.Hierarchy.prefixes(5).generalize(people, "zip", level=2)
    assert found.labels.to_list() == ["021**", "*"]
    assert found.unknown_records == 1


@pytest.mark.parametrize(
    "frame", [{"x": list(range(100))}, {"x": [f"v{i % 7}" for i in range(100)]}, {"x": ["a"] * 30}]
)
def test_automatic_hierarchies_end_in_one_label_and_only_grow_coarser(frame):
    people = sf.Microfile(pl.DataFrame(frame))
    hierarchy = sf.Hierarchy.automatic(people, "x")
    before = None
    for level in range(1, hierarchy.height + 1):
        labels = hierarchy.generalize(people, "x", level=level).labels.to_list()
        if before is not None:
            assert all(len({labels[i] for i, b in enumerate(before) if b == label}) == 1 for label in set(before))
        before = labels
    assert set(before) == {"*"}


def test_rare_categories_are_not_listed_by_an_automatic_hierarchy():
    people = sf.Microfile(pl.DataFrame({"x": ["a"] * 30 + ["b"] * 20 + ["c"] * 10 + ["d"] * 9 + ["e"]}))
    hierarchy = sf.Hierarchy.automatic(people, "x")
    assert sorted(hierarchy.listed) == ["a", "b", "c"]
    assert hierarchy.generalize(people, "x", level=1).labels.unique().sort().to_list() == ["*", "{a}", "{b, c}"]
    assert sorted(sf.Hierarchy.automatic(people, "x", least=9).listed) == ["a", "b", "c", "d"]
    with pytest.raises(MicrofileError, match="no category of 'x' has 40 records or more"):
        sf.Hierarchy.automatic(people, "x", least=40)


@pytest.mark.parametrize(
    "hierarchy",
    [
        sf.Hierarchy.intervals([0.5, 5], origin=1),
        sf.Hierarchy.prefixes(5, mask="x"),
        sf.Hierarchy.dates(fallback="other"),
        sf.Hierarchy.from_mapping({"a": ["x", "*"], "b": ["y", "*"]}),
        sf.Hierarchy.automatic(pl.DataFrame({"x": ["a"] * 30 + ["b"] * 20}), "x"),
    ],
)
def test_hierarchies_and_settings_that_hold_them_survive_pickle_and_json(hierarchy):
    boxes = sf.Boxes(quasi=["a"], k=5, hierarchies={"a": hierarchy})
    for one in (hierarchy, boxes):
        assert pickle.loads(pickle.dumps(one)) == one
        assert copy.deepcopy(one) == one
    again = sf.Boxes.model_validate_json(boxes.model_dump_json())
    assert again == boxes
    assert again.hierarchies["a"] == hierarchy
    for value in (7.25, "02139", datetime.date(1987, 5, 31), "a"):
        assert again.hierarchies["a"].path(value) == hierarchy.path(value)


@pytest.mark.parametrize(
    ("hierarchy", "values"),
    [
        (sf.Hierarchy.intervals([5, 10]), [-3, 0, 4.5, 37, 1e6]),
        (sf.Hierarchy.prefixes(5), ["02139", "99999"]),
        (sf.Hierarchy.dates(), [datetime.date(1987, 5, 31), datetime.datetime(2009, 12, 1, 8), datetime.date(7, 1, 1)]),
    ],
)
def test_what_lies_above_a_label_is_the_rest_of_its_path(hierarchy, values):
    for value in values:
        path = hierarchy.path(value)
        for level, label in enumerate(path):
            assert hierarchy.by.above(label) == path[level:]
        assert hierarchy.by.above(str(value)) == path


def test_labels_tell_between_which_numbers_values_lie():
    by = sf.Hierarchy.intervals([5, 10]).by
    assert [by.ends(label) for label in ("[35, 40)", "37", "*", "nonsense")] == [(35, 40), (37, 37), None, None]
    by = sf.Hierarchy.dates().by
    assert [by.ends(label) for label in ("1988-02", "1988", "1980s")] == [
        (datetime.date(*first).toordinal(), datetime.date(*last).toordinal())
        for first, last in (
            ((1988, 2, 1), (1988, 2, 29)),
            ((1988, 1, 1), (1988, 12, 31)),
            ((1980, 1, 1), (1989, 12, 31)),
        )
    ]


def test_moments_in_nanoseconds_are_dates():
    people = sf.Microfile(
        pl.DataFrame({"at": pl.Series(["1999-12-31 10:00"]).str.to_datetime().cast(pl.Datetime("ns"))})
    )
    assert sf.Hierarchy.dates().generalize(people, "at", level=1).labels.to_list() == ["1999-12"]


def test_ordinal_neighbours_join():
    people = sf.Microfile(pl.DataFrame({"x": list("dcba")}), kinds={"x": ["d", "b", "a", "c"]})
    labels = sf.Hierarchy.automatic(people, "x").generalize(people, "x", level=1).labels.to_list()
    assert labels == ["{d, b}", "{a, c}", "{d, b}", "{a, c}"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sf.Hierarchy.intervals([5, 12]), "12 is not a multiple of the finer 5"),
        (lambda: sf.Hierarchy.intervals([]), "positive numbers"),
        (lambda: sf.Hierarchy.prefixes(0), "at least 1"),
        (lambda: sf.Hierarchy.from_mapping({"a": ["x"], "b": []}), "same number of levels"),
        (
            lambda: sf.Hierarchy.intervals([5]).generalize(sf.Microfile(pl.DataFrame({"a": [1]})), "a", level=3),
            "0 to 2",
        ),
    ],
)
def test_wrong_settings(make, message):
    with pytest.raises(SettingError, match=message):
        make()


@pytest.mark.parametrize(
    ("content", "message"),
    [("a;b\nc\n", "line 2 of hierarchy file h.csv has 1 fields"), ("", "is empty"), ("a;b\na;c\n", "twice")],
)
def test_wrong_files(tmp_path, content, message):
    file = tmp_path / "h.csv"
    file.write_text(content)
    with pytest.raises(MicrofileError, match=message):
        sf.Hierarchy.from_csv(file)


def test_a_name_that_no_file_can_have():
    with pytest.raises(MicrofileError, match="cannot be read"):
        sf.Hierarchy.from_csv("h\0.csv")


def test_what_does_not_fit_is_said_with_counts_and_without_values():
    paths = {"a": ["other", "north", "*"], "b": ["other", "south", "*"], "c": ["c1", "south", "*"]}
    people = pl.DataFrame({"x": ["a"] * 9 + ["b"] * 9 + ["secret"] * 2 + ["hidden"]})
    fit = sf.Hierarchy.from_mapping(paths).fit(people, "x")
    assert (fit.unknown_values, fit.unknown_records, fit.split_labels) == (2, 3, 1)
    lines = " ".join(fit.warnings("x"))
    assert "lacks 2 values of 3 records" in lines
    assert "in the hierarchy of 'x', 1 label with several parents" in lines
    assert "secret" not in lines
    assert sf.Hierarchy.prefixes(1).fit(people, "x").split_labels == 0
    tree = {"a": ["n", "*"], "b": ["s", "*"]}
    assert sf.Hierarchy.from_mapping(tree).fit(pl.DataFrame({"x": ["a", "b"]}), "x").warnings("x") == []


def test_the_steward_is_told_which_hierarchy_does_not_fit():
    people = pl.DataFrame({"x": ["a"] * 9 + ["b"] * 9 + ["c"] * 2})
    tree = sf.Hierarchy.from_mapping({"a": ["n", "*"], "b": ["s", "*"]})
    release = sf.Boxes(quasi=["x"], k=3, hierarchies={"x": tree}).protect(people)
    assert release.notes == [
        "hierarchies: the hierarchy of 'x' lacks 1 value of 2 records, released as the label for any value."
    ]
    whole = sf.Boxes(quasi=["x"], k=3, hierarchies={"x": tree}).protect(people.head(18))
    assert whole.notes == []
