"""Released households: their members tell nothing more of each other than each tells by itself."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import SettingError, UnattainableError
from sfumato.measures.household_disclosure import sharing
from tests.boxes.tables import GRADES, blocks, hierarchies, microfile, outside, quasi_of

KINDS = ("age", "income", "grade", "town", "job", "born")


def families(seed: int, records: int, *, lacking: float, kinds, shared: int) -> sf.Microfile:
    """Make a file whose first attributes are those of the household; some households have no number."""
    rng = np.random.default_rng(seed)
    people = microfile(seed, records, lacking=lacking, kinds=kinds)
    homes = np.sort(rng.integers(0, max(records // 3, 2), records))
    first = np.searchsorted(homes, homes)
    frame = people.frame.with_columns(pl.col(name).gather(first) for name in kinds[:shared])
    gone = rng.random((shared, records)) < lacking / 2
    frame = frame.with_columns(
        pl.when(pl.Series(gone[row])).then(None).otherwise(pl.col(name)).alias(name)
        for row, name in enumerate(kinds[:shared])
    )
    home = pl.Series(homes, dtype=pl.Int64)
    home = home.set(pl.Series(rng.random(records) < lacking / 4), None)
    return sf.Microfile(frame.with_columns(home=home), kinds={"grade": GRADES} if "grade" in kinds else {})


def orders(kinds):
    return st.permutations(kinds).map(lambda names: tuple(names[:3]))


everything = st.builds(
    families,
    st.integers(0, 10_000),
    st.integers(20, 300),
    lacking=st.sampled_from([0.0, 0.0, 0.1, 0.4]),
    kinds=orders(KINDS),
    shared=st.integers(1, 3),
)


def protect(file, **given):
    try:
        quasi = quasi_of(file)
        given = {"hierarchies": hierarchies(quasi), "seed": 0} | given
        made = sf.Boxes(quasi=quasi, household="home", keep_household=True, **given)
        return made.protect(file)
    except UnattainableError:
        return None


def seen(release: sf.Release) -> list[tuple]:
    """What is known of each record by who lays those of its household upon each other, taken literally."""
    homes = release.microfile.series("home").to_list()
    rows = [[] for _ in homes]
    for name in release.promise.quasi:
        form = release.codebook.attributes[name].form
        columns = [release.microfile.series(column).to_list() for column in form.columns(name)]
        told = list(zip(*columns, strict=True))
        for place, home in enumerate(homes):
            its = [told[place]]
            if name in release.promise.shared and home is not None:
                its = [told[other] for other, where in enumerate(homes) if where == home]
            known = [one for one in its if one[0] is not None]
            if not known:
                rows[place].append(None)
            elif form.form == "interval":
                rows[place].append((max(one[0] for one in known), min(one[1] for one in known)))
            else:
                rows[place].append(frozenset.intersection(*(frozenset(form.members[one[0]]) for one in known)))
    return [tuple(row) for row in rows]


@settings(max_examples=60, deadline=None)
@given(
    file=everything,
    k=st.integers(2, 6),
    edges=st.sampled_from(["snapped", "tight", "tiling"]),
    limits=st.sampled_from([{}, {}, {"sensitive": ["ill"], "l": 2}, {"sensitive": ["debt"], "t": 0.5}]),
    suppress=st.sampled_from([0.0, 0.1]),
    missing=st.sampled_from(["merged", "merged", "own"]),
)
def test_k_holds_for_who_lays_households_upon_each_other(file, k, edges, limits, suppress, missing):
    release = protect(file, k=k, edges=edges, suppress=suppress, missing=missing, **limits)
    if release is None:
        return
    audit = release.audit()
    assert audit.holds, audit.findings
    assert min(Counter(seen(release)).values()) >= k
    shared = sharing(file, quasi_of(file), household="home")
    assert set(release.promise.shared) >= {name for name, its in shared.items() if its.shared}
    homes = release.microfile.series("home").to_list()
    for block in blocks(release):
        lonely = sum(homes[place] is None for place in block)
        assert lonely + len({homes[place] for place in block} - {None}) >= k
    if not suppress:
        assert outside(file, release) == []


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), edges=st.sampled_from(["snapped", "tight"]))
def test_members_have_the_same_box_of_what_they_share(seed, edges):
    file = families(seed, 400, lacking=0.1, kinds=("income", "age", "job"), shared=1)
    release = protect(file, k=3, edges=edges)
    assert "income" in release.promise.shared
    told = pl.DataFrame([release.microfile.series(name) for name in ("home", "income.lo", "income.hi")])
    assert told.drop_nulls("home").group_by("home").n_unique()["income.lo"].max() == 1


def test_numbers_of_households_are_new_and_do_not_tell_the_order():
    rng = np.random.default_rng(5)
    homes = np.sort(rng.integers(0, 150, 400))
    frame = pl.DataFrame({"home": homes * 7, "zip": (homes * 31) % 97, "age": rng.integers(0, 90, 400)})
    settings_ = sf.Boxes(quasi=["zip", "age"], household="home", keep_household=True, k=4, passes=0, seed=0)
    release = settings_.protect(frame)
    new = release.table["home"].to_numpy()
    pairs = {(old, now) for old, now in zip(homes.tolist(), new.tolist(), strict=True)}
    assert len(pairs) == len(set(homes.tolist())) == len(set(new.tolist()))
    assert sorted(set(new.tolist())) == list(range(1, len(pairs) + 1))
    assert abs(np.corrcoef(homes, new)[0, 1]) < 0.3
    # the same people under other numbers in another order get the same ones
    order = rng.permutation(400)
    renamed = frame.with_columns(home=pl.lit(5000) - pl.col("home"))[order]
    content = [sorted(its.rows()) for _, its in release.table.group_by("home")]
    again = [sorted(its.rows()) for _, its in settings_.protect(renamed).table.group_by("home")]
    assert sorted(content) == sorted(again)


def test_household_numbers_are_withheld_unless_asked_for():
    file = families(1, 300, lacking=0.0, kinds=("income", "age"), shared=1)
    release = sf.Boxes(quasi=["income", "age"], household="home", k=4).protect(file)
    assert "home" not in release.microfile.names
    assert release.promise.household is None
    assert release.settings["households"] == {"k": 4}
    assert release.audit().holds
    homes = file.series("home").to_list()
    for block in blocks(release):
        assert len({homes[place] for place in block}) >= 4


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        ({"keep_household": True}, "keep_household needs household"),
        ({"household": "home", "shared": ["age"]}, "shared has no meaning where household numbers are withheld"),
        ({"household": "home", "keep_household": True, "shared": ["debt"]}, "shared names 'debt', which is not quasi"),
        ({"household": "home", "keep_household": True, "shared": ["age"]}, r"shared: 'age' differs within \d+ of \d+"),
    ],
)
def test_what_does_not_fit_is_refused(given_, told):
    file = families(1, 300, lacking=0.0, kinds=("income", "age"), shared=1)
    with pytest.raises(SettingError, match=told):
        sf.Boxes(quasi=["income", "age"], k=4, **given_).protect(file)


def test_an_audit_finds_households_whose_boxes_tell_more_together():
    table = pl.DataFrame(
        {"home": [1, 1, 2, 2, 3, 3, 4, 4], "rooms.lo": [1, 3, 1, 3, 1, 3, 1, 3], "rooms.hi": [4, 6, 4, 6, 4, 6, 4, 6]}
    )
    promise = sf.Promise(quasi="rooms", household="home", shared="rooms", k=4)
    forms = {"rooms": sf.Interval()}
    whole = sf.Release(table, promise=promise, forms=forms).audit()
    # all households know then that they have 3 or 4 rooms, so they still look alike
    assert whole.holds
    assert whole.measured["together"]["laid"] == {
        "shared": ["rooms"],
        "sharpened": 8,
        "contradicted": 0,
        "k": 8,
        "households": 4,
    }
    sharper = table.with_columns(pl.Series("home", [1, 1, 2, 3, 4, 5, 6, 7]))
    broken = sf.Release(sharper, promise=promise, forms=forms).audit()
    assert not broken.holds
    assert broken.k == 4
    assert "k after intersecting the records of each household: promised 4, measured 2" in broken.findings[0].message
    assert broken.measured["together"]["laid"]["k"] == 2
    wrong = table.with_columns(pl.Series("rooms.lo", [1, 5, 1, 5, 1, 5, 1, 5]))
    assert "4 households have members who cannot have 'rooms' in common" in [
        finding.message for finding in sf.Release(wrong, promise=promise, forms=forms).audit().findings
    ]
