"""The search for the released records that best match the records of an outside file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.attacks.fellegi_sunter import MatchWeights, estimate_weights
from sfumato.kernels.bit_sets import Words
from sfumato.kernels.nearest_links import (
    Costs,
    Regions,
    costs_of_pairs,
    count_patterns,
    count_within,
    hulls_of,
    nearest_costs,
)
from sfumato.kernels.nearest_record_tree import Attributes, Nest, nest
from sfumato.representations import Comparable
from sfumato.threads import batches_of, side_by_side

TOLERANCE = 1e-9
"""Costs that differ by less count as equal, because sums of the same numbers in another order differ by rounding."""
OFFSET = 1000.0
"""Added to the coordinates of the box tree, so that relative differences behave like absolute ones."""
MAX_PAIRS, MAX_OUTSIDE = 200_000_000, 4000
"""The approximate largest numbers of pairs and of outside records from which m and u are estimated."""


@dataclass(frozen=True)
class Candidates:
    """The released records that match each outside record best."""

    sizes: Counts
    """The number of candidates of each outside record."""
    costs: Reals
    """The cost of the candidates of each outside record."""


class CandidateSearch:
    """Distinct outside records and released blocks, prepared for searches.

    Parameters
    ----------
    attributes
        The attributes to link on, of distinct outside records and of blocks.
    sizes
        The number of records in each block.
    threads
        The number of threads; the result does not depend on it.
    """

    def __init__(self, attributes: Sequence[Comparable], sizes: Counts, threads: int | None) -> None:
        self.attributes, self._threads = attributes, threads
        self.points: Reals = np.ascontiguousarray(np.column_stack([attribute.values for attribute in attributes]))
        los, his = (np.column_stack([getattr(attribute, end) for attribute in attributes]) for end in ("los", "his"))
        order, self._boxes = _box_tree(los, his)
        # similar records are searched for one after the other, because they visit the same memory
        self._query_order, _ = _box_tree(self.points, self.points)
        self._queries: Reals = self.points[self._query_order]
        self._positions = np.empty_like(order)
        self._positions[order] = np.arange(order.size)
        rows, bits = _stacked_sets(attributes)
        self._regions = Regions(los[order], his[order], rows[order], bits, sizes[order])
        self._hulls = hulls_of(self._boxes, self._regions)

    def nearest(self, costs: Costs) -> Candidates:
        """Find the records with the lowest cost for each outside record."""
        lowest = np.empty(len(self.points))

        def search(batch: tuple[int, int]) -> None:
            nearest_costs(self._queries, self._regions, self._boxes, self._hulls, costs, *batch, lowest)

        side_by_side(search, batches_of(lowest.size, least=64), self._threads)
        best = np.empty_like(lowest)
        best[self._query_order] = lowest
        return Candidates(self._count(costs, best + TOLERANCE), best)

    def containing(self, costs: Costs) -> Candidates:
        """Find the records with cost zero for each outside record."""
        zeros = np.zeros(len(self.points))
        return Candidates(self._count(costs, zeros + TOLERANCE), zeros)

    def _count(self, costs: Costs, limits: Reals) -> Counts:
        """Count the records whose cost is within each outside record's limit."""
        ordered_counts, ordered_limits = np.empty(limits.size, dtype=np.int64), limits[self._query_order]

        def search(batch: tuple[int, int]) -> None:
            count_within(
                self._queries, self._regions, self._boxes, self._hulls, costs, ordered_limits, *batch, ordered_counts
            )

        side_by_side(search, batches_of(limits.size, least=64), self._threads)
        counts = np.empty_like(ordered_counts)
        counts[self._query_order] = ordered_counts
        return counts

    def among(self, candidates: Candidates, costs: Costs, points: Counts, blocks: Counts) -> Flags:
        """Say whether blocks are among the candidates of outside records."""
        pair_costs = costs_of_pairs(self.points, self._regions, costs, points, self._positions[blocks])
        return np.asarray(pair_costs <= candidates.costs[points] + TOLERANCE)

    def weights(
        self, frequencies: Counts, *, missing_own: bool, overlap: float, rng: np.random.Generator
    ) -> MatchWeights:
        """Estimate the match weight of agreement in each attribute.

        Parameters
        ----------
        frequencies
            The number of outside records that each distinct one stands for.
        missing_own
            Whether a missing value is a value of its own.
        overlap
            The share of outside records whose person is in the release.
        rng
            Draws a sample of outside records if there are too many pairs.
        """
        points, max_points = self.points, min(MAX_OUTSIDE, max(1, MAX_PAIRS // self._regions.sizes.size))
        if len(points) > max_points:
            drawn = np.bincount(
                rng.choice(len(points), max_points, p=frequencies / frequencies.sum()), minlength=len(points)
            )
            points, frequencies = points[drawn > 0], drawn[drawn > 0]
        batches = [(points, self._regions, frequencies, missing_own, *batch) for batch in batches_of(len(points))]
        counts = np.sum(side_by_side(lambda batch: count_patterns(*batch), batches, self._threads), axis=0)
        occurring = np.flatnonzero(counts)
        digits = 3 ** np.arange(len(self.attributes) - 1, -1, -1)
        records = int(self._regions.sizes.sum())
        return estimate_weights(occurring[:, None] // digits % 3, counts[occurring], records=records, overlap=overlap)

    def distance(self, *, missing_own: bool) -> Costs:
        """Return Gower's distance to the region: per attribute the gap divided by the range, or 0 or 1, summed."""
        continuous = np.array([attribute.continuous for attribute in self.attributes])
        slopes = np.array([1.0 / span if span > 0 else 0.0 for span in map(_span, self.attributes)])
        mismatch = np.full(continuous.size, 1.0 if missing_own else 0.0)
        zeros = np.zeros(continuous.size)
        return Costs(
            zeros, np.where(continuous, 0.0, 1.0), np.where(continuous, slopes, 0.0), zeros, mismatch, mismatch
        )

    def containment(self, *, missing_own: bool) -> Costs:
        """Return the number of attributes whose value is outside the region."""
        zeros, units = np.zeros(len(self.attributes)), np.ones(len(self.attributes))
        mismatch = units if missing_own else zeros
        return Costs(zeros, units, zeros, zeros, mismatch, mismatch)

    def weight_deficit(self, weights: MatchWeights, *, missing_own: bool) -> tuple[Costs, Reals]:
        """Return how far a pair's sum of weights is below the maximum, and this maximum for each outside record."""
        agree, disagree = weights.agree, weights.disagree
        top = np.maximum(agree, disagree) if missing_own else np.maximum(np.maximum(agree, disagree), 0.0)
        zeros = np.zeros(top.size)
        if missing_own:
            costs = Costs(top - agree, top - disagree, zeros, top - agree, top - disagree, top - disagree)
            return costs, np.full(len(self.points), top.sum())
        # a missing value is evidence neither for nor against a match
        costs = Costs(top - agree, top - disagree, zeros, zeros, zeros, top)
        return costs, np.where(np.isnan(self.points), 0.0, top).sum(axis=1)


def _span(attribute: Comparable) -> float:
    """Return the range of an attribute's numbers in both files together."""
    ends = np.concatenate([attribute.values, attribute.los, attribute.his])
    ends = ends[np.isfinite(ends)]
    return float(np.ptp(ends)) if ends.size else 0.0


def _box_tree(los: Reals, his: Reals) -> tuple[Counts, Nest]:
    """Build a tree of nested boxes; also return the order of the regions in it."""
    order = np.arange(len(los))
    boxes: Nest = nest(_midpoints(los, his), np.zeros(order.size, dtype=np.int32), order)
    return order, boxes


def _midpoints(los: Reals, his: Reals) -> Attributes:
    """Return the midpoints of regions as coordinates of the tree."""
    finite = [np.nan_to_num(ends, nan=np.nan, posinf=np.nan, neginf=np.nan) for ends in (los, his)]
    # a region that is open at one end is represented by the other end
    low, high = (np.where(np.isnan(ends), opposite, ends) for ends, opposite in (finite, finite[::-1]))
    midpoints = low + 0.5 * (high - low)
    is_finite = ~np.isnan(midpoints)
    least = np.min(midpoints, axis=0, where=is_finite, initial=np.inf)
    span = np.max(midpoints, axis=0, where=is_finite, initial=-np.inf) - least
    with np.errstate(invalid="ignore"):
        coordinates = OFFSET + (midpoints - least) / np.where(span > 0, span, 1.0)
    n_attributes = los.shape[1]
    no_codes = np.empty((0, len(los)), dtype=np.int32)
    return Attributes(np.ascontiguousarray(coordinates.T), np.ones(n_attributes), no_codes, np.empty(0))


def _stacked_sets(attributes: Sequence[Comparable]) -> tuple[Codes, Words]:
    """Stack the sets of categories of all attributes in one array."""
    width = max(attribute.bits.shape[1] for attribute in attributes)
    bits = np.concatenate(
        [np.pad(attribute.bits, ((0, 0), (0, width - attribute.bits.shape[1]))) for attribute in attributes]
    )
    starts = np.cumsum([0, *(len(attribute.bits) for attribute in attributes)])[:-1]
    rows = [
        np.where(attribute.rows >= 0, attribute.rows + start, -1)
        for attribute, start in zip(attributes, starts, strict=True)
    ]
    return np.column_stack(rows).astype(np.int32), bits
