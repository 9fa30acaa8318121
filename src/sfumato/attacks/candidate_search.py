"""The search for the released records that come nearest to those of an outside file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.attacks.fellegi_sunter import Weights, estimate_weights
from sfumato.kernels.bit_sets import Words
from sfumato.kernels.box_tree import Attributes, Nest, nest
from sfumato.kernels.nearest_links import (
    Costs,
    Regions,
    costs_of_pairs,
    count_patterns,
    count_within,
    hulls_of,
    nearest_costs,
)
from sfumato.representations import Comparable
from sfumato.threads import batches_of, side_by_side

TOLERANCE = 1e-9
"""Costs that differ by less are equal: sums of the same numbers in another order differ by as little."""
FAR = 1000.0
"""Where places begin, so that relative differences between them are as good as differences."""
PAIRS, PEOPLE = 200_000_000, 4000
"""About so many pairs and outside records at most are looked at to find m and u."""


@dataclass(frozen=True)
class Candidates:
    """The released records that could be those of outside records."""

    sizes: Counts
    """How many there are for each outside record."""
    costs: Reals
    """What they cost."""


class Search:
    """Outside records and released blocks, each different one once.

    Parameters
    ----------
    known
        The attributes to link on, of different outside records and of different blocks.
    sizes
        Records of each block.
    threads
        How many to use; nothing depends on it.
    """

    def __init__(self, known: Sequence[Comparable], sizes: Counts, threads: int | None) -> None:
        self.known, self._threads = known, threads
        self.points: Reals = np.ascontiguousarray(np.column_stack([its.values for its in known]))
        los, his = (np.column_stack([getattr(its, end) for its in known]) for end in ("los", "his"))
        order, self._boxes = _nested(los, his)
        # records that are alike ask one after the other, for what they look at is then still at hand
        self._asking, _ = _nested(self.points, self.points)
        self._asked: Reals = self.points[self._asking]
        self._places = np.empty_like(order)
        self._places[order] = np.arange(order.size)
        rows, bits = _stacked(known)
        self._regions = Regions(los[order], his[order], rows[order], bits, sizes[order])
        self._hulls = hulls_of(self._boxes, self._regions)

    def nearest(self, costs: Costs) -> Candidates:
        """Find the records that cost each outside one the least."""
        found = np.empty(len(self.points))

        def ask(batch: tuple[int, int]) -> None:
            nearest_costs(self._asked, self._regions, self._boxes, self._hulls, costs, *batch, found)

        side_by_side(ask, batches_of(found.size, least=64), self._threads)
        best = np.empty_like(found)
        best[self._asking] = found
        return Candidates(self._count(costs, best + TOLERANCE), best)

    def containing(self, costs: Costs) -> Candidates:
        """Find the records that cost nothing."""
        nothing = np.zeros(len(self.points))
        return Candidates(self._count(costs, nothing + TOLERANCE), nothing)

    def _count(self, costs: Costs, limits: Reals) -> Counts:
        found, own_limits = np.empty(limits.size, dtype=np.int64), limits[self._asking]

        def ask(batch: tuple[int, int]) -> None:
            count_within(self._asked, self._regions, self._boxes, self._hulls, costs, own_limits, *batch, found)

        side_by_side(ask, batches_of(limits.size, least=64), self._threads)
        counts = np.empty_like(found)
        counts[self._asking] = found
        return counts

    def among(self, found: Candidates, costs: Costs, points: Counts, blocks: Counts) -> Flags:
        """Say whether blocks are among the candidates of outside records."""
        own = costs_of_pairs(self.points, self._regions, costs, points, self._places[blocks])
        return np.asarray(own <= found.costs[points] + TOLERANCE)

    def weights(self, times: Counts, *, own: bool, overlap: float, rng: np.random.Generator) -> Weights:
        """Find what agreement in each attribute tells.

        Parameters
        ----------
        times
            How many outside records there are of each.
        own
            Whether a missing value is one of its own.
        overlap
            The share of outside records that are of somebody in the release.
        rng
            Draws the outside records whose pairs are looked at, where there are too many.
        """
        points, most = self.points, min(PEOPLE, max(1, PAIRS // self._regions.sizes.size))
        if len(points) > most:
            drawn = np.bincount(rng.choice(len(points), most, p=times / times.sum()), minlength=len(points))
            points, times = points[drawn > 0], drawn[drawn > 0]
        given = [(points, self._regions, times, own, *batch) for batch in batches_of(len(points))]
        counts = np.sum(side_by_side(lambda its: count_patterns(*its), given, self._threads), axis=0)
        seen = np.flatnonzero(counts)
        digits = 3 ** np.arange(len(self.known) - 1, -1, -1)
        records = int(self._regions.sizes.sum())
        return estimate_weights(seen[:, None] // digits % 3, counts[seen], records=records, overlap=overlap)

    def distance(self, *, own: bool) -> Costs:
        """Return Gower's distance from the region: numbers by their span, categories 0 or 1, a sum over attributes."""
        continuous = np.array([its.continuous for its in self.known])
        slopes = np.array([1.0 / span if span > 0 else 0.0 for span in map(_span, self.known)])
        apart = np.full(continuous.size, 1.0 if own else 0.0)
        nothing = np.zeros(continuous.size)
        return Costs(nothing, np.where(continuous, 0.0, 1.0), np.where(continuous, slopes, 0.0), nothing, apart, apart)

    def containment(self, *, own: bool) -> Costs:
        """Return the number of attributes in which the region does not hold the value."""
        nothing, one = np.zeros(len(self.known)), np.ones(len(self.known))
        apart = one if own else nothing
        return Costs(nothing, one, nothing, nothing, apart, apart)

    def evidence(self, weights: Weights, *, own: bool) -> tuple[Costs, Reals]:
        """Return what a pair lacks of the highest sum of weights, and that sum for each outside record."""
        agree, disagree = weights.agree, weights.disagree
        top = np.maximum(agree, disagree) if own else np.maximum(np.maximum(agree, disagree), 0.0)
        nothing = np.zeros(top.size)
        if own:
            costs = Costs(top - agree, top - disagree, nothing, top - agree, top - disagree, top - disagree)
            return costs, np.full(len(self.points), top.sum())
        # what is missing speaks neither for nor against
        costs = Costs(top - agree, top - disagree, nothing, nothing, nothing, top)
        return costs, np.where(np.isnan(self.points), 0.0, top).sum(axis=1)


