"""Boxes for released households: attributes that members share are cut first, for whole households, the others within.

Members of a household get the same box of everything that they share, so combining their records reveals nothing more.
The boxes of whole households are called outer boxes here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.boxes.axes import QuasiAxis, space_of
from sfumato.boxes.box_runs import Subdivision, Summary
from sfumato.boxes.constraints import BoxRule, limits_with
from sfumato.boxes.cut_engine import subdivide
from sfumato.boxes.missingness_strata import Strata
from sfumato.boxes.tiling import Cells, SharedSets, cells_of
from sfumato.errors import UnattainableError
from sfumato.kernels.algebra import dot
from sfumato.kernels.elementary_functions import powers
from sfumato.measures import homes_of, sharing_of, where_any
from sfumato.microfile import Microfile
from sfumato.progress import Progress, silent
from sfumato.release import shared_names

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes
    from sfumato.boxes.infeasibility import MeasuredStrata
    from sfumato.kernels.boxes.box_cost import Space

TRIAL = 40_000
"""The best size of outer boxes is searched on about this number of records."""


@dataclass(frozen=True)
class SharingHouseholds:
    """Who lives together, and what they share."""

    codes: Codes
    """The household of each record."""
    shared_rows: tuple[int, ...]
    """The axes that the members of every household have in common."""

    def without_personal_gaps(self, axes: Sequence[QuasiAxis]) -> list[QuasiAxis]:
        """Return the axes as if no value were missing along those that members do not share."""
        nothing = np.zeros(self.codes.size, dtype=np.bool_)
        return [axis if row in self.shared_rows else replace(axis, missing=nothing) for row, axis in enumerate(axes)]

    def too_few(self, strata: Strata, k: int, records: Counts | None = None) -> Flags:
        """Return which strata, of all or some records, have members of fewer than k households."""
        codes = self.codes if records is None else self.codes[records]
        n_codes = int(self.codes.max()) + 1
        pairs = np.unique(strata.numbers * n_codes + codes)
        n_households = np.bincount(pairs // n_codes, minlength=len(strata))
        return np.asarray(n_households < k)


def households_sharing(settings: Boxes, microfile: Microfile, axes: Sequence[QuasiAxis]) -> SharingHouseholds | None:
    """Return who lives together, if that is released and members share quasi attributes."""
    if not settings.keep_household or settings.household is None:
        return None
    codes = homes_of(microfile.encoded(settings.household))
    sharing = {axis.name: sharing_of(codes, axis.coordinates, axis.missing) for axis in axes}
    names = shared_names(sharing, settings.shared)
    rows = tuple(row for row, axis in enumerate(axes) if axis.name in names)
    return SharingHouseholds(codes, rows) if rows else None


def with_shared_gaps(axes: Sequence[QuasiAxis], households: SharingHouseholds) -> list[QuasiAxis]:
    """Let all members lack a shared value that one of them lacks: the others would reveal it."""
    changed = list(axes)
    for row in households.shared_rows:
        axis = axes[row]
        if axis.lacks:
            missing = where_any(axis.missing, households.codes)
            changed[row] = replace(axis, missing=missing, coordinates=np.where(missing, 0.0, axis.coordinates))
    return changed


@dataclass(frozen=True)
class HouseholdBoxes:
    """The outer boxes: households whose members are released alike in everything that they share."""

    shared_rows: tuple[int, ...]
    """The axes that members share."""
    division: Subdivision
    """The records of each outer box."""
    of_box: Counts
    """The outer box of each box."""

    def spread(self, ends: Summary, axes: Sequence[QuasiAxis]) -> Summary:
        """Give boxes the ends of their outer box along the axes that members share."""
        coordinates = np.stack([axes[row].coordinates for row in self.shared_rows])
        outer = self.division.summary(coordinates, np.ones_like(coordinates))
        lo, hi = ends.lo.copy(), ends.hi.copy()
        for index, row in enumerate(self.shared_rows):
            lo[row], hi[row] = outer.lo[index, self.of_box], outer.hi[index, self.of_box]
        return replace(ends, lo=lo, hi=hi)

    def cells(self, axes: Sequence[QuasiAxis], strata: Strata, boxes: Subdivision, ends: Summary) -> Cells:
        """Return cells that cover the whole space: those of outer boxes, and within each those of its boxes."""
        personal_rows = [row for row in range(len(axes)) if row not in self.shared_rows]
        shared_axes = [axes[row] for row in self.shared_rows]
        first_boxes = np.unique(self.of_box, return_index=True)[1]
        outer_ends = ends.along(self.shared_rows).only(first_boxes)
        outer = cells_of(shared_axes, Strata.of(shared_axes), self.division, outer_ends)
        lo, hi = np.empty_like(ends.lo), np.empty_like(ends.hi)
        sets = {name: SharedSets(shared.sets, shared.of[self.of_box]) for name, shared in outer.sets.items()}
        for index, row in enumerate(self.shared_rows):
            lo[row], hi[row] = outer.lo[index, self.of_box], outer.hi[index, self.of_box]
        if personal_rows:
            inner = cells_of([axes[row] for row in personal_rows], strata, boxes, ends.along(personal_rows))
            lo[personal_rows], hi[personal_rows] = inner.lo, inner.hi
            sets |= inner.sets
        return Cells(axes, lo, hi, sets)


@dataclass(frozen=True)
class HouseholdCutter:
    """Cuts outer boxes of whole households, and these into boxes of records."""

    settings: Boxes
    axes: Sequence[QuasiAxis]
    coordinates: Reals
    """Axes by records, as they are cut."""
    costs: Reals
    rules: Sequence[BoxRule]
    retained: Flags
    n_codes: int
    households: SharingHouseholds

    @cached_property
    def personal_rows(self) -> list[int]:
        """The axes that members of a household do not share."""
        return [row for row in range(len(self.axes)) if row not in self.households.shared_rows]

    @cached_property
    def patterns(self) -> Strata:
        """The records by which values they lack."""
        return Strata.of(self.axes)

    def cut(
        self, members: Sequence[Counts], measured: Callable[[Strata], MeasuredStrata], progress: Progress
    ) -> tuple[Subdivision, Strata]:
        """Cut outer boxes of the best size.

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
        The outer boxes, and their records by what they lack, merged where there are too few of them.
        """
        n_records = sum(records.size for records in members)
        initial_size = self.initial_size(n_records)
        sample = members
        if n_records > 2 * max(TRIAL, initial_size):
            sample = members = self.outer_boxes(members, 2 * max(initial_size, TRIAL // 8), silent).parts()
            step = max(1, n_records // TRIAL)
            sample = sample[step // 2 :: step] or sample[:1]
        size = self.best_size(sample, initial_size)
        while True:
            outer = self.outer_boxes(members, size, progress)
            strata = self.strata_within(outer)
            strata = strata and self._with_violating_joined(strata, outer, measured)
            if strata is not None:
                return outer, strata
            if len(outer) == len(members):
                raise UnattainableError(
                    "too few households near each other have the same values missing to meet all limits",
                    hint="missing='merged', or do not release household numbers (keep_household)",
                    setting="household",
                )
            size *= 2

    def initial_size(self, n_records: int) -> int:
        """Return how large outer boxes are if all attributes are cut equally often."""
        k = self.settings.k
        return int(np.ceil(k * powers(n_records / k, len(self.personal_rows) / len(self.axes))))

    def best_size(self, members: Sequence[Counts], initial_size: int) -> int:
        """Return the size of outer boxes with which boxes cost least, found by doubling or halving an initial one."""
        largest_stratum = max(records.size for records in members)
        best, costs = initial_size, {initial_size: self.total_cost(members, initial_size)}
        for factor in (0.5, 2.0):
            while self.settings.k <= (size := int(best * factor)) <= 2 * largest_stratum:
                if size not in costs:
                    costs[size] = self.total_cost(members, size)
                if costs[size] >= costs[best]:
                    break
                best = size
        return best

    def total_cost(self, members: Sequence[Counts], size: int) -> float:
        """Return what boxes within outer boxes of some size cost; a lost value costs as much as the whole attribute."""
        outer = self.outer_boxes(members, size, silent)
        strata = self.strata_within(outer)
        if strata is None:
            return np.inf
        boxes = self.boxes_within(outer, strata, silent)
        lost = strata.lacking[strata.numbers].T
        spans = np.array([axis.span for axis in self.axes])
        return float(self.box_costs(outer, boxes, strata).sum() + dot((self.costs * lost).sum(axis=1), spans))

    def box_costs(self, outer: Subdivision, boxes: Subdivision, strata: Strata) -> Reals:
        """Return what each box costs: along the personal axes, and its share of what its outer box costs."""
        threads = self.settings.threads
        shared_space = self.space(self.households.shared_rows, strata)
        outer_costs = outer.costs(shared_space, self.n_codes, threads) / outer.sizes
        costs: Reals = outer_costs[self.outer_box_of(outer, boxes)] * boxes.sizes
        if not self.personal_rows:
            return costs
        return costs + boxes.costs(self.space(self.personal_rows, strata), self.n_codes, threads)

    def outer_box_of(self, outer: Subdivision, boxes: Subdivision) -> Counts:
        """Return the outer box of each box."""
        return outer.numbers_of(self.retained.size)[boxes.records[boxes.starts]].astype(np.int64)

    def space(self, rows: Sequence[int], strata: Strata) -> Space:
        """Return the space of some axes, without the values that strata lack."""
        chosen = list(rows)
        coordinates, costs = self.coordinates[chosen], self.costs[chosen]
        if strata.lacking[:, chosen].any():
            lost = strata.lacking[:, chosen][strata.numbers].T
            coordinates, costs = np.where(lost, 0.0, coordinates), np.where(lost, 0.0, costs)
        return space_of([self.axes[row] for row in chosen], coordinates, costs)

    def outer_boxes(self, members: Sequence[Counts], size: int, progress: Progress) -> Subdivision:
        """Cut what members of households share into outer boxes of at least ``size`` records."""
        return subdivide(
            self.space(self.households.shared_rows, self.patterns),
            limits_with(size, self.rules, self.retained),
            members,
            self.n_codes,
            careful=True,
            threads=self.settings.threads,
            progress=progress,
        )

    def boxes_within(self, outer: Subdivision, strata: Strata, progress: Progress) -> Subdivision:
        """Cut the personal attributes, within the strata of outer boxes, into boxes."""
        if not self.personal_rows:
            return outer
        stratum_ids = strata.numbers[outer.records]
        order = np.argsort(stratum_ids, kind="stable")
        starts = np.flatnonzero(np.diff(stratum_ids[order])) + 1
        return subdivide(
            self.space(self.personal_rows, strata),
            limits_with(self.settings.k, self.rules, self.retained),
            np.split(outer.records[order], starts),
            self.n_codes,
            careful=self.settings.edges == "tiling",
            threads=self.settings.threads,
            progress=progress,
        )

    def strata_within(self, outer: Subdivision) -> Strata | None:
        """Stratify the records of each outer box by what they lack, merging strata that are too small.

        Records outside all outer boxes are one more stratum. None if merging is needed but not allowed.
        """
        k, records, patterns = self.settings.k, outer.records, self.patterns
        keys = np.repeat(np.arange(len(outer)), outer.sizes) * len(patterns) + patterns.numbers[records]
        stratum_keys, stratum_ids = np.unique(keys, return_inverse=True)
        lacking, outer_ids = [patterns.lacking[stratum_keys % len(patterns)]], stratum_keys // len(patterns)
        too_few = self.households.too_few(Strata(lacking[0], stratum_ids), k, records)
        # a stratum that is all of an outer box has enough households
        too_few &= np.bincount(outer_ids)[outer_ids] > 1
        if too_few.any() and self.settings.missing == "own":
            return None
        n_strata = stratum_keys.size
        for outer_id in np.unique(outer_ids[too_few]).tolist():
            members = slice(int(outer.starts[outer_id]), int(outer.ends[outer_id]))
            merged = self._merged(records[members])
            stratum_ids[members] = merged.numbers + n_strata
            lacking.append(merged.lacking)
            n_strata += len(merged)
        used, stratum_ids = np.unique(stratum_ids, return_inverse=True)
        all_ids = np.full(self.retained.size, used.size, dtype=np.int64)
        all_ids[records] = stratum_ids
        outside = np.zeros((int(records.size < self.retained.size), len(self.axes)), dtype=np.bool_)
        return Strata(np.concatenate([np.concatenate(lacking)[used], outside]), all_ids)

    def _merged(self, records: Counts) -> Strata:
        """Merge the strata of one outer box."""
        pattern_ids, stratum_ids = np.unique(self.patterns.numbers[records], return_inverse=True)
        axes = [
            replace(axis, coordinates=axis.coordinates[records], missing=axis.missing[records]) for axis in self.axes
        ]
        local, k = Strata(self.patterns.lacking[pattern_ids], stratum_ids), self.settings.k
        return local.merged(lambda strata: self.households.too_few(strata, k, records), axes, k)

    def _with_violating_joined(
        self, strata: Strata, outer: Subdivision, measured: Callable[[Strata], MeasuredStrata]
    ) -> Strata | None:
        """Join all strata of outer boxes in which one violates a limit; None if that is not allowed."""
        if len(self.rules) < 2:
            # households were counted already
            return strata
        violating = measured(strata).violating[strata.numbers]
        outer_ids = np.unique(outer.numbers_of(self.retained.size)[np.flatnonzero(violating & self.retained)])
        if outer_ids.size == 0:
            return strata
        if self.settings.missing == "own":
            return None
        stratum_ids, lacking = strata.numbers.copy(), strata.lacking.copy()
        for outer_id in outer_ids.tolist():
            records = outer.records[int(outer.starts[outer_id]) : int(outer.ends[outer_id])]
            joined = np.unique(stratum_ids[records])
            lacking[joined[0]] = lacking[joined].any(axis=0)
            stratum_ids[records] = joined[0]
        used, stratum_ids = np.unique(stratum_ids, return_inverse=True)
        return Strata(lacking[used], stratum_ids)
