from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pyreadstat
import pytest

import sfumato as sf
from sfumato.errors import MicrofileError
from sfumato.microfile import Kind

FRAME = pl.DataFrame(
    {"sex": [1.0, 2.0, 1.0], "age": [31.0, 99.0, 40.0], "pay": [1.5, 2.5, None], "job": ["a", "b", ""]}
)
LABELS = {"sex": {1.0: "male", 2.0: "female"}}


def test_spss(tmp_path):
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(
        FRAME,
        str(path),
        variable_value_labels=LABELS,
        missing_ranges={"age": [99]},
        column_labels={"age": "age in years"},
        variable_measure={"sex": "nominal", "age": "scale", "pay": "scale"},
    )
    people = sf.read(path)
    assert people.attribute("sex").kind is Kind.CATEGORICAL
    assert people.attribute("sex").labels[1] == "male"
    assert people.attribute("age").title == "age in years"
    assert people.encoded("age").values.tolist() == [31, 40]
    assert people.encoded("job").codes.tolist() == [0, 1, -1]
    assert people.series("sex").dtype == pl.Int64
    assert people.numbers("pay")[0] == 1.5


def test_without_its_package_the_extra_is_named(tmp_path, monkeypatch):
    pyreadstat.write_sav(FRAME, str(tmp_path / "people.sav"))
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(MicrofileError, match=r"\.sav files need the package pyreadstat\nHint: .*sfumato\[files\]"):
        sf.read(tmp_path / "people.sav")


def test_amounts_beyond_whole_numbers_stay_reals(tmp_path):
    pyreadstat.write_sav(pl.DataFrame({"x": [1e19, 2.0]}), str(tmp_path / "x.sav"))
    assert sf.read(tmp_path / "x.sav").numbers("x").tolist() == [1e19, 2.0]


def test_stata(tmp_path):
    path = tmp_path / "people.dta"
    pyreadstat.write_dta(FRAME, str(path), variable_value_labels=LABELS)
    people = sf.read(path)
    assert people.attribute("sex").kind is Kind.CATEGORICAL
    assert people.attribute("age").kind is Kind.NUMERIC


def test_sas_with_its_catalogue(tmp_path):
    data = Path(__file__).parent / "data"
    people = sf.read(data / "people.sas7bdat")
    assert people.attribute("sex").labels == {1.0: "male", 2.0: "female"}
    assert people.attribute("sex").kind is Kind.CATEGORICAL
    assert people.attribute("age").title == "age in years"
    assert people.series("age").to_list() == [31, 99, 40]
    assert people.encoded("pay").codes.tolist() == [0, 1, -1]
    assert people.encoded("job").codes.tolist() == [0, 1, -1]
    alone = tmp_path / "people.sas7bdat"
    alone.write_bytes((data / "people.sas7bdat").read_bytes())
    assert sf.read(alone).attribute("sex").kind is Kind.NUMERIC
    (tmp_path / "people.sas7bcat").write_text("nonsense")
    with pytest.raises(MicrofileError, match="is damaged"):
        sf.read(alone)


@pytest.mark.parametrize("name", ["x.sav", "x.dta", "x.sas7bdat"])
def test_what_is_no_such_file(tmp_path, name):
    path = tmp_path / name
    path.write_text("nonsense")
    with pytest.raises(MicrofileError, match=r"x\..*: the file is not a"):
        sf.read(path)
