"""How many attributes the members of households have in common."""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Codes, Counts
from sfumato.kernels.argument_types import CodeTable
from sfumato.kernels.compiled import compiled


@compiled
def shared_attributes(
    order: Counts, homes: Codes, codes: CodeTable, rows: Counts, enough: int, households: int
) -> tuple[int, int]:
    """Count attributes in which no two members of a household differ; a missing value differs from none.

    An attribute is abandoned at the first difference, and the count ends when there are ``enough``, so that looking at
    attributes that have nothing to do with households costs little more than looking at one household of each.

    Parameters
    ----------
    order
        (IN) the records, household by household.
    homes
        (IN) the household of each record.
    codes
        (IN) attributes by records, negative where missing.
    rows
        (IN) the attributes to look at.
    enough
        How many to look for.
    households
        How many households with two known values an attribute must have, to count.

    Returns
    -------
    The number of attributes, and how many cells were read.
    """
    n_shared, cells = 0, 0
    for row in rows:
        several, differs = 0, False
        home, value, counted = np.int64(-1), np.int64(-1), False
        for record in order:
            cells += 1
            if homes[record] != home:
                home, value, counted = np.int64(homes[record]), np.int64(-1), False
            code = codes[row, record]
            if code < 0:
                continue
            if value < 0:
                value = np.int64(code)
            elif code != value:
                differs = True
                break
            elif not counted:
                counted = True
                several += 1
        if not differs and several >= households:
            n_shared += 1
            if n_shared >= enough:
                break
    return n_shared, cells
