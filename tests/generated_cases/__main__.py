"""Run generated cases: ``python -m tests.generated_cases 20000 [--first SEED]``."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter, defaultdict

from tests.generated_cases.cases import run


def main() -> None:
    """Run so many cases and list what failed, by kind, with seeds."""
    parser = argparse.ArgumentParser(prog="python -m tests.generated_cases", description=__doc__)
    parser.add_argument("cases", type=int, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    refused: Counter[str] = Counter()
    failed: dict[str, list[tuple[int, str]]] = defaultdict(list)
    releases, checked, slowest = 0, 0, (0.0, 0)
    for done, seed in enumerate(range(given.first, given.first + given.cases), start=1):
        start = time.monotonic()
        outcome = run(seed)
        slowest = max(slowest, (time.monotonic() - start, seed))
        releases += not outcome.refusal
        checked += outcome.checked
        if outcome.refusal:
            refused[re.sub(r"'[^']*'|[0-9][0-9.,e+-]*", "_", outcome.refusal)[:100]] += 1
        for failure in outcome.failures:
            failed[f"{outcome.method}: {failure.kind}"].append((seed, failure.message))
            print(f"seed {seed}: {outcome.method}: {failure.kind}: {failure.message}", file=sys.stderr, flush=True)
        if done % 500 == 0:
            print(f"{done:,} cases, {releases:,} recounted, {checked:,} ranges", file=sys.stderr, flush=True)
    print(f"{given.cases:,} cases: {releases:,} recounted, {checked:,} ranges compared")
    print(f"slowest: {slowest[0]:.1f} s (seed {slowest[1]})")
    for refusal, times in refused.most_common(15):
        print(f"  refused {times:,} times: {refusal}")
    for kind, cases in sorted(failed.items(), key=lambda item: -len(item[1])):
        print(f"\n{kind}: {len(cases)}")
        for seed, message in cases[:12]:
            print(f"  seed {seed}: {message}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
