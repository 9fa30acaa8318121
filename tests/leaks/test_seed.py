"""What is drawn at random cannot be drawn again by somebody who tries seeds."""

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.datasets import health_survey
from sfumato.errors import SettingError, UnattainableError
from sfumato.groups.reshape.decoys import reshape_by_decoy
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.randomness import KNOWN, Secret
from tests.recipes import group_recipe

TRIED = range(1000)
PLACES = 30
PINNED = [0, 6, 7, 3, 2, 4, 1, 5]
NOISE = 4406777970968703737
RECIPE = group_recipe("P07", more='reshape = "decoy"', boxes='quasi = ["age", "hours"]\nk = 5')


def old_order(seed: int, size: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(size)


def new_order(seed: int, size: int) -> np.ndarray:
    return Secret.from_seed(seed).permutation("order of records", size)


def seeds_that_fit(frame: pl.DataFrame) -> list[int]:
    """Return the seeds with which the records, sorted by all columns, come into the order that they have."""
    rank = {row: number for number, row in enumerate(frame.sort(frame.columns, nulls_last=True).unique().rows())}
    ordered = np.array([rank[row] for row in frame.sort(frame.columns, nulls_last=True).rows()])
    now = np.array([rank[row] for row in frame.rows()])
    return [
        seed
        for seed in TRIED
        for order in (old_order, new_order)
        if np.array_equal(ordered[order(seed, len(now))], now)
    ]


def test_the_order_of_records(tmp_path, figure):
    boxes = sf.Boxes(quasi=["age", "hours"], k=5)
    people = health_survey(120)
    found = {"secret": 0, "seed": 0}
    for seed in (0, 7, 321, 999):
        for name, settings in (("secret", boxes), ("seed", boxes.changed(seed=seed))):
            folder = settings.protect(people).write(tmp_path / f"{name}{seed}")
            found[name] += bool(seeds_that_fit(pl.read_parquet(folder / "data.parquet")))
    # the same attack does find what was drawn from a seed, so that it is no weaker than before
    assert found["seed"] == 4
    figure("seed: orders of records found by trying 1,000 seeds (share)", now=found["secret"] / 4, baseline=0, before=1)
    assert found["secret"] == 0


def signal() -> tuple[np.ndarray, int]:
    counts = np.random.default_rng(3).integers(20, 40, PLACES)
    counts[7] = 160
    return counts, 7


def suspects(released: np.ndarray, streams: list[np.random.Generator]) -> set[int]:
    """Return the places that, if they were hidden with one of the streams, would give what was released."""
    (decoy,) = sf.outliers(released, alpha=0.01).indices
    found = set()
    for place in range(PLACES):
        for moved in range(released[decoy]) if place != decoy else ():
            guess = released.copy()
            guess[place] += moved
            guess[decoy] -= moved
            task = Reshaping(guess, hidden=(place,))
            if task.hides(guess):
                continue
            for stream in streams:
                state = stream.bit_generator.state
                try:
                    again = np.array_equal(reshape_by_decoy(task, rng=stream), released)
                except UnattainableError:
                    again = False
                stream.bit_generator.state = state
                if again:
                    found.add(place)
    return found


def chance_of(released: np.ndarray, hidden: int, streams: list[np.random.Generator]) -> float:
    """Return how likely the hidden place is named by somebody who guesses among the suspects, or among all."""
    found = suspects(released, streams)
    return (hidden in found) / len(found) if found else 1 / (PLACES - 1)


def people_of(counts: np.ndarray) -> pl.DataFrame:
    # nothing else depends on the place, or it would show who was swapped
    rng = np.random.default_rng(0)
    rows = [
        (f"P{place:02d}", "army" if number < members else "shop", int(rng.integers(20, 70)), int(rng.integers(30, 50)))
        for place, members in enumerate(counts.tolist())
        for number in range(220)
    ]
    return pl.DataFrame(rows, schema=["area", "work", "age", "hours"], orient="row")


def test_the_place_behind_a_decoy(figure):
    counts, hidden = signal()
    people = people_of(counts)
    army = sf.Group(vital={"work": ["army"]}, parameter="area")
    mask = sf.GroupMask(group=army, hide=[f"P{hidden:02d}"], influential=["age"], reshape="decoy")
    guesses = [np.random.default_rng(0), Secret.from_seed(0).stream("decoys")]

    def chance(settings: sf.GroupMask, secret: Secret) -> float:
        released = army.quantity(settings.protect(people, secret=secret).table).values.astype(np.int64)
        return chance_of(released, hidden, guesses)

    # secrets that are fixed, so that no run of this test is unlucky
    some = [Secret(bytes([number] * 16)) for number in range(3)]
    secret = float(np.mean([chance(mask, one) for one in some]))
    seeded = chance(mask.changed(seed=0), some[0])
    baseline = 1 / (PLACES - 1)
    # where the seed is known, as the default of 0 was, few places are left
    assert seeded > 5 * baseline
    figure("seed: hidden place named behind its decoy, seed 0 tried", now=secret, baseline=baseline, before=0.25)
    assert secret <= baseline


def test_streams_of_different_purposes_are_independent():
    secret = Secret.drawn()
    purposes = ["order of records", "household numbers", "decoys", "memetic search", "first centres"]
    drawn = np.array([secret.stream(purpose).normal(size=20_000) for purpose in purposes])
    apart = np.corrcoef(drawn)[np.triu_indices(len(purposes), 1)]
    assert np.abs(apart).max() < 5 / np.sqrt(drawn.shape[1])
    orders = np.array([secret.permutation(purpose, 20_000) for purpose in purposes], dtype=np.float64)
    assert np.abs(np.corrcoef(orders)[np.triu_indices(len(purposes), 1)]).max() < 5 / np.sqrt(20_000)
    # who knows the order still does not know the key that draws decoys
    assert len({secret.integer(purpose) for purpose in purposes}) == len(purposes)


def test_all_128_bits_count():
    key = Secret.drawn().key
    orders = {tuple(Secret(key).permutation("order of records", 30).tolist())}
    numbers = {Secret(key).integer("noise of exchanges")}
    normals = {float(Secret(key).stream("decoys").normal())}
    for bit in range(128):
        other = Secret((int.from_bytes(key, "big") ^ (1 << bit)).to_bytes(16, "big"))
        orders.add(tuple(other.permutation("order of records", 30).tolist()))
        numbers.add(other.integer("noise of exchanges"))
        normals.add(float(other.stream("decoys").normal()))
    assert len(orders) == len(numbers) == len(normals) == 129


def test_secrets_come_from_the_operating_system():
    """In a process of its own, since tests draw repeatable secrets."""
    code = "from sfumato.randomness import Secret; print(*(Secret.drawn().record()['secret'] for _ in range(100)))"
    drawn = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(2)]
    secrets = b" ".join(drawn).split()
    assert {len(secret) for secret in secrets} == {32}
    assert len(set(secrets)) == 200


