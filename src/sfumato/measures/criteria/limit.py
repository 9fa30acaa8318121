"""A promised limit, with the measure that must satisfy it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.measures.block_measure import BlockMeasure, Violations

if TYPE_CHECKING:
    from sfumato.measures.criteria.criterion import Criterion


@dataclass(frozen=True)
class Limit:
    """One limit of a promise, with the measure that must satisfy it."""

    criterion: Criterion
    """What is limited."""
    attribute: str | None
    """The sensitive attribute that it is about, if it is about one."""
    limit: float
    """The number that was promised."""
    measure: BlockMeasure
    """What each block reaches."""
    intersected: bool = False
    """Whether it is measured after intersecting the records of each household."""

    @property
    def setting(self) -> str:
        """The name of the limit in results."""
        return self.criterion.code

    @property
    def reached(self) -> float:
        """What the table has."""
        return self.measure.worst

    @property
    def violations(self) -> Violations:
        """What violates the limit."""
        return self.measure.violations(self.limit)

    @property
    def satisfied(self) -> bool:
        """Whether every block satisfies the limit."""
        return not self.violations.blocks

    @property
    def relaxed(self) -> float:
        """The limit relaxed by one step."""
        return self.limit + self.criterion.step
