"""Releases by fuzzy partition: safe by what is released, told in words, and refused where grades are too fine."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.datasets import health_survey
from sfumato.errors import MicrofileError, SettingError, SfumatoError, UnattainableError
from sfumato.fuzzy.codebook_sets import ClusteredSets, on_levels
from sfumato.partitions.set_checks import Graded, refuse_lonely
from tests.partitions.tables import METHODS, people

AGES = {
    "young": {"shape": "falling", "corners": [30, 40]},
    "middle": {"shape": "trapezoidal", "corners": [30, 40, 50, 60]},
    "old": {"shape": "rising", "corners": [50, 60]},
}


def protected(file, **given):
    return sf.FuzzyPartition(**{"quasi": ["age", "hours"], "seed": 0, **given}).protect(file)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 999),
    method=st.sampled_from(METHODS),
    shown=st.sampled_from(["words", "grades"]),
    levels=st.integers(1, 12),
    sets=st.integers(2, 4),
    gaps=st.booleans(),
)
def test_what_is_released_keeps_k(seed, method, shown, levels, sets, gaps):
    file = people(seed, 300, gaps=gaps)
    try:
        release = protected(file, method=method, shown=shown, levels=levels, sets=sets, k=4, sensitive="ill", l=2)
    except (UnattainableError, SettingError):
        # too fine, or quantiles that coincide
        return
    table = release.table
    columns = release.codebook.columns()
    names = [column for name in release.promise.quasi for column in columns[name]]
    blocks = table.group_by(names).agg(pl.len(), pl.col("ill").n_unique())
    assert blocks["len"].min() >= 4
    assert blocks["ill"].min() >= 2
    assert release.audit().holds
    assert not {"age", "hours"} & set(table.columns) or method == "sets"
    assert table["ill"].to_list() == file["ill"].to_list()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shown", ["words", "grades"])
def test_anybody_can_compute_the_grades_from_what_the_release_says(tmp_path, method, shown):
    file = people(1, 2000)
    made = protected(file, method=method, shown=shown, k=3, suppress=0.3)
    release = sf.open_release(made.write(tmp_path / "out", order="kept"))
    if made.private["left_out"]:
        return
    for name in release.promise.quasi:
        form = release.codebook.attributes[name].form
        sets = form.public_sets()
        values = np.stack([file[attribute].to_numpy().astype(float) for attribute in sets.attributes], axis=1)
        parts = on_levels(sets.grades(values), form.levels)
        told = form.memberships(release.microfile, name)
        expected = parts / form.levels if shown == "grades" else (parts > 0) / (parts > 0).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(told, expected)
        assert list(form.sets) == list(sets.words())


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    written = []
    for threads in (1, 2):
        release = protected(people(2, 3000), method="gustafson-kessel", threads=threads, k=3)
        folder = release.write(tmp_path / str(threads), seed=5)
        written.append([(folder / name).read_bytes() for name in ("data.parquet", "certificate.json", "codebook.json")])
    assert written[0] == written[1]


def test_sets_of_the_users_own():
    file = pl.DataFrame({"age": [36, 36, 20, 20, 70, 70, 45, 45, 36]})
    release = sf.FuzzyPartition(quasi="age", method="sets", sets={"age": AGES}, k=2).protect(file)
    assert release.table["age"].to_list() == ["young / middle"] * 2 + ["young"] * 2 + ["old"] * 2 + ["middle"] * 2 + [
        "young / middle"
    ]
    assert release.codebook.attributes["age"].form.sets["young"] == "fully up to 30, falling from 30 to 40"
    own = {"quasi": "age", "method": "sets", "sets": {"age": AGES}}
    exact = sf.FuzzyPartition(**own, k=2, shown="grades", levels=5, width=0.05)
    assert exact.protect(file).table["age.young"].to_list()[:3] == [0.4, 0.4, 1.0]


def test_grades_that_are_too_fine_are_refused_with_what_would_do():
    file = people(3, 300)
    asked = {"shown": "grades", "k": 30, "width": 0.05}
    with pytest.raises(UnattainableError, match=r"k = 30 .* with grades on 3 levels") as refused:
        protected(file, **asked, levels=3)
    levels = int(refused.value.hint.split()[2].rstrip(";"))
    assert refused.value.hint.startswith(f"levels = {levels} would meet all limits")
    assert protected(file, **asked, levels=levels).audit().holds


def test_levels_are_reduced_until_grades_do_not_give_values_back():
    file = pl.DataFrame({"age": np.arange(20.0, 80.0, 0.05)})
    own = {"quasi": "age", "method": "sets", "sets": {"age": AGES}, "shown": "grades", "k": 2}
    release = sf.FuzzyPartition(**own, levels=100).protect(file)
    # a slope of 10 years has this number of levels of at least a tenth of 30 years
    assert release.settings["levels"] == 3
    assert release.settings["asked_levels"] == 100
    inverted = release.audit().measured["fuzzy"]["inversion"]["age"]
    assert 3 < inverted["narrowest"] < 3.5
    assert inverted["extent"] == 30
    assert "asked_levels" not in sf.FuzzyPartition(**own, levels=3).protect(file).settings
    with pytest.raises(UnattainableError, match=r"width = 0\.7 is unattainable: .* the sets of 'age'") as refused:
        sf.FuzzyPartition(**own, width=0.7).protect(file)
    attainable = float(refused.value.hint.split("width = ")[1])
    assert 0.66 < attainable < 0.67
    assert sf.FuzzyPartition(**own, width=attainable).protect(file).settings["levels"] == 1


def test_q_is_promised_and_measured():
    file = people(4, 800)
    reached = protected(file, k=2).audit().measured["fuzzy"]["q"]
    assert protected(file, k=2, q=reached).audit().holds
    with pytest.raises(UnattainableError, match=r"reach Q = \d+"):
        protected(file, k=2, q=700)
    release = protected(file, k=2)
    too_much = sf.Release(
        release.table,
        promise=release.promise.model_copy(update={"q": reached + 1}),
        forms={name: entry.form for name, entry in release.codebook.attributes.items()},
    )
    assert f"q: promised {reached + 1}, measured {reached}" in too_much.audit().findings[0].message


def test_records_that_lack_a_value_are_a_block_of_their_own():
    file = people(5, 600, gaps=True)
    release = protected(file, k=5)
    (column,) = release.promise.quasi
    lacking = file["age"].is_null() | file["hours"].is_null()
    assert release.table[column].is_null().to_list() == lacking.to_list()
    few = file.with_columns(age=pl.when(pl.int_range(pl.len()) < 2).then(None).otherwise(pl.col("age").fill_null(30)))
    few = few.with_columns(hours=pl.col("hours").fill_null(20))
    with pytest.raises(UnattainableError):
        protected(few, k=5)
    left = protected(few, k=5, suppress=0.01)
    assert left.private["left_out"] == 2
    assert left.audit().holds


def test_a_release_that_says_other_sets_is_found(tmp_path):
    release = protected(people(6, 500), k=2, shown="grades", levels=2)
    (name,) = release.promise.quasi
    form = release.codebook.attributes[name].form
    others = form.model_copy(update={"sets": {f"{word}!": told for word, told in form.sets.items()}})
    renamed = {f"{name}.{word}": f"{name}.{word}!" for word in form.sets}
    wrong = sf.Release(release.table.rename(renamed), promise=release.promise, forms={name: others})
    assert "lists other sets" in wrong.audit().findings[0].message
    column = form.columns(name)[0]
    moved = release.table.with_columns(pl.col(column) + 0.01)
    wrong = sf.Release(moved, promise=release.promise, forms={name: form})
    assert "but others occur" in wrong.audit().findings[0].message


def test_no_statistic_of_fuzzy_sets_is_guaranteed():
    release = protected(health_survey(1000).select(["age", "hours", "income"]), k=3)
    with pytest.raises(SettingError):
        release.estimate("mean(age)")
    assert release.estimate("mean(income)").guaranteed


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k": 1}, "k = 1 protects nobody"),
        ({"sets": 1}, "sets must be 2 to 60"),
        ({"sets": {"age": 3}}, "need method = 'sets'"),
        ({"method": "sets", "sets": {"size": 3}}, "names 'size', which is not quasi"),
        ({"method": "k-means", "fuzzifier": 3}, "has no fuzzifier"),
        ({"levels": 0}, "levels"),
        ({"l": 2}, "l needs a sensitive attribute"),
        ({"method": "fcm"}, "method"),
        ({"quasi": []}, "quasi"),
    ],
)
def test_settings_that_make_no_sense(given, message):
    with pytest.raises(SettingError, match=message):
        sf.FuzzyPartition(**{"quasi": ["age", "hours"], "seed": 0, **given})


def test_files_that_have_no_fuzzy_sets():
    file = people(7, 100)
    with pytest.raises(MicrofileError, match="no quasi attribute is numeric"):
        sf.FuzzyPartition(quasi=["ill"]).protect(file)
    with pytest.raises(SettingError, match="sets: 'ill' has categories"):
        sf.FuzzyPartition(quasi=["age", "ill"], method="sets", sets={"ill": 2}).protect(file)
    with pytest.raises(MicrofileError, match="same value everywhere"):
        protected(file.with_columns(hours=pl.lit(40)))
    with pytest.raises(UnattainableError, match="3 sets need as many different records; 2"):
        protected(file.with_columns(age=pl.int_range(pl.len()) % 2, hours=pl.int_range(pl.len()) % 2))
    with pytest.raises(UnattainableError, match="larger than the file"):
        protected(file, k=101)
    with pytest.raises(MicrofileError, match="only missing values"):
        protected(file.with_columns(hours=pl.lit(None, dtype=pl.Int64)))
    broken = {"low": {"shape": "falling", "corners": [30, 40]}, "high": {"shape": "rising", "corners": [35, 40]}}
    with pytest.raises(SettingError, match="not a Ruspini partition: at 35"):
        sf.FuzzyPartition(quasi="age", method="sets", sets={"age": broken}).protect(file)
    short = {
        "low": {"shape": "trapezoidal", "corners": [0, 0, 25, 30]},
        "high": {"shape": "trapezoidal", "corners": [25, 30, 40, 40]},
    }
    with pytest.raises(SettingError, match="reach beyond its sets, from 0 to 40"):
        sf.FuzzyPartition(quasi="age", method="sets", sets={"age": short}).protect(file)
    with pytest.raises(SettingError, match="must not descend"):
        sf.FuzzyPartition(quasi="age", method="sets", sets={"age": {"a": {"shape": "falling", "corners": [3, 2]}}})


def test_nothing_of_a_record_is_told(tmp_path):
    """Centres and measures are rounded, and no error shows a value."""
    file = people(8, 400).with_columns(age=pl.col("age") + 0.123456)
    folder = protected(file, k=3).write(tmp_path / "out")
    for name in ("certificate.json", "codebook.json"):
        assert "0.123456" not in (folder / name).read_text()
    definition = json.loads((folder / "codebook.json").read_text())["attributes"]["age+hours"]["form"]["definition"]
    assert all(len(f"{number:g}") <= 4 for centre in definition["centres"] for number in centre)


def test_adult(real_data, tmp_path):
    adult = sf.read(real_data("adult/adult_train.csv.gz"))
    numeric = ["age", next(name for name in adult.names if name.startswith("hours"))]
    release = sf.FuzzyPartition(quasi=numeric, k=20, shown="grades", levels=3).protect(adult)
    assert sf.open_release(release.write(tmp_path / "out")).audit().holds
    finest = sf.FuzzyPartition(quasi=numeric, k=20, shown="grades", levels=200).protect(adult)
    assert finest.settings["levels"] < 5
    assert finest.audit().holds


def test_gustafson_kessel_of_attributes_that_are_nearly_one():
    """What is rounded is still what was found: no set is thinner than a step of its centre."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=3000)
    file = pl.DataFrame({"age": x, "hours": x + 0.003 * rng.normal(size=3000)})
    release = protected(file, method="gustafson-kessel", k=5, shown="grades", levels=2)
    sets = release.codebook.attributes["age+hours"].form.public_sets()
    assert np.linalg.eigvalsh(np.array(sets.norms)).min() > 0
    values = file.to_numpy()
    model = sf.GustafsonKessel(3, max_condition=400, n_init=4, random_state=0).fit(values / values.std(axis=0).round(1))
    order = np.argsort(model.cluster_centers_[:, 0])
    assert np.abs(sets.grades(values) - model.memberships_[:, order]).mean() < 0.1