def test_permutations_are_uniform():
    # 6 orders of 3, 6,000 draws: chi-square with 5 degrees of freedom, above 30 once in 70,000
    secret = Secret.from_seed(1)
    drawn = [tuple(secret.permutation(f"try {number}", 3).tolist()) for number in range(6000)]
    counts = np.unique(np.array(drawn), axis=0, return_counts=True)[1]
    assert counts.size == 6
    assert ((counts - 1000) ** 2 / 1000).sum() < 30


def test_a_permutation_is_the_same_in_every_version():
    secret = Secret.from_hex("000102030405060708090a0b0c0d0e0f")
    assert secret.permutation("order of records", 8).tolist() == PINNED
    assert secret.integer("noise of exchanges") == NOISE


def run(*arguments) -> int:
    with pytest.raises(SystemExit) as stopped:
        main([str(one) for one in arguments])
    return stopped.value.code or 0


def files_of(folder) -> dict[str, bytes]:
    private = folder.with_name(f"{folder.name}.private")
    return {f"{place.name}/{one.name}": one.read_bytes() for place in (folder, private) for one in place.iterdir()}


def bytes_of(folder) -> dict[str, bytes]:
    return {name.partition("/")[2]: content for name, content in files_of(folder).items()}


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_a_release_is_made_again_from_its_record(tmp_path, format, capsys):
    people_of(signal()[0]).write_csv(tmp_path / "people.csv")
    recipe = tmp_path / "people.toml"
    recipe.write_text(RECIPE)
    assert run("protect", recipe, "--out", tmp_path / "one", "--format", format) == 0
    assert run("protect", recipe, "--out", tmp_path / "two", "--format", format) == 0
    data = [pl.scan_parquet, pl.scan_csv][format == "csv"]
    one, two = (data(tmp_path / name / f"data.{format}").collect() for name in ("one", "two"))
    assert not one.equals(two)
    (record,) = (tmp_path / "one.private").iterdir()
    for number, private in enumerate((record, record.parent)):
        again = tmp_path / f"again{number}"
        assert run("protect", recipe, "--out", again, "--again", private) == 0
        assert bytes_of(again) == bytes_of(tmp_path / "one")
    assert "byte for byte" in capsys.readouterr().out
    # with another file it cannot be the same, and that is said
    people_of(signal()[0] + 1).write_csv(tmp_path / "people.csv")
    assert run("protect", recipe, "--out", tmp_path / "other", "--again", record, "--json") == 1
    assert json.loads(capsys.readouterr().out)["again"] is False


