from __future__ import annotations

import json
import random
import subprocess
import sys
import time

import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import ReleaseError
from sfumato.release.atomic_folder import move_private, new_folder, write_private

WRITER = """
import sys
import polars as pl
import sfumato as sf

folder, first = sys.argv[1:]
for number in range(int(first), int(first) + 10**6):
    table = pl.DataFrame({"q": [number % 7] * 400, "s": [number] * 400})
    release = sf.Release(table, promise=sf.Promise(quasi="q", k=400))
    release.write(folder, force=True, format="csv" if number % 2 else "parquet", seed=number)
    if number == int(first):
        print("ready", flush=True)
"""


@pytest.mark.parametrize("part", range(8))
def test_a_killed_writer_leaves_the_old_release_or_the_new_one(tmp_path, part):
    """Kill a writer at 25 random moments; with all parts, at 200."""
    folder, rng, torn, seen = tmp_path / "out", random.Random(part), 0, set()
    for kill in range(25):
        command = [sys.executable, "-c", WRITER, str(folder), str(kill * 10**7)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            time.sleep(rng.uniform(0.0, 0.05))
            writer.kill()
        release = sf.open_release(folder)
        assert release.audit().holds
        assert release.table["s"].n_unique() == 1
        seen.add(release.table["s"][0])
        left = [path.name for path in tmp_path.iterdir() if "partial" in path.name]
        assert len(left) <= 1
        torn += len(left)
    assert len(seen) == 25
    assert torn, "no writer was killed while it wrote"
    with new_folder(folder, force=True, check=anything) as work:
        (work / "certificate.json").write_text("{}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private"]


def anything(folder):
    """Let every folder be replaced."""


def test_an_error_leaves_nothing(tmp_path):
    def interrupted():
        with new_folder(tmp_path / "out", force=False, check=anything) as work:
            (work / "m").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_somebody_holds_is_no_leftover(tmp_path):
    def two_at_once(force):
        with new_folder(tmp_path / "out", force=force, check=anything) as one:
            (one / "m").write_text("one")
            with new_folder(tmp_path / "out", force=force, check=anything) as other:
                assert one.exists()
                (other / "m").write_text("other")

    # the one that comes second does not replace the first unasked
    with pytest.raises(ReleaseError, match="already holds a release"):
        two_at_once(force=False)
    assert (tmp_path / "out" / "m").read_text() == "other"
    two_at_once(force=True)
    assert (tmp_path / "out" / "m").read_text() == "one"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_may_not_be_written(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.mkdir", refuse)
    with pytest.raises(ReleaseError, match=r"out cannot be written: Permission denied\nHint: choose a folder"):
        new_folder(tmp_path / "out", force=False, check=anything).__enter__()


FULL = """
import resource, signal, sys
import polars as pl
import sfumato as sf

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
table = pl.DataFrame({"q": [1] * 40_000, "s": list(range(40_000))})
release = sf.Release(table, promise=sf.Promise(quasi="q", k=2))
release.audit()
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    release.write(sys.argv[1], format=sys.argv[2])
except sf.errors.ReleaseError as error:
    print(error)
"""


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_disk_that_is_full(tmp_path, format):
    """A limit on the size of files fails as a full disk does: in the middle of writing."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "out"), format], capture_output=True, text=True, check=False
    )
    assert "cannot be written: File too large" in done.stdout, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_private_records_are_replaced_in_one_step(tmp_path):
    place = tmp_path / "out.private" / "x.json"
    for number in (1, 2):
        write_private(tmp_path / "new", json.dumps({"a": number}))
        move_private(tmp_path / "new", place)
    assert json.loads(place.read_text()) == {"a": 2}
    assert [file.name for file in place.parent.iterdir()] == ["x.json"]
    (tmp_path / "link.private").symlink_to(tmp_path)
    write_private(tmp_path / "new", "{}")
    with pytest.raises(ReleaseError, match="is a link"):
        move_private(tmp_path / "new", tmp_path / "link.private" / "x.json")


def test_where_folders_cannot_be_locked_releases_are_read_and_not_written(tmp_path):
    code = """
import sys
sys.modules["fcntl"] = None
import polars as pl
import sfumato as sf

release = sf.open_release(sys.argv[1])
print(release.audit().holds, release.estimate("mean(s)").value)
release.write(sys.argv[1] + "2")
"""
    table = pl.DataFrame({"q": [1] * 4, "s": [1, 2, 3, 4]})
    sf.Release(table, promise=sf.Promise(quasi="q", k=4)).write(tmp_path / "out")
    command = [sys.executable, "-c", code, str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "True 2.5\n"
    assert f"ReleaseError: writing releases is not supported on {sys.platform}" in done.stderr
    assert not (tmp_path / "out2").exists()
