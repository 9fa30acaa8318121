from __future__ import annotations

import json
import os

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import ReleaseError
from sfumato.release import audit_folder
from sfumato.release.certificate import digest_of, seal_of, to_json

TABLE = pl.DataFrame({"job": ["x"] * 3 + ["y"] * 3, "n": [1, 2, 3, 4, 5, 6], "ill": ["SECRET", "b", "c"] * 2})


def written(folder, format):
    promise = sf.Promise(quasi="job", sensitive="ill", k=3, l=3)
    return sf.Release(TABLE, promise=promise).write(folder, format=format, order="kept")


@pytest.fixture(params=["csv", "parquet"])
def folder(tmp_path, request):
    return written(tmp_path / "out", request.param)


def rewrite(folder, change):
    """Replace the data by a changed one."""
    for file in folder.glob("data.*"):
        frame = change(pl.read_csv(file) if file.suffix == ".csv" else pl.read_parquet(file))
        frame.write_csv(file) if file.suffix == ".csv" else frame.write_parquet(file)


def edit(folder, change, *, name="certificate.json", reseal=False):
    content = json.loads((folder / name).read_text())
    change(content)
    if reseal:
        content["seal"] = seal_of(content)
    (folder / name).write_text(to_json(content))


def told(folder):
    found = audit_folder(folder)
    assert not found.holds
    text = " | ".join(f"{finding.about} {finding.message}" for finding in found.findings)
    assert "SECRET" not in text
    with pytest.raises(ReleaseError, match="not intact"):
        sf.open_release(folder)
    return text


def test_an_intact_release_holds(folder):
    found = audit_folder(folder)
    assert found.holds
    assert found.findings == ()
    assert (found.k, found.l, found.t) == (3, 3, 0)
    assert found.risk["highest"] == pytest.approx(1 / 3)


def test_a_tampered_cell_is_found_and_its_column_named(folder):
    rewrite(folder, lambda f: f.with_columns(n=pl.when(pl.col("n") == 2).then(9).otherwise("n").cast(pl.Int64)))
    text = told(folder)
    assert "was changed" in text
    assert "column 'n' has cells that were changed" in text


def test_a_removed_record_is_found(folder):
    rewrite(folder, lambda f: f.head(5))
    text = told(folder)
    assert "has 5 records, the certificate states 6" in text
    assert "promise k: promised 3, measured 2" in text
    assert "states k = 3, the data has 2" in text


def test_columns_removed_or_added_are_found(folder):
    rewrite(folder, lambda f: f.drop("n"))
    assert "lacks column 'n'" in told(folder)
    rewrite(folder, lambda f: f.with_columns(n=pl.lit(1), z=pl.lit(1)).select("job", "n", "ill", "z"))
    assert "has column 'z' too" in told(folder)


def test_an_edited_certificate_is_found(folder):
    edit(folder, lambda c: c["promise"].update(k=2))
    assert "certificate was edited: its seal does not fit" in told(folder)


def test_a_resealed_certificate_cannot_lie_about_the_data(folder):
    edit(folder, lambda c: c["measured"].update(k=50), reseal=True)
    found = audit_folder(folder)
    assert [f.message for f in found.findings] == ["states k = 50, the data has 3"]
    edit(folder, lambda c: c["promise"].update(k=4), reseal=True)
    assert any("k: promised 4, measured 3" in f.message for f in audit_folder(folder).findings)


@pytest.mark.parametrize("said", [5, 7])
def test_a_resealed_certificate_cannot_lie_about_the_number_of_records(folder, said):
    """More records than it says are as wrong as fewer."""
    edit(folder, lambda c: c["data"].update(records=said), reseal=True)
    assert f"has 6 records, the certificate states {said}" in told(folder)


@pytest.mark.parametrize("change", [{"quasi": 5}, {"k": 10**400}, {"k": "many"}])
def test_promises_that_are_none(folder, change):
    edit(folder, lambda c: c["promise"].update(change), reseal=True)
    assert "certificate.json does not fit its schema" in told(folder)


