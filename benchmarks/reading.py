"""Reading ten million records: time, and memory beside the file's size."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from benchmarks.tables import people
from benchmarks.timing import Row

RECORDS = 10_000_000
CHILD = """
import resource, sys, time
start = time.perf_counter()
{body}
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
OURS = "import sfumato as sf; sf.read(sys.argv[1])"
PEER = "import polars as pl; pl.read_csv(sys.argv[1])"


def run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        towns = pl.format("the town of number {}", pl.col("job"))
        table = people(1_000_000).with_columns(town=towns, home=pl.format("region {}", pl.col("region")))
        lines = table.write_csv()
        header, _, body = lines.partition("\n")
        with path.open("w") as file:
            file.write(header + "\n")
            for _ in range(RECORDS // table.height):
                file.write(body)
        size = path.stat().st_size / 2**20
        (ours, our_memory), (theirs, their_memory) = (_measured(body, path) for body in (OURS, PEER))
    print(f"    file {size:,.0f} MiB; peak memory: sfumato {our_memory:,.0f} MiB, polars {their_memory:,.0f} MiB")
    yield Row(
        f"reading a CSV of {RECORDS:,} records, shape checked, text as categories",
        ours,
        "polars read_csv, text kept",
        theirs,
        "memory below polars'",
        our_memory < their_memory,
    )


def _measured(body: str, path: Path) -> tuple[float, float]:
    command = [sys.executable, "-c", CHILD.format(body=body), str(path)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(printed[0]), float(printed[1]) / 1024
