"""CT10's way to swap: always the pair that costs least of those that still help. For comparison, for it costs more."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from sfumato.arrays import Codes, Counts, Flags
from sfumato.errors import UnattainableError
from sfumato.groups.attaining import check_attainable
from sfumato.groups.candidates import Candidates, units_of
from sfumato.groups.influence import Influence
from sfumato.groups.swapping import Swaps, numbers_of, swap_exactly, unproven
from sfumato.kernels.pairs import CLOSED, UNREACHED
from sfumato.progress import Progress, silent

AT_ONCE = 8
"""So many candidates a vital record are looked up at once."""
UNKNOWN = -1
"""Stands for a candidate that is still to be looked up."""


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
    """Return swaps that change the number of vital records of each place as wanted, the cheapest pair first.

    A pair helps if the one place still has to lose vital records and the other to get some. Where records that agree in
    what must not change run out on the way, the rest, or if need be all, is swapped exactly. Parameters and errors are
    those of ``swap_exactly``.
    """
    givers, takers = numbers_of(places, vital, candidates)
    check_attainable(places, influence.kept, givers, takers, delta, labels)
    if not delta.any():
        return unproven(influence, np.zeros((0, 2), dtype=np.int64))
    givers = givers[delta[places[givers]] < 0]
    takers = takers[delta[places[takers]] > 0]
    choice = Candidates(influence, takers, places, units_of(influence, givers.size)[0], threads)
    left = delta.copy()
    pairs = _cheapest_first(choice, places, givers, left, progress)
    if left.any():
        free = np.ones(places.size, dtype=np.bool_)
        free[pairs] = False
        try:
            rest = swap_exactly(influence, places, vital & free, candidates & free, left, threads=threads)
        except UnattainableError:
            pairs = pairs[:0]
            rest = swap_exactly(influence, places, vital, candidates, delta, threads=threads)
        pairs = np.concatenate([pairs, np.stack([rest.leaving, rest.coming], axis=1)])
    progress("swapping", 1.0)
    return unproven(influence, pairs)


def _cheapest_first(choice: Candidates, places: Codes, givers: Counts, left: Counts, progress: Progress) -> Counts:
    """Return pairs, leaving and coming, until no more can be found; ``left`` (IN, OUT) is what is still wanted."""
    prices = np.full(places.size, CLOSED)
    prices[choice.records] = 0
    wanted = int(left[left > 0].sum())
    offers = _Offers(choice)
    offers.look_up(givers, prices)
    pairs: list[tuple[int, int]] = []
    while offers.waiting:
        one, other = offers.cheapest()
        if left[places[one]] == 0:
            continue
        if other == UNKNOWN:
            offers.look_up(np.array([one, *offers.used_up()]), prices)
        elif prices[other] == CLOSED:
            offers.make(one)
        else:
            pairs.append((one, other))
            progress("swapping", len(pairs) / wanted)
            left[places[one]] += 1
            left[places[other]] -= 1
            prices[other] = CLOSED
            if left[places[other]] == 0:
                prices[places == places[other]] = CLOSED
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


class _Offers:
    """The cheapest known candidate of each vital record, the cheapest of all first."""

    def __init__(self, choice: Candidates) -> None:
        self._choice = choice
        self.waiting: list[tuple[int, int, int]] = []
        self._known: dict[int, list[tuple[int, int]]] = {}

    def look_up(self, vital: Counts, prices: Counts) -> None:
        """Find candidates of some vital records whose known ones, if any, are used up."""
        found = self._choice.cheapest(vital, np.full(vital.size, UNREACHED), prices, AT_ONCE)
        self._known.update({one: [] for one in vital.tolist()})
        for one, cost, other in zip(
            *(part.tolist() for part in (found.leaving, found.costs, found.coming)), strict=True
        ):
            self._known[one].append((cost, other))
        for one in vital.tolist():
            # the cheapest are taken from the end; after the last, there may be dearer ones
            self._known[one] = [(cost, UNKNOWN) for cost, _ in self._known[one][-1:]] + self._known[one][::-1]
            self.make(one)

    def make(self, one: int) -> None:
        """Offer the next candidate of a vital record, if it has any."""
        if self._known[one]:
            cost, other = self._known[one].pop()
            heapq.heappush(self.waiting, (cost, one, other))

    def cheapest(self) -> tuple[int, int]:
        """Take the cheapest offer: a vital record and its candidate, UNKNOWN if that is still to be looked up."""
        _, one, other = heapq.heappop(self.waiting)
        return one, other

    def used_up(self) -> list[int]:
        """Take all offers that are still to be looked up, for it is faster to do so together."""
        found = [one for _, one, other in self.waiting if other == UNKNOWN]
        self.waiting = [offer for offer in self.waiting if offer[2] != UNKNOWN]
        heapq.heapify(self.waiting)
        return found
