from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from sfumato.measures import fuzzy_closeness, measure_fuzzy, tabulate_fuzzy
from sfumato.measures.fuzzy_contingency import distinct_rows
from sfumato.microfile.encoded_column import Encoded
from tests.measures.fuzzy_example import CRISP, MEMBERSHIPS, PEOPLE, exact, partitions

W = ["1/15", "1/15", "7/15", "2/15", "1/15", "1/15", "2/15"]
SHARES = [
    ["0", "0", "1/4", "0", "1/4", "1/4", "1/4"],
    ["0", "0", "1/2", "1/2", "0", "0", "0"],
    ["1/2", "0", "1/2", "0", "0", "0", "0"],
    ["0", "0", "2/3", "0", "0", "0", "1/3"],
    ["0", "1/2", "1/2", "0", "0", "0", "0"],
    ["0", "0", "1/2", "1/2", "0", "0", "0"],
]
SET_DISTANCES = ["29/120", "3/20", "3/10", "1/9", "43/180", "3/20"]
DISTANCES = {
    "67/240": (1, 2),
    "1/9": (3, 6, 11),
    "3/20": (4, 5, 8),
    "43/180": (7, 10),
    "29/120": (9, 12, 13, 14),
    "73/720": (15,),
}


def encoded(values) -> Encoded:
    """Codes of small numbers, None missing."""
    known = sorted({value for value in values if value is not None})
    codes = [-1 if value is None else known.index(value) for value in values]
    return Encoded(np.array(codes, dtype=np.int32), np.array(known))


def test_the_example():
    hours = measure_fuzzy(PEOPLE, MEMBERSHIPS, sensitive="hours", cardinality="nonfuzzy").attributes["hours"]
    assert [exact(share) for share in hours.counts.table_shares] == [Fraction(share) for share in W]
    # ERRATA 002-7: the distributions behind the printed numbers count by (2)
    assert [[exact(p) for p in row] for row in hours.counts.shares] == [[Fraction(p) for p in row] for row in SHARES]
    assert not hours.counts.undefined.any()
    found = [exact(distance) for distance in hours.t.records.values]
    assert found == [next(Fraction(d) for d, people in DISTANCES.items() if n in people) for n in range(1, 16)]
    # the largest distance, not the smallest as printed: ERRATA 002-2
    assert exact(hours.t.t) == Fraction(67, 240)
    assert min(found) == Fraction(73, 720)
    assert round(float(min(found)), 4) == 0.1014
    assert [exact(distance) for distance in hours.t.sets.values] == [Fraction(d) for d in SET_DISTANCES]
    # ERRATA 002-1
    assert exact(hours.t.crisp.worst) == Fraction(3, 10)


def test_the_example_by_sigma_counts():
    hours = measure_fuzzy(PEOPLE, MEMBERSHIPS, sensitive="hours").attributes["hours"]
    # ERRATA 002-7
    assert hours.t.records.values.min() == pytest.approx(0.0897, abs=5e-5)
    # sets weighted by their sizes give the table back, which (2) does not promise
    mixed = hours.counts.sigma_counts.sum(axis=1) @ hours.counts.shares / 15
    assert np.allclose(mixed, hours.counts.table_shares)


def test_the_crisp_example():
    hours = measure_fuzzy(PEOPLE, CRISP, sensitive="hours").attributes["hours"]
    assert [exact(distance) for distance in hours.t.sets.values] == [Fraction(d) for d in SET_DISTANCES]
    assert np.allclose(hours.t.sets.values, hours.t.crisp.values)
    assert exact(hours.t.t) == Fraction(3, 10)


@given(partitions())
def test_no_record_is_farther_than_its_farthest_set(partition):
    grades, values = partition
    for cardinality in ("sigma", "nonfuzzy"):
        counts = tabulate_fuzzy(grades, encoded(values), cardinality=cardinality)
        assert np.allclose(counts.shares.sum(axis=1), 1)
        equal = fuzzy_closeness(counts, distance="equal")
        # a distance is convex, so that a mixture is no farther than the sets it is of
        assert (equal.records.values <= counts.memberships @ equal.sets.values + 1e-12).all()
        if None not in values:
            ordered = fuzzy_closeness(counts, distance="ordered")
            assert (ordered.records.values <= counts.memberships @ ordered.sets.values + 1e-12).all()
        assert fuzzy_closeness(counts, distance="ordered").t <= 1 + 1e-12


@given(partitions())
def test_against_the_definition(partition):
    grades, values = partition
    numbers = [value or 0 for value in values]
    counts = tabulate_fuzzy(grades, encoded(numbers))
    distinct = sorted(set(numbers))
    held = grades[:, grades.any(axis=0)]
    sets = [[column[np.array(numbers) == v].sum() / column.sum() for v in distinct] for column in held.T]
    table = np.array([numbers.count(v) / len(numbers) for v in distinct])
    found = fuzzy_closeness(counts, distance="ordered").records.values
    for record, distance in zip(held, found, strict=True):
        away = np.cumsum(record @ np.array(sets) - table)
        # one value alone is at distance 0: ERRATA 002-14
        assert distance == pytest.approx(np.abs(away).sum() / max(len(distinct) - 1, 1), abs=1e-12)


@given(partitions(crisp_only=True))
def test_crisp_memberships_give_crisp_measures(partition):
    grades, values = partition
    for cardinality in ("sigma", "nonfuzzy"):
        counts = tabulate_fuzzy(grades, encoded(values), cardinality=cardinality)
        for distance in ("ordered", "equal"):
            t = fuzzy_closeness(counts, distance=distance)
            assert np.allclose(t.sets.values, t.crisp.values)
            assert t.t == pytest.approx(t.crisp.worst, abs=1e-12)


def test_equal_memberships_are_measured_once():
    grades = np.repeat([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]], 4, axis=0)
    rows, row_of = distinct_rows(grades)
    assert rows.shape == (3, 2)
    assert np.array_equal(rows[row_of], grades)
    # nearly equal ones are not taken for equal
    grades[0, 0] += 2**-54
    rows, row_of = distinct_rows(grades)
    assert np.array_equal(rows[row_of], grades)


def test_where_nobody_belongs_by_half():
    # ERRATA 002-8: shares by (2) would be 0/0; those of sigma-counts stand in
    table = pl.DataFrame({"ill": ["a", "b", "b"]})
    thirds = np.full((3, 3), 1 / 3)
    ill = measure_fuzzy(table, thirds, sensitive="ill", cardinality="nonfuzzy").attributes["ill"]
    assert ill.counts.undefined.all()
    assert np.allclose(ill.counts.shares, [[1 / 3, 2 / 3]] * 3)
    assert ill.t.t == pytest.approx(0, abs=1e-12)
    assert ill.l.represented.worst == 0
