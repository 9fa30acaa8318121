"""The point of each box where a quadratic form is largest."""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Codes, Reals
from sfumato.kernels.argument_types import RealTable
from sfumato.kernels.compiled import (
    compiled,
    compiled_inside,
    compiled_ratios,
    compiled_ratios_inside,
    interpreted_while_small,
)
from sfumato.kernels.factorize import EMPTY, FOLD, MIX
from sfumato.kernels.lane_sums import LANES, STRIDE, add_products_to_lanes, add_to_lanes, fold


@compiled_inside
def _best_on_edge(slope: float, low: float, high: float, curvature: float, factor: float) -> float:
    """Return where slope t + curvature t^2 is largest between two ends; ``factor`` is -1 / (2 curvature) or unused."""
    if curvature < 0.0:
        summit = slope * factor
        summit = summit if summit > low else low
        return summit if summit < high else high
    return high if (slope + curvature * high) * high > (slope + curvature * low) * low else low


@interpreted_while_small
@compiled_ratios
def largest_form(boxes: RealTable, weights: Reals, a: float, b: float, alpha: float, beta: float) -> Reals:
    """Maximise alpha X^2 + X Y + beta Y^2, X = x - a, Y = y - b, in each box.

    ``boxes`` (IN) has rows x from, x to, y from, y to. Without a maximum inside (4 alpha beta < 1, or alpha or
    beta not negative), the largest value lies on an edge: at a corner, or at an edge's own summit.

    Returns the weighted sums of X, Y, X^2, X Y and Y^2 of those points.
    """
    along_x = -0.5 / alpha if alpha < 0.0 else 0.0
    along_y = -0.5 / beta if beta < 0.0 else 0.0
    sums = np.zeros((5, LANES))
    xs, ys, weighted_xs, weighted_ys = np.zeros(STRIDE), np.zeros(STRIDE), np.zeros(STRIDE), np.zeros(STRIDE)
    for start in range(0, weights.size, STRIDE):
        count = min(STRIDE, weights.size - start)
        end = start + count
        _find_largest(
            boxes[0, start:end],
            boxes[1, start:end],
            boxes[2, start:end],
            boxes[3, start:end],
            a,
            b,
            alpha,
            beta,
            along_x,
            along_y,
            xs,
            ys,
        )
        for k in range(count):
            weighted_xs[k] = weights[start + k] * xs[k]
            weighted_ys[k] = weights[start + k] * ys[k]
        for k in range(count, STRIDE):
            weighted_xs[k] = weighted_ys[k] = 0.0
        add_to_lanes(weighted_xs, sums[0])
        add_to_lanes(weighted_ys, sums[1])
        add_products_to_lanes(weighted_xs, xs, sums[2])
        add_products_to_lanes(weighted_xs, ys, sums[3])
        add_products_to_lanes(weighted_ys, ys, sums[4])
    return np.array([fold(sums[0]), fold(sums[1]), fold(sums[2]), fold(sums[3]), fold(sums[4])])


@compiled_ratios_inside
def _find_largest(
    x_from: Reals,
    x_to: Reals,
    y_from: Reals,
    y_to: Reals,
    a: float,
    b: float,
    alpha: float,
    beta: float,
    along_x: float,
    along_y: float,
    xs: Reals,
    ys: Reals,
) -> None:
    """Write the X and Y of a few boxes where the form is largest to ``xs`` and ``ys`` (OUT)."""
    for i in range(x_from.size):
        x1, x2, y1, y2 = x_from[i] - a, x_to[i] - a, y_from[i] - b, y_to[i] - b
        # the best y on the two edges along y, then the best x on the two edges along x
        ya, yb = _best_on_edge(x1, y1, y2, beta, along_y), _best_on_edge(x2, y1, y2, beta, along_y)
        xa, xb = _best_on_edge(y1, x1, x2, alpha, along_x), _best_on_edge(y2, x1, x2, alpha, along_x)
        x, y, best = x1, ya, (alpha * x1 + ya) * x1 + beta * ya * ya
        value = (alpha * x2 + yb) * x2 + beta * yb * yb
        x, y, best = (x2, yb, value) if value > best else (x, y, best)
        value = (alpha * xa + y1) * xa + beta * y1 * y1
        x, y, best = (xa, y1, value) if value > best else (x, y, best)
        value = (alpha * xb + y2) * xb + beta * y2 * y2
        x, y = (xb, y2) if value > best else (x, y)
        xs[i] = x
        ys[i] = y


