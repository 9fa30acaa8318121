"""Groups of categories, by which labels are closed."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.boxes import category_label_groups
from sfumato.boxes.category_label_groups import (
    FEWEST,
    SEVERAL,
    Present,
    closed_ranges,
    closed_sets,
    joined_categories,
    named_whole,
    range_groups,
    set_groups,
)


def drawn(seed, categories, boxes, size=6):
    rng = np.random.default_rng(seed)
    places = rng.geometric(0.4, boxes * size) % categories + 0.0
    starts = np.arange(0, boxes * size, size)
    lacking = rng.random(boxes) < 0.1
    return places, starts, lacking, Present.of(places, starts, lacking, categories)


def members(sets, categories):
    named = np.zeros((len(sets), categories), dtype=bool)
    for box in range(len(sets)):
        named[box, sets.categories_of(box)] = True
    return named


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 999), categories=st.integers(1, 70), boxes=st.integers(1, 60), k=st.integers(2, 9))
def test_labels_hold_what_occurs_and_show_nothing_that_is_single(seed, categories, boxes, k):
    places, starts, lacking, present = drawn(seed, categories, boxes)
    groups = set_groups(present, k)
    sizes, records = np.bincount(groups), np.bincount(groups, weights=present.counts)
    assert len(sizes) == 1 or (sizes.min() >= FEWEST and records.min() >= k)
    named = members(closed_sets(present, groups, k), categories)
    for box in range(boxes):
        its = places[starts[box] : starts[box] + 6].astype(int)
        counts = np.bincount(its, minlength=categories)
        if lacking[box]:
            continue
        assert named[box][its].all()
        if (counts > 0).sum() == 1:
            assert named[box].sum() == 1
            continue
        for category in np.flatnonzero(named[box]).tolist():
            by_itself = not named[box][groups == groups[category]].all()
            if by_itself:
                assert counts[category] >= SEVERAL
                assert present.counts[category] >= k


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 999), categories=st.integers(4, 7), k=st.integers(2, 30))
def test_ranges_are_widened_least(seed, categories, k):
    _, _, lacking, present = drawn(seed, categories, 40)
    groups = range_groups(present, k)

    def runs(cuts):
        return np.searchsorted(cuts, np.arange(categories), side="right")

    def width(groups):
        low, high = closed_ranges(present, groups, k)
        return float(((high - low) * present.sizes)[~lacking].sum())

    def fits(groups):
        records = np.bincount(groups, weights=present.counts)
        return np.bincount(groups).min() >= FEWEST and records.min() >= k

    every = [runs(cuts) for n in range(categories) for cuts in itertools.combinations(range(1, categories), n)]
    best = min((width(one) for one in every if fits(one)), default=width(np.zeros(categories, dtype=int)))
    assert width(groups) == best
    low, high = closed_ranges(present, groups, k)
    tight_low, tight_high = closed_ranges(present, np.arange(categories), k)
    assert (low <= tight_low).all()
    assert (high >= tight_high).all()


def test_categories_join_those_that_add_least():
    added = np.array([[0, 9, 1, 9], [9, 0, 9, 2], [1, 9, 0, 9], [9, 2, 9, 0]])
    assert joined_categories(added, np.array([50, 50, 50, 50]), 10).tolist() == [0, 1, 0, 1]
    # too few records together: a group goes on joining
    assert joined_categories(added, np.array([3, 50, 3, 50]), 10).tolist() == [0, 0, 0, 0]


def test_a_category_that_is_everywhere_stands_for_no_other():
    # of each box of five, four have 0; one has 1, 2, 3 or 4 in turn
    places = np.array([[0, 0, 0, 0, 1 + box % 4] for box in range(80)], dtype=np.float64).ravel()
    present = Present.of(places, np.arange(0, 400, 5), np.zeros(80, dtype=np.bool_), 5)
    groups = set_groups(present, 5)
    shared = [category for category in range(1, 5) if (groups[1:] == groups[category]).sum() > 1]
    assert shared == [1, 2, 3, 4]


def test_a_household_counts_once():
    places, homes = np.array([0.0, 0, 0, 1, 1, 2]), np.array([7, 7, 8, 9, 9, 9])
    present = Present.of(places, np.array([0, 3]), np.zeros(2, dtype=np.bool_), 3, homes)
    assert present.records.tolist() == [2, 1, 1]


def test_many_categories_are_grouped_in_their_order(monkeypatch):
    monkeypatch.setattr(category_label_groups, "MOST", 8)
    _, _, _, present = drawn(5, 40, 60)
    groups = set_groups(present, 7)
    assert (np.diff(groups) >= 0).all()
    assert np.bincount(groups).min() >= FEWEST
    assert np.bincount(groups, weights=present.counts).min() >= 7


@pytest.mark.parametrize("kept", [False, True])
def test_releases_with_households_are_closed_too(kept):
    rng = np.random.default_rng(2)
    homes = np.repeat(np.arange(200), 3)
    frame = pl.DataFrame(
        {
            "home": homes,
            "town": rng.choice(list("abcdefgh"), 200, p=[0.3, 0.3, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05])[homes],
            "age": rng.integers(0, 90, 600),
            "way": rng.choice(["car", "bus", "boat", "ferry"], 600, p=[0.5, 0.4, 0.05, 0.05]),
        }
    )
    boxes = sf.Boxes(quasi=["town", "age", "way"], household="home", keep_household=kept, k=5, detail=0.05)
    release = boxes.protect(frame)
    audit = release.audit()
    assert audit.holds
    assert audit.measured["sets"]["single"] == audit.measured["sets"]["rare"] == 0
    for name in ("town", "way"):
        form = release.codebook.attributes[name].form
        labels = release.microfile.series(name).to_list()
        assert all(value in form.members[label] for value, label in zip(frame[name].to_list(), labels, strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_labels_leave_a_record_unaccounted_for(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(4, 9, 200)
    starts = np.cumsum(sizes) - sizes
    places = rng.choice(8, int(sizes.sum()), p=[0.4, 0.2, 0.1, 0.1, 0.1, 0.05, 0.03, 0.02]).astype(float)
    present = Present.of(places, starts, np.zeros(200, dtype=bool), 8)
    groups = np.array([0, 0, 1, 1, 2, 2, 3, 3], dtype=np.int32)
    whole = named_whole(present, groups, 4)
    for box in range(200):
        own = present.box == box
        brought = set(groups[present.category[own & whole]].tolist())
        alone = [one for one in present.category[own] if groups[one] not in brought]
        # either nothing is closed, or nothing is named alone, or a record is spare
        assert not brought or not alone or sizes[box] - 2 * len(alone) - len(brought) >= 1
        assert all(present.records[own & (present.category == one)] >= 2 for one in alone if own.sum() > 1)
