"""How a child may differ from what its parents hand on; the child is changed in place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.arrays import Counts


def reset_randomly(
    genes: NDArray[Any], low: Counts | int, high: Counts | int, *, chance: float, rng: np.random.Generator
) -> None:
    """Give each gene, with a small chance, a new value: each one allowed is as likely (Eiben and Smith 2015, p. 43).

    Parameters
    ----------
    genes
        (IN, OUT) whole numbers.
    low, high
        The least value that each gene may have, and the first beyond those; they broadcast to the genes.
    chance
        How likely each gene is reset.
    """
    reset = rng.random(genes.shape) < chance
    if reset.any():
        lows, highs = np.broadcast_to(low, genes.shape)[reset], np.broadcast_to(high, genes.shape)[reset]
        genes[reset] = rng.integers(lows, highs)


def swap_two(genes: NDArray[Any], *, chance: float, rng: np.random.Generator) -> None:
    """Let two genes of a list, with a small chance, take each other's place (Syswerda 1991).

    Parameters
    ----------
    genes
        (IN, OUT) a list of genes, or of rows of them.
    chance
        How likely it is that two of the list are exchanged.
    """
    if rng.random() < chance and len(genes) > 1:
        one, other = rng.choice(len(genes), 2, replace=False)
        genes[[one, other]] = genes[[other, one]]
