from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import sfumato as sf
from sfumato.boxes import box_search
from sfumato.errors import MicrofileError, SettingError, UnattainableError
from tests.boxes.tables import blocks, files, hierarchies, microfile, outside, quasi_of

EDGES = st.sampled_from(["snapped", "tight", "tiling"])


def protect(file, **given):
    quasi = given.pop("quasi", quasi_of(file))
    return sf.Boxes(**{"quasi": quasi, "hierarchies": hierarchies(quasi), "seed": 0} | given).protect(file)


@settings(max_examples=60)
@given(file=files, k=st.integers(2, 10), edges=EDGES)
def test_every_record_lies_in_a_box_of_k(file, k, edges):
    try:
        release = protect(file, k=k, edges=edges)
    except UnattainableError:
        return
    audit = release.audit()
    assert audit.holds, audit.findings
    assert audit.k >= k
    assert min(map(len, blocks(release))) >= k
    assert outside(file, release) == []
    others = [name for name in file.names if name not in quasi_of(file)]
    assert_frame_equal(release.table.select(others), file.frame.select(others))


@settings(max_examples=20)
@given(file=files, edges=EDGES, seed=st.integers(0, 3), passes=st.sampled_from([None, 3]))
def test_the_result_does_not_depend_on_threads(file, edges, seed, passes):
    given = {"k": 3, "edges": edges, "seed": seed, "passes": None if edges == "tiling" else passes}
    try:
        one, two = (protect(file, threads=threads, **given) for threads in (1, 2))
    except UnattainableError:
        return
    assert_frame_equal(one.table, two.table)
    assert one.settings == two.settings
    assert one.codebook == two.codebook


def test_refining_narrows_boxes_and_keeps_them():
    file = microfile(1, 300, kinds=("age", "income"))
    plain, refined = protect(file, k=5, passes=0), protect(file, k=5, refine=True, seconds=0.01)
    assert refined.private["uncertainty"]["achieved"] < plain.private["uncertainty"]["achieved"]
    assert refined.audit().holds
    assert outside(file, refined) == []
    assert_frame_equal(refined.table, protect(file, k=5, refine=True, seconds=0.01).table)


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_the_same_kind_of_frame_goes_out(kind):
    file = microfile(2, 60, lacking=0.1, kinds=("age", "job", "born"))
    frame = {"polars": file.frame, "pandas": file.frame.to_pandas(), "pyarrow": file.frame.to_arrow()}[kind]
    release = protect(sf.Microfile(frame), k=5, quasi=["age", "job", "born"])
    assert type(release.table) is type(frame)
    assert release.audit().holds
    assert outside(file, release) == []


def test_pandas_rows_keep_their_order():
    frame = microfile(3, 40, kinds=("age",)).frame.to_pandas().set_index(np.random.default_rng(0).permutation(40))
    table = protect(sf.Microfile(frame), k=5, quasi="age").table
    assert (table["age.lo"].to_numpy() <= frame["age"].to_numpy()).all()


@pytest.mark.parametrize("scale", [1e-12, 1e-8, 1.0, 1e12, 1e60])
def test_boxes_are_as_fine_at_any_scale(scale):
    values = np.random.default_rng(0).normal(10, 1, 100) * scale
    table = protect(sf.Microfile(pl.DataFrame({"x": values})), k=5, quasi="x").table
    assert table.n_unique() >= 18
    assert float((table["x.hi"] - table["x.lo"]).mean()) < 0.5 * scale


@pytest.mark.parametrize("edges", ["snapped", "tight", "tiling"])
def test_constant_attributes_and_duplicates_have_no_width(edges):
    same = sf.Microfile(pl.DataFrame({"x": [5] * 20, "s": ["a"] * 20}))
    release = protect(same, quasi=["x", "s"], k=5, edges=edges)
    assert release.audit().k == 20
    assert outside(same, release) == []
    mixed = sf.Microfile(same.frame.with_columns(y=np.arange(20.0)))
    release = protect(mixed, quasi=["x", "y"], k=5, edges=edges, preserve=["mean(y)"])
    assert release.audit().k == 5
    assert float((release.table["x.hi"] - release.table["x.lo"]).max()) <= 2


def test_decimal_columns_are_taken_for_what_they_say():
    frame = microfile(4, 50, kinds=("income",)).frame.with_columns(pl.col("income").cast(pl.Decimal(12, 2)))
    assert outside(sf.Microfile(frame), protect(sf.Microfile(frame), quasi="income", k=5)) == []


