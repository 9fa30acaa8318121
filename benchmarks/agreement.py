"""pycanon: the same values on Adult, or why not, and its time on 300,000 records."""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

import sfumato as sf
from benchmarks.peers import ask_peer
from benchmarks.tables import DATA, QUASI, people
from benchmarks.timing import Row, in_turns
from sfumato.measures import summarize

ADULT_TASKS = (
    (["age", "education", "occupation", "relationship", "sex", "native-country"], "income"),
    (["race", "sex"], "income"),
    (["relationship", "sex"], "hours-per-week"),
    (["race"], "education"),
)
DIFFERENCES = {
    "entropy_l": "pycanon cuts exp(entropy) down to a whole number, and rounding makes even a block of two different "
    "values 1: by hand, values x, y have entropy ln 2 and l = 2",
    "recursive_c": "pycanon sorts the counts upwards, so its r_1 is the smallest: by hand, values x, x, x, y need "
    "3 < c * 1, so c > 3, where it says 1 (and nothing for l = 1)",
    "enhanced_beta": "pycanon bounds the largest gain of any value by -ln of the rarest value's share; the definition "
    "bounds each value's gain by its own: by hand, blocks x | y have gains 1 > ln 2 each, so no beta will do",
}


def run() -> Iterator[Row]:
    adult = DATA / "adult" / "adult_train.csv.gz"
    if adult.exists():
        _compare(adult)
    else:
        print(f"    Adult is not in {DATA}: values are not compared; set SFUMATO_DATA")
    table = people(300_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        table.write_csv(path)
        print("    pycanon measures 300,000 records; this takes minutes", flush=True)
        theirs = _peer(path, QUASI, "illness", ["k", "l", "t"])

    def ours() -> tuple[float, float | None, float | None]:
        safety = sf.measure(table, quasi=QUASI, sensitive="illness")
        return safety.k.worst, safety.l, safety.t

    for name, value in zip("klt", ours(), strict=True):
        assert value is not None
        assert math.isclose(theirs[name]["value"], value, rel_tol=1e-9), name
    (taken,) = in_turns(ours)
    seconds = [theirs[name]["seconds"] for name in "klt"]
    parts = " + ".join(f"{second:.1f}" for second in seconds)
    yield Row(
        "k, l and t of 300,000 records (equal values)",
        taken,
        f"pycanon ({parts} s)",
        sum(seconds),
        "1,000 times faster",
        1000 * taken <= sum(seconds),
    )


def _peer(path: Path, quasi: list[str], sensitive: str, measures: list[str]) -> dict[str, Any]:
    task = json.dumps({"quasi": quasi, "sensitive": [sensitive], "measures": measures})
    found = ask_peer("pycanon", "pycanon_peer.py", path, task)
    if "error" in found:
        sys.exit(f"pycanon: {found['error']}")
    return found


def _compare(adult: Path) -> None:
    """Print every measure of Adult beside pycanon's; stop where a difference is not explained."""
    told = set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adult.csv"
        microfile = sf.read(adult)
        pl.DataFrame([microfile.series(name) for name in microfile.names]).write_csv(path)
        for quasi, sensitive in ADULT_TASKS:
            summary = summarize(sf.measure(microfile, quasi=quasi, sensitive=sensitive))
            ours = {"k": summary["k"], **summary["attributes"][sensitive]}
            theirs = _peer(path, quasi, sensitive, [name for name in ours if name in _measures()])
            print(f"    Adult, {', '.join(quasi)} | {sensitive}")
            for name, answer in theirs.items():
                same = ours[name] is not None and math.isclose(answer["value"], ours[name], rel_tol=1e-9)
                if not same and name not in DIFFERENCES:
                    sys.exit(f"{name}: pycanon {answer['value']}, sfumato {ours[name]}, not explained")
                shown = "none" if ours[name] is None else f"{ours[name]:.10g}"
                print(f"      {name:14} {shown:>14} {answer['value']:>14.10g}  {'equal' if same else 'differs'}")
                if not same:
                    told.add(name)
    for name in sorted(told):
        print(f"    {name}: {DIFFERENCES[name]}")


def _measures() -> tuple[str, ...]:
    return ("k", "alpha", "l", "entropy_l", "recursive_c", "beta", "enhanced_beta", "t", "delta")
