"""Results are those of the stored baseline, and the comparison can fail."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from tests.bytes.attacks import ATTACKS
from tests.bytes.baseline import (
    cases,
    compared,
    estimate_numbers,
    made_with,
    missing_files,
    read_stored,
    verdict_of,
)
from tests.bytes.fingerprints import VALUES, data_fingerprint, tree_fingerprint
from tests.bytes.real_releases import RELEASES
from tests.conftest import DATA


@pytest.mark.parametrize("name", cases())
def test_results_are_those_of_the_baseline(name):
    if missing := missing_files(name):
        pytest.skip(f"real microdata {missing[0]} is not in {DATA}; set SFUMATO_DATA to the folder that has it")
    stored = read_stored()
    verdicts = compared(stored["results"].get(name, {}), cases()[name][1](DATA))
    unequal = {what: verdict for what, verdict in verdicts.items() if verdict != "equal"}
    assert unequal == {}, f"stored with {stored['made_with']}, now {made_with()}; see tests/bytes/baseline.py"


def test_the_baseline_holds_every_case_and_nothing_else():
    results = read_stored()["results"]
    assert set(results) == set(cases())
    assert len(RELEASES) >= 12
    assert sum(len(case.estimates) for case in RELEASES.values()) >= 16
    assert len(results["ranges of generated intervals"]) == 4
    assert len(ATTACKS) >= 8


def test_different_releases_have_different_digests():
    results = read_stored()["results"]
    data = [results[name]["data"][VALUES] for name in RELEASES]
    assert len(set(data)) == len(data)


def test_a_changed_cell_order_type_or_name_changes_the_digest():
    frame = pl.DataFrame({"age.lo": [20, 20, 40], "age.hi": [39, 39, None], "ill": ["flu", "none", "none"]})
    usual = data_fingerprint(frame)
    assert data_fingerprint(frame.clone()) == usual
    changed = [
        frame.with_columns(pl.Series("age.hi", [39, 38, None])),
        frame.with_columns(pl.Series("age.hi", [39, 39, 0])),
        frame.with_columns(pl.col("age.lo").cast(pl.Int32)),
        frame.reverse(),
        frame.select("age.hi", "age.lo", "ill"),
    ]
    assert [verdict_of(usual, data_fingerprint(other)) for other in changed] == ["DIFFERS"] * len(changed)
    assert verdict_of(usual, data_fingerprint(frame.rename({"ill": "illness"}))) == "renamed"


def test_numbers_count_and_sentences_do_not():
    certificate = {"measured": {"k": 5, "risk": 0.2, "note": "five are alike"}, "holds": True, "levels": [1, 2.5]}
    usual = tree_fingerprint(certificate)

    def verdict(text: str, other: str) -> str:
        return verdict_of(usual, tree_fingerprint(json.loads(json.dumps(certificate).replace(text, other))))

    assert verdict("five are alike", "five records are equal") == "equal"
    assert verdict('"risk"', '"highest_risk"') == "renamed"
    assert verdict("0.2", "0.20000000000000004") == "DIFFERS"
    assert verdict("true", "false") == "DIFFERS"
    assert verdict("[1, 2.5]", "[1.0, 2.5]") == "DIFFERS"
    assert verdict_of(tree_fingerprint(np.array([1.0])), tree_fingerprint(np.array([1.0 + 2**-52]))) == "DIFFERS"


def test_the_last_digit_of_an_estimate_counts():
    lo, hi = [1.0, 1.0], [3.0, 3.0]
    usual = estimate_numbers(sf.statistics.range_of("mean(x)", {"x": lo}, {"x": hi}))
    moved = estimate_numbers(sf.statistics.range_of("mean(x)", {"x": lo}, {"x": np.nextafter(hi, 4.0)}))
    assert verdict_of(usual, dict(usual)) == "equal"
    assert verdict_of(usual, moved) == "DIFFERS"


def test_what_is_new_or_gone_is_not_equal():
    one = {"data": tree_fingerprint([1])}
    assert compared(one, {}) == {"data": "GONE"}
    assert compared({}, one) == {"data": "NEW"}
