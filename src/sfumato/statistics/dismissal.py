"""Rare, wide boxes weighted less, or not at all: what a statistic of the other records is (XK13 and XF13 sec. III)."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from sfumato.arrays import Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import product
from sfumato.settings import check_choice
from sfumato.statistics.language import Statistic
from sfumato.statistics.points import sensitivities_of
from sfumato.statistics.sample import Boxes
from sfumato.statistics.weighting import calibrated_crisp_weights, calibrated_weights, crisp_weights, fuzzy_weights
from sfumato.statistics.wording import EXACT, plain, told

Dismiss = Literal["none", "crisp", "fuzzy"]
"""Which boxes count less: none; the widest are left out; or all the less, the wider they are."""
NEGLIGIBLE = 1e-9
"""A smaller shift, as a share of the value or the width, is rounding."""


@dataclass(frozen=True)
class Weighted:
    """A statistic with rare, wide boxes dismissed or weighted less.

    It is another statistic, of the same records with other weights. Its range is one of that statistic: the unweighted
    statistic of the original need not lie in it, even where the weights are calibrated. Where they are not, it is
    biased, for boxes that blur most lie at the edges, where records are rare: a variance falls by half and more (ERRATA
    001-13). What is sure is the range of all records, beside which this stands.
    """

    dismiss: str
    """``"crisp"``: wide boxes are left out. ``"fuzzy"``: the wider a box, the less it counts."""
    calibrated: bool
    """Whether the weights keep the means, squares and products of the middles of the boxes. If such weights were
    wanted and not found, all records count as before."""
    value: float
    """At the middles of the boxes; NaN if it is not defined with these weights."""
    lower: float
    """No data that lie in the boxes have less, with these weights; infinite if that is not proved."""
    upper: float
    """No data that lie in the boxes have more, with these weights; infinite if that is not proved."""
    shift: float
    """By how much the value exceeds the one of all records."""
    saved: float
    """Which share of the width of the range of all records it saves; negative if it is wider."""
    sampling_error: float
    """A sqrt(sum of the squared shares), with the A of all records: what drawing records from a population adds, as a
    standard error. Linearised it would look less, because the weights follow the values."""
    records: int
    """How many records have a weight."""
    effective: float
    """So many records of equal weight would be worth as much: 1 / (sum of the squared shares)."""

    @property
    def width(self) -> float:
        """The width of the range."""
        return self.upper - self.lower

    @property
    def weights(self) -> str:
        """Which weights these are, in words."""
        return f"{self.dismiss}, {'calibrated' if self.calibrated else 'not calibrated'}"

    @property
    def told(self) -> tuple[str, str, str, str]:
        """The value, the range rounded outwards, the shift, and the share of the width that it saves, in few digits."""
        if math.isnan(self.value):
            return "undefined", "-", "-", "-"
        small = abs(self.shift) <= NEGLIGIBLE * max(abs(self.value), self.width if math.isfinite(self.width) else 0.0)
        saved = f"{100 * self.saved:.3g} %" if math.isfinite(self.saved) else "-"
        return *told(self.value, self.lower, self.upper), "0" if small else f"{self.shift:+.3g}", saved

    def summary(self) -> dict[str, Any]:
        """Return plain numbers; null stands for what is not finite."""
        found: dict[str, Any] = plain(asdict(self))
        return found

    def __str__(self) -> str:
        if math.isnan(self.value):
            return f"{self.weights}: undefined"
        value, span, shift, saved = self.told
        where = f", {span}" if span == EXACT else f" in {span}" if math.isfinite(self.width) else ", no range is proved"
        return f"{self.weights}: {value}{where}, shift {shift}, width saved {saved}; the truth need not lie there"


@dataclass(frozen=True)
class Dismissal:
    """How boxes are to be weighted."""

    kind: Literal["crisp", "fuzzy"]
    calibrate: bool
    asked: bool
    """Whether a user asks for it; if not, a statistic that it leaves undefined is no error."""


def dismissal_of(dismiss: Any, calibrate: Any, *, asked: bool = True) -> Dismissal | None:
    """Check what is wanted; None if all records are to count the same."""
    check_choice("dismiss", dismiss, Dismiss)
    if not isinstance(calibrate, bool):
        raise SettingError(f"calibrate is {calibrate!r}", hint="choose true or false")
    return None if dismiss == "none" else Dismissal("crisp" if dismiss == "crisp" else "fuzzy", calibrate, asked)


def box_weights(
    statistic: Statistic, boxes: Boxes, errors: list[float], dismissal: Dismissal
) -> list[tuple[Reals, bool]]:
    """Return for each target the weights of the boxes' records, times their survey weights, and if they are calibrated.

    Parameters
    ----------
    statistic, boxes
        What is weighted. Weights of 1 leave all as it is; with the boxes' shares, weights sum to one.
    errors
        The sampling error of each target with all records.
    dismissal
        How.

    Notes
    -----
    The share of a box stands for the number of its records: only the ratio of A to the root of the total enters, and
    with a total of one A is the sampling error itself. So survey weights may be scaled to sum to the number of records,
    to Kish's effective one, or to one, all the same; what is presumed is that their squares are in proportion to their
    sums in each box. Sensitivities are those of all records. They depend on the weights as the statistic does, so
    without calibration they are a first order (ERRATA 000-13); calibrated weights leave them as they are.
    """
    # g = sum a_i Delta_i for n c, which holds with any box, ERRATA 000-12
    uncertainties = (sensitivities_of(statistic, boxes.middles, boxes.shares) * boxes.halves).sum(axis=1)
    if not dismissal.calibrate:
        weigh = crisp_weights if dismissal.kind == "crisp" else fuzzy_weights
        return [(weigh(g, boxes.shares, error), False) for g, error in zip(uncertainties, errors, strict=True)]
    calibrated = calibrated_crisp_weights if dismissal.kind == "crisp" else calibrated_weights
    moments = _moments(boxes)
    found = [calibrated(g, boxes.shares, error, moments) for g, error in zip(uncertainties, errors, strict=True)]
    return [(one.values, one.calibrated) for one in found]


def _moments(boxes: Boxes) -> Reals:
    """Return the middles and all their products, measured from the means.

    The squares are kept even for a mean, which else could come from the midst of the records alone.
    """
    middles = boxes.middles
    centred = middles - product(middles, boxes.shares)[:, None]
    rows, columns = np.triu_indices(len(centred))
    return np.vstack([centred, centred[rows] * centred[columns]])
