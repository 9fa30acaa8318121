from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.attacks.fellegi_sunter import MatchWeights
from sfumato.datasets import health_survey
from sfumato.errors import MicrofileError, SettingError
from tests.attacks.brute_force_linkage import NAMES, compared, distances, probabilities, random_outside, random_release


def judged(cheap, true_positions):
    """Sizes and whether the own record is among them, from a table of pairs that are candidates."""
    return cheap.sum(axis=1), np.array(
        [position >= 0 and cheap[i, position] for i, position in enumerate(true_positions)]
    )


def random_positions(seed, outside, release):
    return np.random.default_rng(seed).integers(-1, release.table.height, outside.height)


@pytest.mark.parametrize("missing", ["any", "own"])
@pytest.mark.parametrize("seed", range(60))
def test_containment_and_nearest_are_those_of_all_pairs(seed, missing):
    rng = np.random.default_rng(seed)
    names = [name for name in NAMES if rng.random() < 0.7] or ["age"]
    release, outside = random_release(seed, records=20 + 4 * seed), random_outside(seed)
    true_positions = random_positions(seed, outside, release)
    linked = sf.Linkage(on=names, missing=missing, methods=["containment", "nearest"]).attack(
        release, outside, own=true_positions
    )
    alike = compared(release, outside, names, missing_own=missing == "own")
    away = distances(release, outside, names, missing_own=missing == "own")
    for method, cheap in (
        ("containment", (alike != 0).all(axis=2)),
        ("nearest", away <= away.min(axis=1, keepdims=True) + 1e-9),
    ):
        sizes, among = judged(cheap, true_positions)
        links = linked[method]
        assert links.sizes.tolist() == sizes.tolist()
        assert links.among.tolist() == among.tolist()
        assert links.unique == pytest.approx(np.mean(sizes == 1))
        assert links.right == pytest.approx(np.mean((sizes == 1) & among))
        assert links.reached == pytest.approx(np.mean(sizes > 0))
        assert links.expected == pytest.approx(
            np.mean([a / n if n else 0.0 for a, n in zip(among, sizes, strict=True)])
        )
        assert links.fewest == (min(sizes[sizes > 0]) if sizes.any() else None)


@pytest.mark.parametrize("missing", ["any", "own"])
@pytest.mark.parametrize("seed", range(4))
def test_probabilities_and_best_weights_are_those_of_all_pairs(seed, missing):
    release, outside = random_release(seed, records=15), random_outside(seed, records=12)
    true_positions = random_positions(seed, outside, release)
    settings = sf.Linkage(methods=["probabilistic"], missing=missing, overlap=0.7)
    linked = settings.attack(release, outside, own=true_positions)
    alike = compared(release, outside, NAMES, missing_own=missing == "own")
    m, u = probabilities(alike, 0.7)
    summaries = dict(zip(NAMES, zip(m, u, strict=True), strict=True))
    assert {name: pytest.approx(attribute, abs=1e-6) for name, attribute in summaries.items()} == linked.agreement
    weights = np.where(alike == 1, np.log2(m / u), np.where(alike == 0, np.log2((1 - m) / (1 - u)), 0.0)).sum(axis=2)
    best = weights.max(axis=1)
    sizes, among = judged(weights >= best[:, None] - 1e-6, true_positions)
    assert linked["probabilistic"].sizes.tolist() == sizes.tolist()
    assert linked["probabilistic"].among.tolist() == among.tolist()
    prior = 0.7 / release.table.height
    probable = 1 / (1 + (1 - prior) / prior * 2**-best)
    sure = sf.Linkage(
        methods=["probabilistic"], missing=missing, overlap=0.7, certainty=float(np.median(probable)) + 1e-9
    )
    retained = sure.attack(release, outside)["probabilistic"]
    assert retained.sizes.tolist() == np.where(probable >= sure.certainty, sizes, 0).tolist()
    assert retained.right is retained.expected is retained.precision is retained.covered is None


def test_probabilities_come_back():
    """Independent attributes with known errors: m and u are found again."""
    rng = np.random.default_rng(5)
    records, categories, errors = 3000, (30, 12, 40, 8, 25), (0.05, 0.2, 0.1, 0.02, 0.3)
    truth = {f"a{n}": rng.integers(0, size, records) for n, size in enumerate(categories)}
    noisy = {
        name: np.where(rng.random(records) < error, rng.integers(0, size, records), attribute)
        for (name, attribute), size, error in zip(truth.items(), categories, errors, strict=True)
    }
    linked = sf.Linkage(truth="order").attack(pl.DataFrame(truth), pl.DataFrame(noisy))
    for (m, u), size, error in zip(linked.agreement.values(), categories, errors, strict=True):
        assert u == pytest.approx(1 / size, abs=0.01)
        assert m == pytest.approx(1 - error * (1 - 1 / size), abs=0.03)
    assert linked["probabilistic"].right > linked["containment"].right


