"""Masks of groups: whether places keep their numbers of records, and hidden ones stand out no more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tests.generated_cases.files import Failure, Written
from tests.generated_cases.tables import Table


def kept(written: Written, table: Table, along: Sequence[str]) -> Iterator[Failure]:
    """Check that places keep their numbers of records, and what goes along with them."""
    before = list(zip(*(table.columns[name].values for name in ("place", *along)), strict=True))
    after = list(zip(*(written.cells[name] for name in ("place", *along)), strict=True))
    if Counter(before) != Counter(after):
        yield Failure("places", "a place has another number of records, or another region")


def numbers(
    written: Written, table: Table, *, members: str, wanted: Mapping[str, int], fixed: Sequence[str]
) -> Iterator[Failure]:
    """Check that places have as many members as they should, and fixed ones as many as before."""
    places, who = table.columns["place"].values, table.columns["who"].values
    before = Counter(place for place, one in zip(places, who, strict=True) if one == members)
    after = Counter(cell for cell, tag in zip(written.cells["place"], written.tags, strict=True) if who[tag] == members)
    wrong = [
        place for place, count in ({place: before[place] for place in fixed} | wanted).items() if after[place] != count
    ]
    if wrong:
        yield Failure("places", f"{len(wrong)} places have another number of members than they should")


def hidden(
    written: Written,
    table: Table,
    *,
    members: str,
    named: list[str] | None,
    fixed: Sequence[str] = (),
    share: bool,
    alpha: float,
    told: Sequence[str],
) -> Iterator[Failure]:
    """Check that hidden places do not stand out, and that the steward is told of others that come to do so.

    Hidden are the named places, or all that stand out in the original; ``fixed`` ones are known to everybody.
    """
    places, who = table.columns["place"].values, table.columns["who"].values
    labels = sorted(set(places))
    sizes = Counter(places)

    def signal(cells: Sequence[str], rows: Sequence[int]) -> list[float]:
        count = Counter(cell for cell, row in zip(cells, rows, strict=True) if who[row] == members)
        return [count[label] / sizes[label] if share else float(count[label]) for label in labels]

    def out(values: list[float]) -> set[str]:
        found = {labels[place] for place in standing_out(values, alpha)}
        # counts alone: what a person is in a share is another question
        return found if share else found | {labels[place] for place in far_from_median(values, alpha)}

    wanted = out(signal(places, range(len(places)))) if named is None else set(named)
    wanted -= set(fixed)
    after = out(signal(written.cells["place"], written.tags)) - set(fixed)
    if shown := after & wanted:
        yield Failure("stands out", f"{len(shown)} of {len(wanted)} hidden places of {len(labels)}")
    if untold := after - wanted - set(told):
        yield Failure("not told", f"{len(untold)} places come to stand out")


def standing_out(signal: list[float], alpha: float) -> set[int]:
    """TC16's modified Thompson tau, robust, one removal at a time."""
    from scipy.stats import t as student

    left = dict(enumerate(signal))
    middle = _quantile(sorted(left.values()), 2)
    floor = math.sqrt(math.pi / 2) * sum(abs(value - middle) for value in left.values()) / len(left)
    removed: set[int] = set()
    while len(left) >= 3:
        ascending = sorted(left.values())
        low, centre, high = (_quantile(ascending, quarter) for quarter in (1, 2, 3))
        spread = (high - low) / 1.349 if high > low else floor
        m = len(left)
        critical = student.ppf(1 - alpha / 2, m - 2)
        tau = critical * (m - 1) / (math.sqrt(m) * math.sqrt(m - 2 + critical**2))
        farthest = max(left, key=lambda place: (abs(left[place] - centre), left[place]))
        if abs(left[farthest] - centre) <= tau * spread * (1 + 1e-9):
            break
        removed.add(farthest)
        del left[farthest]
    return removed


def far_from_median(signal: list[float], alpha: float) -> set[int]:
    """Find counts that are farther from the median than the median distance, or chance, explains."""
    from scipy.stats import t as student

    n = len(signal)
    if n < 5:
        return set()
    centre = _quantile(sorted(signal), 2)
    distances = [abs(value - centre) for value in signal]
    spread = max(1.4826 * _quantile(sorted(distances), 2), math.sqrt(max(abs(centre), 1.0)))
    reach = student.ppf(1 - alpha / (2 * n), n - 1) * spread * (1 + 1e-9)
    return {place for place, distance in enumerate(distances) if distance > reach}


def _quantile(ascending: list[float], quarter: int) -> float:
    """Return the median, or that of the lower or upper half; an odd middle belongs to both (TC16)."""
    n = len(ascending)
    half = (n + 1) // 2
    part = {1: ascending[:half], 2: ascending, 3: ascending[n - half :]}[quarter]
    return (part[(len(part) - 1) // 2] + part[len(part) // 2]) / 2
