from __future__ import annotations

import json

import pytest

from sfumato.errors import ReleaseError
from sfumato.report import write_report
from sfumato.report.charts.alternatives_chart import alternatives_chart
from sfumato.views.k_alternatives import alternatives_passage
from sfumato.views.steward_record import KAlternative
from tests.report.releases import written
from tests.report.test_build import text_of

TOLD = [
    {"k": 2, "released": False, "refused": {"message": "it cannot be", "hint": None}},
    {
        "k": 4,
        "released": True,
        "refused": None,
        "rate": 0.2,
        "highest": 0.25,
        "detail": 0.28,
        "information_loss": 0.1,
        "widths": {"mean(age)": 9.0},
    },
    {
        "k": 7,
        "released": False,
        "refused": None,
        "rate": 0.01,
        "highest": 0.125,
        "detail": 0.654,
        "information_loss": None,
        "widths": {"mean(age)": None},
    },
]


def test_each_k_is_told_with_its_price(tmp_path):
    folder = written(tmp_path / "out", private={"alternatives": TOLD})
    page = write_report(folder, private=tmp_path / "out.private")[0].read_text()
    text = text_of(page)
    assert "What another k would have cost" in text
    assert "k = 2 is unattainable: it cannot be." in text
    assert "k = 4 (released) 20% 25% 28% 0.1" in text
    assert "k = 7 1% 12.5% 65.4% -" in text
    assert "mean(age) 9 not guaranteed" in text
    # the settings of the record do not tell it a second time
    assert page.count("it cannot be") == 1
    public = write_report(folder)[0].read_text()
    assert "another k" not in public
    assert "65.4%" not in public


def test_the_released_one_is_marked_without_colour():
    kept = [KAlternative.model_validate(one) for one in TOLD[1:]]
    layers = alternatives_chart(kept).to_dict()["layer"]
    assert [layer["mark"].get("shape") for layer in layers[1:3]] == [None, "diamond"]
    labels = {layer["transform"][0]["filter"]: layer["mark"].get("fontWeight") for layer in layers[3:]}
    assert labels == {"!datum.released": None, "datum.released": "bold"}
    # risks that differ much are drawn on a logarithmic axis
    assert layers[0]["encoding"]["y"]["scale"]["type"] == "log"
    assert alternatives_passage(kept).tables[0].caption == "What another k would have cost"


def test_a_record_of_another_form_is_refused(tmp_path):
    folder = written(tmp_path / "out", private={"alternatives": [{"k": "many"}]})
    with pytest.raises(ReleaseError, match=r"invalid entry 'alternatives.0.k'"):
        write_report(folder, private=tmp_path / "out.private")
    assert json.loads(next((tmp_path / "out.private").iterdir()).read_text())["alternatives"]
