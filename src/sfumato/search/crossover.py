"""What two parents hand on."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Genes = TypeVar("Genes", bound=NDArray[Any])


def uniform_crossover(
    ones: Genes, others: Genes, *, chance: float = 0.5, rng: np.random.Generator
) -> tuple[Genes, Genes]:
    """Exchange each gene of two parents, or of as many pairs of them as there are, with a chance (Syswerda 1989).

    Parameters
    ----------
    ones, others
        Genes of the parents, of the same shape.
    chance
        How likely each gene is exchanged.
    """
    exchanged = rng.random(ones.shape) < chance
    return np.where(exchanged, others, ones), np.where(exchanged, ones, others)  # type: ignore[return-value]  # both are of the kind that came in


def tail_crossover(one: Genes, other: Genes, *, rng: np.random.Generator) -> tuple[Genes, Genes]:
    """Cut two lists, each at a point of its own, and exchange their tails; the children's lengths differ from theirs.

    Parameters
    ----------
    one, other
        The parents: lists of genes, or of rows of them.
    """
    here, there = int(rng.integers(0, len(one) + 1)), int(rng.integers(0, len(other) + 1))
    first = np.concatenate([one[:here], other[there:]])
    second = np.concatenate([other[:there], one[here:]])
    return first, second  # type: ignore[return-value]  # both are of the kind that came in
