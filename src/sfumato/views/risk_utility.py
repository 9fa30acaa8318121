"""Risk and utility: how easily records are re-identified, and how much of their detail is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.formatting import counted, share
from sfumato.release import ReleaseEvidence
from sfumato.views.model import Passage, Table
from sfumato.views.statistics import width_table

COLUMNS, ROWS = 20, 14
"""The grid of detail and risk; the records in one cell are one circle."""
CLOSE = 1e-9
"""Numbers that differ by less than this share are equal."""
WIDE = 10.0
"""If risks differ by more than this factor, they are shown on a logarithmic axis."""


@dataclass(frozen=True)
class Circle:
    """Records of similar risk and detail."""

    lost: float
    """The mean share of their detail that is lost."""
    risk: float
    """Their mean risk."""
    records: int


def spans_orders(risks: Sequence[float]) -> bool:
    """Say whether risks span more than an order of magnitude."""
    return max(risks) > WIDE * min(risks)


def circles_of(lost: Reals, risks: Reals, sizes: Reals) -> tuple[Circle, ...]:
    """Merge similar blocks, so that a million can be drawn.

    Parameters
    ----------
    lost, risks, sizes
        For each block: the share of detail that is lost, the risk of its records, and their number.

    Examples
    --------
    >>> circles_of(np.array([0.1, 0.11, 0.9]), np.array([0.5, 0.5, 0.1]), np.array([2, 2, 10]))
    (Circle(lost=0.105, risk=0.5, records=4), Circle(lost=0.9, risk=0.1, records=10))
    """
    logarithmic = spans_orders([float(risks.min()), float(risks.max())])
    columns, rows = _cells(lost, COLUMNS), _cells(np.log(risks) if logarithmic else risks, ROWS)
    _, circle_ids = np.unique(columns * ROWS + rows, return_inverse=True)
    records = np.bincount(circle_ids, weights=sizes)
    means = [np.bincount(circle_ids, weights=values * sizes) / records for values in (lost, risks)]
    return tuple(Circle(float(f"{g:.6g}"), float(f"{r:.6g}"), int(n)) for g, r, n in zip(*means, records, strict=True))


def _cells(values: Reals, n_cells: int) -> Counts:
    """Divide the range of some values into equal cells; return the cell of each value."""
    low, high = float(values.min()), float(values.max())
    if high - low <= CLOSE * max(abs(high), abs(low)):
        return np.zeros(values.size, dtype=np.int64)
    return np.minimum(((values - low) * (n_cells / (high - low))).astype(np.int64), n_cells - 1)


def circles_and_average(evidence: ReleaseEvidence) -> tuple[tuple[Circle, ...], Circle] | None:
    """Return all records by lost detail and risk, and their average, if blocks were measured."""
    if evidence.compliance is None or evidence.detail is None:
        return None
    safety, detail = evidence.compliance.safety, evidence.detail
    sizes = safety.blocks.sizes
    lost = np.clip(safety.blocks.totals(detail.by_record) / sizes, 0.0, 1.0)
    circles = circles_of(lost, safety.risk.by_block, sizes.astype(np.float64))
    return circles, Circle(detail.mean, safety.risk.rate, safety.records)


def risk_utility_passage(evidence: ReleaseEvidence) -> Passage | None:
    """Compare the risk of records with the detail that is lost."""
    drawn = circles_and_average(evidence)
    if drawn is None:
        return None
    _, average = drawn
    sentences = (
        f"On average, {share(average.lost)} of the detail of the quasi-identifiers is lost, and a record is "
        f"re-identified with probability {share(average.risk)}. Protection costs detail: further right in the chart, "
        "less detail is released; further up, records are easier to re-identify.",
        "The detail lost is the share of an attribute's range, or of its categories, that a released value covers: 0% "
        "means released exactly, 100% not released at all. A missing value counts as not released.",
    )
    return Passage("tradeoff", "Risk and utility", sentences, (_attributes(evidence), *width_table(evidence)))


def described(circles: tuple[Circle, ...], average: Circle) -> str:
    """Describe the chart for somebody who cannot see it."""
    largest = sorted(circles, key=lambda circle: -circle.records)[:5]
    details = "; ".join(
        f"{counted(circle.records, 'record')}: {share(circle.lost)} lost, risk {share(circle.risk)}"
        for circle in largest
    )
    mean = f"Average: {share(average.lost)} lost, risk {share(average.risk)}."
    return f"Circles of records. {mean} Largest circles: {details}."


def _attributes(evidence: ReleaseEvidence) -> Table:
    attributes = {} if evidence.detail is None else evidence.detail.attributes
    rows = tuple(
        (name, share(float(lost.mean())), share(float(np.median(lost))), share(float((lost == 0).mean())))
        for name, lost in attributes.items()
    )
    columns = ("Attribute", "Mean", "Median", "Records released exactly")
    return Table("Detail lost, by attribute", columns, rows)
