"""Groups of categories: the grid for labels of several categories.

A label that lists just the categories of a block says of each that somebody in the block has it, and often that is a
single person. So a category is named on its own only where several records of the block and k of the file have it.
Otherwise the label names its whole group: categories that were put together for the whole file, at least k records of
which have one of them. That a label names a category then does not say that somebody in the block has it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.boxes.axes import QuasiAxis
from sfumato.boxes.box_runs import Subdivision
from sfumato.boxes.category_sets import CategorySets

SEVERAL = 2
"""A category that at least this number of records of a block have is named on its own."""
SPARE = 1
"""At least this number of records of a block are not accounted for by its label."""
FEWEST = 2
"""A group has at least this number of categories."""
TRIED = 20_000
"""Groups are chosen on about this number of boxes."""
MOST = 256
"""Of more categories, groups are neighbours in their order."""
ROUNDS = 20
"""How often the groups of all categories are reconsidered."""


@dataclass(frozen=True)
class Present:
    """Which categories boxes have: one entry for each box and category, box by box."""

    box: Counts
    category: Counts
    records: Counts
    """Of the box that have the category; of a household only one."""
    sizes: Counts
    """The records of each box; 0 where the attribute is missing."""
    counts: Counts
    """How many records of the file have each category."""

    @classmethod
    def of(
        cls,
        categories_of_records: Reals,
        starts: Counts,
        lacking: Flags,
        categories: int,
        households: Codes | None = None,
    ) -> Present:
        """Count categories by boxes.

        Parameters
        ----------
        categories_of_records, households
            The category of each record, and its household where that matters, in the order of the boxes.
        starts, lacking
            Where each box begins, and which boxes lack the attribute.
        categories
            How many there are.
        """
        sizes = np.diff(np.append(starts, categories_of_records.size))
        box = np.repeat(np.arange(starts.size), sizes)
        has_value = ~lacking[box]
        keys = box[has_value] * categories + categories_of_records[has_value].astype(np.int64)
        if households is not None:
            several = int(households.max(initial=0)) + 1
            keys = np.unique(keys * several + households[has_value]) // several
        keys, records = np.unique(keys, return_counts=True)
        counts = np.bincount(keys % categories, weights=records, minlength=categories).astype(np.int64)
        return cls(keys // categories, keys % categories, records, np.where(lacking, 0, sizes), counts)

    def few(self, k: int) -> Flags:
        """Say of which entries a label of several categories would show too much."""
        several = np.bincount(self.box, minlength=self.sizes.size) > 1
        return several[self.box] & ((self.records < SEVERAL) | (self.counts[self.category] < k))


def present_categories(axis: QuasiAxis, boxes: Subdivision, households: Codes | None) -> Present:
    """Count the categories of an attribute by boxes; ``households`` are those of all records of the file."""
    lacking = axis.missing[boxes.records[boxes.starts]]
    ordered_households = None if households is None else households[boxes.records]
    return Present.of(axis.coordinates[boxes.records], boxes.starts, lacking, len(axis.values), ordered_households)


def named_whole(present: Present, groups: Codes, k: int) -> Flags:
    """Say which entries bring their whole group into the label, for somebody who has learned the groups.

    Each category named alone has at least two records of the block, and each whole group at least one. Where these
    account for nearly all records, the label would tell how many are in each group. So further categories, those of
    the fewest records first, bring their groups until ``SPARE`` records are left that could be anywhere.
    """
    revealing = present.few(k)
    n_boxes, n_groups = present.sizes.size, int(groups.max(initial=0)) + 1
    several = np.bincount(present.box, minlength=n_boxes) > 1
    keys = present.box * n_groups + groups[present.category]
    order = np.lexsort((present.category, present.records, present.box))
    while True:
        by_group = np.isin(keys, keys[revealing])
        alone = several[present.box] & ~by_group
        least = SEVERAL * np.bincount(present.box[alone], minlength=n_boxes)
        least += np.bincount(np.unique(keys[by_group]) // n_groups, minlength=n_boxes)
        touched = np.bincount(present.box[by_group], minlength=n_boxes) > 0
        accounted_for = touched & (present.sizes - least < SPARE)
        candidates = order[(alone & accounted_for[present.box])[order]]
        if candidates.size == 0:
            return by_group
        first = np.append(True, np.diff(present.box[candidates]) > 0)
        revealing = by_group.copy()
        revealing[candidates[first]] = True


def closed_sets(present: Present, groups: Codes, k: int) -> CategorySets:
    """Return which categories the label of each box names."""
    n_boxes, n_categories = present.sizes.size, present.counts.size
    n_groups = int(groups.max(initial=0)) + 1
    by_group = named_whole(present, groups, k)
    keys = np.unique(present.box[by_group] * n_groups + groups[present.category[by_group]])
    members, sizes = np.argsort(groups, kind="stable"), np.bincount(groups, minlength=n_groups)
    repeats = sizes[keys % n_groups]
    within = np.arange(int(repeats.sum())) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    first = np.repeat((np.cumsum(sizes) - sizes)[keys % n_groups], repeats)
    box = np.concatenate([present.box, np.repeat(keys // n_groups, repeats)])
    category = np.concatenate([present.category, members[first + within]])
    return CategorySets.of(box, category, n_boxes=n_boxes, n_categories=n_categories)


def set_groups(present: Present, k: int) -> Codes:
    """Return the group of each category, so that closing labels adds little to them."""
    counts = present.counts
    if counts.size <= 2 * FEWEST - 1:
        return np.zeros(counts.size, dtype=np.int32)
    if counts.size > MOST:
        return _runs(counts, k)
    revealing = present.few(k)
    touched = np.unique(present.box[revealing])
    sampled_boxes = touched[:: -(-max(touched.size, 1) // TRIED)]
    rows = np.full(present.sizes.size, -1)
    rows[sampled_boxes] = np.arange(sampled_boxes.size)
    chosen = rows[present.box] >= 0
    has, shows = (np.zeros((sampled_boxes.size, counts.size), dtype=np.bool_) for _ in range(2))
    has[rows[present.box[chosen]], present.category[chosen]] = True
    shows[rows[present.box[chosen & revealing]], present.category[chosen & revealing]] = True
    return joined_categories(_added(has, shows, present.sizes[sampled_boxes]), counts, k)


def _added(has: Flags, shows: Flags, sizes: Counts) -> Counts:
    """Return by how much labels grow, summed over records, if two categories are in one group.

    A category that mostly occurs where the other shows cannot stand for it: the label would still show it. Such pairs
    count as if labels grew by twice as much as they can.
    """
    n_categories = has.shape[1]
    added = np.zeros((n_categories, n_categories), dtype=np.int64)
    for category in range(n_categories):
        rows = shows[:, category]
        total = int(sizes[rows].sum())
        absent = np.where(has[rows], 0, sizes[rows, None]).sum(axis=0)
        added[category] = np.where(2 * absent < total, 2 * total, absent)
    np.fill_diagonal(added, 0)
    return added + added.T


def joined_categories(added: Counts, counts: Counts, k: int) -> Codes:
    """Join categories into groups of at least two, and of k records, that add little.

    Those whose label would show most choose first, and then categories move, or change places, as long as that adds
    less. All numbers are whole and of equals the first is taken, so that the result is the same everywhere.

    Parameters
    ----------
    added
        What two categories in one group add.
    counts
        How many records have each category.
    k
        How many records a group needs.
    """
    n = counts.size
    groups = np.arange(n)
    need = np.argsort(-added.sum(axis=1), kind="stable")
    while (small := _small(groups, counts, k)).any() and groups.max() > 0:
        group = int(groups[need[small[groups[need]]][0]])
        between = np.zeros(int(groups.max()) + 1, dtype=np.int64)
        np.add.at(between, groups, added[groups == group].sum(axis=0))
        between[group] = np.iinfo(np.int64).max
        groups[groups == group] = int(np.argmin(between))
        groups = np.unique(groups, return_inverse=True)[1]
    for _ in range(ROUNDS):
        moves = sum(_moved(groups, added, counts, k, category) for category in need.tolist())
        if not moves:
            break
    return np.unique(groups, return_inverse=True)[1].astype(np.int32)


def _small(groups: Counts, counts: Counts, k: int) -> Flags:
    sizes = np.bincount(groups)
    records = np.bincount(groups, weights=counts)
    return np.asarray((sizes < FEWEST) | (records < k))


def _moved(groups: Counts, added: Counts, counts: Counts, k: int, category: int) -> bool:
    """Move a category to another group, or let it change places with another, where that adds least."""
    n_groups = int(groups.max()) + 1
    to_group = np.zeros((n_groups, groups.size), dtype=np.int64)
    np.add.at(to_group, groups, added)
    own_group = int(groups[category])
    records = np.bincount(groups, weights=counts, minlength=n_groups)
    stays = to_group[own_group, category]
    candidates: list[tuple[int, int, int]] = []
    if (groups == own_group).sum() > FEWEST and records[own_group] - counts[category] >= k:
        change = to_group[:, category] - stays
        change[own_group] = 0
        candidates.append((int(change.min()), int(np.argmin(change)), -1))
    in_other_groups = groups != own_group
    change = to_group[groups, category] - stays + to_group[own_group] - to_group[groups, np.arange(groups.size)]
    change = change - 2 * added[category]
    difference = counts - counts[category]
    allowed = in_other_groups & (records[own_group] + difference >= k) & (records[groups] - difference >= k)
    change = np.where(allowed, change, 0)
    candidates.append((int(change.min()), -1, int(np.argmin(change))))
    best, group, partner = min(candidates)
    if best >= 0:
        return False
    if partner < 0:
        groups[category] = group
    else:
        groups[category], groups[partner] = groups[partner], own_group
    return True


def _runs(counts: Counts, k: int) -> Codes:
    """Put neighbours together until they are enough; the last ones join those before."""
    groups = np.zeros(counts.size, dtype=np.int32)
    group, size, records = 0, 0, 0
    for category, count in enumerate(counts.tolist()):
        if size >= FEWEST and records >= k:
            group, size, records = group + 1, 0, 0
        groups[category] = group
        size, records = size + 1, records + count
    if group and (size < FEWEST or records < k):
        groups[groups == group] = group - 1
    return groups


def closed_ranges(present: Present, groups: Codes, k: int) -> tuple[Reals, Reals]:
    """Return the first and the last category of the range that each box is released with.

    An end that shows too much moves outward to the end of its group, which is a run of categories.
    """
    first = np.searchsorted(groups, np.arange(int(groups.max(initial=0)) + 1))
    last = np.append(first[1:], groups.size) - 1
    low, high = np.zeros(present.sizes.size), np.zeros(present.sizes.size)
    lowest = np.flatnonzero(np.append(True, np.diff(present.box) > 0)) if present.box.size else present.box
    highest = np.append(lowest[1:], present.box.size) - 1 if present.box.size else present.box
    revealing, category = present.few(k), present.category
    low[present.box[lowest]] = np.where(revealing[lowest], first[groups[category[lowest]]], category[lowest])
    high[present.box[highest]] = np.where(revealing[highest], last[groups[category[highest]]], category[highest])
    return low, high


def range_groups(present: Present, k: int) -> Codes:
    """Return runs of at least two categories, and k records, so that moving ends to theirs widens ranges least."""
    counts = present.counts
    n = counts.size
    if n <= 2 * FEWEST - 1:
        return np.zeros(n, dtype=np.int32)
    if n > MOST:
        return _runs(counts, k)
    revealing = present.few(k)
    lowest = np.append(True, np.diff(present.box) > 0) & revealing
    highest = np.append(np.diff(present.box) > 0, True) & revealing
    lows, highs = (
        np.bincount(present.category[is_end], weights=present.sizes[present.box[is_end]], minlength=n).astype(np.int64)
        for is_end in (lowest, highest)
    )
    categories = np.arange(n)
    records = np.append(0, np.cumsum(counts))
    best: list[tuple[int, int]] = [(0, 0)]
    for end in range(1, n + 1):
        # a run from start to end: low ends move to start, high ends to the last before end
        candidates = [
            (
                best[start][0] + int((lows * (categories - start) + highs * (end - 1 - categories))[start:end].sum()),
                start,
            )
            for start in range(end - FEWEST + 1)
            if best[start][0] >= 0 and records[end] - records[start] >= k
        ]
        best.append(min(candidates, default=(-1, 0)))
    groups = np.zeros(n, dtype=np.int32)
    end = n
    while end > 0:
        start = best[end][1] if best[end][0] >= 0 else 0
        groups[start:end] = start
        end = start
    return np.unique(groups, return_inverse=True)[1].astype(np.int32)