@pytest.mark.parametrize("name", ["certificate.json", "codebook.json"])
def test_a_pipe_is_not_waited_for(folder, name):
    (folder / name).unlink()
    os.mkfifo(folder / name)
    assert f"{name} is not a file" in told(folder)


def test_a_certificate_can_be_read_in_one_way_only(folder):
    file = folder / "certificate.json"
    file.write_text(file.read_text().replace('"k": 3,', '"k": 1000, "k": 3,', 1))
    assert "certificate certificate.json is not JSON" in told(folder)


def test_measures_that_nobody_took_are_found(folder):
    edit(folder, lambda c: c["measured"]["attributes"].update(n={"l": 9}), reseal=True)
    found = audit_folder(folder)
    assert [f.message for f in found.findings] == ["has 1 entries in attributes that are not measures"]
    edit(folder, lambda c: c["measured"].update(k=10**400), reseal=True)
    assert not audit_folder(folder).holds


def test_an_edited_codebook_is_found(folder):
    edit(folder, lambda c: c["attributes"]["ill"].update(kind="numeric"), name="codebook.json")
    assert "codebook was edited" in told(folder)


def test_a_column_that_the_codebook_forgets_is_found(folder):
    edit(folder, lambda c: c["attributes"].pop("n"), name="codebook.json")
    assert "codebook does not describe column 'n'" in " | ".join(
        f"{f.about} {f.message}" for f in audit_folder(folder).findings
    )


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"format": "other"}',
        "\x00",
        '{"a": ' * 100_000,
        '{"a": NaN}',
        '{"a": 1' + "0" * 9000 + "}",
        '{"a": "\\ud800"}',
    ],
)
def test_a_certificate_that_is_none(folder, content):
    (folder / "certificate.json").write_text(content)
    assert "certificate certificate.json " in told(folder)


def test_missing_and_additional_files(folder):
    (folder / "notes.txt").write_text("x")
    assert told(folder) == "folder holds notes.txt, which does not belong to the release"
    (folder / "codebook.json").unlink()
    assert "codebook codebook.json is missing" in told(folder)
    data = next(folder.glob("data.*"))
    data.rename(folder.parent / "elsewhere")
    assert f"data {data.name} is missing" in told(folder)
    data.symlink_to(folder.parent / "elsewhere")
    assert f"folder {data.name} is a link" in told(folder)
    (folder / "certificate.json").unlink()
    assert "certificate certificate.json is missing" in told(folder)


def test_damaged_data_is_found(folder):
    file = next(folder.glob("data.*"))
    file.write_bytes(file.read_bytes()[:40])
    assert "was changed" in told(folder)


def test_a_rebuilt_digest_does_not_hide_text_among_numbers(tmp_path):
    folder = written(tmp_path / "out", "csv")
    file = folder / "data.csv"
    file.write_text(file.read_text().replace('"x",1,', '"x",SECRET,'))
    edit(folder, lambda c: c["data"].update(sha256=digest_of(file)), reseal=True)
    assert "column 'n' holds cells that are not of type integer" in told(folder)


def test_what_is_no_release(tmp_path):
    with pytest.raises(ReleaseError, match="does not exist; expected the folder of a release"):
        audit_folder(tmp_path / "nowhere")
    (tmp_path / "data.csv").write_text("x")
    with pytest.raises(ReleaseError, match=r"data.csv is a file; expected the folder of a release"):
        audit_folder(tmp_path / "data.csv")
    (tmp_path / "data.csv").unlink()
    with pytest.raises(ReleaseError, match="cannot be read"):
        audit_folder(tmp_path / ("a" * 300))
    with pytest.raises(ReleaseError, match=r"it has no certificate.json"):
        audit_folder(tmp_path)


