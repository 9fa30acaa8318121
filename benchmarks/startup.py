"""How long it takes until something happens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.timing import Row, in_turns


def run() -> Iterator[Row]:
    command = Path(sys.executable).with_name("sfumato")
    for what, arguments, limit in (
        ("sfumato --help", [str(command), "--help"], 0.5),
        ("import sfumato", [sys.executable, "-c", "import sfumato"], 0.3),
    ):
        (taken,) = in_turns(lambda given=arguments: subprocess.run(given, check=True, capture_output=True), rounds=5)
        yield Row(what, taken, "limit", limit, "1", taken <= limit)
