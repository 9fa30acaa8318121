"""One table of digests: ``python -m tests.bytes`` runs every recipe as on several kinds of machines."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.bytes.environments import all_digests

SHOWN = 8
"""So many characters of a digest are printed."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bytes", description=__doc__)
    parser.add_argument("--here", type=Path, help="run the recipes in this process and folder, and print JSON")
    asked = parser.parse_args()
    if asked.here is not None:
        from tests.bytes.recipes import digests

        asked.here.mkdir(parents=True)
        print(json.dumps(digests(asked.here)))
        return 0
    found = {}
    for name, its in all_digests():
        print(f"# {name}", file=sys.stderr)
        found[name] = its
    names = list(found)
    first = found[names[0]]
    width = max(map(len, first))
    for number, name in enumerate(names):
        print(f"{number}: {name}")
    print(" ".join(["recipe".ljust(width), *(str(number).ljust(SHOWN) for number in range(len(names)))]))
    differing = 0
    for recipe in first:
        digests = [its[recipe] for its in found.values()]
        differing += len(set(digests)) > 1
        print(" ".join([recipe.ljust(width), *(digest[:SHOWN] for digest in digests)]))
    print(f"{differing} of {len(first)} differ" if differing else f"all {len(first)} agree")
    return bool(differing)


if __name__ == "__main__":
    raise SystemExit(main())
