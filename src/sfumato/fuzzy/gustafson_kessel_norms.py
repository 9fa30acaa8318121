"""The norms of Gustafson-Kessel sets: the best ones with a given determinant and a bounded condition number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.algebra import eigen, orthogonal, product
from sfumato.kernels.elementary_functions import exponentials, logarithms, powers

ROUNDING = 1e-24
"""Variances below this share of the file's are rounding errors, as in a set whose records are all equal."""


@dataclass(frozen=True)
class Norms:
    """Norms A, one per set."""

    covariances: Reals
    """Sets x attributes x attributes: A is proportional to its inverse."""
    factors: Reals
    """Sets x attributes x attributes: the upper triangular G with A = G'G."""

    @property
    def traces(self) -> float:
        """The sum of the traces of all A."""
        return float((self.factors**2).sum())

    def change_to(self, improved: Norms) -> float:
        """Return the largest relative change of a covariance matrix."""
        changes = ((improved.covariances - self.covariances) ** 2).sum(axis=(1, 2))
        return float(np.sqrt(changes / (self.covariances**2).sum(axis=(1, 2))).max())


def round_norms(volumes: Reals, n_attributes: int) -> Norms:
    """Return the norms of round sets as wide as the file."""
    alike = np.broadcast_to(np.eye(n_attributes), (volumes.size, n_attributes, n_attributes))
    return Norms(alike, alike * powers(volumes, 0.5 / n_attributes)[:, None, None])


def norms_of(scatters: Reals, masses: Reals, volumes: Reals, *, ridge: float, max_condition: float) -> Norms:
    """Return the A that minimize tr(A (S + ridge I)) with det A = volume and a condition of at most max_condition.

    Parameters
    ----------
    scatters
        S, the sums of w u^m (x - v)(x - v)': sets x attributes x attributes.
    masses
        The sums of w u^m.
    volumes
        The determinants.
    """
    n_attributes = scatters.shape[1]
    totals = np.where(masses + ridge > 0.0, masses + ridge, 1.0)[:, None, None]
    decompositions = [eigen(covariance) for covariance in (scatters + ridge * np.eye(n_attributes)) / totals]
    values, vectors = (np.stack(matrices) for matrices in zip(*decompositions, strict=True))
    values = bounded(np.maximum(values, ROUNDING), max_condition)
    # Gustafson and Kessel: A = (rho det F)^(1/n) F^-1
    levels = exponentials(logarithms(values).mean(axis=1)) * powers(volumes, 1.0 / n_attributes)
    roots = np.sqrt(levels[:, None] / values)[:, None, :] * vectors
    return Norms(
        np.stack([product(axes * lengths, axes.T) for axes, lengths in zip(vectors, values, strict=True)]),
        np.stack([orthogonal(root)[1] for root in roots]),
    )


def bounded(values: Reals, max_condition: float) -> Reals:
    """Clip positive eigenvalues, ascending, one row per matrix, so that the condition number is at most max_condition.

    Of all matrices F within that bound, F with these eigenvalues minimizes tr(F^-1 S) + ln det F, where S has the given
    ones; so its inverse, scaled to a determinant, minimizes tr(A S) (Won, Lim, Kim and Rajaratnam 2013). Where an
    interval [t, t max_condition] clips the ``low`` smallest and the ``high`` largest of n eigenvalues, the best t is
    their mean, the largest divided by max_condition; all such t are tried.

    >>> bounded(np.array([[1e-9, 1.0], [1.0, 2.0]]), 10.0).round(3).tolist()
    [[0.05, 0.5], [1.0, 2.0]]
    """
    clipped = values.copy()
    for row in np.flatnonzero(values[:, -1] > values[:, 0] * max_condition):
        clipped[row] = _clipped(values[row], max_condition)
    return clipped


def _clipped(values: Reals, max_condition: float) -> Reals:
    below = np.concatenate([[0.0], np.cumsum(values)])
    low, high = np.triu_indices(values.size + 1)
    clipped = low + values.size - high
    low, high, clipped = low[clipped > 0], high[clipped > 0], clipped[clipped > 0]
    ends = (below[low] + (below[-1] - below[high]) / max_condition) / clipped
    ends = ends[ends > 0.0][:, None]
    tried = np.clip(values, ends, ends * max_condition)
    best: Reals = tried[np.argmin((values / tried + logarithms(tried)).sum(axis=1))]
    return best
