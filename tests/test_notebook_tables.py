"""Results in notebooks: small tables that show no record's value."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.attacks.disclosed_places import Disclosure, Verdict
from sfumato.attacks.fuzzy_model import FuzzyModel
from sfumato.attacks.rule_measures import RuleMeasures
from sfumato.fuzzy import LinguisticVariable
from sfumato.groups import Signal
from sfumato.notebook_tables import MOST_ROWS, table

NASTY = "<script>alert('&')</script>"
PLACES = ("north", "south", NASTY)


class Cells(HTMLParser):
    """Reads the text of cells and of what stands around a table, and which tags there are."""

    def __init__(self):
        super().__init__()
        self.rows, self.tags, self.around, self.inside = [], set(), [], None

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.inside = tag if tag != "strong" else self.inside
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside in ("td", "th"):
            self.rows[-1].append(data)
        elif self.inside in ("caption", "p"):
            self.around.append(data)


def read(result):
    """Read a result as a notebook shows it, and see that there is nothing in it but tables."""
    shown = Cells()
    shown.feed(result._repr_html_())
    assert shown.tags <= {"table", "caption", "strong", "thead", "tbody", "tr", "th", "td", "p"}
    return shown


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    return sf.Microfile(
        pl.DataFrame(
            {
                "age": rng.integers(20, 60, 400),
                NASTY: [None if number < 100 else "SECRET" for number in range(400)],
                "ill": rng.choice(["x", "y"], 400),
            }
        )
    )


@pytest.fixture(scope="module")
def release(people):
    return sf.Boxes(quasi=["age"], sensitive=["ill"], k=5, l=2).protect(people)


def test_a_microfile_shows_no_records(people):
    shown = read(people)
    assert shown.around == ["Microfile of 400 records"]
    assert shown.rows[1:] == [
        ["age", "numeric", "0.0%", "40"],
        [NASTY, "categorical", "25.0%", "1"],
        ["ill", "categorical", "0.0%", "2"],
    ]
    assert "SECRET" not in people._repr_html_()
    assert not people._encoded


def test_a_release_says_what_it_promises(release):
    shown = read(release)
    assert shown.rows[1:] == [
        ["age", "numeric", "interval"],
        [NASTY, "categorical", "exact"],
        ["ill", "categorical", "exact"],
    ]
    assert shown.around == ["Release of 400 records, k = 5", "Promised for age: k = 5, l = 2."]
    assert "SECRET" not in release._repr_html_()


def test_an_audit_says_whether_the_release_keeps_its_promise(release, tmp_path):
    audit = release.audit()
    shown = read(audit)
    assert shown.around == ["Verified: re-measurement confirms every guarantee."]
    written = read(sf.open_release(release.write(tmp_path / "out")).audit()).around
    assert written[0] == "Verified: the files are intact, and re-measurement confirms every guarantee."
    assert ["records", "400"] in shown.rows
    assert ["k", str(audit.k)] in shown.rows
    broken = sf.Release(pl.DataFrame({"age": [1, 2, 2]}), promise=sf.Promise(quasi="age", k=2)).audit()
    told = read(broken).around
    assert told[0] == "The release fails its audit: do not publish it, and do not rely on it."
    assert "k" in told[1]


def test_estimates(release):
    found = release.estimate("mean(age)")
    shown = read(found)
    assert shown.rows[1][:3] == ["mean(age)", *found.formatted]
    assert shown.around == ["mean(age)", "400 records."]
    lo = {"x": [0.0, 1, 2, 3, 4], NASTY: [0.0, 2, 1, 5, 3]}
    regression = sf.statistics.range_of(
        f"regress(x ~ `{NASTY}`)", lo, {name: np.add(its, 0.1) for name, its in lo.items()}
    )
    assert [row[0] for row in read(regression).rows[1:]] == ["(intercept)", NASTY]


def test_a_signal_shows_its_places():
    signal = Signal(PLACES, np.array([1.0, 2.0, 3000.0]), "quantity")
    assert read(signal).rows == [["place", "quantity"], ["north", "1"], ["south", "2"], [NASTY, "3,000"]]


def test_rules_are_told_in_words():
    age = LinguisticVariable(attribute=NASTY, values={"young": {"shape": "falling", "corners": (20, 40)}})
    measures = RuleMeasures(np.array([2.0]), np.array([1.0]), n_vital=4, n_others=100)
    model = FuzzyModel((age,), np.array([[1]]), measures, says="soldiers")
    shown = read(model)
    assert shown.around == ["Rules about soldiers"]
    assert shown.rows[1][:2] == [model.rules[0].words, "0.5"]


def test_a_verdict_tells_of_every_attack():
    true = Signal(PLACES, np.array([1.0, 2.0, 90.0]), "quantity")
    one = Disclosure("rules", None, true, true, true, None, (2,), (2,))
    flat = Signal(PLACES, np.array([2.0, 2.0, 2.0]), "quantity")
    none = Disclosure(NASTY, None, true, flat, flat, None, (2,), ())
    assert read(one).around == ["The group is disclosed"]
    assert read(none).around == ["These attacks do not disclose the group"]
    shown = read(Verdict((one, none)))
    assert shown.around == ["The group is disclosed"]
    assert [row[:3] for row in shown.rows[1:]] == [["rules", "1 of 1", "0"], [NASTY, "0 of 1", "0"]]


def test_long_tables_say_how_much_is_left_out():
    made = table("t", ["a"], [[number] for number in range(MOST_ROWS + 5)], more=2, notes=["n"])
    assert len(re.findall("<td", made)) == MOST_ROWS
    assert made.endswith("<p>and 7 more</p>\n<p>n</p>")
    wide = pl.DataFrame({f"c{number}": [1, 2] for number in range(100)})
    assert read(sf.Microfile(wide)).around[1] == "and 70 more"
