"""How long it takes until something happens: at the start of a command, and with nothing compiled yet."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.timing import Row, in_turns

RELEASE = """
import sfumato as sf
people = sf.datasets.census(5_000)
people.frame.write_parquet("people.parquet")
settings = dict(quasi=["age", "sex", "education", "residence"], sensitive="disability", k=10, l=2, seed=1)
boxes = sf.Boxes(**settings, identifiers=["person", "household"], preserve=["mean(age)", "corr(age, hours)"])
boxes.protect(people).write("release")
"""
VERBS = {
    "audit": ["release"],
    "measure": ["people.parquet", "--quasi", "age,sex,education,residence", "--sensitive", "disability"],
    "estimate": ["release", "mean(age)", "corr(age, hours)"],
}
PROTECTIONS = {
    "Boxes": ('sf.Boxes(quasi=["age", "sex", "education", "residence"], sensitive="disability", k=10, l=2)', 10.0),
    "FuzzyPartition": ('sf.FuzzyPartition(quasi=["age", "hours"], k=5)', 8.0),
    "GroupMask": (
        'sf.GroupMask(vital={"service": [1]}, parameter="workplace", hide="outliers", influential=["age", "sex"])',
        8.0,
    ),
}
PROTECT = "import sfumato as sf; {protection}.protect(sf.datasets.census(5_000))"


def run() -> Iterator[Row]:
    command = Path(sys.executable).with_name("sfumato")
    for what, arguments, limit in (
        ("sfumato --help", [str(command), "--help"], 0.5),
        ("import sfumato", [sys.executable, "-c", "import sfumato"], 0.3),
    ):
        (taken,) = in_turns(lambda given=arguments: subprocess.run(given, check=True, capture_output=True), rounds=5)
        yield Row(what, taken, "limit", limit, "1", taken <= limit)
    with tempfile.TemporaryDirectory() as folder:
        _seconds([sys.executable, "-W", "ignore", "-c", RELEASE], folder)
        for verb, arguments in VERBS.items():
            yield _verb(verb, [str(command), verb, *arguments], folder)
        for name, (protection, limit) in PROTECTIONS.items():
            yield _protection(name, PROTECT.format(protection=protection), limit, folder)


def _verb(verb: str, command: Sequence[str], folder: str) -> Row:
    """Compare a verb without machine code on disk with the same verb with it."""
    warm = min(_seconds(command, folder)[0] for _ in range(2))
    with tempfile.TemporaryDirectory() as cache:
        cold, _ = _seconds(command, folder, cache)
    limit = max(3.0 * warm, warm + 3.0)
    what = f"first sfumato {verb} of 5,000 records (warm: {warm:.2f} s)"
    return Row(what, cold, "limit", limit, "1", cold <= limit)


def _protection(name: str, code: str, limit: float, folder: str) -> Row:
    """Find how much of a first run's processor time goes into compiling."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    with tempfile.TemporaryDirectory() as cache:
        _, cold = _seconds(command, folder, cache)
        _, warm = _seconds(command, folder, cache)
    what = f"first {name}.protect, processor seconds of compiling (in all: {cold:.1f}, warm: {warm:.1f})"
    return Row(what, cold - warm, "limit", limit, "1", cold - warm <= limit)


def _seconds(command: Sequence[str], folder: str, cache: str | None = None) -> tuple[float, float]:
    """Return the time that a command takes, and the processor time."""
    environment = os.environ | ({"NUMBA_CACHE_DIR": cache} if cache else {})
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    taken, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
