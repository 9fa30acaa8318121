"""Sums of absolute values of affine functions, one record at a time."""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Codes
from sfumato.kernels.argument_types import CodeTable, RealTable
from sfumato.kernels.compiled import compiled, interpreted_while_small

BLOCK = 1024
"""The number of records evaluated at a time: few enough to stay in the cache while all functions are evaluated."""


@interpreted_while_small
@compiled
def add_absolute(
    columns: RealTable, first: int, last: int, coefficients: RealTable, uses: CodeTable, owners: Codes, sums: RealTable
) -> None:
    """Add the absolute value of each affine function to its owner's sum, for the records from ``first`` to ``last``.

    ``columns`` (IN) has one row per attribute; ``coefficients`` (IN) one row per function: the constant, then the
    coefficients of the attributes that ``uses`` (IN) lists, at least two columns, -1 for none. A function of a missing
    value (NaN) adds nothing. ``sums`` (IN, OUT) has one row per owner.
    """
    values = np.empty(BLOCK)
    for start in range(first, last, BLOCK):
        size = min(BLOCK, last - start)
        for function in range(owners.size):
            owner, first_column, second_column = owners[function], uses[function, 0], uses[function, 1]
            constant, factor = coefficients[function, 0], coefficients[function, 1]
            if first_column < 0:
                for offset in range(size):
                    sums[owner, start + offset] += abs(constant)
                continue
            # a function of one attribute reads it twice, the second time with the coefficient 0
            following = coefficients[function, 2] if second_column >= 0 else 0.0
            second_column = second_column if second_column >= 0 else first_column
            for offset in range(size):
                value = (
                    constant
                    + factor * columns[first_column, start + offset]
                    + following * columns[second_column, start + offset]
                )
                values[offset] = value
            for use in range(2, uses.shape[1]):
                column, factor = uses[function, use], coefficients[function, use + 1]
                if column >= 0:
                    for offset in range(size):
                        values[offset] += factor * columns[column, start + offset]
            for offset in range(size):
                value = abs(values[offset])
                # NaN differs from itself
                sums[owner, start + offset] += value if value == value else 0.0
