from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import SettingError
from sfumato.measures import check_promise, explain
from sfumato.measures.block_measure import BlockMeasure
from sfumato.release.broken_limit_reasons import broken_limit_message

TABLE = sf.Microfile(
    pl.DataFrame({"age": [1, 1, 1, 2, 2, 3], "sex": list("ffmffm"), "ill": ["SECRET", "b", "c", "b", "b", "c"]})
)


def test_why_a_limit_is_broken():
    promise = sf.Promise(quasi=["age", "sex"], sensitive="ill", k=2, l=2)
    kept = check_promise(TABLE, promise)
    assert not kept.holds
    reasons = {reason.setting: reason for reason in explain(kept, TABLE)}
    k, diversity = reasons["k"], reasons["l"]
    assert (k.reached, k.records, k.blocks, k.worst_block_records) == (1, 2, 2, 1)
    assert kept.safety.blocks.members(k.worst_block).tolist() in ([2], [5])
    # without age there are blocks f, f, f, f and m, m; without sex 1, 1, 1 and 2, 2 and 3
    assert k.without == {"age": 0, "sex": 1}
    assert (k.relaxed_limit, k.relaxed_records) == (1, 0)
    assert (diversity.attribute, diversity.records) == ("ill", 4)
    assert "dropping 'age' would leave 0 violating" in broken_limit_message(k)
    assert "SECRET" not in "".join(map(broken_limit_message, reasons.values()))


def test_a_kept_promise_needs_no_reason():
    kept = check_promise(TABLE, sf.Promise(quasi="sex", sensitive="ill", k=2, l=1))
    assert kept.holds
    assert explain(kept, TABLE) == []


@pytest.mark.parametrize(
    ("limits", "broken"),
    [
        ({"diversity": "entropy", "l": 2.1}, ["l"]),
        ({"diversity": "recursive", "l": 2, "c": 2.0}, ["c"]),
        ({"t": 0.1}, ["t"]),
        ({"alpha": 0.4}, ["alpha"]),
        ({"beta": 0.1}, ["beta"]),
        ({"delta": 0.1}, ["delta"]),
        ({"max_risk": 0.4}, ["max_risk"]),
        ({"max_risk": 0.5}, []),
    ],
)
def test_every_limit_can_be_promised(limits, broken):
    kept = check_promise(TABLE, sf.Promise(quasi="sex", sensitive="ill", k=1, **limits))
    assert [limit.setting for limit in kept.broken] == broken


def test_what_is_measured_can_be_promised():
    safety = sf.measure(TABLE, quasi="sex", sensitive="ill")
    assert check_promise(TABLE, sf.Promise(quasi="sex", sensitive="ill", k=2, l=safety.l, t=safety.t)).holds


@pytest.mark.parametrize("beyond", [0.0, 1e-6])
def test_recursive_diversity_and_delta_are_broken_by_the_limit_itself(beyond):
    """Their definitions ask for less than c and delta, all others for at most the limit."""
    table = pl.DataFrame({"block": ["p"] * 3 + ["q"] * 3, "ill": [*"aab", *"abb"]})
    roles = {"quasi": "block", "sensitive": "ill", "k": 1}
    for limits in (
        {"diversity": "recursive", "l": 2, "c": 2.0 + beyond},
        {"delta": float(np.log(3 / 2)) + beyond},
    ):
        assert check_promise(sf.Microfile(table), sf.Promise(**roles, **limits)).holds is (beyond > 0)
    assert check_promise(sf.Microfile(table), sf.Promise(**roles, beta=1 / 3, max_risk=1 / 3, t=1 / 6)).holds


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"quasi": "age", "k": 0}, "setting 'k'"),
        ({"quasi": "age", "l": 2}, "l needs a sensitive attribute"),
        ({"quasi": "age", "sensitive": "ill", "l": 2, "diversity": "recursive"}, "need each other"),
        ({"quasi": "age", "sensitive": "ill", "l": 2.5, "diversity": "recursive", "c": 1}, "needs a whole l"),
        ({"quasi": "age", "sensitive": "ill", "l": float("inf")}, "setting 'l'"),
        ({"quasi": "age", "sensitive": "ill", "t": 2}, "setting 't'"),
        ({"quasi": "age", "sensitive": "ill", "diversity": "entropy"}, "needs l"),
        ({"quasi": "age", "sensitive": "ill", "distances": {"sex": "equal"}}, "'sex', which is not sensitive"),
    ],
)
def test_promises_are_checked_when_made(given, message):
    with pytest.raises(SettingError, match=message):
        sf.Promise(**given)


def test_what_is_no_number_keeps_no_limit():
    measure = BlockMeasure("risk", np.array([np.nan]), np.array([3]), safer="lower")
    assert measure.violations(0.5).records == 3


def test_k_larger_than_the_table():
    with pytest.raises(SettingError, match="k = 7 is larger than the table of 6 records"):
        check_promise(TABLE, sf.Promise(quasi="sex", k=7))