def test_the_last_day_of_the_calendar():
    frame = microfile(5, 30, kinds=("born",)).frame
    last = pl.Series("born", ["9999-12-31", *["1950-01-01"] * 29]).str.to_date()
    for kind in (frame.with_columns(last), frame.with_columns(last).to_arrow()):
        release = protect(sf.Microfile(kind), quasi="born", k=5)
        assert release.audit().holds
        assert outside(sf.Microfile(kind), release) == []


FRAME = microfile(6, 60, kinds=("age", "income", "job")).frame.with_columns(none=pl.lit(None, dtype=pl.Float64))


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"k": 1}, SettingError, r"k = 1 protects nobody; .* set force to true"),
        ({"k": 61}, UnattainableError, r"k = 61 is larger than the file of 60 records"),
        ({"k": 5, "preserve": ["mean(job)"]}, SettingError, r"'job'"),
        ({"k": 5, "preserve": ["mean(wage)"]}, SettingError, r"unknown attribute 'wage'"),
        ({"k": 5, "l": 2}, SettingError, r"l needs epsilon for 'income'"),
        ({"k": 5, "l": 6}, SettingError, r"5 records cannot have 6 different values"),
        ({"k": 5, "epsilon": {"age": 1}}, SettingError, r"epsilon needs l"),
        ({"k": 5, "l": 2, "epsilon": {"debt": 1}}, SettingError, r"epsilon names 'debt', which is not quasi"),
        ({"k": 5, "l": 2, "epsilon": {"age": 0}}, SettingError, r"epsilon must be positive"),
        ({"k": 5, "l": 2, "diversity": "entropy"}, SettingError, r"needs a sensitive attribute"),
        ({"k": 5, "t": 0.2}, SettingError, r"t needs a sensitive attribute"),
        ({"k": 5, "quasi": ["age", "none"]}, MicrofileError, r"'none' \(quasi\) has only missing values"),
        ({"k": 5, "quasi": ["aeg"]}, SettingError, r"unknown column 'aeg'\nHint: did you mean 'age'"),
        ({"k": 5, "sensitive": ["age"]}, SettingError, r"'age' is given as quasi and as sensitive"),
        ({"k": 5, "quasi": ["age", "age"]}, SettingError, r"'age' is given twice as quasi"),
        ({"k": 5, "edges": "tiling", "refine": True}, SettingError, r"'tiling' cannot be refined"),
        ({"k": 5, "edges": "tiling", "passes": 3}, SettingError, r"'tiling' cannot be refined"),
        ({"k": 5, "prefer": {"job": [1]}}, SettingError, r"prefer names 'job', which is not numeric"),
        ({"k": 5, "prefer": {"debt": [1]}}, SettingError, r"prefer names 'debt', which is not quasi"),
        ({"k": 5, "weight": "job", "quasi": "age"}, MicrofileError, r"weight 'job' is not numeric"),
        ({"k": 5, "household": "house"}, SettingError, r"household: unknown column 'house'"),
    ],
)
def test_bad_settings_are_refused(given, error, message):
    with pytest.raises(error, match=message):
        sf.Boxes(**{"quasi": ["age", "income", "job"], **given}).protect(FRAME)


def test_columns_that_cannot_be_boxes_are_refused():
    times = FRAME.with_columns(at=pl.lit("10:30").str.to_time("%H:%M"))
    with pytest.raises(MicrofileError, match=r"'at' \(quasi\) holds times without dates"):
        sf.Boxes(quasi="at", k=5).protect(times)
    with pytest.raises(MicrofileError, match=r"'age' would be written to 'age.lo', which is another column"):
        sf.Boxes(quasi="age", k=5).protect(FRAME.with_columns(pl.col("age").alias("age.lo")))


def test_k_of_one_if_it_is_meant():
    release = sf.Boxes(quasi="income", k=1, force=True, edges="tight").protect(FRAME)
    assert release.audit().k == 1


def test_a_statistic_that_nothing_defines():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 40))
    apart = np.arange(40) < 20
    file = pl.DataFrame({"x": np.where(apart, x, np.nan), "y": np.where(apart, np.nan, y)}, nan_to_null=True)
    wanted = [one["statistic"] for one in sf.Boxes(quasi=["x", "y"], k=5).protect(file).settings["preserve"]]
    assert wanted == ["mean(x)", "mean(y)", "var(x)", "var(y)"]
    with pytest.raises(
        SettingError, match=r"preserve: corr\(x, y\) cannot be computed: 'x', 'y': a statistic needs at least two"
    ):
        sf.Boxes(quasi=["x", "y"], k=5, preserve=["corr(x, y)"]).protect(file)


