"""How large blocks are, and how the risk is distributed over records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.formatting import count, counted, share
from sfumato.release import ReleaseEvidence
from sfumato.views.model import Passage, Table
from sfumato.views.risk import blocks_sentence, risk_sentence

MAX_BARS = 12
"""The largest number of bars."""
DIGITS: tuple[tuple[float, ...], ...] = ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))
"""The leading digits of the ends of bars, from many bars to few."""
CLOSE = 1e-9
"""Risks that differ by less than this share are equal: 1/k has no exact binary form."""


@dataclass(frozen=True)
class Bar:
    """Blocks of similar size or risk."""

    label: str
    blocks: int
    records: int


def size_bars(sizes: Counts) -> tuple[Bar, ...]:
    """Sort blocks by their number of records.

    >>> [(bar.label, bar.blocks, bar.records) for bar in size_bars(np.array([3, 2, 3]))]
    [('2', 1, 2), ('3', 2, 6)]
    """
    distinct = np.unique(sizes)
    low, high = int(distinct[0]), int(distinct[-1])
    if distinct.size <= MAX_BARS:
        starts = [int(size) for size in distinct]
        labels = [f"{start:,}" for start in starts]
    else:
        starts = [low, *(int(end) for end in _ends(low, high) if low < end <= high and end == int(end))]
        labels = [f"{start:,} to {after - 1:,}" for start, after in pairwise([*starts, high + 1])]
    positions = np.searchsorted(np.array(starts), sizes, side="right") - 1
    return _bars(labels, positions, sizes)


def risk_bars(risks: Reals, sizes: Counts) -> tuple[Bar, ...]:
    """Sort blocks by the risk of their records, where the end of a bar belongs to the lower bar.

    >>> [(bar.label, bar.records) for bar in risk_bars(np.array([0.1, 0.05, 0.06]), np.array([10, 20, 15]))]
    [('3% to 5%', 20), ('5% to 7%', 15), ('7% to 10%', 10)]
    """
    low, high = float(risks.min()), float(risks.max())
    if high - low < CLOSE * high:
        return (Bar(_percent(high), int(risks.size), int(sizes.sum())),)
    ends = _ends(low, high)
    below = max(end for end in ends if end < low * (1 - CLOSE))
    above = min((end for end in ends if end >= high * (1 - CLOSE)), default=1.0)
    inner = [end for end in ends if below < end < above]
    labels = [f"{_percent(start)} to {_percent(end)}" for start, end in pairwise([below, *inner, above])]
    positions = np.searchsorted(np.array(inner) * (1 + CLOSE), risks, side="left")
    return _bars(labels, positions, sizes)


def _percent(risk: float) -> str:
    """Write the end of a bar.

    >>> _percent(0.1), _percent(0.000015)
    ('10%', '0.0015%')
    """
    return f"{100 * risk:.8f}".rstrip("0").rstrip(".") + "%"


def _ends(low: float, high: float) -> list[float]:
    """Return round numbers from below the lowest to above the highest, few enough for bars."""
    powers = range(int(np.floor(np.log10(low))) - 1, int(np.ceil(np.log10(high))) + 1)
    for digits in DIGITS:
        ends = [float(f"{digit}e{power}") for power in powers for digit in digits]
        if sum(low < end < high for end in ends) < MAX_BARS:
            break
    return ends


def _bars(labels: Sequence[str], positions: Counts, sizes: Counts) -> tuple[Bar, ...]:
    blocks = np.bincount(positions, minlength=len(labels))
    records = np.bincount(positions, weights=sizes, minlength=len(labels))
    return tuple(Bar(*values) for values in zip(labels, blocks.tolist(), map(int, records.tolist()), strict=True))


def blocks_passage(evidence: ReleaseEvidence) -> Passage | None:
    """Show how large blocks are."""
    bars = block_bars(evidence)
    if bars is None:
        return None
    return Passage(
        "blocks", "Blocks", (blocks_sentence(evidence),), (_table("Blocks by size", "Records in a block", bars),)
    )


def risk_passage(evidence: ReleaseEvidence) -> Passage | None:
    """Show how the risk is distributed over the records."""
    bars = record_risk_bars(evidence)
    if bars is None:
        return None
    return Passage("risk", "Risk", (risk_sentence(evidence),), (_table("Records by risk", "Risk of a record", bars),))


def block_bars(evidence: ReleaseEvidence) -> tuple[Bar, ...] | None:
    """Return the blocks of a release by size, if they were measured."""
    return None if evidence.compliance is None else size_bars(evidence.compliance.safety.blocks.sizes)


def record_risk_bars(evidence: ReleaseEvidence) -> tuple[Bar, ...] | None:
    """Return the blocks of a release by risk, if they were measured."""
    if evidence.compliance is None:
        return None
    risk = evidence.compliance.safety.risk
    return risk_bars(risk.by_block, risk.sizes)


def _table(caption: str, first: str, bars: Sequence[Bar]) -> Table:
    total = sum(bar.records for bar in bars)
    rows = tuple((bar.label, count(bar.blocks), count(bar.records), share(bar.records / total)) for bar in bars)
    return Table(caption, (first, "Blocks", "Records", "Share of records"), rows)


def described(bars: Sequence[Bar], caption: str) -> str:
    """Describe a bar chart for somebody who cannot see it."""
    heights = "; ".join(f"{bar.label}: {counted(bar.records, 'record')}" for bar in bars)
    return f"Bar chart. {caption}. {heights}."
