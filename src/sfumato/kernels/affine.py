"""Sums of absolute values of affine functions, one record at a time."""

from __future__ import annotations

import numpy as np

from sfumato.arrays import Codes, Reals
from sfumato.kernels.compiled import compiled


@compiled
def add_absolute(
    columns: Reals, first: int, last: int, coefficients: Reals, uses: Codes, owners: Codes, sums: Reals
) -> None:
    """Add the absolute value of each affine function to its owner's sum, for the records from ``first`` to ``last``.

    ``columns`` (IN) has one row an attribute; ``coefficients`` (IN) one row a function, of one and of the attributes
    that ``uses`` (IN) lists, -1 for none. A function of a missing value (NaN) adds nothing. ``sums`` (IN, OUT) has
    one row an owner.
    """
    for function in range(owners.size):
        owner = owners[function]
        for record in range(first, last):
            value = coefficients[function, 0]
            for place in range(uses.shape[1]):
                if uses[function, place] >= 0:
                    value += coefficients[function, place + 1] * columns[uses[function, place], record]
            sums[owner, record] += abs(value) if not np.isnan(value) else 0.0
