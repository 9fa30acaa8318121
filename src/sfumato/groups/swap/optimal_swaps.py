"""The inverse mapping: which records swap places so that places get the required vital records.

CT10 calls the least distortion seemingly NP-hard and takes pairs one by one; it is a minimum-cost flow, see ERRATA
003-9. Pairs are added as prices show that they might help, so most of them are never compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.groups.swap.candidate_index import CandidateIndex, units_of
from sfumato.groups.swap.swap_cost import Influence
from sfumato.groups.swap.swap_feasibility import check_attainable
from sfumato.groups.swap.swap_flow import FlowPrices, SwapFlow
from sfumato.kernels.nearest_swaps import CLOSED, UNREACHED
from sfumato.progress import Progress, silent

FIRST = 4
"""The number of candidates per vital record that are considered at first."""
MORE = 8
"""The largest number per vital record that is added at a time, where prices show that they might help."""


@dataclass(frozen=True)
class Swaps:
    """The records that swap places, and a proof that no others cost less.

    By the prices, a swap of a vital record of one place with a record of another costs at least the difference of the
    two places' prices, less both records' prices. So all swaps together cost at least ``bound``.
    """

    leaving: Counts
    """Indices of vital records."""
    coming: Counts
    """Indices of the records that each swaps places with."""
    costs: Reals
    """What each swap costs."""
    optimal: bool
    """Whether it is proven that no other swaps cost less, up to rounding to cost units."""
    place_prices: Reals
    """The cost of one more vital record at each place; one per place, empty without proof."""
    record_prices: Reals
    """The worth of each record compared with others of its place; one per record, empty without proof."""
    bound: float
    """No swaps that attain the required counts cost less than this."""

    @property
    def cost(self) -> float:
        """The total cost of all swaps."""
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
    """Return swaps that change the number of vital records of each place as required, at the least cost.

    Of equally expensive solutions, the one with fewest swaps is taken. A vital record may also come to a place whose
    number of them does not change, if another leaves it instead and both swaps cost less than one.

    Parameters
    ----------
    influence
        The cost of swapping the places of two records.
    places
        One code per record, -1 for none.
    vital, candidates
        Which records are vital, and which others they may swap with.
    delta
        The change of the number of vital records of each place; these sum to zero.
    labels
        The names of places in messages, None for those that must not be named; default: their codes.
    threads
        The number of threads; default: the number of cores.
    progress
        Called with the share of the search done.

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
    givers, takers = swappable_records(places, vital, candidates)
    check_attainable(places, influence.swap_classes, givers, takers, delta, labels)
    if not delta.any():
        return _nothing(delta.size, places.size)
    scale, ceiling = units_of(influence, givers.size)
    # growing places have higher prices than others
    index = CandidateIndex(influence, takers, np.sign(delta).astype(np.int32)[places], scale, threads)
    flow = SwapFlow(places, delta, ceiling)
    from_shrinking = givers[delta[places[givers]] < 0]
    open_prices = np.where((delta > 0)[places], 0, CLOSED)
    limits = np.full(from_shrinking.size, UNREACHED)
    pairs = index.cheapest(from_shrinking, limits, open_prices, FIRST)
    rounds, missing = 0, True
    while missing:
        flow.add(pairs.leaving, pairs.coming, pairs.costs)
        flow.minimize()
        prices = flow.prices()
        pairs = index.cheapest(givers, -prices.of_vital[givers], prices.of_candidates, MORE)
        rounds, missing = rounds + 1, pairs.costs.size > 0
        # the number of rounds is not known in advance
        progress("swapping", 1 - 0.5**rounds)
    progress("swapping", 1.0)
    return _proven(influence, flow, prices, places, givers, takers, delta, scale)


def swappable_records(places: Codes, vital: Flags, candidates: Flags) -> tuple[Counts, Counts]:
    """Return the indices of records that may leave, and of those that may come instead."""
    placed = places >= 0
    return np.flatnonzero(vital & placed), np.flatnonzero(candidates & ~vital & placed)


def unproven(influence: Influence, pairs: Counts) -> Swaps:
    """Return swaps, each a vital record and another, without a proof that others do not cost less."""
    leaving, coming = pairs[:, 0].copy(), pairs[:, 1].copy()
    return Swaps(leaving, coming, influence.between(leaving, coming), False, np.zeros(0), np.zeros(0), 0.0)


def _nothing(n_places: int, n_records: int) -> Swaps:
    none = np.zeros(0, dtype=np.int64)
    return Swaps(none, none, np.zeros(0), True, np.zeros(n_places), np.zeros(n_records), 0.0)


def _proven(
    influence: Influence,
    flow: SwapFlow,
    prices: FlowPrices,
    places: Codes,
    givers: Counts,
    takers: Counts,
    delta: Counts,
    scale: float,
) -> Swaps:
    if not flow.attained:
        raise AssertionError("feasible swaps were not found")
    leaving, coming, units = flow.swaps()
    place_prices = prices.of_places[places]
    worth = np.zeros(places.size, dtype=np.int64)
    worth[givers] = prices.of_vital[givers] - place_prices[givers]
    worth[takers] = place_prices[takers] - prices.of_candidates[takers]
    # weak duality: no flow costs less than this, in units
    least = int((prices.of_places * delta).sum()) - int(worth.sum())
    # costs in units exceed the metric by at most one and a half units per swap
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
