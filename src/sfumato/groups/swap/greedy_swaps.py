"""CT10's swaps: always the cheapest pair that still helps. For comparison, because they cost more in total."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from sfumato.array_types import Codes, Counts, Flags
from sfumato.errors import UnattainableError
from sfumato.groups.swap.candidate_index import CandidateIndex, units_of
from sfumato.groups.swap.optimal_swaps import Swaps, swap_exactly, swappable_records, unproven
from sfumato.groups.swap.swap_cost import Influence
from sfumato.groups.swap.swap_feasibility import check_attainable
from sfumato.kernels.nearest_swaps import CLOSED, UNREACHED
from sfumato.progress import Progress, silent

AT_ONCE = 8
"""The number of candidates per vital record that are looked up at once."""
UNKNOWN = -1
"""A candidate that is still to be looked up."""


def swap_greedily(
    influence: Influence,
    places: Codes,
    vital: Flags,
    candidates: Flags,
    delta: Counts,
    *,
    labels: Sequence[str | None] | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> Swaps:
    """Return swaps that change the number of vital records of each place as required, the cheapest pair first.

    A pair helps if one place still has to lose vital records and the other to gain some. Where records that agree in
    what must not change run out on the way, the rest, or if necessary everything, is swapped exactly. Parameters and
    errors are those of ``swap_exactly``.
    """
    givers, takers = swappable_records(places, vital, candidates)
    check_attainable(places, influence.swap_classes, givers, takers, delta, labels)
    if not delta.any():
        return unproven(influence, np.zeros((0, 2), dtype=np.int64))
    givers = givers[delta[places[givers]] < 0]
    takers = takers[delta[places[takers]] > 0]
    index = CandidateIndex(influence, takers, places, units_of(influence, givers.size)[0], threads)
    remaining = delta.copy()
    pairs = _cheapest_first(index, places, givers, remaining, progress)
    if remaining.any():
        free = np.ones(places.size, dtype=np.bool_)
        free[pairs] = False
        try:
            rest = swap_exactly(influence, places, vital & free, candidates & free, remaining, threads=threads)
        except UnattainableError:
            pairs = pairs[:0]
            rest = swap_exactly(influence, places, vital, candidates, delta, threads=threads)
        pairs = np.concatenate([pairs, np.stack([rest.leaving, rest.coming], axis=1)])
    progress("swapping", 1.0)
    return unproven(influence, pairs)


def _cheapest_first(
    index: CandidateIndex, places: Codes, givers: Counts, remaining: Counts, progress: Progress
) -> Counts:
    """Return pairs, leaving and coming, until no more can be found; ``left`` (IN, OUT) is what is still wanted."""
    prices = np.full(places.size, CLOSED)
    prices[index.records] = 0
    n_wanted = int(remaining[remaining > 0].sum())
    offers = _Offers(index)
    offers.look_up(givers, prices)
    pairs: list[tuple[int, int]] = []
    while offers.waiting:
        record, partner = offers.cheapest()
        if remaining[places[record]] == 0:
            continue
        if partner == UNKNOWN:
            offers.look_up(np.array([record, *offers.used_up()]), prices)
        elif prices[partner] == CLOSED:
            offers.make(record)
        else:
            pairs.append((record, partner))
            progress("swapping", len(pairs) / n_wanted)
            remaining[places[record]] += 1
            remaining[places[partner]] -= 1
            prices[partner] = CLOSED
            if remaining[places[partner]] == 0:
                prices[places == places[partner]] = CLOSED
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


class _Offers:
    """The cheapest candidate so far of each vital record, the cheapest of all first."""

    def __init__(self, index: CandidateIndex) -> None:
        self._index = index
        self.waiting: list[tuple[int, int, int]] = []
        self._offers: dict[int, list[tuple[int, int]]] = {}

    def look_up(self, vital: Counts, prices: Counts) -> None:
        """Find candidates of vital records whose earlier candidates, if any, are used up."""
        nearest = self._index.cheapest(vital, np.full(vital.size, UNREACHED), prices, AT_ONCE)
        self._offers.update({record: [] for record in vital.tolist()})
        for record, cost, partner in zip(
            *(column.tolist() for column in (nearest.leaving, nearest.costs, nearest.coming)), strict=True
        ):
            self._offers[record].append((cost, partner))
        for record in vital.tolist():
            # the cheapest are taken from the end; after the last there may be more expensive ones
            self._offers[record] = [(cost, UNKNOWN) for cost, _ in self._offers[record][-1:]] + self._offers[record][
                ::-1
            ]
            self.make(record)

    def make(self, record: int) -> None:
        """Offer the next candidate of a vital record, if it has any."""
        if self._offers[record]:
            cost, partner = self._offers[record].pop()
            heapq.heappush(self.waiting, (cost, record, partner))

    def cheapest(self) -> tuple[int, int]:
        """Take the cheapest offer: a vital record and its candidate, UNKNOWN if that is still to be looked up."""
        _, record, partner = heapq.heappop(self.waiting)
        return record, partner

    def used_up(self) -> list[int]:
        """Take all offers that are still to be looked up, because that is faster together."""
        nearest = [record for _, record, partner in self.waiting if partner == UNKNOWN]
        self.waiting = [offer for offer in self.waiting if offer[2] != UNKNOWN]
        heapq.heapify(self.waiting)
        return nearest