def test_sets_that_tell_nothing_are_refused():
    rng = np.random.default_rng(0)
    file = pl.DataFrame({f"x{number}": rng.normal(size=500) for number in range(9)})
    with pytest.raises(UnattainableError, match="all records would be released alike"):
        sf.FuzzyPartition(quasi=file.columns, k=2).protect(file)


def outlier() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    age, hours = rng.normal(50, 10, 2000).round(), rng.normal(40_000, 9_000, 2000).round()
    age[7], hours[7] = 97, 1_234_500
    return pl.DataFrame({"age": age, "hours": hours})


@pytest.mark.parametrize("method", ["k-means", "fuzzy-c-means", "gustafson-kessel"])
def test_no_set_tells_of_a_record_that_is_left_out(method):
    try:
        release = protected(outlier(), method=method, suppress=0.05, k=5)
    except UnattainableError:
        # refused, which tells nothing either
        return
    sets = release.codebook.attributes["age+hours"].form.public_sets()
    assert max(centre[1] for centre in sets.centres) < 100_000


@pytest.mark.parametrize("seed", [4, 10])
def test_who_follows_the_hint_to_leave_out_more_gets_there(seed):
    rng = np.random.default_rng(seed)
    file = pl.DataFrame({name: rng.lognormal(3, 2, 400).round() for name in ("age", "hours")})
    asked = [0.0]
    while True:
        try:
            release = protected(file, method="k-means", sets=4, k=8, suppress=asked[-1])
        except UnattainableError as refused:
            # each time other records are too few alike, for the sets are found without those that were
            asked.append(float(refused.hint.split("suppress = ")[1].split()[0]))
            assert asked[-1] > asked[-2]
        else:
            break
    assert len(asked) >= 2
    assert asked[-2] * 400 < release.private["left_out"] <= asked[-1] * 400


