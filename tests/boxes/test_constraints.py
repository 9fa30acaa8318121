"""Every limit is measured again: by the measures, and by counting."""

from __future__ import annotations

import itertools
import re
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import UnattainableError
from sfumato.measures import measure
from sfumato.microfile.hierarchy import Hierarchy
from tests.boxes.tables import blocks, files, hierarchies, microfile, outside, quasi_of

ILLS = Hierarchy.from_mapping({"x": ("xy", "*"), "y": ("xy", "*"), "z": ("z", "*")})
LIMITS = [
    {"l": 2},
    {"l": 1.7, "diversity": "entropy"},
    {"l": 2, "diversity": "recursive", "c": 2.5},
    {"t": 0.45},
    {"t": 0.4, "l": 2, "distances": {"debt": "equal"}},
    {"t": 0.4, "hierarchies": {"ill": ILLS}},
]


def protect(file, **given):
    quasi = given.pop("quasi", quasi_of(file))
    given["hierarchies"] = given.get("hierarchies", {}) | hierarchies(quasi)
    return sf.Boxes(**{"quasi": quasi, "seed": 0} | given).protect(file)


def apart(numbers, epsilon) -> int:
    """The most values that lie at least epsilon apart, by trying all subsets."""
    values = sorted(set(numbers))
    for size in range(min(len(values), 4), 0, -1):
        for some in itertools.combinations(values, size):
            if all(high - low >= epsilon * (1 - 1e-9) for low, high in itertools.pairwise(some)):
                return size
    return 0


def audited(file, **given):
    """Protect, or do without where the limits cannot be kept at all."""
    try:
        release = protect(file, **given)
    except UnattainableError:
        return None
    audit = release.audit()
    assert audit.holds, audit.findings
    assert audit.k >= given["k"]
    return release


@settings(max_examples=50)
@given(file=files, k=st.integers(2, 8), limits=st.sampled_from(LIMITS), passes=st.sampled_from([None, 4]))
def test_limits_of_sensitive_attributes_are_kept(file, k, limits, passes):
    release = audited(file, k=k, sensitive=["ill", "debt"], passes=passes, **limits)
    if release is None:
        return
    keys = [column for name in release.promise.quasi for column in release.codebook.columns()[name]]
    ills = {name: one for name, one in limits.get("hierarchies", {}).items() if name == "ill"}
    found = measure(
        release.table,
        quasi=keys,
        sensitive=["ill", "debt"],
        distances=limits.get("distances", {}),
        hierarchies=ills,
    )
    for attribute in found.attributes.values():
        if limits.get("diversity") == "entropy":
            assert attribute.entropy_l.worst >= limits["l"] - 1e-9
        elif "c" in limits:
            assert attribute.recursive_c(2).worst < limits["c"]
        elif "l" in limits:
            assert attribute.l.worst >= limits["l"]
        assert attribute.t.worst <= limits.get("t", 1.0) + 1e-9
    assert outside(file, release) == []


