"""Trimming: rare, wide boxes are weighted less or left out (XK13 and XF13 sec. III)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.array_types import Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import product
from sfumato.settings import check_choice
from sfumato.statistics.interval_sample import DistinctBoxes
from sfumato.statistics.statistic import Statistic
from sfumato.statistics.trimming_weights import (
    calibrated_crisp_weights,
    calibrated_weights,
    crisp_weights,
    fuzzy_weights,
)

Dismiss = Literal["none", "crisp", "fuzzy"]
"""How boxes are trimmed: not at all; the widest are left out; or the wider a box, the smaller its weight."""


@dataclass(frozen=True)
class Dismissal:
    """How boxes are weighted."""

    kind: Literal["crisp", "fuzzy"]
    """Whether rare boxes are left out or weighted less."""
    calibrate: bool
    """Whether the weights must preserve moments."""
    requested: bool
    """Whether a user requests it; if so, a statistic that the weights leave undefined is an error."""


def dismissal_of(dismiss: Any, calibrate: Any, *, requested: bool = True) -> Dismissal | None:
    """Check the settings; None if all records count the same."""
    check_choice("dismiss", dismiss, Dismiss)
    if not isinstance(calibrate, bool):
        raise SettingError(f"calibrate = {calibrate!r}", hint="calibrate is true or false", setting="calibrate")
    return None if dismiss == "none" else Dismissal("crisp" if dismiss == "crisp" else "fuzzy", calibrate, requested)


def box_weights(
    statistic: Statistic, boxes: DistinctBoxes, errors: list[float], dismissal: Dismissal
) -> list[tuple[Reals, bool]]:
    """Return for each target the weights of the boxes' records, and whether they are calibrated.

    Parameters
    ----------
    statistic, boxes
        What is weighted. Weights multiply the survey weights: weights of 1 change nothing. Weighted by the boxes'
        shares, they sum to one.
    errors
        The sampling error of each target with all records.
    dismissal
        How boxes are weighted.

    Notes
    -----
    The share of a box takes the place of its number of records: only the ratio of A to the root of the total matters,
    and with a total of one, A is the sampling error itself. So it makes no difference whether survey weights are scaled
    to sum to the number of records, to Kish's effective number, or to one. It is assumed that in each box the sum of
    their squares is proportional to their sum. Sensitivities are those of all records. They depend on the weights as
    the statistic does, so without calibration they are first-order (ERRATA 000-13); calibrated weights do not change
    them.
    """
    # g = sum a_i Delta_i for n c, which holds for any box, ERRATA 000-12
    uncertainties = (statistic.sensitivities(boxes.middles, boxes.shares) * boxes.halves).sum(axis=1)
    if not dismissal.calibrate:
        weigh = crisp_weights if dismissal.kind == "crisp" else fuzzy_weights
        return [(weigh(g, boxes.shares, error), False) for g, error in zip(uncertainties, errors, strict=True)]
    calibrated = calibrated_crisp_weights if dismissal.kind == "crisp" else calibrated_weights
    moments = _moments(boxes)
    weights = [calibrated(g, boxes.shares, error, moments) for g, error in zip(uncertainties, errors, strict=True)]
    return [(target.values, target.calibrated) for target in weights]


def _moments(boxes: DistinctBoxes) -> Reals:
    """Return the midpoints and all their products, measured from the means.

    The squares are preserved even for a mean; otherwise it could be computed from central records alone.
    """
    middles = boxes.middles
    centred = middles - product(middles, boxes.shares)[:, None]
    rows, columns = np.triu_indices(len(centred))
    return np.vstack([centred, centred[rows] * centred[columns]])