def test_a_sample_that_does_not_vary_is_no_reason_to_refuse():
    rare = np.zeros(130_000)
    rare[1::3] = 1.0
    file = pl.DataFrame({"x": np.random.default_rng(0).normal(size=rare.size), "rare": rare})
    release = sf.Boxes(quasi=["x", "rare"], k=50, passes=0).protect(file)
    assert "corr(x, rare)" in [one["statistic"] for one in release.settings["preserve"]]


def cuts(release, name):
    return np.unique(release.table[f"{name}.lo"].to_numpy())


def test_preferred_points_attract_cuts():
    file = microfile(7, 300, kinds=("age", "income"))

    def crossed(release):
        low, high = (release.table[f"age.{end}"].to_numpy() for end in ("lo", "hi"))
        return sum(int(((low < point) & (point < high)).sum()) for point in (18, 65))

    plain = protect(file, k=5, edges="tiling")
    preferred = protect(file, k=5, edges="tiling", prefer={"age": [18, 65]})
    assert crossed(preferred) < crossed(plain)
    assert 65 in cuts(preferred, "age")
    assert preferred.audit().holds


def test_only_as_many_records_are_left_out_as_allowed():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(size=95), 1e3 * np.arange(1, 6)])
    file = sf.Microfile(pl.DataFrame({"x": values, "number": np.arange(100)}))
    for share, least in ((0.0, 0), (0.04, 0), (0.05, 5), (0.2, 5)):
        release = protect(file, quasi="x", k=5, suppress=share)
        left_out = release.private["left_out"]
        assert least <= left_out <= share * 100
        assert release.microfile.records == 100 - left_out
        assert release.audit().holds
        assert outside(file, release, release.table["number"].to_numpy()) == []
    assert protect(file, quasi="x", k=5, suppress=0.05).table["x.hi"].max() < 10


def test_boxes_that_cost_about_as_much_as_others_stay():
    rng = np.random.default_rng(0)
    even = pl.DataFrame({"x": rng.random(200)})
    assert protect(sf.Microfile(even), quasi="x", k=5, suppress=0.5).private["left_out"] == 0
    far = pl.DataFrame({"x": np.concatenate([rng.random(195), [50, 60, 70, 80, 90.0]])})
    # there would be room for half of the file
    assert protect(sf.Microfile(far), quasi="x", k=5, suppress=0.5).private["left_out"] == 5


def test_leaving_records_out_never_breaks_closeness():
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(size=90), 1e3 * np.arange(1, 11)])
    ill = np.where(np.arange(100) < 90, rng.choice(["a", "b"], 100), "c")
    file = sf.Microfile(pl.DataFrame({"x": values, "ill": ill}))
    for t in np.linspace(0.05, 0.95, 10):
        release = protect(file, quasi="x", sensitive="ill", k=5, t=float(t), suppress=0.1, force=True)
        assert release.audit().holds
        assert release.private["left_out"] <= 10


@pytest.mark.parametrize("seed", [16, 29, 51, 70])
def test_boxes_that_break_closeness_without_others_do_not_leave_beyond_the_limit(seed):
    """Without the dearest box, shares of the whole file are others, so that more boxes would have to go."""
    rng = np.random.default_rng(seed)
    far = int(rng.integers(5, 8))
    near = 60 - far
    x = np.concatenate([rng.normal(size=near), 1e3 * np.arange(1, far + 1)])
    ill = np.where(rng.random(near) < rng.uniform(0.1, 0.5), "a", "b").tolist()
    ill += ["a" if rng.random() < 0.5 else "b"] * far
    t, people = float(rng.uniform(0.05, 0.4)), sf.Microfile(pl.DataFrame({"x": x, "ill": ill}))
    release = sf.Boxes(
        quasi="x", sensitive="ill", k=5, t=t, suppress=far / 60 + 1e-9, force=True, seed=1, passes=0
    ).protect(people)
    assert release.private["left_out"] <= far
    assert release.audit().holds


def test_an_attribute_of_which_no_value_would_be_left_keeps_its_records():
    rng = np.random.default_rng(0)
    far = pl.DataFrame({"x": np.concatenate([rng.normal(size=95), 1e3 * np.arange(1, 6)])})
    known = far.with_columns(y=pl.Series([None] * 95 + [1, 2, 3, 4, 5]))
    assert protect(sf.Microfile(far), quasi="x", k=5, suppress=0.05).private["left_out"] == 5
    release = protect(sf.Microfile(known), quasi=["x", "y"], k=5, suppress=0.05, missing="own")
    assert release.private["left_out"] == 0
    assert release.table["y.lo"].null_count() == 95


