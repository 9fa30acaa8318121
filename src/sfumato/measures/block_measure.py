"""One number per block, with the worst of them and what violates a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.array_types import Counts, Flags, Reals
from sfumato.quiet_repr import quiet

TOLERANCE = 1e-9
"""Limits are compared with this much slack, so that a promise of what was measured holds."""


@dataclass(frozen=True, slots=True)
class Violations:
    """How much of a table violates a limit."""

    records: int
    """How many records are in blocks that violate the limit."""
    blocks: int
    """How many blocks violate it."""


@quiet
@dataclass(frozen=True)
class BlockMeasure:
    """A measure of every block.

    >>> import numpy as np
    >>> k = BlockMeasure("k", np.array([3.0, 2.0]), np.array([3, 2]), safer="higher")
    >>> k.worst, k.worst_block, k.violations(3)
    (2.0, 1, Violations(records=2, blocks=1))
    """

    name: str
    """What is measured."""
    values: Reals
    """One number per block."""
    sizes: Counts
    """How many records each block has."""
    safer: Literal["higher", "lower"]
    """Whether higher or lower numbers are safer."""
    strict: bool = False
    """Whether a value equal to the limit violates it."""

    @property
    def worst_block(self) -> int:
        """The number of the block that is least safe; the first of several."""
        return int(np.argmin(self.values) if self.safer == "higher" else np.argmax(self.values))

    @property
    def worst(self) -> float:
        """The value that the whole table has."""
        return float(self.values[self.worst_block])

    def breaking(self, limit: float) -> Flags:
        """Flag the blocks that violate a limit."""
        slack = TOLERANCE * max(1.0, abs(limit)) * (-1 if self.strict else 1)
        # NaN violates every limit
        return ~(self.values >= limit - slack) if self.safer == "higher" else ~(self.values <= limit + slack)

    def violations(self, limit: float) -> Violations:
        """Count the records and blocks that violate a limit."""
        broken = self.breaking(limit)
        return Violations(records=int(self.sizes[broken].sum()), blocks=int(broken.sum()))