def test_no_centre_rests_on_one_heavy_record():
    rng = np.random.default_rng(0)
    file = pl.DataFrame({"age": rng.normal(40, 5, 401), "hours": rng.normal(30, 5, 401), "w": np.ones(401)})
    heavy = file.with_columns(
        w=pl.when(pl.int_range(pl.len()) == 0).then(1e6).otherwise("w"),
        age=pl.when(pl.int_range(pl.len()) == 0).then(55.0).otherwise("age"),
    )
    with pytest.raises(UnattainableError, match="rests on fewer than k = 5 records, or mostly on two"):
        protected(heavy, weight="w", k=5, method="k-means")
    assert protected(file, weight="w", k=5, method="k-means").audit().holds


@pytest.mark.parametrize(("k", "kept"), [(5, True), (6, False)])
def test_a_cluster_rests_on_k_records(k, kept):
    """Its block has six records, of which one has no weight: it tells of five."""
    near, far = np.linspace(0.0, 10.0, 40), np.linspace(100.0, 105.0, 6)
    values = np.concatenate([near, far])
    file = pl.DataFrame({"age": values, "hours": values, "w": (np.arange(46) != 42).astype(float)})
    asked = sf.FuzzyPartition(quasi=["age", "hours"], method="k-means", sets=2, weight="w", k=k)
    if kept:
        assert asked.protect(file).audit().holds
    else:
        with pytest.raises(UnattainableError, match="a set rests on fewer than k = 6 records"):
            asked.protect(file)
    assert protected(file, method="k-means", sets=2, k=6).audit().k == 6


