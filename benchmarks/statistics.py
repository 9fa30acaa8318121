"""Ranges of statistics against numpy's variance of the same column, how they grow, and how tight they are."""

from __future__ import annotations

import math
import resource
from collections.abc import Iterator

import numpy as np

import sfumato as sf
from benchmarks.timing import Row, in_turns

RECORDS = 1_000_000
BOXES = 100_000
MEMORY = 8 * 1024.0
LIMITS = {"mean(x)": 10, "var(x)": 10, "std(x)": 10, "cov(x, y)": 300}
SEVEN = ("mean(x)", "var(x)", "std(x)", "cov(x, y)", "corr(x, y)", "regress(y ~ x)", "regress(x ~ y)")
TIGHT = {"mean(x)": 1.001, "var(x)": 1.001, "std(x)": 1.001, "cov(x, y)": 1.01, "corr(x, y)": 1.03}

Bounds = dict[str, np.ndarray]


def boxed(records: int, boxes: int, *, half: float = 0.2, correlation: float = 0.5) -> tuple[Bounds, Bounds]:
    """Make boxes of normal data; ``half`` is the mean half-width in deviations."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=boxes)
    y = correlation * x + math.sqrt(1 - correlation**2) * rng.normal(size=boxes)
    of = np.concatenate([np.arange(boxes), rng.integers(0, boxes, records - boxes)])
    rng.shuffle(of)
    lo, hi = {}, {}
    for name, values in (("x", x), ("y", y)):
        halves = rng.gamma(2.0, half / 2, boxes)
        centres = values + rng.uniform(-1, 1, boxes) * halves
        lo[name], hi[name] = (centres - halves)[of], (centres + halves)[of]
    return lo, hi


def run() -> Iterator[Row]:
    lo, hi = boxed(RECORDS, BOXES)
    middles = (lo["x"] + hi["x"]) / 2
    sized = f"{RECORDS:,} records, {BOXES:,} boxes"
    for text, limit in LIMITS.items():
        ours, theirs = in_turns(lambda asked=text: sf.statistics.range_of(asked, lo, hi), lambda: np.var(middles))
        yield Row(f"range of {text}, {sized}", ours, "np.var", theirs, str(limit), ours <= limit * theirs)
    times = []
    for records in (10_000, 100_000, RECORDS):
        some = boxed(records, records // 10)
        (taken,) = in_turns(lambda given=some: [sf.statistics.range_of(text, *given) for text in SEVEN], rounds=3)
        times.append(taken)
        print(f"    all seven, {records:,} records: {taken:.3f} s")
    exponent = math.log(times[-1] / times[0]) / math.log(100)
    yield Row(
        "exponent of all seven from 10^4 to 10^6 records", exponent, "N log N", 1.1, "1.1", exponent <= 1.1, unit=""
    )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield Row("peak memory of all of this", memory, "limit", MEMORY, "8 GiB", memory <= MEMORY, unit=" MiB")
    for text, limit in TIGHT.items():
        worst = max(_tightness(text, correlation) for correlation in (-0.9, -0.5, 0.0, 0.5, 0.9))
        what = f"guaranteed width of {text}, 10,000 records, half-widths of 0.2 deviations, worst of 5 correlations"
        yield Row(what, worst, "attained width", 1.0, str(limit), worst <= limit, unit="")


def _tightness(text: str, correlation: float) -> float:
    found = sf.statistics.range_of(text, *boxed(10_000, 10_000, correlation=correlation))
    return float(found.width / (found.attained[1] - found.attained[0]))
