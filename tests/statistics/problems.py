"""Small random problems with interval data, and data that lie in the intervals."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

NAMES = ("x", "y", "z")


@dataclass(frozen=True)
class Problem:
    """Bounds of three attributes and weights of at most 12 records."""

    lo: np.ndarray
    hi: np.ndarray
    weights: np.ndarray | None

    @property
    def shares(self) -> np.ndarray:
        weights = np.ones(self.lo.shape[1]) if self.weights is None else self.weights
        return weights.astype(np.longdouble) / weights.astype(np.longdouble).sum()

    @property
    def arguments(self) -> tuple[dict, dict, np.ndarray | None]:
        return dict(zip(NAMES, self.lo, strict=True)), dict(zip(NAMES, self.hi, strict=True)), self.weights

    def data(self, rng: np.random.Generator, *, attributes: int) -> np.ndarray:
        """Return consistent data: all vertices if they are few, else many, and points inside."""
        n = self.lo.shape[1]
        if n * attributes <= 10:
            vertices = np.array(list(itertools.product((0.0, 1.0), repeat=n * attributes)))
        else:
            vertices = rng.integers(0, 2, (400, n * attributes)).astype(float)
            # vertices that split the records along a line are the ones that reach the ends
            direction = rng.normal(size=(200, attributes))
            middles = 0.5 * (self.lo + self.hi)[:attributes]
            centred = middles - middles.mean(axis=1, keepdims=True)
            split = np.sign(direction @ centred)[:, None, :] * np.sign(direction)[:, :, None]
            vertices = np.concatenate([vertices, (split > 0).reshape(200, -1)])
        inside = rng.random((150, n * attributes))
        places = np.concatenate([vertices, inside]).reshape(-1, attributes, n)
        lo, hi = self.lo[:attributes], self.hi[:attributes]
        return np.clip(lo + places * (hi - lo), lo, hi)


def random_problem(rng: np.random.Generator) -> Problem:
    """Make a problem: mixed and zero widths, nested and shared boxes, ties, shifted and scaled, weights."""
    n = int(rng.integers(2, 13))
    centres = rng.normal(size=(3, n))
    kind = rng.integers(0, 5)
    if kind == 1:
        centres = rng.integers(-2, 3, (3, n)).astype(float)
    if rng.random() < 0.4:
        centres[1] = centres[0] * rng.choice([1, -1]) + 0.3 * rng.normal(size=n)
    halves = rng.gamma(0.5, rng.choice([0.02, 0.2, 1.0]), (3, n)) * (rng.random((3, n)) < rng.choice([1, 0.7, 0.3]))
    if rng.random() < 0.1:
        halves[rng.integers(3)] = 0
    if kind == 2:
        shared = rng.integers(0, max(1, n // 2), n)
        centres, halves = centres[:, shared], halves[:, shared]
    if kind == 3:
        centres, halves = np.round(centres, 1), np.round(halves, 1)
    if kind == 4:
        # nested boxes
        centres = np.repeat(centres[:, :1], n, axis=1)
        halves = np.sort(halves, axis=1)
    scale = 10.0 ** rng.integers(-3, 4)
    shift = rng.choice([0.0, 0.0, 1000.0]) * scale
    weights = None if rng.random() < 0.5 else rng.choice([0.0, 0.5, 1.0, 2.0, 3.3], n)
    if weights is not None and not weights.any():
        weights[0] = 1.0
    return Problem((centres - halves) * scale + shift, (centres + halves) * scale + shift, weights)
