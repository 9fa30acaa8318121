"""How writing ends when it is interrupted, refused or large."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import ReleaseError
from sfumato.randomness import Secret
from sfumato.release import audit_folder
from sfumato.release.certificate import digest_of, seal_of, to_json
from sfumato.release.data_file import column_facts, reordered
from sfumato.release.release_writer import check_folder

TABLE = pl.DataFrame({"q": [1] * 4, "s": ["a", "b", None, "d"]})


def release() -> sf.Release:
    return sf.Release(TABLE, promise=sf.Promise(quasi="q", k=4))


@pytest.mark.parametrize("format", ["parquet", "csv"])
@pytest.mark.parametrize("name", ["out [1]", "out*", "o?t", "{a,b}", "q=1"])
def test_signs_of_patterns_in_a_path_are_signs(tmp_path, name, format):
    folder = tmp_path / name / "release"
    folder.parent.mkdir()
    release().write(folder, format=format)
    assert audit_folder(folder).holds
    assert sf.open_release(folder).table.height == 4


@pytest.mark.parametrize("replaces", [False, True])
def test_an_interruption_after_the_release_took_its_place_leaves_its_record(tmp_path, monkeypatch, replaces):
    if replaces:
        release().write(tmp_path / "out", seed=1)

    def interrupt(folder):
        if folder == tmp_path:
            raise KeyboardInterrupt

    monkeypatch.setattr("sfumato.release.atomic_folder._sync_folder", interrupt)
    with pytest.raises(KeyboardInterrupt):
        release().write(tmp_path / "out", force=replaces, seed=2)
    seal = json.loads((tmp_path / "out" / "certificate.json").read_text())["seal"]
    record = json.loads((tmp_path / "out.private" / f"{seal[:16]}.json").read_text())
    assert record["seal"] == seal


def test_a_disk_that_does_not_confirm_is_not_said_to_be_unchanged(tmp_path, monkeypatch):
    def fail(folder):
        if folder == tmp_path:
            raise OSError(errno.EIO, "x")

    monkeypatch.setattr("sfumato.release.atomic_folder._sync_folder", fail)
    with pytest.raises(ReleaseError, match="was written, but the system does not confirm") as caught:
        release().write(tmp_path / "out")
    assert "nothing was changed" not in str(caught.value)
    assert audit_folder(tmp_path / "out").holds
    assert len(list((tmp_path / "out.private").iterdir())) == 1


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system in which nobody can make a folder")
def test_a_folder_that_cannot_be_made_is_noticed_before_any_work():
    with pytest.raises(ReleaseError, match=r"/proc/out cannot be written"):
        check_folder("/proc/out", force=False)


def test_looking_whether_a_folder_can_be_made_leaves_nothing(tmp_path):
    (tmp_path / ".out.partial-left").mkdir()
    assert check_folder(tmp_path / "out", force=False) == tmp_path / "out"
    assert list(tmp_path.iterdir()) == []
    release().write(tmp_path / "out")
    with pytest.raises(ReleaseError, match="already holds a release"):
        check_folder(tmp_path / "out", force=False)
    assert check_folder(tmp_path / "out", force=True)
    assert audit_folder(tmp_path / "out").holds


MEMORY = """
import sys
import numpy as np
import polars as pl
import sfumato as sf

def peak(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))

