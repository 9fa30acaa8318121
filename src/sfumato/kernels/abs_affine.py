"""Sums of absolute values of affine functions, one record at a time."""

from __future__ import annotations

import numpy as np

from sfumato.arrays import Codes
from sfumato.kernels.compiled import compiled, interpreted_while_small
from sfumato.kernels.signatures import CodeTable, RealTable

BLOCK = 1024
"""So many records at a time stay in a core's nearest memory while all functions go over them."""


@interpreted_while_small
@compiled
def add_absolute(
    columns: RealTable, first: int, last: int, coefficients: RealTable, uses: CodeTable, owners: Codes, sums: RealTable
) -> None:
    """Add the absolute value of each affine function to its owner's sum, for the records from ``first`` to ``last``.

    ``columns`` (IN) has one row an attribute; ``coefficients`` (IN) one row a function, of one and of the attributes
    that ``uses`` (IN) lists, two at least, -1 for none. A function of a missing value (NaN) adds nothing. ``sums``
    (IN, OUT) has one row an owner.
    """
    values = np.empty(BLOCK)
    for start in range(first, last, BLOCK):
        size = min(BLOCK, last - start)
        for function in range(owners.size):
            owner, one, other = owners[function], uses[function, 0], uses[function, 1]
            constant, factor = coefficients[function, 0], coefficients[function, 1]
            if one < 0:
                for place in range(size):
                    sums[owner, start + place] += abs(constant)
                continue
            # the second of one alone is itself, which counts for nothing
            following = coefficients[function, 2] if other >= 0 else 0.0
            other = other if other >= 0 else one
            for place in range(size):
                value = constant + factor * columns[one, start + place] + following * columns[other, start + place]
                values[place] = value
            for use in range(2, uses.shape[1]):
                column, factor = uses[function, use], coefficients[function, use + 1]
                if column >= 0:
                    for place in range(size):
                        values[place] += factor * columns[column, start + place]
            for place in range(size):
                value = abs(values[place])
                # NaN is not itself
                sums[owner, start + place] += value if value == value else 0.0
