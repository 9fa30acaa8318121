"""The inverse mapping: which records take each other's place so that places get the vital records they shall have.

CT10 calls the least distortion seemingly NP-hard and takes pairs one by one; it is a minimum-cost flow, see ERRATA
003-9. Pairs are taken in as prices show that they might help, so that most of them are never compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.groups.attaining import check_attainable
from sfumato.groups.candidates import Candidates, units_of
from sfumato.groups.flow import Flow, Prices
from sfumato.groups.influence import Influence
from sfumato.kernels.pairs import CLOSED, UNREACHED
from sfumato.progress import Progress, silent

FIRST = 4
"""So many candidates a vital record are considered at first."""
MORE = 8
"""So many are taken in at most, a vital record, where prices show that they might help."""


@dataclass(frozen=True)
class Swaps:
    """Which records take each other's place, and what proves that no others cost less.

    With the prices, a swap of a vital record of one place and a record of another costs, whichever they are, at least
    what the other place is worth more than the one, less both records' prices. So do all swaps together: at least
    ``bound``.
    """

    leaving: Counts
    """Numbers of vital records."""
    coming: Counts
    """Numbers of the records that each takes the place of."""
    costs: Reals
    """What each swap costs."""
    optimal: bool
    """Whether it is proven that no other swaps cost less, but for what rounding to units leaves."""
    place_prices: Reals
    """What it costs to bring one vital record more to each place; one a place, none without proof."""
    record_prices: Reals
    """What each record is worth beside others of its place; one a record, none without proof."""
    bound: float
    """No swaps that bring the places what they shall have cost less than this."""

    @property
    def cost(self) -> float:
        """What all swaps cost together."""
        return float(self.costs.sum())

    @property
    def gap(self) -> float:
        """The most that could be saved by other swaps."""
        return max(0.0, self.cost - self.bound)


def swap_exactly(
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
    """Return swaps that change the number of vital records of each place as wanted, at the least cost.

    Of equally dear ones, the fewest are taken. A vital record may also come to a place whose number of them does not
    change, if another leaves that instead and both swaps cost less than one.

    Parameters
    ----------
    influence
        What it costs that two records take each other's place.
    places
        One code a record, -1 for none.
    vital, candidates
        Which records are vital, and which others they may swap with.
    delta
        By how many the vital records of each place shall change; these numbers sum up to nought.
    labels
        What places are called in messages, None of those that must not be named; default: their codes.
    threads
        How many to use, or as many as there are processors.
    progress
        Told how far the search is.

    Raises
    ------
    UnattainableError
        If a place has too few records to give or to take.

    Examples
    --------
    >>> ages = np.array([[30.0, 50.0, 10.0, 50.0]])
    >>> influence = Influence(ages, np.ones(1), np.zeros((0, 4), np.int32), np.ones(0), np.zeros(4, np.int32))
    >>> places = np.array([0, 0, 1, 1], dtype=np.int32)
    >>> vital = np.array([True, True, False, False])
    >>> swaps = swap_exactly(influence, places, vital, ~vital, np.array([-1, 1]))
    >>> swaps.leaving, swaps.coming, swaps.cost, swaps.optimal
    (array([1]), array([3]), 0.0, True)
    """
    givers, takers = numbers_of(places, vital, candidates)
    check_attainable(places, influence.kept, givers, takers, delta, labels)
    if not delta.any():
        return _nothing(delta.size, places.size)
    scale, ceiling = units_of(influence, givers.size)
    # a place that grows is worth more than one that does not
    choice = Candidates(influence, takers, np.sign(delta).astype(np.int32)[places], scale, threads)
    flow = Flow(places, delta, ceiling)
    from_shrinking = givers[delta[places[givers]] < 0]
    open_prices = np.where((delta > 0)[places], 0, CLOSED)
    limits = np.full(from_shrinking.size, UNREACHED)
    found = choice.cheapest(from_shrinking, limits, open_prices, FIRST)
    rounds, missing = 0, True
    while missing:
        flow.add(found.leaving, found.coming, found.costs)
        flow.minimize()
        prices = flow.prices()
        found = choice.cheapest(givers, -prices.of_vital[givers], prices.of_candidates, MORE)
        rounds, missing = rounds + 1, found.costs.size > 0
        # how many rounds there will be is not known
        progress("swapping", 1 - 0.5**rounds)
    progress("swapping", 1.0)
    return _proven(influence, flow, prices, places, givers, takers, delta, scale)


def numbers_of(places: Codes, vital: Flags, candidates: Flags) -> tuple[Counts, Counts]:
    """Return the numbers of records that may leave, and of those that may come instead."""
    placed = places >= 0
    return np.flatnonzero(vital & placed), np.flatnonzero(candidates & ~vital & placed)


def unproven(influence: Influence, pairs: Counts) -> Swaps:
    """Return swaps, each a vital record and another, of which it is not known whether others cost less."""
    leaving, coming = pairs[:, 0].copy(), pairs[:, 1].copy()
    return Swaps(leaving, coming, influence.between(leaving, coming), False, np.zeros(0), np.zeros(0), 0.0)


def _nothing(places: int, records: int) -> Swaps:
    none = np.zeros(0, dtype=np.int64)
    return Swaps(none, none, np.zeros(0), True, np.zeros(places), np.zeros(records), 0.0)


def _proven(
    influence: Influence,
    flow: Flow,
    prices: Prices,
    places: Codes,
    givers: Counts,
    takers: Counts,
    delta: Counts,
    scale: float,
) -> Swaps:
    if not flow.attained:
        raise AssertionError("swaps that are there were not found")
    leaving, coming, units = flow.swaps()
    own = prices.of_places[places]
    worth = np.zeros(places.size, dtype=np.int64)
    worth[givers] = prices.of_vital[givers] - own[givers]
    worth[takers] = own[takers] - prices.of_candidates[takers]
    # weak duality: no flow costs less than this, in units
    least = int((prices.of_places * delta).sum()) - int(worth.sum())
    # a unit and a half a swap is what costs in units may be above the metric
    most_swaps = min(givers.size, takers.size)
    return Swaps(
        leaving,
        coming,
        influence.between(leaving, coming),
        least == int(units.sum()),
        prices.of_places / scale,
        worth / scale,
        (least - 1.5 * most_swaps) / scale,
    )