@pytest.mark.parametrize("nearest", [4, 5])
def test_a_cluster_is_nearest_to_k_records(nearest):
    """Many records belong to it a little, so that it is dispersed; who is nearest to it are its own."""
    sets = ClusteredSets(
        attributes=("age",), names=("a", "b"), centres=((0.0,), (10.0,)), norms=(((1.0,),), ((1.0,),)), fuzzifier=2.0
    )
    grades = np.full((40, 2), [0.55, 0.45])
    grades[:nearest] = [0.4, 0.6]
    graded = {"age": Graded(sets, grades, np.zeros(40, dtype=np.bool_))}
    asked, file = sf.FuzzyPartition(quasi="age", k=5), sf.Microfile(pl.DataFrame({"age": np.arange(40.0)}))
    if nearest < 5:
        with pytest.raises(UnattainableError, match="a set rests on fewer than k = 5 records"):
            refuse_lonely(graded, asked, file)
    else:
        refuse_lonely(graded, asked, file)


def test_no_more_records_are_left_out_than_allowed():
    file = pl.DataFrame({"age": [20.0] * 50 + [45.0] * 47 + [70.0] * 3})
    asked = {"quasi": "age", "method": "sets", "sets": {"age": AGES}, "k": 4}
    release = sf.FuzzyPartition(**asked, suppress=0.03).protect(file)
    assert release.private["left_out"] == 3
    assert release.table.height == 97
    for suppress in (0.0, 0.02, 0.0299):
        with pytest.raises(UnattainableError, match=r"k = 4 is unattainable") as refused:
            sf.FuzzyPartition(**asked, suppress=suppress).protect(file)
        assert "suppress = 0.03 or more" in refused.value.hint


