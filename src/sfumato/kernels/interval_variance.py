"""How small and how large the variance of numbers can be that are known only as intervals.

With E the mean, V = min_m sum w (x - m)^2. So the largest variance is at most, and up to one record exactly, the
least over m of sum w max((lo - m)^2, (hi - m)^2), and the smallest is exactly the least over m of the sum of
squared distances of m from the intervals. Both are convex in m; the kernels find m by pruning, without sorting.
"""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.argument_types import RealTable
from sfumato.kernels.compiled import compiled, compiled_inside, compiled_ratios, interpreted_while_small


@interpreted_while_small
@compiled_ratios
def sum_bounds(lo: Reals, hi: Reals, weights: Reals, step: int, largest: float) -> tuple[bool, Reals]:
    """Check the bounds and sum them up.

    ``weights`` (IN) has one entry for all records (``step`` 0) or one per record (``step`` 1); no number may exceed
    ``largest`` (IN) in size.

    Returns whether all bounds and weights are valid; the sums of weights and of squared weights; the weighted means
    of ``lo``, of ``hi`` and of the sum of both distances, all measured from ``lo[0]``; and the number of intervals
    that have a width.
    """
    origin = lo[0]
    total = squares = low = high = reach = wide = wrong = 0.0
    for i in range(lo.size):
        weight = weights[i * step]
        good = (lo[i] >= -largest) & (lo[i] <= hi[i]) & (hi[i] <= largest) & (weight >= 0.0) & (weight <= largest)
        wrong += 0.0 if good else 1.0
        total += weight
        squares += weight * weight
        low += weight * (lo[i] - origin)
        high += weight * (hi[i] - origin)
        reach += weight * (abs(lo[i] - origin) + abs(hi[i] - origin))
        wide += 1.0 if hi[i] > lo[i] else 0.0
    if wrong > 0.0 or not 1.0 / largest <= total <= largest:
        return False, np.zeros(6)
    return True, np.array([total, squares, low / total, high / total, reach / total, wide])


@interpreted_while_small
@compiled_ratios
def spread_sums(
    lo: Reals,
    hi: Reals,
    weights: Reals,
    step: int,
    centre: float,
    near_a: float,
    near_b: float,
    far_a: float,
    far_b: float,
) -> tuple[Reals, Reals, Reals]:
    """Sum up all records, except for the terms that depend on the position of m in its bracket.

    ``centre`` (IN) is the mean of the middles; everything is measured from it. ``near_a``, ``near_b`` and ``far_a``,
    ``far_b`` (IN) bracket the two m.

    Returns for the middles the sums of distances and of their squares, the sums of squares and of fourth powers with
    squared weights, and that of |distance| times half-width; the sums (weight, first, second moment) of lower ends
    above the first bracket, then of upper ends below it; and the same of the far ends of intervals with their middle
    outside the second bracket.
    """
    first = second = second_own = fourth_own = linear = 0.0
    above = above_1 = above_2 = below = below_1 = below_2 = far = far_1 = far_2 = 0.0
    for i in range(lo.size):
        weight = weights[i * step]
        low, high = lo[i] - centre, hi[i] - centre
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        first += weight * middle
        square = middle * middle
        second += weight * square
        second_own += weight * weight * square
        fourth_own += weight * weight * square * square
        linear += weight * abs(middle) * half
        counted = weight if low > near_b else 0.0
        above += counted
        above_1 += counted * low
        above_2 += counted * low * low
        counted = weight if high < near_a else 0.0
        below += counted
        below_1 += counted * high
        below_2 += counted * high * high
        counted = weight if (middle <= far_a) | (middle > far_b) else 0.0
        end = low if middle <= far_a else high
        far += counted
        far_1 += counted * end
        far_2 += counted * end * end
    near = np.array([above, above_1, above_2, below, below_1, below_2])
    return np.array([first, second, second_own, fourth_own, linear]), near, np.array([far, far_1, far_2])


@interpreted_while_small
@compiled
def put_aside(
    lo: Reals,
    hi: Reals,
    weights: Reals,
    step: int,
    centre: float,
    near_a: float,
    near_b: float,
    far_a: float,
    far_b: float,
    nears: RealTable,
    fars: RealTable,
) -> tuple[int, int]:
    """Collect what :func:`spread_sums` leaves out.

    ``nears`` (OUT: end, weight, 1 for a lower and -1 for an upper end) gets the ends in the first bracket,
    ``fars`` (OUT: weight, lo, hi) the records with their middle in the second. Returns
    the number of both, even if the arrays are too small for all.
    """
    n_nears = n_fars = 0
    for i in range(lo.size):
        low, high = lo[i] - centre, hi[i] - centre
        middle = 0.5 * (low + high)
        lower, upper = (low >= near_a) & (low <= near_b), (high >= near_a) & (high <= near_b)
        aside = (middle > far_a) & (middle <= far_b)
        if lower | upper | aside:
            weight = weights[i * step]
            if aside:
                if n_fars < fars.shape[1]:
                    fars[0, n_fars], fars[1, n_fars], fars[2, n_fars] = weight, low, high
                n_fars += 1
            if lower:
                if n_nears < nears.shape[1]:
                    nears[0, n_nears], nears[1, n_nears], nears[2, n_nears] = low, weight, 1.0
                n_nears += 1
            if upper:
                if n_nears < nears.shape[1]:
                    nears[0, n_nears], nears[1, n_nears], nears[2, n_nears] = high, weight, -1.0
                n_nears += 1
    return n_nears, n_fars


