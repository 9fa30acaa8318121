"""Branch and bound over signals: the cheapest node first, and how cheap anything left out can be at best."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from typing import Generic, Protocol, TypeVar

from sfumato.arrays import Counts
from sfumato.groups.task import Reshaping
from sfumato.progress import Progress


class _Costing(Protocol):
    @property
    def cost(self) -> float: ...


Node = TypeVar("Node", bound=_Costing)


class Search(ABC, Generic[Node]):
    """The nodes that are still to be looked at, the cheapest first, and the best counts known."""

    def __init__(self, task: Reshaping, best: Counts | None, *, nodes: int, progress: Progress) -> None:
        self.task, self.best, self.nodes, self.progress = task, best, nodes, progress
        # everybody may be moved, and no more
        self.limit = task.total + 1 if best is None else task.moved(best)
        self.unresolved: float = math.inf
        """What a node costs at least of which it is not known whether counts attain it."""
        self.seen = 0
        self.ages = itertools.count()
        self.queue: list[Node] = []

    def run(self) -> float:
        """Search, and return how many people have to be moved at least."""
        self._search()
        open_cost = self.queue[0].cost if self.queue else math.inf
        return min(open_cost, self.unresolved, self.limit if self.best is not None else math.inf)

    @abstractmethod
    def _search(self) -> None: ...

    def _keep(self, counts: Counts) -> bool:
        """Keep counts if they are better than the best known and the technique itself agrees."""
        if self.task.moved(counts) >= self.limit or not self.task.hides(counts):
            return False
        self.best, self.limit = counts, self.task.moved(counts)
        return True
