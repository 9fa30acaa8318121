"""Regrouping records among neighbouring boxes, where attributes have categories.

Cuts between categories leave boxes of many sizes, most with more than k records, and often with a category that only
one of them has. Regrouping makes use of the spare records: it makes more boxes, and narrower ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.boxes.axes import QuasiAxis
from sfumato.boxes.box_runs import Subdivision
from sfumato.boxes.category_label_groups import Present, set_groups
from sfumato.boxes.fast_cuts import halved
from sfumato.boxes.swap_refinement import nearly_normal, no_larger
from sfumato.randomness import Secret
from sfumato.threads import batches_of, side_by_side

if TYPE_CHECKING:
    from sfumato.kernels.boxes.box_cost import Space
    from sfumato.kernels.boxes.limit_check import Limits
    from sfumato.kernels.boxes.regroup_records import Labels

TURNS = 6
"""How often neighbourhoods are formed and regrouped."""
WORK = 10_000_000
"""Fewer times where records times k squared, by which the work of a turn grows, would exceed this in all."""
NEIGHBOURS, MEMBERS = 24, 256
"""A neighbourhood has up to this number of boxes, and fewer if they would have too many members."""
COORDINATES = 6
"""Boxes are neighbours by this many random directions."""


def turns_for(records: int, k: int) -> int:
    """Return how often a file of some records is regrouped, which may be never."""
    return min(TURNS, WORK // max(records * k * k, 1))


def closed_labels(axes: Sequence[QuasiAxis], present: Callable[[QuasiAxis], Present] | None, k: int) -> Labels:
    """Return how labels will be closed; each category on its own where they will not.

    Parameters
    ----------
    axes
        The attributes.
    present
        Counts the categories of an attribute by boxes; None if labels are not closed.
    k
        How many records of the file a category must have to be named alone.
    """
    from sfumato.kernels.boxes.regroup_records import Labels

    shape = (len(axes), max((len(axis.values) for axis in axes), default=0) or 1)
    groups = np.tile(np.arange(shape[1], dtype=np.int32), (shape[0], 1))
    sizes, rare = np.ones(shape, dtype=np.int32), np.zeros(shape, dtype=np.bool_)
    for row, axis in enumerate(axes):
        if axis.kind == "set" and present is not None:
            present_counts = present(axis)
            axis_groups = set_groups(present_counts, k)
            groups[row, : axis_groups.size] = axis_groups
            sizes[row] = np.bincount(axis_groups, minlength=shape[1])
            rare[row, : axis_groups.size] = present_counts.counts < k
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
    from sfumato.kernels.boxes.regroup_records import LARGEST, box_points, regroup

    small = boxes.sizes <= LARGEST * limits.k
    large, current = boxes.only(~small), boxes.only(small)
    rng = secret.stream("directions of neighbourhoods")
    neighbours = max(2, min(NEIGHBOURS, MEMBERS // limits.k))
    for turn in range(turns if len(current) > 1 else 0):
        points = np.empty((COORDINATES, len(current)))
        box_points(space, _directions(space, rng), current.records, current.ends, points)
        box_strata = None if strata is None else strata[current.records[current.starts]]
        order, hoods = _neighbourhoods(points, box_strata, neighbours, threads)
        current = current.ordered(order)

        def batch(
            hood_range: tuple[int, int], current: Subdivision = current, hoods: Counts = hoods
        ) -> tuple[Subdivision, int]:
            low, high = hoods[hood_range[0]], hoods[hood_range[1]]
            first, last = current.starts[low], current.ends[high - 1]
            hood_ends = hoods[hood_range[0] : hood_range[1] + 1] - low
            records, ends = np.empty(last - first, dtype=np.int64), np.empty(last - first, dtype=np.int64)
            members = (current.records[first:last], current.ends[low:high] - first, hood_ends, codes)
            n_boxes, steps = regroup(space, limits, labels, *members, records, ends)
            return Subdivision(records, ends[:n_boxes]), steps

        results = side_by_side(batch, batches_of(hoods.size - 1, least=8), threads)
        sizes = np.concatenate([division.sizes for division, _ in results])
        current = Subdivision(np.concatenate([division.records for division, _ in results]), np.cumsum(sizes))
        progress((turn + 1) / turns)
        if not any(steps for _, steps in results):
            break
    sizes = np.concatenate([large.sizes, current.sizes])
    return Subdivision(np.concatenate([large.records, current.records]), np.cumsum(sizes))


def _directions(space: Space, rng: np.random.Generator) -> Reals:
    """Draw where categories and values lie, at distances like their costs."""
    from sfumato.kernels.boxes.box_cost import LINEAR, SET

    scales = space.costs.mean(axis=1)
    # of a set a second category costs two units; of a tree a second value at least the lowest node
    scales *= np.where(space.kinds == LINEAR, 1.0, np.where(space.kinds == SET, 2 * space.units, space.shares[:, 0, 0]))
    shape = (space.kinds.size, space.ends.shape[2], COORDINATES)
    directions: Reals = nearly_normal(rng, shape) * scales[:, None, None]
    return directions


def _neighbourhoods(
    points: Reals, box_strata: Counts | None, max_size: int, threads: int | None
) -> tuple[Counts, Counts]:
    """Return boxes in an order in which neighbours follow each other, and where each neighbourhood begins."""
    strata = (
        [np.arange(points.shape[1])]
        if box_strata is None
        else [np.flatnonzero(box_strata == stratum) for stratum in np.unique(box_strata)]
    )
    least = max(1, max_size - max_size // 6)
    order, ends, begun = [], [0], 0
    for members in strata:
        if members.size > max_size:
            near = halved(points, np.ones_like(points), members, least, threads=threads)
            order.append(near.records)
            ends += (near.ends + begun).tolist()
        else:
            order.append(members)
            ends.append(begun + members.size)
        begun += members.size
    return np.concatenate(order), no_larger(np.array(ends), max_size, None)