@compiled_inside
def _middle_one(a: float, b: float, c: float) -> float:
    return max(min(a, b), min(max(a, b), c))


@interpreted_while_small
@compiled_ratios
def least_spread(total: float, sums: Reals, ends: RealTable, count: int) -> tuple[float, float]:
    """Find the m whose squared distances from the intervals have the least sum.

    ``total`` (IN) is the sum of all weights; ``sums`` and ``ends`` are as :func:`spread_sums` gives them, and
    ``ends`` is used up. Returns m and that sum divided by ``total``. Where all intervals share a point, the sum is 0.
    """
    n_open = count
    while n_open > 0:
        pivot = _middle_one(ends[0, 0], ends[0, n_open // 2], ends[0, n_open - 1])
        # the derivative of the sum at the pivot
        slope, pull = sums[0] + sums[3], sums[1] + sums[4]
        for i in range(n_open):
            # select by arithmetic: a processor cannot predict branches on unsorted ends
            counted = ends[1, i] if (ends[0, i] - pivot) * ends[2, i] > 0.0 else 0.0
            slope += counted
            pull += counted * ends[0, i]
        above = slope * pivot < pull
        side_of_m = 1.0 if above else -1.0
        first = 3 if above else 0
        n_kept = 0
        decided = decided_1 = decided_2 = 0.0
        for i in range(n_open):
            end, weight, side = ends[0, i], ends[1, i], ends[2, i]
            stays = (end - pivot) * side_of_m > 0.0
            # an upper end at or below m, or a lower end at or above it: the distance counts
            counted = weight if (not stays) & (side != side_of_m) else 0.0
            decided += counted
            decided_1 += counted * end
            decided_2 += counted * end * end
            ends[0, n_kept], ends[1, n_kept], ends[2, n_kept] = end, weight, side
            n_kept += stays
        sums[first] += decided
        sums[first + 1] += decided_1
        sums[first + 2] += decided_2
        n_open = n_kept
    weight = sums[0] + sums[3]
    if weight <= 0.0:
        return 0.0, 0.0
    m = (sums[1] + sums[4]) / weight
    return m, max(sums[2] + sums[5] - 2.0 * m * (sums[1] + sums[4]) + m * m * weight, 0.0) / total


@interpreted_while_small
@compiled_ratios
def greatest_spread(total: float, sums: Reals, records: RealTable, count: int) -> tuple[float, float, float]:
    """Find the m whose squared distances from the far ends of the intervals have the least sum.

    ``total`` (IN) is the sum of all weights; ``sums`` and ``records`` are as :func:`spread_sums` gives them, and
    ``records`` is used up. Returns m, that sum divided by ``total``, and by how much the square of the distance
    between m and the mean of the far ends makes it larger than a variance that data really have.
    """
    n_open = count
    while n_open > 0:
        pivot = 0.5 * _middle_one(
            records[1, 0] + records[2, 0],
            records[1, n_open // 2] + records[2, n_open // 2],
            records[1, n_open - 1] + records[2, n_open - 1],
        )
        # the means if records with their middle at the pivot take the upper or the lower end
        upper = lower = sums[1]
        for i in range(n_open):
            low, high = records[1, i], records[2, i]
            middle = 0.5 * (low + high)
            upper += records[0, i] * (low if middle < pivot else high)
            lower += records[0, i] * (low if middle <= pivot else high)
        if upper > pivot * total >= lower:
            return _split(total, sums, records, n_open, pivot, upper)
        below = pivot * total >= upper
        n_kept = 0
        decided = decided_1 = decided_2 = 0.0
        for i in range(n_open):
            weight, low, high = records[0, i], records[1, i], records[2, i]
            middle = 0.5 * (low + high)
            stays = middle < pivot if below else middle > pivot
            end = high if below else low
            counted = 0.0 if stays else weight
            decided += counted
            decided_1 += counted * end
            decided_2 += counted * end * end
            records[0, n_kept], records[1, n_kept], records[2, n_kept] = weight, low, high
            n_kept += stays
        sums[0] += decided
        sums[1] += decided_1
        sums[2] += decided_2
        n_open = n_kept
    m = sums[1] / total
    return m, (sums[2] - 2.0 * m * sums[1] + m * m * sums[0]) / total, 0.0


@compiled_inside
def _split(
    total: float, sums: Reals, records: RealTable, n_open: int, pivot: float, upper: float
) -> tuple[float, float, float]:
    """Take m at the pivot: either end of a record with its middle there is equally far away."""
    squares = sums[2] - 2.0 * pivot * sums[1] + pivot * pivot * sums[0]
    away = upper / total - pivot
    nearest, now = abs(away), away
    for i in range(n_open):
        weight, low, high = records[0, i], records[1, i], records[2, i]
        middle = 0.5 * (low + high)
        end = low if middle <= pivot else high
        squares += weight * ((end - pivot) * (end - pivot))
        if middle == pivot:
            now -= weight * (high - low) / total
            nearest = min(nearest, abs(now))
    return pivot, squares / total, nearest * nearest
