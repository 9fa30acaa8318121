"""An index of the records that vital ones may swap with: finds the cheapest without comparing all pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Codes, Counts
from sfumato.groups.swap.swap_cost import Influence
from sfumato.kernels.nearest_record_tree import Attributes, Nest, highest_in_boxes, nest
from sfumato.kernels.nearest_swaps import nearest
from sfumato.threads import batches_of, side_by_side

FINE = 46
"""Costs are resolved to this many binary digits, or fewer if sums over all records would overflow."""


@dataclass(frozen=True)
class CheapestPairs:
    """The cheapest pairs for some vital records."""

    leaving: Counts
    """Indices of vital records, in the order of the query."""
    coming: Counts
    """Indices of the records that each may swap with, the cheapest of each vital record first."""
    costs: Counts
    """What each swap costs, in units."""


class CandidateIndex:
    """Records that vital ones may swap with.

    Parameters
    ----------
    influence
        What a swap costs.
    records
        Indices of the candidates, at least one.
    price_groups
        One code per record: candidates of different groups have very different prices.
    scale
        The number of cost units per one.
    threads
        The number of threads.
    """

    def __init__(
        self, influence: Influence, records: Counts, price_groups: Codes, scale: float, threads: int | None
    ) -> None:
        self.scale, self._threads = scale, threads
        # the swap classes come last, so that costs are added up in the order of Influence.between
        codes = np.vstack([influence.nominal, influence.swap_classes]).astype(np.int32)
        gammas = np.append(influence.gammas, np.inf)
        self._all = Attributes(np.ascontiguousarray(influence.ordinal), influence.omegas, codes, gammas)
        self.records = records.copy()
        self._boxes: Nest = nest(self._all, price_groups, self.records)
        self._candidates = self._taken(self.records)

    def cheapest(self, vital: Counts, limits: Counts, prices: Counts, count: int) -> CheapestPairs:
        """Return up to ``count`` pairs for each vital record, those with the least cost minus price.

        Parameters
        ----------
        vital
            Record indices.
        limits
            For each of them, the upper limit of cost minus price.
        prices
            One per record, CLOSED for those that may not be chosen.
        count
            The number of pairs per vital record.
        """
        asking = self._taken(vital)
        prices_of_candidates = prices[self.records]
        highest = highest_in_boxes(self._boxes, prices_of_candidates)
        indices, costs = np.empty((2, vital.size, count), dtype=np.int64)

        def ask(batch: tuple[int, int]) -> None:
            nearest(
                asking,
                self._candidates,
                self._boxes,
                prices_of_candidates,
                highest,
                limits,
                self.scale,
                batch[0],
                batch[1],
                indices,
                costs,
            )

        side_by_side(ask, batches_of(vital.size, least=64), self._threads)
        is_found = indices >= 0
        return CheapestPairs(np.repeat(vital, is_found.sum(axis=1)), self.records[indices[is_found]], costs[is_found])

    def _taken(self, records: Counts) -> Attributes:
        # unlike an index, this leaves the values of an attribute side by side
        ordinal, codes = self._all.ordinal.take(records, axis=1), self._all.codes.take(records, axis=1)
        return Attributes(ordinal, self._all.omegas, codes, self._all.gammas)


def units_of(influence: Influence, vital: int) -> tuple[float, int]:
    """Return the number of cost units per one, and a price in units that no path past the vital records reaches."""
    digits = min(FINE, 60 - (vital + 2).bit_length())
    return 2.0**digits / (influence.largest or 1.0), (2**digits + 2) * (vital + 2)
