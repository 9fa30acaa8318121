from __future__ import annotations

import subprocess
import sys

import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import MicrofileError
from sfumato.microfile import memory_limit, reader
from sfumato.microfile.memory_limit import available_memory, check_fits

GIB = 1024**3


def system(root, **files):
    for name, text in {"proc/meminfo": f"MemTotal: 99 kB\nMemAvailable: {8 * 1024**2} kB\n", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_what_the_machine_has_left(tmp_path):
    assert available_memory(system(tmp_path)) == 8 * GIB
    assert available_memory(tmp_path / "elsewhere") is None


def test_a_control_group_leaves_less(tmp_path):
    files = {
        "proc/self/cgroup": "0::/a/b\n",
        "sys/fs/cgroup/a/memory.max": str(3 * GIB),
        "sys/fs/cgroup/a/memory.current": str(2 * GIB),
        "sys/fs/cgroup/a/memory.stat": f"anon 5\ninactive_file {GIB // 2}\n",
        "sys/fs/cgroup/a/b/memory.max": "max\n",
        "sys/fs/cgroup/a/b/memory.current": str(GIB),
    }
    assert available_memory(system(tmp_path, **files)) == GIB + GIB // 2


def test_a_control_group_of_the_first_version(tmp_path):
    files = {
        "proc/self/cgroup": "4:memory:/job\n1:cpu:/\n0::/\n",
        "sys/fs/cgroup/memory/job/memory.limit_in_bytes": str(2 * GIB),
        "sys/fs/cgroup/memory/job/memory.usage_in_bytes": str(GIB),
        "sys/fs/cgroup/memory/memory.limit_in_bytes": str(2**63 - 4096),
        "sys/fs/cgroup/memory/memory.usage_in_bytes": str(GIB),
    }
    assert available_memory(system(tmp_path, **files)) == GIB


def test_what_does_not_fit_is_refused_with_what_it_needs():
    check_fits(GIB, available=GIB)
    with pytest.raises(MicrofileError, match=r"needs at least 3\.0 GiB of memory, but only 512 MiB are free"):
        check_fits(3 * GIB, available=GIB // 2)


def test_a_small_parquet_file_of_many_records(tmp_path, monkeypatch):
    pl.select(pl.repeat(1, 20_000_000).alias("x")).write_parquet(tmp_path / "many.parquet")
    assert (tmp_path / "many.parquet").stat().st_size < 2**20
    monkeypatch.setattr(memory_limit, "available_memory", lambda: 60 * 2**20)
    with pytest.raises(MicrofileError, match=r"many.parquet: reading the file needs at least \d+ MiB"):
        sf.read(tmp_path / "many.parquet")


@pytest.mark.parametrize(
    ("dtype", "width"),
    [
        (pl.Int8(), 1),
        (pl.Float64(), 8),
        (pl.Boolean(), 1 / 8),
        (pl.Date(), 4),
        (pl.Decimal(20, 2), 16),
        (pl.String(), 4),
    ],
)
def test_how_wide_values_are(dtype, width):
    assert reader._width(dtype) == width


SMALL = """
import resource, sys
from pathlib import Path
import sfumato as sf
from sfumato.errors import MicrofileError
folder = Path(sys.argv[1])
sf.read(folder / "small.csv")
taken = int(Path("/proc/self/statm").read_text().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (taken + (150 << 20), resource.RLIM_INFINITY))
try:
    sf.read(folder / "large.csv")
except MicrofileError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_a_file_larger_than_memory_is_refused(tmp_path):
    (tmp_path / "small.csv").write_text("a,b\n1,2\n")
    (tmp_path / "large.csv").write_text("a,b\n" + "1,2\n" * 20_000_000)
    ended = subprocess.run(
        [sys.executable, "-c", SMALL, str(tmp_path)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert ended.returncode == 0, ended.stderr
    assert "large.csv: reading the file needs at least" in ended.stdout
