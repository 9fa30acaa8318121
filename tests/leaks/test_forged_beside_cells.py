"""Resealed folders that carry something beside their cells, or whose limits hold only as somebody redefined them."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import ReleaseError, SettingError
from sfumato.release import audit_folder
from sfumato.release.certificate import to_json
from tests.leaks.test_resealed import (
    ILLNESSES,
    NAME,
    boxed,
    check,
    data_of,
    edit_codebook,
    folder,
    patients,
    protected,
    read,
    refused,
    reseal,
    table,
    write,
)

__all__ = ["boxed", "folder"]
SECRET = NAME.encode()


def promise_of(folder: Path) -> dict:
    return json.loads((folder / "certificate.json").read_text())["promise"]


def rewrite(folder: Path, frame: pl.DataFrame) -> None:
    write(frame, data_of(folder))
    reseal(folder, frame)


def link(folder: Path) -> None:
    os.link(data_of(folder), folder.parent / NAME)


def attach(path: Path) -> None:
    try:
        os.setxattr(path, f"user.{NAME}", SECRET)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            pytest.skip("this file system keeps no extended attributes")
        raise


OF_FOLDERS = {
    "a hard link": link,
    "an extended attribute of the data": lambda folder: attach(data_of(folder)),
    "an extended attribute of the codebook": lambda folder: attach(folder / "codebook.json"),
    "an extended attribute of the folder": attach,
}


@pytest.mark.parametrize("folder", ["parquet"], indirect=True)
@pytest.mark.parametrize("name", OF_FOLDERS)
def test_what_a_file_system_attaches_does_not_pass(folder, name, figure):
    check(folder, OF_FOLDERS[name], name, figure)
    # the files themselves are intact
    assert sf.open_release(folder).microfile.records == 40


def halves(folder: Path) -> None:
    """Put high pays rather into the first half of the records, each half being shuffled."""
    frame = read(folder)
    noisy = frame["pay"].to_numpy() + np.random.default_rng(0).normal(0, 600, frame.height)
    first = noisy > np.median(noisy)
    order = np.random.default_rng(1).permutation(frame.height)
    rewrite(folder, frame[order[np.argsort(~first[order], kind="stable")]])


def blocks(folder: Path) -> None:
    """Put the records of each block together, the blocks in a random order."""
    frame = read(folder)
    block = frame.select(pl.struct("age.lo", "age.hi", "way").rank("dense")).to_series().to_numpy()
    numbers = np.random.default_rng(0).permutation(block.max() + 1)
    rewrite(folder, frame[np.argsort(numbers[block], kind="stable")])


OF_ORDERS = {
    "records sorted by a column": lambda folder: rewrite(folder, read(folder).sort("pay")),
    "records sorted downwards": lambda folder: rewrite(folder, read(folder).sort("pay", descending=True)),
    "records in three sorted pieces": lambda folder: rewrite(
        folder, pl.concat([part.sort("pay") for part in read(folder).iter_slices(70)])
    ),
    "records of blocks put together": blocks,
    "high cells in the first half": halves,
}


@pytest.mark.parametrize("name", OF_ORDERS)
def test_orders_that_tell_something_do_not_pass(boxed, name, figure):
    check(boxed, OF_ORDERS[name], name, figure)
    assert any("not in a random order" in one.message for one in audit_folder(boxed).findings)


def test_an_order_that_is_kept_is_said(tmp_path):
    """A steward may want it; then the certificate says so, and an audit that nobody measured what it tells."""
    release = protected(seed=1)
    kept = sf.Release(
        release.table.sort("pay"),
        promise=release.promise,
        forms=release.codebook.forms(),
        settings=release.settings,
    )
    found = audit_folder(kept.write(tmp_path / "kept", order="kept"))
    assert found.holds
    assert any("order = 'kept'" in note for note in found.notes)
    # written once more, it is shuffled and no longer says so
    again = sf.open_release(tmp_path / "kept").write(tmp_path / "again")
    assert "order" not in json.loads((again / "certificate.json").read_text())["settings"]
    assert audit_folder(again).holds


def ordered_distance(folder: Path) -> None:
    reseal(folder, promise=promise_of(folder) | {"t": 0.9, "distances": {"ill": "ordered"}})


def numbers_for_codes(folder: Path) -> None:
    codes = read(folder).with_columns(pl.col("ill").replace_strict(ILLNESSES, [1, 2, 3, 4]))
    file = folder / "codebook.json"
    content = json.loads(file.read_text())
    labels = {str(code): name for code, name in enumerate(ILLNESSES, start=1)}
    content["attributes"]["ill"] |= {"kind": "numeric", "labels": labels}
    file.write_text(to_json(content))
    write(codes, data_of(folder))
    reseal(folder, codes, promise=promise_of(folder) | {"t": 0.9})


OF_DISTANCES = {"an order of nominal texts": ordered_distance, "numbers for nominal codes": numbers_for_codes}


@pytest.mark.parametrize("name", OF_DISTANCES)
def test_distances_that_codes_do_not_have_do_not_pass(folder, name, figure):
    check(folder, OF_DISTANCES[name], name, figure)


def test_distances_that_codes_do_not_have_cannot_be_promised(tmp_path):
    with pytest.raises(SettingError, match="the ordered distance of 'ill' needs an order"):
        sf.Boxes(quasi=["age"], sensitive="ill", k=10, t=0.5, distances={"ill": "ordered"}).protect(patients())
    codes = table().with_columns(pl.col("ill").replace_strict(ILLNESSES, [1, 2, 3, 4]))
    named = sf.Microfile(codes, kinds={"ill": "numeric"}, labels={"ill": dict(enumerate(ILLNESSES, start=1))})
    with pytest.raises(ReleaseError, match="'ill' is numeric, and each of its values has a label"):
        sf.Release(named, promise=sf.Promise(quasi="region", sensitive="ill", k=20, t=0.9)).write(tmp_path / "out")


def test_boxes_promise_nothing_by_wildcards(boxed, figure):
    forged = {"missing": "wildcard"}
    check(boxed, lambda folder: reseal(folder, promise=promise_of(folder) | forged), "wildcards for boxes", figure)


def noted(folder: Path) -> str:
    found = audit_folder(folder)
    assert found.holds
    return "; ".join(found.notes)


def test_what_wildcards_hide_is_noted(tmp_path):
    """One record is alone, unless those who lack the value count as like it."""
    regions = ["isle", *[None] * 19, *["south"] * 20]
    promise = sf.Promise(quasi="region", k=20, missing="wildcard")
    frame = table().with_columns(pl.Series("region", regions))
    assert "as a value of its own it gives k = 1" in noted(sf.Release(frame, promise=promise).write(tmp_path / "out"))


def test_forged_weights_are_noted_with_their_sum(tmp_path):
    """Nobody can see in a release what records stand for, but everybody knows how many people there are."""
    frame = table().with_columns(w=pl.lit(2.5))
    promise = sf.Promise(quasi="region", k=20, weight="w")
    folder = sf.Release(frame, promise=promise).write(tmp_path / "out")
    assert "40 records stand for 100 people" in noted(folder)
    rewrite(folder, read(folder).with_columns(pl.col("w") * 1e6))
    assert "40 records stand for 100,000,000 people" in noted(folder)


@pytest.mark.parametrize("folder", ["parquet"], indirect=True)
def test_an_additional_column_is_found_or_noted(folder):
    extra = read(folder).with_columns(pl.Series("who", [f"{NAME} {one * 7 % 40}" for one in range(40)]))
    file = folder / "codebook.json"
    content = json.loads(file.read_text())
    rewrite(folder, extra)
    assert refused(folder) == ["codebook: does not describe column 'who'"]
    content["attributes"]["who"] = content["attributes"]["note"] | {"labels": {}, "title": ""}
    file.write_text(to_json(content))
    rewrite(folder, extra)
    notes = noted(folder)
    assert "the promise does not cover 'pay', 'note', 'who'" in notes
    assert "who has a different value in every record" in notes


def test_an_order_that_somebody_declared_is_noted(tmp_path):
    promise = sf.Promise(quasi="region", sensitive="ill", k=20, t=0.9)
    folder = sf.Release(table(), promise=promise).write(tmp_path / "out")
    edit_codebook(folder, "ill", kind="ordinal", order=ILLNESSES)
    assert "t is measured along the order that the codebook gives the categories of 'ill'" in noted(folder)