def test_what_cannot_be_clustered():
    apart = pl.DataFrame({"age": [1.0, 2, 3, None, None, None], "hours": [None, None, None, 4.0, 5, 6]})
    with pytest.raises(UnattainableError, match="no record has all quasi attributes"):
        protected(apart)
    file = people(9, 200)
    for scale in (1e160, 1e-160):
        with pytest.raises(MicrofileError, match=r"'age' .* has numbers that are (less|more) than"):
            protected(file.with_columns(pl.col("age") * scale))
    light = file.with_columns(w=(pl.int_range(pl.len()) < 2).cast(float))
    with pytest.raises(UnattainableError, match="as many records with a positive weight"):
        protected(light, weight="w")
    for word in ("", "y /", "a/b"):
        sets = {word: {"shape": "falling", "corners": [30, 40]}, "old": {"shape": "rising", "corners": [30, 40]}}
        with pytest.raises(SettingError, match="a word of 'age' is empty, or contains '/'"):
            sf.FuzzyPartition(quasi="age", method="sets", sets={"age": sets}).protect(file)
    with pytest.raises(MicrofileError, match="same value everywhere"):
        protected(file.with_columns(age=pl.lit(3)), method="sets")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda made: {**made, "norms": made["norms"][:-1]},
        lambda made: {**made, "norms": [[[1.0]]] * len(made["norms"])},
        lambda made: {**made, "norms": [[[-1.0, 0.0], [0.0, 1.0]]] * len(made["norms"])},
        lambda made: {},
    ],
)
def test_sets_that_define_nothing_are_found(wrong):
    release = protected(people(10, 500), k=2)
    form = release.codebook.attributes["age+hours"].form
    broken = form.model_copy(update={"definition": wrong(form.definition)})
    audit = sf.Release(release.table, promise=release.promise, forms={"age+hours": broken}).audit()
    assert audit.findings[0].message == "does not define the sets of 'age+hours'"


def test_words_in_another_order_are_found():
    file = pl.DataFrame({"age": [36, 36, 20, 20, 70, 70, 45, 45]})
    release = sf.FuzzyPartition(quasi="age", method="sets", sets={"age": AGES}, k=2).protect(file)
    form = release.codebook.attributes["age"].form
    turned = release.table.with_columns(pl.col("age").replace("young / middle", "middle / young"))
    audit = sf.Release(turned, promise=release.promise, forms={"age": form}).audit()
    assert "does not explain 1 labels" in audit.findings[0].message