@settings(max_examples=30)
@given(file=files, k=st.integers(2, 5))
def test_every_box_has_k_households(file, k):
    release = audited(file, k=k, household="home")
    for block in blocks(release) if release else []:
        assert len({place // 2 for place in block}) >= k


@settings(max_examples=40)
@given(file=files, k=st.integers(3, 8), l=st.integers(2, 3), epsilon=st.sampled_from([0.5, 1.0, 3.0]))
def test_every_box_has_values_apart(file, k, l, epsilon):  # noqa: E741  # the field's own letter
    widths = {name: width for name, width in (("age", epsilon), ("income", 100 * epsilon)) if name in quasi_of(file)}
    release = audited(file, k=k, l=l, epsilon=widths)
    for block in blocks(release) if release else []:
        for name in release.promise.quasi:
            column = release.codebook.columns()[name][0]
            if release.microfile.series(column)[block[0]] is None:
                continue
            values = file.encoded(name).values[file.encoded(name).codes[block]]
            if name in widths:
                assert apart(values.astype(float).tolist(), widths[name]) >= l
            else:
                assert len(set(values.tolist())) >= l


@settings(max_examples=20)
@given(file=files, limits=st.sampled_from(LIMITS[:4]))
def test_weights_change_shapes_but_no_promise(file, limits):
    release = audited(file, k=4, sensitive="ill", weight="weight", **limits)
    assert release is None or outside(file, release) == []


def refusal(file, **given) -> UnattainableError | None:
    try:
        protect(file, **given)
    except UnattainableError as error:
        return error
    return None


@settings(max_examples=40)
@given(seed=st.integers(0, 1000), records=st.integers(10, 60), which=st.sampled_from(range(5)))
def test_what_is_said_to_be_attainable_is(seed, records, which):
    setting, limits = [
        ("l", {"l": 7}),
        ("l", {"l": 5.5, "diversity": "entropy"}),
        ("c", {"l": 2, "c": 0.2, "diversity": "recursive"}),
        ("t", {"t": 0.0, "missing": "own", "k": 2}),
        ("suppress", {"t": 0.1, "missing": "own", "k": 2}),
    ][which]
    file = microfile(seed, records, lacking=0.3 if "t" in limits else 0.0, kinds=("age", "job"))
    # one block of all records is meant, if it comes to that
    asked = {"k": 5, "force": True, "sensitive": ["ill", "debt"], **limits}
    # strata of missing values may be too few for k first
    for _ in range(2):
        error = refusal(file, **asked)
        if error is None or "no value of" in str(error) or "leave out attributes" in str(error):
            return
        told = dict(re.findall(r"(\w+)=([0-9.]+\d|\d)", error.hint))
        if setting == "suppress" and setting not in told:
            return
        asked |= {"k": int(told["k"]), "force": True} if "k" in told and setting == "t" else {}
        asked |= {setting: float(told[setting])} if setting in told else {}
    assert refusal(file, **asked) is None


def test_an_unattainable_limit_names_its_attribute():
    file = microfile(0, 60, kinds=("age",))
    frame = file.frame.with_columns(same=pl.lit("a"))
    with pytest.raises(UnattainableError, match=r"'same' = 2 is unattainable: .* 1\nHint: l=1 would be attainable"):
        sf.Boxes(quasi="age", sensitive=["ill", "same"], k=5, l=2).protect(frame)
    with pytest.raises(UnattainableError, match=r"'age' = 4 is unattainable: even one box of all records reaches 3"):
        sf.Boxes(quasi="age", k=5, l=4, epsilon={"age": 25}).protect(frame)
    assert sf.Boxes(quasi="age", k=5, l=3, epsilon={"age": 25}, force=True).protect(frame).audit().holds


def test_lost_values_need_not_lie_apart():
    file = pl.DataFrame({"x": np.arange(40.0), "y": [None] * 20 + [1.0] * 6 + list(range(14))}, strict=False)
    thin = file.with_columns(pl.when(pl.col("x") < 26).then(None).otherwise(pl.col("y")).alias("y"))
    thin = thin.with_columns(y=pl.when(pl.col("x") < 2).then(7.0).otherwise(pl.col("y")))
    thin = thin.with_columns(x=pl.when(pl.col("x") < 2).then(None).otherwise(pl.col("x")))
    # two records have y only: they are merged with others and lose it
    release = sf.Boxes(quasi=["x", "y"], k=5, l=3).protect(thin)
    assert release.audit().holds


def test_what_leaves_one_block_is_refused_unless_it_is_meant():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"x": rng.integers(0, 50, 60), "s": rng.choice(["a", "b", "c"], 60)})
    boxes = {"quasi": "x", "sensitive": "s", "k": 4, "t": 0.0}
    with pytest.raises(UnattainableError, match="with t = 0 all 60 records form one block"):
        sf.Boxes(**boxes).protect(frame)
    release = sf.Boxes(**boxes, force=True).protect(frame)
    assert release.table["x.lo"].n_unique() == 1
    assert release.audit().holds


@pytest.mark.parametrize("seed", range(6))
def test_a_release_keeps_its_promise_as_it_is_written(seed):
    """Moments that differ by less than a microsecond, and decimals by less than doubles tell, are written as one."""
    rng = np.random.default_rng(seed)
    fine = pl.Series("s", 1_700_000_000_000_000_000 + rng.choice([0, 1, 2, 3, 4, 5000, 6000], 40)).cast(
        pl.Datetime("ns")
    )
    digits = [Decimal(f"{whole}.{part:020d}") for whole, part in rng.integers(0, 2, (40, 2)).tolist()]
    for values in (fine, pl.Series("s", digits, dtype=pl.Decimal(38, 20))):
        frame = pl.DataFrame({"x": rng.integers(0, 50, 40), "s": values})
        boxes = sf.Boxes(quasi="x", sensitive="s", k=4, t=0.2)
        try:
            release = boxes.protect(frame)
        except UnattainableError:
            continue
        assert release.audit().holds
