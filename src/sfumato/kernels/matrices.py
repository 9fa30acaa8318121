"""Kernels of matrices: each of their sums has one order."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.argument_types import RealTable
from sfumato.kernels.compiled import compiled_ratios, compiled_ratios_inside, interpreted_while_small
from sfumato.kernels.lane_sums import LANES, sum_of_products

SWEEPS = 60
"""More than enough: Jacobi's rotations converge quadratically."""
ORTHOGONAL = 1e-15
"""Directions are orthogonal if their product is a smaller share of their lengths."""
NOTHING = 1e-18
"""A smaller share of the largest entry of a matrix is what rounding leaves of 0."""


@interpreted_while_small
@compiled_ratios
def multiply(rows: RealTable, columns: RealTable, products: RealTable) -> None:
    """Write the sums of products of each of ``rows`` and ``columns`` (IN: one row per column) to ``products`` (OUT)."""
    lanes = np.zeros(LANES)
    for i in range(rows.shape[0]):
        for j in range(columns.shape[0]):
            products[i, j] = sum_of_products(rows[i], columns[j], lanes)


@interpreted_while_small
@compiled_ratios
def mix_rows(factors: RealTable, rows: RealTable, mixtures: RealTable) -> None:
    """Add ``factors`` (IN) times ``rows`` (IN), row after row, to ``mixtures`` (IN, OUT)."""
    for i in range(factors.shape[0]):
        for row in range(rows.shape[0]):
            factor = factors[i, row]
            for k in range(rows.shape[1]):
                mixtures[i, k] += factor * rows[row, k]


@interpreted_while_small
@compiled_ratios
def orthogonalize(directions: RealTable, triangle: RealTable) -> None:
    """Make the rows of ``directions`` (IN, OUT) orthogonal and of unit length; ``triangle`` (OUT) recovers them.

    A row that depends on those before becomes nearly arbitrary, and its diagonal entry nearly 0.
    """
    lanes = np.zeros(LANES)
    for j in range(directions.shape[0]):
        row = directions[j]
        # twice is enough: the second turn removes what rounding left of the other rows
        for _ in range(2):
            for i in range(j):
                along = sum_of_products(directions[i], row, lanes)
                triangle[i, j] += along
                for k in range(row.size):
                    row[k] -= along * directions[i, k]
        length = np.sqrt(sum_of_products(row, row, lanes))
        triangle[j, j] = length
        if length > 0.0:
            for k in range(row.size):
                row[k] /= length


@compiled_ratios_inside
def rotation(first: float, second: float, between: float) -> tuple[float, float]:
    """Return cosine and sine of Jacobi's rotation, which makes ``between`` 0 in a symmetric 2 x 2 matrix."""
    ratio = (second - first) / (2.0 * between)
    size = abs(ratio)
    # of a huge ratio the square would overflow, and the one under the root is nothing beside it
    tangent = 0.5 / size if size > 1e150 else 1.0 / (size + np.sqrt(1.0 + size * size))
    tangent = -tangent if ratio < 0.0 else tangent
    cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
    return cosine, tangent * cosine


@interpreted_while_small
@compiled_ratios
def diagonalize(matrix: RealTable, vectors: RealTable) -> None:
    """Rotate ``matrix`` (IN, OUT: symmetric) until it is diagonal; ``vectors`` (IN, OUT) get the rotations as rows."""
    size, largest = matrix.shape[0], np.abs(matrix).max()
    for _ in range(SWEEPS):
        turned = False
        for p in range(size):
            for q in range(p + 1, size):
                between = matrix[p, q]
                alike = ORTHOGONAL * np.sqrt(abs(matrix[p, p])) * np.sqrt(abs(matrix[q, q]))
                if abs(between) <= max(alike, NOTHING * largest):
                    continue
                turned = True
                cosine, sine = rotation(matrix[p, p], matrix[q, q], between)
                for k in range(size):
                    first, second = matrix[k, p], matrix[k, q]
                    matrix[k, p], matrix[k, q] = cosine * first - sine * second, sine * first + cosine * second
                for k in range(size):
                    first, second = matrix[p, k], matrix[q, k]
                    matrix[p, k], matrix[q, k] = cosine * first - sine * second, sine * first + cosine * second
                    first, second = vectors[p, k], vectors[q, k]
                    vectors[p, k], vectors[q, k] = cosine * first - sine * second, sine * first + cosine * second
                matrix[p, q] = 0.0
                matrix[q, p] = 0.0
        if not turned:
            break


@interpreted_while_small
@compiled_ratios
def align(rows: RealTable, vectors: RealTable) -> None:
    """Rotate ``rows`` (IN, OUT), pair by pair, until all are orthogonal; ``vectors`` (IN, OUT) get the rotations."""
    lanes = np.zeros(LANES)
    for _ in range(SWEEPS):
        turned = False
        for p in range(rows.shape[0]):
            for q in range(p + 1, rows.shape[0]):
                between = sum_of_products(rows[p], rows[q], lanes)
                square_p, square_q = sum_of_products(rows[p], rows[p], lanes), sum_of_products(rows[q], rows[q], lanes)
                if abs(between) <= ORTHOGONAL * np.sqrt(square_p) * np.sqrt(square_q):
                    continue
                turned = True
                cosine, sine = rotation(square_p, square_q, between)
                for k in range(rows.shape[1]):
                    first, second = rows[p, k], rows[q, k]
                    rows[p, k], rows[q, k] = cosine * first - sine * second, sine * first + cosine * second
                for k in range(vectors.shape[1]):
                    first, second = vectors[p, k], vectors[q, k]
                    vectors[p, k], vectors[q, k] = cosine * first - sine * second, sine * first + cosine * second
        if not turned:
            break


@interpreted_while_small
@compiled_ratios
def eliminate(matrix: RealTable, sides: RealTable) -> bool:
    """Solve for ``sides`` (IN, OUT: one column each); ``matrix`` (IN) is used up. Returns whether that was possible."""
    size = matrix.shape[0]
    for p in range(size):
        pivot = p
        for row in range(p + 1, size):
            if abs(matrix[row, p]) > abs(matrix[pivot, p]):
                pivot = row
        if matrix[pivot, p] == 0.0 or np.isnan(matrix[pivot, p]):
            return False
        if pivot != p:
            for k in range(size):
                matrix[p, k], matrix[pivot, k] = matrix[pivot, k], matrix[p, k]
            for k in range(sides.shape[1]):
                sides[p, k], sides[pivot, k] = sides[pivot, k], sides[p, k]
        for row in range(p + 1, size):
            factor = matrix[row, p] / matrix[p, p]
            for k in range(p + 1, size):
                matrix[row, k] -= factor * matrix[p, k]
            for k in range(sides.shape[1]):
                sides[row, k] -= factor * sides[p, k]
    for p in range(size - 1, -1, -1):
        for k in range(sides.shape[1]):
            rest = sides[p, k]
            for column in range(p + 1, size):
                rest -= matrix[p, column] * sides[column, k]
            sides[p, k] = rest / matrix[p, p]
    return True