def test_intervals_must_not_be_turned_round():
    table = pl.DataFrame({"age.lo": [30, 30], "age.hi": [20, 20]})
    release = sf.Release(table, promise=sf.Promise(quasi="age"), forms={"age": sf.Interval()})
    assert "intervals whose lower bound is above" in release.audit().findings[0].message


def test_a_hierarchical_promise_can_be_audited(tmp_path):
    tree = sf.Hierarchy.from_mapping({"SECRET": ("1", "*"), "b": ("1", "*"), "c": ("2", "*"), "z": ("2", "*")})
    promise = sf.Promise(quasi="job", sensitive="ill", k=2, t=0.2, distances={"ill": "hierarchical"})
    sf.Release(TABLE, promise=promise, hierarchies={"ill": tree}).write(tmp_path / "out")
    assert sf.open_release(tmp_path / "out").audit().holds
    assert "z" not in json.loads((tmp_path / "out" / "codebook.json").read_text())["attributes"]["ill"]["hierarchy"]


def test_hospital_releases_keep_what_adult_promises(tmp_path, real_data):
    people = sf.read(real_data("adult/adult_train.csv.gz"), missing=["?"]).select(
        ["race", "sex", "workclass", "income"]
    )
    promise = sf.Promise(quasi=["race", "sex"], sensitive="income", k=100, l=2, t=0.2)
    sf.Release(people, promise=promise).write(tmp_path / "out", format="csv")
    found = audit_folder(tmp_path / "out")
    assert found.holds
    assert (found.k, found.l) == (109, 2)
    assert sf.open_release(tmp_path / "out").microfile.encoded("workclass").missing.sum() == 1836


@pytest.mark.parametrize("unit", ["ms", "us"])
def test_grids_are_found_again_from_what_is_written(tmp_path, unit):
    random = np.random.default_rng(2)
    moments = pl.Series(random.integers(10**9, 2 * 10**9, 100) * {"ms": 10**3, "us": 10**6}[unit])
    frame = pl.DataFrame({"pay": random.integers(0, 5000, 100), "when": moments.cast(pl.Datetime(unit))})
    release = sf.Boxes(quasi=["when", "pay"], k=10).protect(frame)
    assert list(release.settings["grids"]) == ["when", "pay"]
    assert audit_folder(release.write(tmp_path / "out")).holds


LABELS = {"{HIV}": ("HIV",), "{HIV, flu}": ("HIV", "flu")}


@pytest.mark.parametrize("limit", [{"l": 2}, {"t": 0.5}, {"alpha": 0.6}, {"beta": 2}, {"delta": 2}])
@pytest.mark.parametrize("form", ["sets", "interval"])
def test_labels_of_sensitive_values_are_not_counted_as_values(tmp_path, limit, form):
    table = pl.DataFrame({"job": ["x"] * 4 + ["y"] * 4, "ill": list(LABELS) * 4})
    forms = {"ill": sf.Sets(members=LABELS)}
    if form == "interval":
        table = table.select("job", pl.Series("ill.lo", [100] * 8), pl.Series("ill.hi", [101, 102] * 4))
        forms = {"ill": sf.Interval()}
    release = sf.Release(table, promise=sf.Promise(quasi="job", sensitive="ill", k=4, **limit), forms=forms)
    (setting,) = limit
    message = f"'ill' is sensitive and released as {form}: {setting} would count overlapping labels"
    assert any(finding.message.startswith(message) for finding in release.audit().findings)
    with pytest.raises(ReleaseError, match=message):
        release.write(tmp_path / "out")


def test_labels_of_sensitive_values_without_a_limit_on_them(tmp_path):
    table = pl.DataFrame({"job": ["x"] * 4 + ["y"] * 4, "ill": list(LABELS) * 4})
    promise = sf.Promise(quasi="job", sensitive="ill", k=4)
    assert sf.Release(table, promise=promise, forms={"ill": sf.Sets(members=LABELS)}).audit().holds
