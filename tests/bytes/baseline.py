"""The baseline: results that must stay as they are, compared with those stored in ``baseline.json``.

``python -m tests.bytes.baseline`` prints what is compared, the stored digest, the digest now, and whether they are
equal; ``--write`` stores the current results, ``--environments`` computes them as on several kinds of machines, and
names after the options choose some of the cases.

Covered are, of releases of real files by every method: each cell of the data in the released order with its column's
name and type; the bytes of the data file; all numbers and booleans of the certificate and of the private record;
everything in the codebook; what an audit of the written files measures. Of estimates: the exact value, ranges and
sampling error. Of attacks: the learned rules, memberships, linked shares and the verdict's numbers.

Not covered are sentences (notes, errors, reports, the text of an estimate), pictures, the command line, texts in
certificate and private record (method names, the secret, digests), and the bytes of certificate and codebook. The bytes
of a data file in Parquet also depend on the version of polars, and all results on that of numpy; ``made_with`` says
which were used.

A result has two digests: one of its values with their names, one of the values alone. Where only the first differs, the
result is called renamed: keys or columns have other names, and no number has changed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import sfumato as sf
from sfumato.recipe import Recipe
from tests.bytes.attacks import ATTACKS, AttackCase
from tests.bytes.environments import environments, printed_in
from tests.bytes.fingerprints import (
    NAMED,
    VALUES,
    Fingerprint,
    data_fingerprint,
    digest,
    file_fingerprint,
    leaves_of,
    tree_fingerprint,
)
from tests.bytes.real_releases import RELEASES, ReleaseCase
from tests.conftest import DATA

STORED = Path(__file__).with_name("baseline.json")
SHOWN = 10
"""This number of characters of a digest is printed."""
FIELDS = ("value", "lower", "upper", "attained", "linear", "sampling_error", "guaranteed", "records", "left_out")
Results = dict[str, Fingerprint]
"""By what they are of: fingerprints, and the exact numbers of estimates."""


def release_results(case: ReleaseCase, data: Path) -> Results:
    """Make a release, write it, open it again, and estimate from it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "release")
        asked = Recipe.from_toml(case.prepare(data, Path(name)))
        asked.run().write(folder, format=case.format, seed=asked.seed)
        file = folder / f"data.{case.format}"
        frame = pl.read_csv(file, infer_schema=False) if case.format == "csv" else pl.read_parquet(file)
        (record,) = Path(f"{folder}.private").iterdir()
        opened = sf.open_release(folder)
        audit = opened.audit()
        found = {
            "data": data_fingerprint(frame),
            "file": file_fingerprint(file),
            "certificate": tree_fingerprint(json.loads((folder / "certificate.json").read_bytes())),
            "codebook": tree_fingerprint(json.loads((folder / "codebook.json").read_bytes()), texts=True),
            "private": tree_fingerprint(json.loads(record.read_bytes())),
            "audit": tree_fingerprint({"holds": audit.holds, "measured": audit.measured}),
        }
        for one in case.estimates:
            statistic, _, weight = one.partition(" | ")
            found[one] = estimate_numbers(opened.estimate(statistic, weight=weight or None))
    return found


def range_results(data: Path) -> Results:
    """Bound statistics of generated intervals, of which all bounds are multiples of 1/8."""
    rng = np.random.default_rng(17)
    low = {name: rng.integers(-800, 800, 300) / 8 for name in "xyz"}
    high = {name: its + rng.integers(0, 60, 300) / 8 for name, its in low.items()}
    weights = rng.integers(1, 40, 300) / 4
    asked: dict[str, dict[str, Any]] = {
        "var(x)": {},
        "corr(x, y)": {"weights": weights},
        "regress(z ~ x + y)": {},
        "std(y)": {"dismiss": "crisp", "calibrate": False},
    }
    return {text: estimate_numbers(sf.statistics.range_of(text, low, high, **how)) for text, how in asked.items()}


def estimate_numbers(estimate: Any) -> Fingerprint:
    """Return every number of an estimate, or of all coefficients of a regression, as exact text."""
    parts = {f"{name}.": one for name, one in estimate.items()} if isinstance(estimate, Mapping) else {"": estimate}
    found = {}
    for prefix, one in parts.items():
        numbers = {name: getattr(one, name) for name in FIELDS}
        if one.weighted is not None:
            numbers["weighted"] = one.weighted.summary()
        found |= {f"{prefix}{path.lstrip('.')}": value for path, value in leaves_of(numbers)}
    return found


def attack_results(case: AttackCase, data: Path) -> Results:
    """Attack, and return a fingerprint of the numbers."""
    return {"numbers": tree_fingerprint(case.numbers(data))}