def _span(its: Comparable) -> float:
    """Return how far apart the numbers of an attribute lie in both files together."""
    ends = np.concatenate([its.values, its.los, its.his])
    ends = ends[np.isfinite(ends)]
    return float(np.ptp(ends)) if ends.size else 0.0


def _nested(los: Reals, his: Reals) -> tuple[Counts, Nest]:
    """Put regions into boxes within boxes; return their order there as well."""
    order = np.arange(len(los))
    boxes: Nest = nest(_middles(los, his), np.zeros(order.size, dtype=np.int32), order)
    return order, boxes


def _middles(los: Reals, his: Reals) -> Attributes:
    """Return where blocks lie, for the nest."""
    finite = [np.nan_to_num(ends, nan=np.nan, posinf=np.nan, neginf=np.nan) for ends in (los, his)]
    # of a region without an end the other end, or nothing
    low, high = (np.where(np.isnan(one), other, one) for one, other in (finite, finite[::-1]))
    middles = low + 0.5 * (high - low)
    known = ~np.isnan(middles)
    least = np.min(middles, axis=0, where=known, initial=np.inf)
    span = np.max(middles, axis=0, where=known, initial=-np.inf) - least
    with np.errstate(invalid="ignore"):
        places = FAR + (middles - least) / np.where(span > 0, span, 1.0)
    attributes = los.shape[1]
    none = np.empty((0, len(los)), dtype=np.int32)
    return Attributes(np.ascontiguousarray(places.T), np.ones(attributes), none, np.empty(0))


def _stacked(known: Sequence[Comparable]) -> tuple[Codes, Words]:
    """Put the sets of all attributes below each other."""
    width = max(its.bits.shape[1] for its in known)
    bits = np.concatenate([np.pad(its.bits, ((0, 0), (0, width - its.bits.shape[1]))) for its in known])
    starts = np.cumsum([0, *(len(its.bits) for its in known)])[:-1]
    rows = [np.where(its.rows >= 0, its.rows + start, -1) for its, start in zip(known, starts, strict=True)]
    return np.column_stack(rows).astype(np.int32), bits
