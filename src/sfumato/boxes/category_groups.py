"""Groups of categories: the grid on which labels of several categories lie.

A label that lists just the categories of a block says of each that somebody in the block has it, and often that is a
single person. So a category is named by itself only where several records of the block and k of the file have it. Else
the label names its whole group: categories that were put together for the whole file, at least k records of which have
one of them. That a label names a category then does not say that somebody in the block has it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.boxes.category_sets import CategorySets

SEVERAL = 2
"""A category that at least so many records of a block have is named by itself."""
SPARE = 1
"""So many records of a block, at least, are not accounted for by its label."""
FEWEST = 2
"""A group has at least so many categories."""
TRIED = 20_000
"""Groups are chosen on about so many boxes."""
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
    def of(cls, places: Reals, starts: Counts, lacking: Flags, categories: int, homes: Codes | None = None) -> Present:
        """Count categories by boxes.

        Parameters
        ----------
        places, homes
            The category of each record, and its household where that matters, in the order of the boxes.
        starts, lacking
            Where each box begins, and which boxes lack the attribute.
        categories
            How many there are.
        """
        sizes = np.diff(np.append(starts, places.size))
        box = np.repeat(np.arange(starts.size), sizes)
        known = ~lacking[box]
        keys = box[known] * categories + places[known].astype(np.int64)
        if homes is not None:
            several = int(homes.max(initial=0)) + 1
            keys = np.unique(keys * several + homes[known]) // several
        keys, records = np.unique(keys, return_counts=True)
        counts = np.bincount(keys % categories, weights=records, minlength=categories).astype(np.int64)
        return cls(keys // categories, keys % categories, records, np.where(lacking, 0, sizes), counts)

    def few(self, k: int) -> Flags:
        """Say of which entries a label of several categories would show too much."""
        several = np.bincount(self.box, minlength=self.sizes.size) > 1
        return several[self.box] & ((self.records < SEVERAL) | (self.counts[self.category] < k))


def named_whole(present: Present, groups: Codes, k: int) -> Flags:
    """Say which entries bring their whole group into the label, for somebody who has learned the groups.

    Each category named alone has at least two records of the block, and each whole group at least one. Where these
    account for nearly all records, the label would tell how many are in each group. So further categories, those of
    the fewest records first, bring their groups until ``SPARE`` records are left that could be anywhere.
    """
    few = present.few(k)
    n_boxes, n_groups = present.sizes.size, int(groups.max(initial=0)) + 1
    several = np.bincount(present.box, minlength=n_boxes) > 1
    keys = present.box * n_groups + groups[present.category]
    order = np.lexsort((present.category, present.records, present.box))
    while True:
        whole = np.isin(keys, keys[few])
        alone = several[present.box] & ~whole
        least = SEVERAL * np.bincount(present.box[alone], minlength=n_boxes)
        least += np.bincount(np.unique(keys[whole]) // n_groups, minlength=n_boxes)
        touched = np.bincount(present.box[whole], minlength=n_boxes) > 0
        tight = touched & (present.sizes - least < SPARE)
        candidates = order[(alone & tight[present.box])[order]]
        if candidates.size == 0:
            return whole
        first = np.append(True, np.diff(present.box[candidates]) > 0)
        few = whole.copy()
        few[candidates[first]] = True


def closed_sets(present: Present, groups: Codes, k: int) -> CategorySets:
    """Return which categories the label of each box names."""
    n_boxes, n_categories = present.sizes.size, present.counts.size
    n_groups = int(groups.max(initial=0)) + 1
    few = named_whole(present, groups, k)
    keys = np.unique(present.box[few] * n_groups + groups[present.category[few]])
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
    few = present.few(k)
    touched = np.unique(present.box[few])
    some = touched[:: -(-max(touched.size, 1) // TRIED)]
    rows = np.full(present.sizes.size, -1)
    rows[some] = np.arange(some.size)
    chosen = rows[present.box] >= 0
    has, shows = (np.zeros((some.size, counts.size), dtype=np.bool_) for _ in range(2))
    has[rows[present.box[chosen]], present.category[chosen]] = True
    shows[rows[present.box[chosen & few]], present.category[chosen & few]] = True
    return joined_categories(_added(has, shows, present.sizes[some]), counts, k)


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
        one = int(groups[need[small[groups[need]]][0]])
        between = np.zeros(int(groups.max()) + 1, dtype=np.int64)
        np.add.at(between, groups, added[groups == one].sum(axis=0))
        between[one] = np.iinfo(np.int64).max
        groups[groups == one] = int(np.argmin(between))
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
    own = int(groups[category])
    records = np.bincount(groups, weights=counts, minlength=n_groups)
    stays = to_group[own, category]
    candidates: list[tuple[int, int, int]] = []
    if (groups == own).sum() > FEWEST and records[own] - counts[category] >= k:
        change = to_group[:, category] - stays
        change[own] = 0
        candidates.append((int(change.min()), int(np.argmin(change)), -1))
    theirs = groups != own
    change = to_group[groups, category] - stays + to_group[own] - to_group[groups, np.arange(groups.size)]
    change = change - 2 * added[category]
    difference = counts - counts[category]
    allowed = theirs & (records[own] + difference >= k) & (records[groups] - difference >= k)
    change = np.where(allowed, change, 0)
    candidates.append((int(change.min()), -1, int(np.argmin(change))))
    best, group, other = min(candidates)
    if best >= 0:
        return False
    if other < 0:
        groups[category] = group
    else:
        groups[category], groups[other] = groups[other], own
    return True


def _runs(counts: Counts, k: int) -> Codes:
    """Put neighbours together until they are enough; the last ones join those before."""
    groups = np.zeros(counts.size, dtype=np.int32)
    group, size, records = 0, 0, 0
    for place, count in enumerate(counts.tolist()):
        if size >= FEWEST and records >= k:
            group, size, records = group + 1, 0, 0
        groups[place] = group
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
    few, category = present.few(k), present.category
    low[present.box[lowest]] = np.where(few[lowest], first[groups[category[lowest]]], category[lowest])
    high[present.box[highest]] = np.where(few[highest], last[groups[category[highest]]], category[highest])
    return low, high


def range_groups(present: Present, k: int) -> Codes:
    """Return runs of at least two categories, and k records, so that moving ends to theirs widens ranges least."""
    counts = present.counts
    n = counts.size
    if n <= 2 * FEWEST - 1:
        return np.zeros(n, dtype=np.int32)
    if n > MOST:
        return _runs(counts, k)
    few = present.few(k)
    lowest = np.append(True, np.diff(present.box) > 0) & few
    highest = np.append(np.diff(present.box) > 0, True) & few
    lows, highs = (
        np.bincount(present.category[some], weights=present.sizes[present.box[some]], minlength=n).astype(np.int64)
        for some in (lowest, highest)
    )
    places = np.arange(n)
    records = np.append(0, np.cumsum(counts))
    best: list[tuple[int, int]] = [(0, 0)]
    for end in range(1, n + 1):
        # a run from start to end: low ends move to start, high ends to the last before end
        found = [
            (best[start][0] + int((lows * (places - start) + highs * (end - 1 - places))[start:end].sum()), start)
            for start in range(end - FEWEST + 1)
            if best[start][0] >= 0 and records[end] - records[start] >= k
        ]
        best.append(min(found, default=(-1, 0)))
    groups = np.zeros(n, dtype=np.int32)
    end = n
    while end > 0:
        start = best[end][1] if best[end][0] >= 0 else 0
        groups[start:end] = start
        end = start
    return np.unique(groups, return_inverse=True)[1].astype(np.int32)
