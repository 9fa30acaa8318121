"""Run benchmarks and print the ratios; exit 1 if a target is not met."""

from __future__ import annotations

import platform
import sys
from importlib import import_module

from benchmarks.timing import Row

ALL = (
    "startup",
    "statistics",
    "safety",
    "sizes",
    "reading",
    "agreement",
    "boxes",
    "chain",
    "clustering",
    "study_fuzzy",
    "groups",
    "memetic",
    "study_groups",
    "rules",
    "study_attack",
    "linkage",
    "utility",
)


def main() -> None:
    names = sys.argv[1:] or ALL
    unknown = [name for name in names if name not in ALL]
    if unknown:
        sys.exit(f"there is no benchmark {unknown[0]!r}; there are: {', '.join(ALL)}")
    print(f"Python {platform.python_version()}, {platform.machine()}")
    rows: list[Row] = []
    for name in names:
        print(f"[{name}]", flush=True)
        for row in import_module(f"benchmarks.{name}").run():
            print(row, flush=True)
            rows.append(row)
    missed = [row for row in rows if not row.met]
    print(f"{len(rows) - len(missed)} of {len(rows)} targets met")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