@interpreted_while_small
@compiled
def largest_product(
    centres: RealTable,
    halves: RealTable,
    directions: RealTable,
    weights: Reals,
    a: float,
    b: float,
    alpha: float,
    beta: float,
) -> Reals:
    """Maximise alpha A^2 + A B + beta B^2, measured from (a, b), in each zonotope.

    A record's zonotope is its centre (``centres``, IN: rows A, B) plus sums of steps between - and + half a length
    (``halves``, IN: one row per direction) in each of some ``directions`` (IN: rows A, B; sorted by their angle, from
    above -90 to 90 degrees). The largest value lies on its border, as for :func:`largest_form`, whose sums are
    returned.
    """
    sums = np.zeros(5)
    for i in range(weights.size):
        middle_a, middle_b = centres[0, i] - a, centres[1, i] - b
        # the corner from which the steps, by rising angle, go round one half; the other half is its mirror image
        from_a = from_b = 0.0
        for step in range(halves.shape[0]):
            from_a -= halves[step, i] * directions[0, step]
            from_b -= halves[step, i] * directions[1, step]
        best, best_a, best_b = -np.inf, 0.0, 0.0
        for step in range(halves.shape[0]):
            da, db = directions[0, step], directions[1, step]
            length = 2.0 * halves[step, i]
            curvature = alpha * da * da + da * db + beta * db * db
            for side in (1.0, -1.0):
                at_a, at_b = middle_a + side * from_a, middle_b + side * from_b
                slope = side * (2.0 * alpha * at_a * da + at_a * db + at_b * da + 2.0 * beta * at_b * db)
                way = length
                if curvature < 0.0:
                    way = min(max(-0.5 * slope / curvature, 0.0), length)
                for reached in (0.0, way):
                    end_a, end_b = at_a + side * reached * da, at_b + side * reached * db
                    value = alpha * end_a * end_a + end_a * end_b + beta * end_b * end_b
                    if value > best:
                        best, best_a, best_b = value, end_a, end_b
            from_a += length * da
            from_b += length * db
        weight = weights[i]
        sums[0] += weight * best_a
        sums[1] += weight * best_b
        sums[2] += weight * best_a * best_a
        sums[3] += weight * best_a * best_b
        sums[4] += weight * best_b * best_b
    return sums


@interpreted_while_small
@compiled
def number_rows(rows: RealTable) -> tuple[Codes, int]:
    """Give numbers to the distinct rows in order of first appearance.

    ``rows`` (IN) has one row per record. Returns each record's number, and the number of distinct rows.
    """
    slots = 1024
    while slots < 2 * rows.shape[0]:
        slots *= 2
    bits = np.uint64(slots - 1)
    words = rows.view(np.uint64)
    table = np.full(slots, EMPTY, dtype=np.int32)
    owner = np.empty(rows.shape[0], dtype=np.int64)
    numbers = np.empty(rows.shape[0], dtype=np.int32)
    distinct = 0
    for i in range(rows.shape[0]):
        mixed = np.uint64(0)
        for j in range(rows.shape[1]):
            mixed = (mixed ^ words[i, j]) * MIX
            mixed ^= mixed >> FOLD
        slot = mixed & bits
        while table[slot] != EMPTY:
            first = owner[table[slot]]
            same = True
            for j in range(rows.shape[1]):
                same &= words[first, j] == words[i, j]
            if same:
                break
            slot = (slot + np.uint64(1)) & bits
        if table[slot] == EMPTY:
            table[slot] = distinct
            owner[distinct] = i
            distinct += 1
        numbers[i] = table[slot]
    return numbers, distinct