def test_what_cannot_be_made_again_is_refused(tmp_path, capsys):
    people_of(signal()[0]).write_csv(tmp_path / "people.csv")
    recipe, private = tmp_path / "people.toml", tmp_path / "some.private"
    recipe.write_text(RECIPE)
    private.mkdir()
    assert run("protect", recipe, "--again", private) == 2
    assert "has 0 records" in capsys.readouterr().err
    record = private / f"{'0' * 16}.json"
    record.write_text('{"seal": "0"}')
    assert run("protect", recipe, "--again", record) == 2
    assert "has no secret" in capsys.readouterr().err
    record.write_text('{"seal": "0", "secret": "abc"}')
    assert run("protect", recipe, "--again", record) == 2
    assert "32 hexadecimal digits" in capsys.readouterr().err
    assert run("protect", recipe, "--again", record, "--seed", 1) == 2


@pytest.mark.parametrize(
    "settings",
    [
        sf.Boxes(quasi=["age", "hours"], k=5),
        sf.FuzzyPartition(quasi=["age", "hours"], k=5),
        sf.GroupMask(
            group=sf.Group(vital={"work": ["army"]}, parameter="area"), hide=["P07"], influential="age", reshape="decoy"
        ),
    ],
    ids=["boxes", "fuzzy partition", "group mask"],
)
def test_a_release_is_made_again_in_python(settings, tmp_path):
    people = people_of(signal()[0])
    release = settings.protect(people)
    release.write(tmp_path / "one")
    record = json.loads(next((tmp_path / "one.private").iterdir()).read_text())
    settings.protect(people, secret=record["secret"]).write(tmp_path / "two")
    settings.protect(people, secret=release.secret).write(tmp_path / "three")
    release.write(tmp_path / "four")
    for name in ("two", "three", "four"):
        assert bytes_of(tmp_path / name) == bytes_of(tmp_path / "one")
    public = b"".join((tmp_path / "one" / name).read_bytes() for name in ("certificate.json", "codebook.json"))
    assert record["secret"].encode() not in public
    assert b"seed" not in public
    assert record["secret"] not in repr(release.secret) + repr(release) + str(vars(settings))
    assert release.notes == []


def test_a_seed_says_what_it_is(tmp_path, capsys):
    release = sf.Boxes(quasi=["age", "hours"], k=5, seed=1).protect(health_survey(100))
    assert KNOWN in release.notes
    people_of(signal()[0]).write_csv(tmp_path / "people.csv")
    recipe = tmp_path / "people.toml"
    recipe.write_text("seed = 1\n" + RECIPE)
    assert run("protect", recipe) == 0
    assert KNOWN in " ".join(capsys.readouterr().out.split())
    public = tmp_path / "people-release" / "certificate.json"
    assert "seed" not in public.read_text()
    with pytest.raises(SettingError, match="a whole number of 0 or more"):
        release.write(tmp_path / "out", seed=-1)
    with pytest.raises(SettingError, match="hexadecimal"):
        sf.Boxes(quasi=["age"], k=5).protect(health_survey(100), secret="guess")


def test_init_writes_no_seed(tmp_path):
    people_of(signal()[0]).write_csv(tmp_path / "people.csv")
    assert run("init", tmp_path / "people.csv") == 0
    assert "seed" not in (tmp_path / "people.toml").read_text()
    assert run("init", tmp_path / "people.csv", "--force", "--seed", 5) == 0
    assert "seed = 5  # for demonstrations only: whoever knows it can repeat" in (tmp_path / "people.toml").read_text()
