"""How time and memory grow with a file: exponents of doubling it, each measured in a process of its own."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import polars as pl

import sfumato as sf
from benchmarks.timing import Row

GROWTH = 1.25
"""N log N doubles a file of these sizes in about 2^1.1 times the time; caches add to that."""
SIZES: dict[str, tuple[int, ...]] = {
    "profile, 10,000 records by columns": (125, 250, 500),
    "risk, 8 attributes, 25 % missing as wildcards, by records": (16_000, 32_000, 64_000),
    "l and t, 8 attributes, 25 % missing as wildcards, by records": (16_000, 32_000, 64_000),
    "boxes, a tenth as many categories as records, by records": (40_000, 80_000, 160_000),
}


def run() -> Iterator[Row]:
    for what, sizes in SIZES.items():
        measured = [_measured(what, size) for size in sizes]
        doublings = math.log2(sizes[-1] / sizes[0])
        for unit, first, last in zip((" s", " MiB"), measured[0], measured[-1], strict=True):
            exponent = math.log2(max(last, 1e-9) / max(first, 1e-9)) / doublings
            yield Row(
                f"{what}: exponent {exponent:.2f}",
                last,
                f"at {sizes[0]:,}",
                first,
                f"2^{GROWTH}",
                exponent <= GROWTH,
                unit,
            )


def _measured(what: str, size: int) -> tuple[float, float]:
    """Return the processor's time and the peak of memory beyond what a file of the smallest size takes."""
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks.sizes", what, str(size)], capture_output=True, text=True, check=True
    )
    seconds, peak = ended.stdout.split()
    return float(seconds), float(peak)


def _work(what: str, size: int) -> None:
    rng = np.random.default_rng(0)
    if what.startswith("profile"):
        kinds = (5, 3_000, 40, 8_000)
        sf.profile(pl.DataFrame({f"c{i}": rng.integers(0, kinds[i % 4], 10_000) for i in range(size)}))
    elif what.startswith("boxes"):
        codes = np.char.add("k", rng.integers(0, size // 10, size).astype(str))
        sf.Boxes(quasi=["c", "age"], k=5).protect(pl.DataFrame({"c": codes, "age": rng.integers(0, 90, size)}))
    else:
        table = pl.DataFrame({f"q{i}": rng.integers(0, 10, size) for i in range(8)})
        gaps = [pl.when(pl.Series(rng.random(size) >= 0.25)).then(pl.col(name)).alias(name) for name in table.columns]
        table = table.with_columns(gaps).with_columns(pl.Series("s", rng.choice(list("abcdefgh"), size)))
        safety = sf.measure(table, quasi=table.columns[:8], sensitive="s", missing="wildcard")
        _ = safety.risk.expected if what.startswith("risk") else (safety.l, safety.t)


def main() -> None:
    """Do the work once in small, so that kernels are loaded, then print its time and memory."""
    import resource
    import time

    what, size = sys.argv[1], int(sys.argv[2])
    _work(what, max(SIZES[what][0] // 10, 20))
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    _work(what, size)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(time.process_time() - start, max((after - before) / 1024, 1.0))


if __name__ == "__main__":
    main()