@pytest.mark.parametrize("seed", range(10))
def test_few_swaps_never_cost_more_than_none(seed, monkeypatch):
    """The first are judged with noise, and there may be no time to mend what they did."""
    swapped, costs = box_search._with_swapped_records, []

    def watched(task, space, limits, boxes, axes, progress):
        found = swapped(task, space, limits, boxes, axes, progress)
        costs.append([one.costs(space, task.n_codes).sum() for one in (boxes, found)])
        return found

    monkeypatch.setattr(box_search, "_with_swapped_records", watched)
    rng = np.random.default_rng(seed)
    people = pl.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60)})
    for passes in (1, 2):
        sf.Boxes(quasi=["x", "y"], k=3, passes=passes, seed=seed).protect(people)
    assert all(after <= before for before, after in costs)


def test_nothing_of_a_record_is_told():
    file = sf.Microfile(
        microfile(8, 100, kinds=("age", "income")).frame.with_columns(secret=pl.lit("SECRET"), x=pl.lit(987654.25))
    )
    for asked in (
        {"quasi": ["age"], "sensitive": ["secret"], "l": 2},
        {"quasi": ["x"], "l": 2},
        {"quasi": ["age"], "sensitive": ["ill"], "l": 4, "diversity": "entropy"},
    ):
        with pytest.raises(UnattainableError) as error:
            sf.Boxes(k=5, **asked).protect(file)
        assert not any(value in str(error.value) for value in ("SECRET", "987654"))
    release = sf.Boxes(quasi=["age", "income"], k=5, identifiers=["number", "secret", "x"]).protect(file)
    told = f"{release.settings} {release.codebook.model_dump()} {release.private}"
    assert not any(repr(value) in told for value in file.frame["income"].to_list())
    assert "SECRET" not in told


def test_a_node_stands_for_values_that_do_not_occur_too():
    """Its members would tell otherwise which values occur."""
    tree = sf.Hierarchy.from_mapping({name: (name[0], "*") for name in ("a1", "a2", "a3", "b1", "b2", "b3")})
    file = pl.DataFrame({"place": ["a1", "a2", "b1", "b2"] * 10, "age": list(range(40))})
    release = sf.Boxes(quasi=["place", "age"], hierarchies={"place": tree}, k=8).protect(file)
    members = release.codebook.attributes["place"].form.members
    nodes = {label: its for label, its in members.items() if label in ("a", "b", "*")}
    assert nodes
    for label, its in nodes.items():
        assert its == tuple(name for name in tree.listed if label in (name[0], "*"))
    assert release.audit().holds


def test_titles_and_labels_of_boxes_stand_in_the_codebook():
    frame = pl.DataFrame({"age": list(range(40)), "job": [11, 12, 21, 22] * 10, "sex": [1, 2] * 20})
    jobs = {11.0: "miner", 12.0: "smith", 13.0: "clerk", 21.0: "baker", 22.0: "cook", 23.0: "waiter", 99.0: "SECRET"}
    labels = {"job": jobs, "sex": {1.0: "male", 2.0: "female", 3.0: "SECRET"}}
    kinds = dict.fromkeys(labels, "categorical")
    file = sf.Microfile(frame, kinds=kinds, labels=labels, titles={"age": "Age in years", "sex": "Sex"})
    tree = sf.Hierarchy.from_mapping({code: (code[0], "*") for code in ("11", "12", "13", "21", "22", "23")})
    entries = sf.Boxes(quasi=["job", "age"], hierarchies={"job": tree}, k=8).protect(file).codebook.attributes
    assert entries["age"].title == "Age in years"
    # 13 and 23 do not occur, which no label tells by its absence
    told = {member for its in entries["job"].form.members.values() for member in its}
    assert {"13", "23"} & told
    assert entries["job"].labels == {str(int(code)): label for code, label in jobs.items() if str(int(code)) in told}
    sex = sf.Boxes(quasi=["age", "sex"], k=8).protect(file).codebook.attributes["sex"]
    assert (sex.title, sex.labels) == ("Sex", {"1": "male", "2": "female"})


def test_numbers_that_doubles_cannot_square_are_refused():
    rng = np.random.default_rng(0)
    for scale, how in ((1e-310, "less than 1e-70"), (1e-100, "less than 1e-70"), (1e200, "more than 1e\\+70")):
        with pytest.raises(MicrofileError, match=rf"'x' \(quasi\) has numbers that are {how} apart"):
            sf.Boxes(quasi="x", k=5).protect(pl.DataFrame({"x": rng.normal(size=100) * scale}))
