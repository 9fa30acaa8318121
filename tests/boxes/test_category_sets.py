from __future__ import annotations

import tracemalloc

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.boxes.category_label_groups import Present, closed_sets, set_groups
from sfumato.boxes.category_sets import CategorySets

SETS = st.lists(st.sets(st.integers(0, 150), max_size=8), min_size=1, max_size=20)


def sets_of(rows):
    pairs = [(box, category) for box, its in enumerate(rows) for category in [*its, *its]]
    box, category = (np.array(its, dtype=np.int64) for its in zip(*pairs[::-1], strict=True)) if pairs else ([], [])
    return CategorySets.of(
        np.asarray(box, dtype=np.int64), np.asarray(category, dtype=np.int64), n_boxes=len(rows), n_categories=151
    )


@given(SETS)
def test_each_box_has_its_categories_once(rows):
    sets = sets_of(rows)
    assert [sets.categories_of(box).tolist() for box in range(len(sets))] == [sorted(its) for its in rows]


@given(SETS, st.data())
def test_equal_sets_have_one_number_in_order_of_appearance(rows, data):
    of = data.draw(st.none() | st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=30))
    shared = rows if of is None else [rows[box] for box in of]
    lacking = np.array(data.draw(st.lists(st.booleans(), min_size=len(shared), max_size=len(shared))))
    expected = [frozenset() if lacks else frozenset(its) for its, lacks in zip(shared, lacking, strict=True)]
    codes, distinct = sets_of(rows).numbered(lacking, None if of is None else np.array(of))
    assert [frozenset(distinct[code].tolist()) for code in codes] == expected
    assert [frozenset(its.tolist()) for its in distinct] == list(dict.fromkeys(expected))


@given(SETS)
def test_records_give_the_sets_of_their_boxes(rows):
    held = [sorted(its) * 2 for its in rows]
    starts = np.cumsum([0, *map(len, held[:-1])])
    found = CategorySets.occurring(np.array([float(c) for its in held for c in its]), starts, 151)
    assert [found.categories_of(box).tolist() for box in range(len(found))] == [sorted(its) for its in rows]


def test_memory_does_not_grow_with_the_number_of_categories():
    """20,000 boxes and 20,000 categories are 50 MB of bits."""
    rng = np.random.default_rng(0)
    n_boxes, n_categories = 20_000, 20_000
    places, starts = rng.integers(0, n_categories, 5 * n_boxes).astype(float), np.arange(0, 5 * n_boxes, 5)
    present = Present.of(places, starts, np.zeros(n_boxes, dtype=bool), n_categories)
    groups = set_groups(present, 5)
    tracemalloc.start()
    sets = closed_sets(present, groups, 5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(sets) == n_boxes
    assert peak < 30 * 2**20