def test_weights():
    weights = MatchWeights(np.array([0.75]), np.array([0.25]), 0.5)
    assert (weights.agree[0], weights.disagree[0]) == pytest.approx((np.log2(3), -np.log2(3)))
    assert weights.probability(np.array([2.0, 0.0, -2.0])).tolist() == pytest.approx([0.8, 0.5, 0.2])


def test_a_table_as_it_is_gives_its_sample_uniques_away():
    people = health_survey(3000)
    quasi = ["age", "sex", "education", "income"]
    linked = sf.Linkage(on=quasi, truth="name", missing="own").attack(people, people)
    blocks = sf.measure(people, quasi=quasi).blocks
    for links in linked.methods.values():
        assert links.sizes.tolist() == blocks.sizes[blocks.numbers].tolist()
        assert links.right == links.unique == (blocks.sizes == 1).sum() / 3000
        assert links.expected == pytest.approx(len(blocks) / 3000)
        assert links.precision == 1.0
    assert sf.Linkage(truth="name").attack(people, people).on == tuple(n for n in people.names if n != "name")


@pytest.mark.parametrize("missing", ["any", "own"])
def test_boxes_leave_k_candidates(missing):
    people = health_survey(4000)
    release = sf.Boxes(quasi=["age", "hours", "education", "region"], identifiers="name", k=10, seed=0).protect(people)
    linked = sf.Linkage(truth="order", missing=missing).attack(release, people)
    assert set(linked.methods) == {"containment", "nearest", "probabilistic"}
    held = linked["containment"]
    assert (held.covered, held.unique, held.right, held.precision) == (1.0, 0.0, 0.0, None)
    assert (held.fewest >= 10, held.expected <= 0.1, held.below(10)) == (True, True, 0)
    assert linked["nearest"].sizes.tolist() == held.sizes.tolist()
    assert linked["probabilistic"].expected <= 0.1
    half = people.filter(np.arange(4000) % 2 == 0)
    fewer = sf.Linkage(missing=missing).attack(release, half, own=np.arange(0, 4000, 2))
    assert fewer["containment"].sizes.tolist() == held.sizes[::2].tolist()


@pytest.mark.parametrize("shown", ["words", "grades"])
@pytest.mark.parametrize("method", ["fuzzy-c-means", "sets"])
def test_fuzzy_sets(method, shown):
    people = health_survey(4000)
    partition = sf.FuzzyPartition(
        seed=0, quasi=["age", "hours"], identifiers="name", k=10, method=method, shown=shown, levels=2
    )
    release = partition.protect(people)
    linked = sf.Linkage(truth="order", missing="own").attack(release, people)
    assert linked.on == ("age", "hours")
    exact, inverted = linked["containment"], linked["inversion"]
    # the grades of an outside record are those that it was released with
    blocks = sf.measure(
        release.table, quasi=[c for attribute in release.promise.quasi for c in release.codebook.columns()[attribute]]
    )
    assert exact.sizes.tolist() == blocks.blocks.sizes[blocks.blocks.numbers].tolist()
    assert exact.covered == 1.0
    # the ranges hold at least these
    assert inverted.covered > 0.999
    assert (inverted.sizes[inverted.among] >= exact.sizes[inverted.among]).all()
    assert inverted.expected <= exact.expected <= 0.1
    alone = sf.Linkage(on="age", truth="order").attack(release, people)
    assert alone["containment"].covered > 0.99
    assert alone["containment"].candidates > exact.candidates


def test_values_beyond_all_sets_have_no_candidates():
    shapes = {"young": {"shape": "falling", "corners": [30, 50]}, "old": {"shape": "rising", "corners": [30, 50]}}
    people = pl.DataFrame({"age": list(range(20, 60)) * 3})
    partition = sf.FuzzyPartition(quasi="age", method="sets", sets={"age": shapes}, k=2)
    linked = sf.Linkage().attack(partition.protect(people), pl.DataFrame({"age": [0, 200, None]}))
    assert linked["inversion"].sizes.tolist() == linked["containment"].sizes.tolist()
    assert linked["containment"].fewest > 2
    assert linked["containment"].sizes[2] == 120


def test_files_write_categories_and_dates_in_their_own_ways():
    days = [datetime.date(2000, 1, day) for day in (1, 2, 3)]
    table = pl.DataFrame({"code": ["1", "2", "3"], "day": days})
    release = sf.Release(
        table,
        promise=sf.Promise(quasi=["code", "day"], k=1),
        forms={"code": sf.Sets(members={"1": ("1",), "2": ("2",), "3": ("3", "4")})},
    )
    outside = pl.DataFrame({"code": [1.0, 4.0, 9.0], "day": pl.Series(days).cast(pl.Datetime("ms"))})
    linked = sf.Linkage(truth="order").attack(release, outside)
    assert linked["containment"].sizes.tolist() == [1, 0, 0]
    assert sf.Linkage(on="code").attack(release, outside)["containment"].sizes.tolist() == [1, 1, 0]
    assert sf.Linkage(on="day").attack(release, outside)["containment"].sizes.tolist() == [1, 1, 1]


def test_threads_change_nothing():
    release, outside = random_release(3, records=300), random_outside(3, records=500)
    alone, shared = (sf.Linkage(threads=threads).attack(release, outside).summary() for threads in (1, 2))
    assert alone == shared


