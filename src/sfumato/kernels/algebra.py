"""Matrices: products, least squares, eigenvalues and singular values, the same to the last digit on every machine.

Libraries for linear algebra choose the order of their sums by the processor's vectors and the number of threads, so
that their last digits differ, and with them whatever is decided by comparing. Here every sum has one order. The
methods are those for small matrices: Gram-Schmidt twice, Jacobi's rotations, elimination with pivots.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.array_types import Reals

SHORT = 32
"""Sums of up to this number of terms are added term by term, for all columns side by side."""


def dot(first: Any, second: Any) -> float:
    """Return the sum of the products of two rows of numbers.

    >>> dot([1.0, 2.0], [3.0, 4.0])
    11.0
    """
    return float(product(np.asarray(first)[None], second)[0])


def product(left: Any, right: Any) -> Reals:
    """Return ``left @ right`` of two matrices, or of a matrix and a vector.

    >>> product([[1.0, 2.0]], [[1.0, 0.0], [3.0, 1.0]]).tolist()
    [[7.0, 2.0]]
    """
    from sfumato.kernels.matrices import mix_rows, multiply

    first, second = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    rows, columns = np.atleast_2d(first), second[:, None] if second.ndim == 1 else second
    if first.ndim + second.ndim < 3 or rows.shape[1] != columns.shape[0]:
        raise ValueError(f"shapes {first.shape} and {second.shape} do not fit")
    products = np.zeros((rows.shape[0], columns.shape[1]))
    if rows.shape[1] <= SHORT < columns.shape[1]:
        mix_rows(_plain(rows), _plain(columns), products)
    else:
        multiply(_plain(rows), _plain(columns.T), products)
    return products[0] if first.ndim == 1 else products[:, 0] if second.ndim == 1 else products


def _plain(numbers: Any) -> Reals:
    """Return numbers in one kind of array, so that kernels are compiled once."""
    plain = np.ascontiguousarray(numbers, dtype=np.float64)
    return plain if plain.flags.writeable else plain.copy()


def orthogonal(rows: Any) -> tuple[Reals, Reals]:
    """Return orthogonal rows Q and the upper triangular R with rows = (Q' R)'.

    There must be at least as many columns as rows. The diagonal of R is not negative.
    """
    from sfumato.kernels.matrices import orthogonalize

    directions = np.array(rows, dtype=np.float64, order="C")
    triangle = np.zeros((len(directions), len(directions)))
    orthogonalize(directions, triangle)
    return directions, triangle


def eigen(matrix: Any) -> tuple[Reals, Reals]:
    """Return the eigenvalues of a symmetric matrix in rising order, and the eigenvectors in the columns.

    The largest component of each vector, the first of several, is positive.

    >>> values, vectors = eigen([[2.0, 1.0], [1.0, 2.0]])
    >>> values.round(12).tolist(), vectors.round(6).tolist()
    ([1.0, 3.0], [[0.707107, 0.707107], [-0.707107, 0.707107]])
    """
    from sfumato.kernels.matrices import diagonalize

    work = np.array(matrix, dtype=np.float64, order="C")
    if not np.isfinite(work).all():
        raise np.linalg.LinAlgError("the matrix is not finite")
    rows = np.eye(len(work))
    diagonalize(work, rows)
    values = np.diagonal(work)
    order = np.argsort(values, kind="stable")
    return values[order], _turned(rows[order]).T


def _turned(rows: Reals) -> Reals:
    """Turn vectors so that the largest component of each, the first of several, is positive."""
    largest = rows[np.arange(len(rows)), np.argmax(abs(rows), axis=1)]
    return rows * np.where(largest < 0, -1.0, 1.0)[:, None]


def singular(matrix: Any) -> tuple[Reals, Reals, Reals]:
    """Return the singular values s of A in falling order, and U s and V of A = U s V' in the columns.

    >>> lengths, _, directions = singular([[3.0, 0.0], [0.0, 4.0]])
    >>> lengths.tolist(), directions.tolist()
    ([4.0, 3.0], [[0.0, 1.0], [1.0, 0.0]])
    """
    from sfumato.kernels.matrices import align

    columns = np.array(np.asarray(matrix, dtype=np.float64).T, order="C")
    if not np.isfinite(columns).all():
        raise np.linalg.LinAlgError("the matrix is not finite")
    vectors = np.eye(len(columns))
    align(columns, vectors)
    lengths = np.sqrt((columns * columns).sum(axis=1))
    order = np.argsort(-lengths, kind="stable")
    signs = np.sign((_turned(vectors) * vectors).sum(axis=1))
    return lengths[order], (columns * signs[:, None])[order].T, (vectors * signs[:, None])[order].T


def pseudo_inverse(matrix: Any, rcond: float = 1e-15) -> Reals:
    """Return the inverse of Moore and Penrose; singular values below ``rcond`` times the largest count as 0."""
    lengths, stretched, directions = singular(matrix)
    significant = lengths > rcond * lengths.max(initial=0.0)
    return product(
        directions[:, significant] / lengths[significant], (stretched[:, significant] / lengths[significant]).T
    )


def least_squares(design: Any, targets: Any) -> Reals:
    """Return the least-squares coefficients of least norm, one column per target.

    A design has at least as many rows as columns.
    """
    rows = np.asarray(design, dtype=np.float64).T
    directions, triangle = orthogonal(rows)
    coefficients: Reals = product(
        pseudo_inverse(triangle, rcond=float(np.finfo(np.float64).eps) * max(rows.shape)), product(directions, targets)
    )
    return coefficients


def solve(matrix: Any, side: Any) -> Reals:
    """Return x of A x = b, for one b or for one b per column; ``numpy.linalg.LinAlgError`` if A is singular.

    >>> solve([[2.0, 0.0], [1.0, 4.0]], [2.0, 9.0]).tolist()
    [1.0, 2.0]
    """
    from sfumato.kernels.matrices import eliminate

    sides = np.asarray(side, dtype=np.float64)
    solution = np.array(sides[:, None] if sides.ndim == 1 else sides, order="C")
    if not eliminate(np.array(matrix, dtype=np.float64, order="C"), solution):
        raise np.linalg.LinAlgError("the matrix is singular")
    return solution[:, 0] if sides.ndim == 1 else solution


def inverse(matrix: Any) -> Reals:
    """Return the inverse; ``numpy.linalg.LinAlgError`` if there is none."""
    return solve(matrix, np.eye(len(matrix)))