def cases() -> dict[str, tuple[tuple[str, ...], Callable[[Path], Results]]]:
    """Return by name the files that a case needs and what computes its results from the data folder."""
    found: dict[str, tuple[tuple[str, ...], Callable[[Path], Results]]] = {}
    for name, release in RELEASES.items():
        found[name] = release.files, lambda data, one=release: release_results(one, data)
    found["ranges of generated intervals"] = (), range_results
    for name, attack in ATTACKS.items():
        found[name] = attack.files, lambda data, one=attack: attack_results(one, data)
    return found


def verdict_of(stored: Fingerprint | None, now: Fingerprint | None) -> str:
    """Say whether a result is the stored one."""
    if stored == now:
        return "equal"
    if stored is None or now is None:
        return "NEW" if stored is None else "GONE"
    if NAMED in stored and stored[VALUES] == now.get(VALUES):
        return "renamed"
    return "DIFFERS"


def compared(stored: Results, now: Results) -> dict[str, str]:
    """Return the verdict on each result of a case."""
    return {what: verdict_of(stored.get(what), now.get(what)) for what in {**stored, **now}}


def read_stored() -> dict[str, Any]:
    """Read the stored baseline."""
    content: dict[str, Any] = json.loads(STORED.read_text())
    return content


def made_with() -> dict[str, str]:
    """Return the versions that results may depend on."""
    return {"numpy": np.__version__, "polars": pl.__version__}


def missing_files(name: str) -> list[str]:
    """Return which files of a case are not in the data folder."""
    return [file for file in cases()[name][0] if not (DATA / file).exists()]


def results_now(names: Sequence[str]) -> dict[str, Results]:
    """Compute the results of some cases; those whose files are missing are named and left out."""
    found = {}
    for name in names:
        if missing := missing_files(name):
            print(f"# {name}: {missing[0]} is not in {DATA}; set SFUMATO_DATA", file=sys.stderr)
            continue
        print(f"# {name}", file=sys.stderr)
        found[name] = cases()[name][1](DATA)
    return found


def print_table(stored: Mapping[str, Results], now: Mapping[str, Results]) -> int:
    """Print each result with both digests, and return how many are not equal."""
    rows = [
        (f"{name}: {what}", stored.get(name, {}).get(what), now[name].get(what), verdict)
        for name in now
        for what, verdict in compared(stored.get(name, {}), now[name]).items()
    ]
    width = max(len(what) for what, *_ in rows)
    print("what".ljust(width), "stored".ljust(SHOWN), "now".ljust(SHOWN))
    for what, before, after, verdict in rows:
        print(what.ljust(width), shown(before), shown(after), verdict)
    unequal = sum(verdict != "equal" for *_, verdict in rows)
    print(f"{unequal} of {len(rows)} are not equal" if unequal else f"all {len(rows)} are equal")
    return unequal


def shown(result: Fingerprint | None) -> str:
    """Return the beginning of a result's digest."""
    return "-" * SHOWN if result is None else result.get(NAMED, digest(json.dumps(result, sort_keys=True)))[:SHOWN]


def print_environments(names: Sequence[str]) -> int:
    """Compare what other kinds of machines compute with what this one does."""
    usual, differing = results_now(names), 0
    for environment, variables in environments().items():
        there = json.loads(printed_in(variables, ["tests.bytes.baseline", "--json", *names]))
        wrong = [
            f"{name}: {what}"
            for name in usual
            for what, verdict in compared(usual[name], there[name]).items()
            if verdict != "equal"
        ]
        differing += len(wrong)
        print(f"{environment}: {'; '.join(wrong) or 'all equal'}", flush=True)
    return differing


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bytes.baseline", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="CASE", help="only these cases, by name or part of it")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--write", action="store_true", help="store the results of now")
    chosen.add_argument("--environments", action="store_true", help="compare kinds of machines with each other")
    chosen.add_argument("--json", action="store_true", help="print results as JSON")
    asked = parser.parse_args()
    names = [name for name in cases() if not asked.names or any(part in name for part in asked.names)]
    if asked.environments:
        return bool(print_environments(names))
    now = results_now(names)
    if asked.json:
        print(json.dumps(now))
        return 0
    stored = read_stored() if STORED.exists() else {"made_with": made_with(), "results": {}}
    if stored["made_with"] != made_with():
        print(f"# stored with {stored['made_with']}, now {made_with()}", file=sys.stderr)
    unequal = print_table(stored["results"], now)
    if asked.write:
        kept = {name: its for name, its in stored["results"].items() if name in cases()}
        content = {"made_with": made_with(), "results": {**kept, **now}}
        STORED.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")
        return 0
    return bool(unequal)


if __name__ == "__main__":
    raise SystemExit(main())
