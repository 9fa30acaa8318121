"""Python warns where the command line does, by a category of our own."""

from __future__ import annotations

import warnings

import polars as pl
import pytest

import sfumato as sf
from sfumato.cli import main
from tests.recipes import people


def table() -> pl.DataFrame:
    frame = people()
    # a school under another name
    years = {"low": 9, "middle": 11, "high": 13}
    return frame.with_columns(years=pl.col("school").replace_strict(years))


def warned(settings, frame) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        settings.protect(frame)
    assert all(one.category is sf.SfumatoWarning for one in found)
    assert all(one.filename == __file__ for one in found)
    return [str(one.message) for one in found]


def test_the_category_is_our_own():
    assert issubclass(sf.SfumatoWarning, UserWarning)


@pytest.mark.parametrize(
    "settings",
    [
        sf.Boxes(quasi=["age", "hours"], k=5, identifiers=["born", "years", "school"]),
        sf.FuzzyPartition(quasi=["age", "hours"], k=5, identifiers=["born", "years", "school"], suppress=0.2),
        sf.GroupMask(
            group=sf.Group(vital={"ill": ["x"]}, parameter="region"),
            hide=["a1"],
            influential=["age"],
            identifiers=["born"],
        ),
    ],
)
def test_a_name_that_is_not_an_identifier_is_warned_of(settings):
    (message,) = [line for line in warned(settings, table()) if line.startswith("name ")]
    assert message.endswith("name it in identifiers.")
    assert "SECRET" not in message


def test_an_attribute_that_stands_for_a_quasi_one_is_warned_of():
    settings = sf.Boxes(quasi=["age", "school"], k=5, identifiers=["name", "born"])
    assert warned(settings, table()) == [
        "years is released unchanged, and each of its values determines school, which is quasi: name years "
        "in quasi or in identifiers."
    ]
    assert warned(settings.changed(identifiers=["name", "born", "years"]), table()) == []
    # many records share each value of sex or region, and they tell no school
    assert not any(line.startswith(("region", "ill")) for line in warned(settings, table()))


def test_detail_that_drowns_a_statistic_is_warned_of():
    settings = sf.Boxes(
        quasi=["age", "region", "school", "ill"],
        k=5,
        preserve=["mean(age)"],
        detail=1.0,
        identifiers=["name", "born", "years"],
    )
    lines = warned(settings, table())
    assert len(lines) == 2
    assert lines[0].startswith("No preserved statistic uses region, school, ill")
    assert warned(settings.changed(detail=0.01), table()) == []


def test_the_command_line_prints_them_once(folder, recipe, capsys):
    table().write_csv(folder / "people.csv", separator=";")
    text = """seed = 1
[microfile]
path = "people.csv"
delimiter = ";"
[[protect]]
method = "boxes"
quasi = ["age", "school"]
k = 5
identifiers = ["born"]
"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(SystemExit, match="0"):
            main(["protect", str(recipe(text)), "--out", str(folder / "out")])
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count("name it in identifiers") == 1
    assert shown.count("each of its values determines school") == 1
