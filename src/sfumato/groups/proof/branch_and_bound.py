"""Branch and bound over signals: the cheapest node first, with a lower bound of everything not examined."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from typing import Generic, Protocol, TypeVar

from sfumato.array_types import Counts
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.progress import Progress


class _Costing(Protocol):
    @property
    def cost(self) -> float: ...


Node = TypeVar("Node", bound=_Costing)


class BranchAndBound(ABC, Generic[Node]):
    """The nodes still to be examined, the cheapest first, and the best counts so far."""

    def __init__(self, task: Reshaping, best: Counts | None, *, nodes: int, progress: Progress) -> None:
        self.task, self.best, self.nodes, self.progress = task, best, nodes, progress
        # at most everybody can be moved
        self.limit = task.total + 1 if best is None else task.moved(best)
        self.unresolved: float = math.inf
        """The least cost of a node for which it is unknown whether counts attain it."""
        self.seen = 0
        self.ages = itertools.count()
        self.queue: list[Node] = []

    def run(self) -> float:
        """Search, and return a lower bound of the people that have to be moved."""
        self._search()
        open_cost = self.queue[0].cost if self.queue else math.inf
        return min(open_cost, self.unresolved, self.limit if self.best is not None else math.inf)

    @abstractmethod
    def _search(self) -> None: ...

    def _adopt(self, counts: Counts) -> bool:
        """Adopt counts if they are better than the best so far and hide the places by the technique itself."""
        if self.task.moved(counts) >= self.limit or not self.task.hides(counts):
            return False
        self.best, self.limit = counts, self.task.moved(counts)
        return True
