"""One million people with twenty attributes through the whole chain, verb by verb, as a user goes it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl

import sfumato as sf
from benchmarks.timing import Row

RECORDS = 1_000_000
FEW = 20_000
LEFT_OUT = ("student", "service", "birthplace", "moved", "disability")
STATISTICS = ("mean(age)", "var(age)", "corr(age, income)", "regress(income ~ age + hours)")
DROPPED = ("citizenship", "occupation", "interviewed")
"""Which of the suggested quasi attributes a user may decide that nobody knows."""
PRESERVED = ("mean(age)", "corr(age, hours)")
SECONDS = {"init": 9.0, "protect": 30.0, "audit": 10.0, "estimate": 10.0, "report": 20.0}
"""How long a verb may take, on two cores that do nothing else and with compiled kernels."""
MEMORY = 3 * 1024.0
YARDSTICK = """
import sys
import polars as pl
people = pl.read_csv(sys.argv[1])
people.group_by("residence", "age", "sex", "education").agg(pl.len(), pl.col("income").mean())
people.sort(people.columns).write_parquet(sys.argv[2])
"""


@dataclass(frozen=True)
class Ran:
    """A command that was run."""

    seconds: float
    cpu: float
    """The seconds that it computed, on all cores together; other people's work does not count."""
    memory: float
    """The most that it held at once, in MiB."""

    def __str__(self) -> str:
        return f"{self.seconds:6.1f} s, computing {self.cpu:6.1f} s, {self.memory:6,.0f} MiB"


def people() -> pl.DataFrame:
    """Make the file: numbers, categories, codes, a date, weights, households, gaps, and who it is."""
    days = np.random.default_rng(1).integers(0, 366, RECORDS).astype("timedelta64[D]")
    interviewed = pl.Series("interviewed", np.datetime64(date(2020, 1, 1)) + days)
    made: pl.DataFrame = sf.datasets.census(RECORDS).frame
    return made.drop(LEFT_OUT).with_columns(interviewed)


def run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        table = people()
        # what a first run compiles is kept on disk
        table.head(FEW).write_csv(folder / "people.csv")
        _chain(folder)
        table.write_csv(folder / "people.csv")
        size = (folder / "people.csv").stat().st_size / 2**20
        print(f"    {table.height:,} records of {table.width} attributes, {size:,.0f} MiB")
        del table
        yardstick = _run([sys.executable, "-c", YARDSTICK, "people.csv", "people.parquet"], folder)
        ran = _chain(folder)
    print(f"    {'polars reads, groups, sorts and writes':40} {yardstick}")
    for what, one in ran.items():
        print(f"    {what:40} {one}")
    for what, one in ran.items():
        limit = SECONDS[what.partition(",")[0]]
        yield Row(what, one.seconds, "polars", yardstick.seconds, f"{limit:g} s", one.seconds <= limit)
    total, limit = sum(one.seconds for one in ran.values()), 2 * sum(SECONDS.values()) - SECONDS["init"]
    yield Row("everything, with both recipes", total, "polars", yardstick.seconds, f"{limit:g} s", total <= limit)
    memory = max(one.memory for one in ran.values())
    what = "peak memory of any verb"
    yield Row(what, memory, "polars", yardstick.memory, f"{MEMORY:g} MiB", memory <= MEMORY, unit=" MiB")


def _chain(folder: Path) -> dict[str, Ran]:
    """Run every verb with the suggested recipe, and all that follow on it with the edited one."""
    ran = {"init": _sfumato(folder, "init", "people.csv", "--out", "suggested.toml", "--force")}
    (folder / "edited.toml").write_text(_edited((folder / "suggested.toml").read_text()))
    for recipe in ("suggested", "edited"):
        release = f"{recipe}-release"
        for verb, *arguments in (
            ("protect", f"{recipe}.toml", "--force"),
            ("audit", release),
            ("estimate", release, *STATISTICS),
            ("report", release, "--out", f"{recipe}.html"),
        ):
            ran[f"{verb}, {recipe} recipe"] = _sfumato(folder, verb, *arguments)
    return ran


def _edited(recipe: str) -> str:
    """Change a suggested recipe as a user would: fewer quasi attributes, and the statistics that the release is for."""
    lines = [
        line for line in recipe.splitlines() if not line.strip().startswith(tuple(f'"{name}"' for name in DROPPED))
    ]
    told = "".join(f'    "{statistic}",\n' for statistic in PRESERVED)
    changed = re.sub(r"(?m)^preserve = \[\n(    .*\n)*\]", f"preserve = [\n{told}]", "\n".join(lines))
    return re.sub(r"(?m)^k = .*$", "k = 10", changed)


def _sfumato(folder: Path, *arguments: str) -> Ran:
    return _run([sys.executable, "-m", "sfumato", *arguments], folder)


def _run(command: Sequence[str], folder: Path) -> Ran:
    """Run a command to its end; it must succeed, which of an audit says that the promise is kept."""
    start = time.perf_counter()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command[1:5])} ended with {process.returncode}")
    return Ran(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
