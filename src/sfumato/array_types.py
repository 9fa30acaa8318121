"""Types of the arrays that are passed between layers."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.int32]
"""One category code per record (or block); -1 where the value is missing."""

Counts: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Bytes: TypeAlias = NDArray[np.uint8]
