"""Boxes for released households: what their members share is cut first, for whole households, the rest within.

Members are released alike in all that they share, so laying their boxes upon each other tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.boxes.axes import Axis, space_of
from sfumato.boxes.cutting import subdivide
from sfumato.boxes.limits import Rule, limits_with
from sfumato.boxes.strata import Strata
from sfumato.boxes.subdivision import Subdivision, Summary
from sfumato.boxes.tiling import Cells, cells_of
from sfumato.errors import UnattainableError
from sfumato.kernels.algebra import dot
from sfumato.kernels.elementary import powers
from sfumato.measures.blocks import homes_of
from sfumato.measures.households import sharing_of, where_any
from sfumato.microfile.microfile import Microfile
from sfumato.progress import Progress, silent
from sfumato.release.households import shared_names

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes
    from sfumato.boxes.checks import Unattainable
    from sfumato.kernels.space import Space

TRIAL = 40_000
"""How large quarters should be is tried on about so many records."""


@dataclass(frozen=True)
class Homes:
    """Who lives together, and what they share."""

    numbers: Codes
    """The household of each record."""
    rows: tuple[int, ...]
    """The axes that the members of every household have in common."""

    def only_shared(self, axes: Sequence[Axis]) -> list[Axis]:
        """Return the axes as if people lacked nothing of their own."""
        none = np.zeros(self.numbers.size, dtype=np.bool_)
        return [axis if row in self.rows else replace(axis, missing=none) for row, axis in enumerate(axes)]

    def few(self, strata: Strata, k: int, records: Counts | None = None) -> Flags:
        """Say which strata, of all or some records, have members of fewer than k households."""
        homes = self.numbers if records is None else self.numbers[records]
        pairs = np.unique(strata.numbers * (int(self.numbers.max()) + 1) + homes)
        counts = np.bincount(pairs // (int(self.numbers.max()) + 1), minlength=len(strata))
        return np.asarray(counts < k)


def homes_in(settings: Boxes, microfile: Microfile, axes: Sequence[Axis]) -> Homes | None:
    """Return who lives together, if that is released and members share quasi attributes."""
    if not settings.keep_household or settings.household is None:
        return None
    homes = homes_of(microfile.encoded(settings.household))
    found = {axis.name: sharing_of(homes, axis.places, axis.missing) for axis in axes}
    shared = shared_names(found, settings.shared)
    rows = tuple(row for row, axis in enumerate(axes) if axis.name in shared)
    return Homes(homes, rows) if rows else None


def told_alike(axes: Sequence[Axis], homes: Homes) -> list[Axis]:
    """Let members lack what one of them lacks, for the others would tell it."""
    alike = list(axes)
    for row in homes.rows:
        axis = axes[row]
        if axis.lacks:
            missing = where_any(axis.missing, homes.numbers)
            alike[row] = replace(axis, missing=missing, places=np.where(missing, 0.0, axis.places))
    return alike


@dataclass(frozen=True)
class Quarters:
    """Households that are released alike in all that their members share."""

    rows: tuple[int, ...]
    """The axes that members share."""
    records: Subdivision
    """The records of each quarter."""
    of: Counts
    """The quarter of each box."""

    def spread(self, ends: Summary, axes: Sequence[Axis]) -> Summary:
        """Give boxes the ends of their quarter along the axes that members share."""
        places = np.stack([axes[row].places for row in self.rows])
        whole = self.records.summary(places, np.ones_like(places))
        lo, hi = ends.lo.copy(), ends.hi.copy()
        for place, row in enumerate(self.rows):
            lo[row], hi[row] = whole.lo[place, self.of], whole.hi[place, self.of]
        return replace(ends, lo=lo, hi=hi)

    def cells(self, axes: Sequence[Axis], strata: Strata, boxes: Subdivision, ends: Summary) -> Cells:
        """Return cells that cover the whole space: those of quarters, and within each those of its boxes."""
        own = [row for row in range(len(axes)) if row not in self.rows]
        shared = [axes[row] for row in self.rows]
        first = np.unique(self.of, return_index=True)[1]
        lacking = Strata.of(shared)
        outer = cells_of(shared, lacking, self.records, ends.along(self.rows).only(first))
        inner = cells_of([axes[row] for row in own], strata, boxes, ends.along(own)) if own else None
        lo, hi = np.empty_like(ends.lo), np.empty_like(ends.hi)
        words = max(outer.sets.shape[2], 0 if inner is None else inner.sets.shape[2])
        sets = np.zeros((*lo.shape, words), dtype=np.uint64)
        for place, row in enumerate(self.rows):
            lo[row], hi[row] = outer.lo[place, self.of], outer.hi[place, self.of]
            sets[row, :, : outer.sets.shape[2]] = outer.sets[place, self.of]
        for place, row in enumerate(own):
            assert inner is not None
            lo[row], hi[row] = inner.lo[place], inner.hi[place]
            sets[row, :, : inner.sets.shape[2]] = inner.sets[place]
        return Cells(axes, lo, hi, sets)


@dataclass(frozen=True)
class Ground:
    """What is cut into quarters, and these into boxes."""

    settings: Boxes
    axes: Sequence[Axis]
    places: Reals
    """Axes by records, as they are cut."""
    costs: Reals
    rules: Sequence[Rule]
    kept: Flags
    codes: int
    homes: Homes

    @cached_property
    def own(self) -> list[int]:
        """The axes that members of a household do not share."""
        return [row for row in range(len(self.axes)) if row not in self.homes.rows]

    @cached_property
    def patterns(self) -> Strata:
        """The records by which values they lack."""
        return Strata.of(self.axes)

    def settled(
        self, members: Sequence[Counts], measured: Callable[[Strata], Unattainable], progress: Progress
    ) -> tuple[Subdivision, Strata]:
        """Cut quarters of the best size.

        Parameters
        ----------
        members
            The records by what all members of their households lack.
        measured
            Measures strata against the limits.
        progress
            Called while cutting.

        Returns
        -------
        The quarters, and their records by what they lack, merged where they are too few by themselves.
        """
        records = sum(its.size for its in members)
        usual = self.usual_size(records)
        ground = members
        if records > 2 * max(TRIAL, usual):
            ground = members = self.quarters(members, 2 * max(usual, TRIAL // 8), silent).parts()
            step = max(1, records // TRIAL)
            ground = ground[step // 2 :: step] or ground[:1]
        size = self.best_size(ground, usual)
        while True:
            quarters = self.quarters(members, size, progress)
            strata = self.strata(quarters)
            strata = strata and self._joined(strata, quarters, measured)
            if strata is not None:
                return quarters, strata
            if len(quarters) == len(members):
                raise UnattainableError(
                    "too few people who live near each other lack the same values to keep all limits",
                    hint="missing='merged', or do not release household numbers (keep_household)",
                )
            size *= 2

    def usual_size(self, records: int) -> int:
        """Return how large quarters are if all attributes are cut equally often."""
        k = self.settings.k
        return int(np.ceil(k * powers(records / k, len(self.own) / len(self.axes))))

    def best_size(self, members: Sequence[Counts], usual: int) -> int:
        """Return the size of quarters with which boxes cost least: a usual one, or what doubling or halving gives."""
        most = max(its.size for its in members)
        best, costs = usual, {usual: self.cost(members, usual)}
        for factor in (0.5, 2.0):
            while self.settings.k <= (other := int(best * factor)) <= 2 * most:
                if other not in costs:
                    costs[other] = self.cost(members, other)
                if costs[other] >= costs[best]:
                    break
                best = other
        return best

    def cost(self, members: Sequence[Counts], size: int) -> float:
        """Return what boxes in quarters of some size cost; a lost value costs as much as the whole attribute."""
        quarters = self.quarters(members, size, silent)
        strata = self.strata(quarters)
        if strata is None:
            return np.inf
        boxes = self.boxes(quarters, strata, silent)
        lost = strata.lacking[strata.numbers].T
        spans = np.array([axis.span for axis in self.axes])
        return float(self.costs_of(quarters, boxes, strata).sum() + dot((self.costs * lost).sum(axis=1), spans))

    def costs_of(self, quarters: Subdivision, boxes: Subdivision, strata: Strata) -> Reals:
        """Return what each box costs: along its own axes, and its part of what its quarter costs."""
        threads = self.settings.threads
        whole = quarters.costs(self.space(self.homes.rows, strata), self.codes, threads) / quarters.sizes
        shared: Reals = whole[self.quarter_of(quarters, boxes)] * boxes.sizes
        return shared + boxes.costs(self.space(self.own, strata), self.codes, threads) if self.own else shared

    def quarter_of(self, quarters: Subdivision, boxes: Subdivision) -> Counts:
        """Return the quarter of each box."""
        return quarters.numbers_of(self.kept.size)[boxes.records[boxes.starts]].astype(np.int64)

    def space(self, rows: Sequence[int], strata: Strata) -> Space:
        """Return the space of some axes, in which nothing is told of what strata lack."""
        some = list(rows)
        places, costs = self.places[some], self.costs[some]
        if strata.lacking[:, some].any():
            lost = strata.lacking[:, some][strata.numbers].T
            places, costs = np.where(lost, 0.0, places), np.where(lost, 0.0, costs)
        return space_of([self.axes[row] for row in some], places, costs)

    def quarters(self, members: Sequence[Counts], size: int, progress: Progress) -> Subdivision:
        """Cut what members of households share into quarters of at least ``size`` records."""
        return subdivide(
            self.space(self.homes.rows, self.patterns),
            limits_with(size, self.rules, self.kept),
            members,
            self.codes,
            careful=True,
            threads=self.settings.threads,
            progress=progress,
        )

    def boxes(self, quarters: Subdivision, strata: Strata, progress: Progress) -> Subdivision:
        """Cut what people have of their own, within the strata of quarters, into boxes."""
        if not self.own:
            return quarters
        numbers = strata.numbers[quarters.records]
        order = np.argsort(numbers, kind="stable")
        starts = np.flatnonzero(np.diff(numbers[order])) + 1
        return subdivide(
            self.space(self.own, strata),
            limits_with(self.settings.k, self.rules, self.kept),
            np.split(quarters.records[order], starts),
            self.codes,
            careful=self.settings.edges == "tiling",
            threads=self.settings.threads,
            progress=progress,
        )

    def strata(self, quarters: Subdivision) -> Strata | None:
        """Part the records of quarters by what they lack, merged where they are too few; others are a stratum apart.

        None where nothing may be merged.
        """
        k, records, patterns = self.settings.k, quarters.records, self.patterns
        keys = np.repeat(np.arange(len(quarters)), quarters.sizes) * len(patterns) + patterns.numbers[records]
        found, numbers = np.unique(keys, return_inverse=True)
        lacking, quarter = [patterns.lacking[found % len(patterns)]], found // len(patterns)
        few = self.homes.few(Strata(lacking[0], numbers), k, records)
        # what is all of a quarter has households enough
        few &= np.bincount(quarter)[quarter] > 1
        if few.any() and self.settings.missing == "own":
            return None
        known = found.size
        for one in np.unique(quarter[few]).tolist():
            some = slice(int(quarters.starts[one]), int(quarters.ends[one]))
            merged = self._merged(records[some])
            numbers[some] = merged.numbers + known
            lacking.append(merged.lacking)
            known += len(merged)
        used, numbers = np.unique(numbers, return_inverse=True)
        everybody = np.full(self.kept.size, used.size, dtype=np.int64)
        everybody[records] = numbers
        apart = np.zeros((int(records.size < self.kept.size), len(self.axes)), dtype=np.bool_)
        return Strata(np.concatenate([np.concatenate(lacking)[used], apart]), everybody)

    def _merged(self, records: Counts) -> Strata:
        """Merge the strata of one quarter."""
        its, numbers = np.unique(self.patterns.numbers[records], return_inverse=True)
        axes = [replace(axis, places=axis.places[records], missing=axis.missing[records]) for axis in self.axes]
        local, k = Strata(self.patterns.lacking[its], numbers), self.settings.k
        return local.merged(lambda some: self.homes.few(some, k, records), axes, k)

    def _joined(
        self, strata: Strata, quarters: Subdivision, measured: Callable[[Strata], Unattainable]
    ) -> Strata | None:
        """Join all strata of quarters in which one breaks a limit; None where nothing may be merged."""
        if len(self.rules) < 2:
            # households were counted already
            return strata
        broken = measured(strata).broken[strata.numbers]
        wrong = np.unique(quarters.numbers_of(self.kept.size)[np.flatnonzero(broken & self.kept)])
        if wrong.size == 0:
            return strata
        if self.settings.missing == "own":
            return None
        numbers, lacking = strata.numbers.copy(), strata.lacking.copy()
        for one in wrong.tolist():
            its = quarters.records[int(quarters.starts[one]) : int(quarters.ends[one])]
            joined = np.unique(numbers[its])
            lacking[joined[0]] = lacking[joined].any(axis=0)
            numbers[its] = joined[0]
        used, numbers = np.unique(numbers, return_inverse=True)
        return Strata(lacking[used], numbers)