def test_frames_of_other_libraries():
    people = health_survey(200).select(["age", "sex"]).frame
    summaries = [
        sf.Linkage(truth="order").attack(kind, kind).summary()
        for kind in (people, people.to_pandas(), people.to_arrow())
    ]
    assert summaries[0] == summaries[1] == summaries[2]


def test_summaries_show_no_values():
    people = health_survey(500).with_columns({"age": pl.Series("age", [987654 + n for n in range(500)])})
    linked = sf.Linkage(on=["age", "sex"], truth="name").attack(people, people)
    assert "98765" not in str(linked.summary()) + repr(linked)
    assert "correct 100.00%" in repr(linked["nearest"])


PEOPLE = pl.DataFrame({"id": [1, 2, 3], "age": [31, 47, 52], "sex": ["f", "m", "f"]})


@pytest.mark.parametrize(
    ("settings", "outside", "message"),
    [
        ({}, {"height": [1]}, "none of the attributes on which it could be linked: id, age, sex"),
        ({"on": ["height"]}, {"height": [1]}, "on: the release contains no information about 'height'"),
        ({"on": ["age"]}, {"sex": ["f"]}, "on: the outside file has no column 'age'"),
        ({"on": ["sex", "sex"]}, {"sex": ["f"]}, "on lists 'sex' twice"),
        ({"on": ["age"]}, {"age": ["old"]}, "on: 'age' has text in the outside file"),
        ({"on": ["age"]}, {"age": [None]}, "on: the outside file has only missing values of 'age'"),
        ({"on": ["age"]}, {"age": [datetime.date(2000, 1, 1)]}, "on: 'age' has dates in the outside file"),
        ({"on": ["sex"]}, {"sex": ["female"]}, "no category of 'sex' in the outside file occurs in the release"),
        ({"truth": "name"}, {"sex": ["f"]}, "truth: the release has no column 'name'"),
        ({"truth": "id"}, {"sex": ["f"]}, "truth: the outside file has no column 'id'"),
        ({"truth": "id"}, {"sex": ["f", "f"], "id": [3, 3]}, "truth: 'id' has 1 duplicate value in the outside file"),
        (
            {"truth": "id"},
            {"sex": ["f", "f"], "id": [3, None]},
            "truth: 'id' is missing in 1 record in the outside file",
        ),
        ({"truth": "sex"}, {"sex": ["f"], "age": [3]}, "truth: 'sex' has 1 duplicate value in the release"),
        ({"truth": "id"}, {"sex": ["f"], "id": [77]}, "truth: no value of 'id' occurs in both files"),
        ({"truth": "order"}, {"sex": ["f"]}, "the release has 3 records and the outside file 1"),
        ({"truth": "order"}, {"sex": ["f"] * 3, "order": [1, 2, 3]}, "could also mean the column 'order'"),
        ({"methods": ["inversion"]}, {"sex": ["f"]}, "methods: inversion needs an attribute"),
        ({"own": [3]}, {"sex": ["f"]}, "own: positions range from 0 to 2"),
        ({"own": [0.5]}, {"sex": ["f"]}, "own: give a whole number for each of the 1 outside records"),
        ({"own": [0], "truth": "order"}, {"sex": ["f"]}, "own and truth both say which records belong together"),
    ],
)
def test_wrong_input(settings, outside, message):
    true_positions = settings.get("own")
    attack = sf.Linkage(**{name: value for name, value in settings.items() if name != "own"}).attack
    with pytest.raises(SettingError) as refused:
        attack(PEOPLE, pl.DataFrame(outside), own=true_positions)
    assert message in refused.value.message
    assert not any(value in str(refused.value) for value in ("31", "47", "77", "female", "old"))


def test_wrong_settings(tmp_path):
    for wrong in ({"methods": []}, {"methods": ["magic"]}, {"overlap": 0}, {"certainty": 1}, {"missing": "none"}):
        with pytest.raises(SettingError, match=next(iter(wrong))):
            sf.Linkage(**wrong)
    with pytest.raises(MicrofileError, match="no records"):
        sf.Linkage().attack(PEOPLE, PEOPLE.clear())
    wide = pl.DataFrame({f"a{n}": [1, 2] for n in range(13)})
    with pytest.raises(SettingError, match="probabilistic takes up to 12 attributes"):
        sf.Linkage().attack(wide, wide)
    assert sf.Linkage(methods=["nearest"]).attack(wide, wide)["nearest"].unique == 1.0
    release = sf.Release(PEOPLE, promise=sf.Promise(quasi=["age", "sex"], k=1))
    release.write(tmp_path / "out")
    with pytest.raises(SettingError, match="order of a written release cannot be used"):
        sf.Linkage(truth="order").attack(sf.open_release(tmp_path / "out"), PEOPLE)
    by_id = sf.Linkage(truth="id").attack(sf.open_release(tmp_path / "out"), PEOPLE)
    assert (by_id.on, by_id["containment"].right) == (("age", "sex"), 1.0)