def families(records: int = 400) -> pl.DataFrame:
    """People of whom some live together in a dwelling whose size they share; some of them do not say it."""
    file = people(3, records)
    homes = np.sort(np.random.default_rng(3).integers(0, records // 3, records))
    rooms = pl.Series((homes * 7 % 9 + 1).astype(float))
    return file.with_columns(home=homes, rooms=rooms.set(pl.Series(np.arange(records) % 41 == 0), None))


def test_household_numbers_are_withheld_or_new():
    file = families()
    roles = {"quasi": ["age", "rooms"], "method": "sets", "household": "home", "sets": 2}
    release = protected(file, **roles)
    assert "home" not in release.table.columns
    assert release.promise.household is None
    assert release.settings["households"] == {"k": 2}
    release = protected(file, **roles, keep_household=True)
    assert release.promise.shared == ("rooms",)
    audit = release.audit()
    assert audit.holds
    assert audit.measured["together"]["laid"]["sharpened"] == 0
    pairs = {*zip(file["home"].to_list(), release.table["home"].to_list(), strict=True)}
    assert len(pairs) == file["home"].n_unique() == release.table["home"].n_unique()
    assert any(old + 1 != new for old, new in pairs)
    # who lives with somebody who does not say it does not either
    silent = file.filter(pl.col("rooms").is_null())["home"].unique().to_list()
    assert release.table.filter(file["home"].is_in(silent))["rooms"].is_null().all()


def test_sets_of_what_households_share_and_what_not_are_refused():
    with pytest.raises(SettingError, match="keep_household: members of a household share 'rooms'"):
        protected(families(), quasi=["age", "rooms"], household="home", keep_household=True)
    release = protected(families(), quasi=["age", "hours"], household="home", keep_household=True)
    assert release.promise.shared == ()


N = 120
HOSTILE = {
    "infinite": lambda hours: np.where(np.arange(N) == 3, np.inf, hours),
    "minus infinite": lambda hours: np.where(np.arange(N) == 3, -np.inf, hours),
    "huge": lambda hours: hours * 1e69,
    "tiny": lambda hours: hours * 1e-69,
    "far away": lambda hours: hours + 1e15,
    "one far away": lambda hours: np.where(np.arange(N) == 3, 1e60, hours),
    "nearly the same": lambda hours: 1.0 + hours * 2e-16,
    "two values": lambda hours: (hours > 30).astype(float),
    "durations": lambda hours: pl.Series(hours.astype(int)).cast(pl.Duration("ms")),
    "dates": lambda hours: pl.Series(hours.astype(int)).cast(pl.Date),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_numbers_give_a_release_or_an_error_of_our_own(method, kind):
    file = people(5, N)
    file = file.with_columns(hours=pl.Series(HOSTILE[kind](file["hours"].to_numpy())))
    scales = ["deviation"] if method == "sets" else ["deviation", "range", "none"]
    for scale in scales:
        asked = sf.FuzzyPartition(quasi=["age", "hours"], method=method, suppress=0.3, seed=1, scale=scale)
        try:
            release = asked.protect(file)
        except SfumatoError as refused:
            assert "hours" in str(refused) or isinstance(refused, UnattainableError | SettingError)  # noqa: PT017  # or a release
        else:
            assert kind not in ("infinite", "minus infinite", "durations", "dates")
            assert release.audit().holds


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", ["deviation", "range", "none"])
@pytest.mark.parametrize("method", ["fuzzy-c-means", "gustafson-kessel", "k-means"])
def test_an_attribute_that_is_constant_among_complete_records(method, scale):
    file = people(5, 100).with_columns(
        age=pl.when(pl.int_range(pl.len()) < 50).then("age"),
        hours=pl.when(pl.int_range(pl.len()) < 50).then(40.0).otherwise("hours"),
    )
    with pytest.raises(UnattainableError, match=r"'hours' .* the same value in all records that have every quasi"):
        protected(file, method=method, scale=scale)
    assert protected(file, method="sets", sets=2, suppress=0.5).audit().holds


def test_values_that_are_written_as_one_count_as_one():
    moments = pl.Series("at", [1_700_000_000_000_000_000 + number % 7 for number in range(60)]).cast(pl.Datetime("ns"))
    frame = pl.DataFrame({"x": [number % 30 for number in range(60)], "at": moments})
    with pytest.raises(UnattainableError, match="once it is written: l of 'at': promised 2, measured 1"):
        sf.FuzzyPartition(quasi="x", sensitive="at", k=3, l=2, method="sets").protect(frame)


@pytest.mark.parametrize("method", ["sets", "k-means"])
def test_where_only_records_that_lack_a_value_could_stay_the_limit_is_named(method):
    # those that have x are all alike in s, those that lack it are not
    frame = pl.DataFrame(
        {
            "x": [*range(10), *range(10), *([None] * 20)],
            "s": ["a"] * 20 + ["a", "b"] * 10,
        }
    )
    partition = sf.FuzzyPartition(quasi="x", sensitive="s", method=method, k=2, l=2, suppress=0.6)
    with pytest.raises(UnattainableError, match="l = 2 of 's' is unattainable"):
        partition.protect(frame)
