"""A statistic with rare, wide boxes left out or weighted less."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from sfumato.formatting import EXACT, NO_RANGE, json_content, value_with_range

NEGLIGIBLE = 1e-9
"""A smaller shift, relative to the value or the width, is a rounding error."""


@dataclass(frozen=True)
class Weighted:
    """A statistic with rare, wide boxes dismissed or weighted less.

    It is another statistic: of the same records, with other weights. Its range is not a guaranteed range of the
    unweighted statistic, even if the weights are calibrated. Weights that are not calibrated bias it, because the boxes
    that blur most are at the edges, where records are rare: a variance falls by half and more (ERRATA 001-13). Only the
    range of all records, which is reported beside it, is guaranteed.
    """

    dismiss: str
    """``"crisp"``: wide boxes are left out. ``"fuzzy"``: the wider a box, the smaller its weight."""
    calibrated: bool
    """Whether the weights preserve the means, squares and products of the midpoints of the boxes. If such weights were
    requested and not found, all records have equal weights."""
    value: float
    """Computed at the midpoints of the boxes; NaN if it is undefined with these weights."""
    lower: float
    """No data within the boxes give less, with these weights; infinite if that is not proved."""
    upper: float
    """No data within the boxes give more, with these weights; infinite if that is not proved."""
    shift: float
    """The value minus that of all records."""
    saved: float
    """The share by which it is narrower than the range of all records; negative if it is wider."""
    sampling_error: float
    """A sqrt(sum of the squared shares), with the A of all records: the standard error of drawing the records from a
    population. Linearisation would understate it, because the weights depend on the values."""
    records: int
    """The number of records with a positive weight."""
    effective: float
    """The effective number of records, 1 / (sum of the squared shares)."""

    @property
    def width(self) -> float:
        """The width of the range."""
        return self.upper - self.lower

    @property
    def weights(self) -> str:
        """A description of the weights."""
        return f"{self.dismiss}, {'calibrated' if self.calibrated else 'not calibrated'}"

    @property
    def formatted(self) -> tuple[str, str, str, str]:
        """The value, the range rounded outwards, the shift, and the share of the width saved, in few digits."""
        if math.isnan(self.value):
            return "undefined", "-", "-", "-"
        small = abs(self.shift) <= NEGLIGIBLE * max(abs(self.value), self.width if math.isfinite(self.width) else 0.0)
        saved = f"{100 * self.saved:.3g}%" if math.isfinite(self.saved) else "-"
        return *value_with_range(self.value, self.lower, self.upper), "0" if small else f"{self.shift:+.3g}", saved

    def summary(self) -> dict[str, Any]:
        """Return plain numbers for JSON; null for numbers that are not finite."""
        numbers: dict[str, Any] = json_content(asdict(self))
        return numbers

    def __str__(self) -> str:
        if math.isnan(self.value):
            return f"{self.weights}: undefined"
        value, span, shift, saved = self.formatted
        where = f", {span}" if span == EXACT else f" in {span}" if math.isfinite(self.width) else f", {NO_RANGE}"
        return f"{self.weights}: {value}{where}, shift {shift}, width saved {saved}; not a guaranteed range"
