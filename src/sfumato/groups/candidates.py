"""The records that vital ones may swap with, arranged so that the cheapest are found without looking at all pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Codes, Counts
from sfumato.groups.influence import Influence
from sfumato.kernels.nesting import Attributes, Nest, highest_in_boxes, nest
from sfumato.kernels.pairs import nearest
from sfumato.parallel import batches_of, side_by_side

FINE = 46
"""Costs are told apart to so many binary digits, unless there are so many records that sums would not fit."""


@dataclass(frozen=True)
class Found:
    """Pairs that were asked for."""

    leaving: Counts
    """Numbers of vital records, in ascending order of what they asked."""
    coming: Counts
    """Numbers of the records that each may swap with, the cheapest of one vital record first."""
    costs: Counts
    """What each swap costs, in units."""


class Candidates:
    """Records that vital ones may swap with.

    Parameters
    ----------
    influence
        What a swap costs.
    records
        Numbers of the candidates, of which there is one at least.
    parts
        One code a record: candidates of different parts have prices that differ much.
    scale
        Units that make up one.
    threads
        How many to use.
    """

    def __init__(self, influence: Influence, records: Counts, parts: Codes, scale: float, threads: int | None) -> None:
        self.scale, self._threads = scale, threads
        # what must not change comes last, so that sums are added up in the order of Influence.between
        codes = np.vstack([influence.nominal, influence.kept]).astype(np.int32)
        gammas = np.append(influence.gammas, np.inf)
        self._all = Attributes(np.ascontiguousarray(influence.ordinal), influence.omegas, codes, gammas)
        self.records = records.copy()
        self._boxes: Nest = nest(self._all, parts, self.records)
        self._own = self._taken(self.records)

    def cheapest(self, vital: Counts, limits: Counts, prices: Counts, count: int) -> Found:
        """Return up to so many pairs for each vital record, those whose cost less the price is least.

        Parameters
        ----------
        vital
            Numbers of records.
        limits
            For each of them, what cost less price must stay below.
        prices
            One a record, CLOSED for those that may not be chosen.
        count
            How many are wanted.
        """
        asking = self._taken(vital)
        own = prices[self.records]
        highest = highest_in_boxes(self._boxes, own)
        places, costs = np.empty((2, vital.size, count), dtype=np.int64)

        def ask(batch: tuple[int, int]) -> None:
            nearest(asking, self._own, self._boxes, own, highest, limits, self.scale, batch[0], batch[1], places, costs)

        side_by_side(ask, batches_of(vital.size, least=64), self._threads)
        found = places >= 0
        return Found(np.repeat(vital, found.sum(axis=1)), self.records[places[found]], costs[found])

    def _taken(self, records: Counts) -> Attributes:
        # unlike an index, this leaves the values of an attribute side by side
        ordinal, codes = self._all.ordinal.take(records, axis=1), self._all.codes.take(records, axis=1)
        return Attributes(ordinal, self._all.omegas, codes, self._all.gammas)


def units_of(influence: Influence, vital: int) -> tuple[float, int]:
    """Return how many units make up one, and a number of them that no way past so many vital records costs."""
    digits = min(FINE, 60 - (vital + 2).bit_length())
    return 2.0**digits / (influence.most or 1.0), (2**digits + 2) * (vital + 2)
