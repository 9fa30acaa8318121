"""How much rounding can change a sum."""

from __future__ import annotations

import numpy as np

ROUNDING = float(np.finfo(np.float64).eps)


def rounding_of(records: int) -> float:
    """Return the largest relative error of a sum over records, with a margin; relative to the sum of magnitudes."""
    return 4.0 * (records + 32) * ROUNDING
