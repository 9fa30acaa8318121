"""Regrouping records among neighbouring boxes, where attributes have categories.

Cuts between categories leave boxes of many sizes, most with more than k records, and often with a category that only
one of them has. Regrouping makes use of the spare records: it makes more boxes, and narrower ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sfumato.arrays import Counts, Reals
from sfumato.boxes.axes import Axis
from sfumato.boxes.category_groups import Present, set_groups
from sfumato.boxes.exchanging import nearly_normal, no_larger
from sfumato.boxes.halving import halved
from sfumato.boxes.subdivision import Subdivision
from sfumato.parallel import batches_of, side_by_side
from sfumato.randomness import Secret

if TYPE_CHECKING:
    from sfumato.kernels.limits import Limits
    from sfumato.kernels.regrouping import Labels
    from sfumato.kernels.space import Space

TURNS = 6
"""How often neighbourhoods are formed and regrouped."""
WORK = 10_000_000
"""Fewer times where records times k squared, by which the work of a turn grows, would exceed this in all."""
NEIGHBOURS, MEMBERS = 24, 256
"""A neighbourhood has up to so many boxes, and fewer if they would have more members than that."""
COORDINATES = 6
"""Boxes are neighbours by this many random directions."""


def turns_for(records: int, k: int) -> int:
    """Return how often a file of some records is regrouped, which may be never."""
    return min(TURNS, WORK // max(records * k * k, 1))


def closed_labels(axes: Sequence[Axis], present: Callable[[Axis], Present] | None, k: int) -> Labels:
    """Return how labels will be closed; each category by itself where they will not.

    Parameters
    ----------
    axes
        The attributes.
    present
        Counts the categories of an attribute by boxes; None if labels are not closed.
    k
        How many records of the file a category must have to be named alone.
    """
    from sfumato.kernels.regrouping import Labels

    shape = (len(axes), max((len(axis.values) for axis in axes), default=0) or 1)
    groups = np.tile(np.arange(shape[1], dtype=np.int32), (shape[0], 1))
    sizes, rare = np.ones(shape, dtype=np.int32), np.zeros(shape, dtype=np.bool_)
    for row, axis in enumerate(axes):
        if axis.kind == "set" and present is not None:
            counted = present(axis)
            own = set_groups(counted, k)
            groups[row, : own.size] = own
            sizes[row] = np.bincount(own, minlength=shape[1])
            rare[row, : own.size] = counted.counts < k
    return Labels(groups, sizes, rare)


def regrouped(
    space: Space,
    limits: Limits,
    boxes: Subdivision,
    labels: Labels,
    codes: int,
    *,
    strata: Counts | None,
    turns: int,
    secret: Secret,
    threads: int | None,
    progress: Callable[[float], None],
) -> Subdivision:
    """Regroup the records of neighbouring boxes, each time in other neighbourhoods.

    Parameters
    ----------
    space, limits, boxes
        Where records are and what widths cost, what every box must keep, and the boxes so far.
    labels
        How labels of categories are closed.
    codes
        How many categories or sensitive codes there are.
    strata
        The stratum of each record, if there are several: records of different strata never share a box.
    turns
        How often.
    secret
        Draws the directions in which neighbours are looked for.
    threads, progress
        How many threads, and what is called with the share done.
    """
    from sfumato.kernels.regrouping import LARGEST, box_points, regroup

    small = boxes.sizes <= LARGEST * limits.k
    whole, now = boxes.only(~small), boxes.only(small)
    rng = secret.stream("directions of neighbourhoods")
    neighbours = max(2, min(NEIGHBOURS, MEMBERS // limits.k))
    for turn in range(turns if len(now) > 1 else 0):
        points = np.empty((COORDINATES, len(now)))
        box_points(space, _directions(space, rng), now.records, now.ends, points)
        homes = None if strata is None else strata[now.records[now.starts]]
        order, hoods = _neighbourhoods(points, homes, neighbours, threads)
        now = now.ordered(order)

        def batch(part: tuple[int, int], now: Subdivision = now, hoods: Counts = hoods) -> tuple[Subdivision, int]:
            low, high = hoods[part[0]], hoods[part[1]]
            first, last = now.starts[low], now.ends[high - 1]
            own = hoods[part[0] : part[1] + 1] - low
            records, ends = np.empty(last - first, dtype=np.int64), np.empty(last - first, dtype=np.int64)
            given = (now.records[first:last], now.ends[low:high] - first, own, codes)
            found, steps = regroup(space, limits, labels, *given, records, ends)
            return Subdivision(records, ends[:found]), steps

        parts = side_by_side(batch, batches_of(hoods.size - 1, least=8), threads)
        sizes = np.concatenate([one.sizes for one, _ in parts])
        now = Subdivision(np.concatenate([one.records for one, _ in parts]), np.cumsum(sizes))
        progress((turn + 1) / turns)
        if not any(steps for _, steps in parts):
            break
    sizes = np.concatenate([whole.sizes, now.sizes])
    return Subdivision(np.concatenate([whole.records, now.records]), np.cumsum(sizes))


def _directions(space: Space, rng: np.random.Generator) -> Reals:
    """Draw where categories and values lie, at distances like their costs."""
    from sfumato.kernels.space import LINEAR, SET

    scales = space.costs.mean(axis=1)
    # of a set a second category costs two units; of a tree a second value at least the lowest node
    scales *= np.where(space.kinds == LINEAR, 1.0, np.where(space.kinds == SET, 2 * space.units, space.shares[:, 0, 0]))
    shape = (space.kinds.size, space.ends.shape[2], COORDINATES)
    directions: Reals = nearly_normal(rng, shape) * scales[:, None, None]
    return directions


def _neighbourhoods(points: Reals, homes: Counts | None, most: int, threads: int | None) -> tuple[Counts, Counts]:
    """Return boxes in an order in which neighbours follow each other, and where each neighbourhood begins."""
    strata = (
        [np.arange(points.shape[1])] if homes is None else [np.flatnonzero(homes == one) for one in np.unique(homes)]
    )
    least = max(1, most - most // 6)
    order, ends, begun = [], [0], 0
    for members in strata:
        if members.size > most:
            near = halved(points, np.ones_like(points), members, least, threads=threads)
            order.append(near.records)
            ends += (near.ends + begun).tolist()
        else:
            order.append(members)
            ends.append(begun + members.size)
        begun += members.size
    return np.concatenate(order), no_larger(np.array(ends), most, None)