folder, records = sys.argv[1], int(sys.argv[2])
# what writing loads and compiles is not what a table needs
small = pl.DataFrame({"q": [1, 1], "s": ["a", "b"], "x": [0.5, 1.5]})
sf.Release(small, promise=sf.Promise(quasi="q", sensitive="s", k=2)).write(folder + "/small")
rng = np.random.default_rng(0)
table = pl.DataFrame(
    {"q": rng.integers(0, 200, records), "s": np.array(["a", "b", "c"])[rng.integers(0, 3, records)]}
    | {f"x{place}": rng.random(records) for place in range(5)}
)
release = sf.Release(table, promise=sf.Promise(quasi="q", sensitive="s", k=2))
open("/proc/self/clear_refs", "w").write("5")
before = peak("VmRSS")
release.write(folder + "/out")
# a number has eight bytes, a text that is short sixteen
size = records * sum(16 if dtype == pl.String else 8 for dtype in table.dtypes) / 2**20
print((peak("VmHWM") - before) / size)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux, which tells the peak of memory")
def test_writing_needs_less_than_two_more_tables(tmp_path):
    """With allocators that give back at once what they do not need, so that the peak is what is needed."""
    environment = os.environ | {
        "_RJEM_MALLOC_CONF": "dirty_decay_ms:0,muzzy_decay_ms:0",
        "MALLOC_TRIM_THRESHOLD_": "0",
    }
    command = [sys.executable, "-c", MEMORY, str(tmp_path), "1000000"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert float(done.stdout) < 2.0


def test_the_order_follows_from_the_cells_alone():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "a": pl.Series([None, 1, 2, 3]).gather(rng.integers(0, 4, 500)),
            "b": pl.Series(["x", "y", None]).gather(rng.integers(0, 3, 500)),
            "c": rng.random(500).round(1),
            "d": pl.Series(rng.integers(0, 2, 500)).cast(pl.Boolean),
        }
    )
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=1)
    one, other = (reordered(given, Secret.from_seed(7)) for given in (frame, mixed))
    assert one.equals(other)
    assert one.sort(one.columns).equals(frame.sort(frame.columns))
    assert not one.equals(reordered(frame, Secret.from_seed(8)))


def test_additional_records_are_found_behind_a_new_seal(tmp_path):
    """More of the same records keep every promise; the certificate counts them all the same."""
    release().write(tmp_path / "out", order="kept")
    file = tmp_path / "out" / "data.parquet"
    pl.concat([TABLE, TABLE]).write_parquet(
        file, compression="zstd", compression_level=3, statistics=False, row_group_size=1 << 18
    )
    content = json.loads((tmp_path / "out" / "certificate.json").read_text())
    content["data"]["sha256"] = digest_of(file)
    content["measured"] = audit_folder(tmp_path / "out").measured
    content["seal"] = seal_of(content)
    (tmp_path / "out" / "certificate.json").write_text(to_json(content))
    messages = [finding.message for finding in audit_folder(tmp_path / "out").findings]
    assert messages == ["has 8 records, the certificate states 4"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pl.Series([0, None]), pl.Series([None, 0])),
        (pl.Series([0, None]), pl.Series([0, 0])),
        (pl.Series([0.0, None]), pl.Series([0.0, 0.0])),
        (pl.Series(["", None]), pl.Series([None, ""])),
        (pl.Series([False, None]), pl.Series([False, False])),
        (pl.Series(["ab", "c"]), pl.Series(["a", "bc"])),
    ],
)
def test_digests_tell_missing_cells_from_others(one, other):
    digests = [column_facts(pl.DataFrame({"x": cells}))["x"].sha256 for cells in (one, other)]
    assert digests[0] != digests[1]


def test_writing_asks_for_the_schema_a_few_times_however_many_columns_there_are(tmp_path, monkeypatch):
    """Each time a frame makes it again from all columns: once per column is quadratic."""
    schema, asked = pl.DataFrame.schema.fget, []
    monkeypatch.setattr(pl.DataFrame, "schema", property(lambda frame: asked.append(frame.width) or schema(frame)))
    asked_by_width = {}
    for width in (20, 200):
        table = pl.DataFrame({f"c{number}": [1, 2] * 4 for number in range(width)})
        asked.clear()
        sf.Release(table, promise=sf.Promise(quasi="c0", k=4)).write(tmp_path / f"out{width}")
        asked_by_width[width] = asked.count(width)
    assert asked_by_width[200] == asked_by_width[20] > 0
