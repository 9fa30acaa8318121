"""Operators of evolutionary algorithms: selection, crossover, mutation, survival; pure functions on arrays."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.array_types import Counts, Reals

Genes = TypeVar("Genes", bound=NDArray[Any])


def linear_scaling(fitness: Reals, *, multiple: float = 2.0) -> Reals:
    """Scale fitness linearly so that the mean stays and the fittest gets a multiple of it (Goldberg 1989, p. 79).

    In early generations, this keeps a few outstanding individuals from taking over; in later ones, it distinguishes
    individuals of nearly equal fitness. Where the least fit would become negative, the slope is reduced so that it gets
    zero and the mean still stays.

    Parameters
    ----------
    fitness
        One nonnegative number per individual.
    multiple
        The scaled fitness of the fittest, in units of the mean; more than one.

    Examples
    --------
    >>> linear_scaling(np.array([4.0, 5.0, 6.0]), multiple=1.2)
    array([4., 5., 6.])
    >>> linear_scaling(np.array([4.0, 5.0, 6.0]))
    array([ 0.,  5., 10.])
    >>> linear_scaling(np.array([2.0, 8.0, 8.0]))
    array([0., 9., 9.])
    """
    low, mean, high = float(fitness.min()), float(fitness.mean()), float(fitness.max())
    if high <= low:
        return fitness.copy()
    if low * (multiple - 1.0) > multiple * mean - high:
        slope = (multiple - 1.0) * mean / (high - mean)
    else:
        slope = mean / (mean - low)
    # rounding errors can push the least fit slightly below zero
    return np.maximum(mean + slope * (fitness - mean), 0.0)


def tournament(fitness: Reals, count: int, *, size: int, rng: np.random.Generator) -> Counts:
    """Select parents by tournaments: the fittest of ``size`` individuals drawn with replacement wins.

    Ties are won by the individual that was drawn first. Only the order of fitness matters, so scaling has no effect.

    Parameters
    ----------
    fitness
        One number per individual.
    count
        The number of winners.
    size
        The number of individuals in each tournament.
    rng
        The source of randomness.
    """
    drawn = rng.integers(0, fitness.size, (count, size))
    winners: Counts = drawn[np.arange(count), fitness[drawn].argmax(axis=1)]
    return winners


def roulette(weights: Reals, count: int, *, rng: np.random.Generator) -> Counts:
    """Select parents with probability proportional to their weights, with replacement; uniformly if all are zero.

    Parameters
    ----------
    weights
        One nonnegative number per individual, such as scaled fitness.
    count
        The number of parents.
    rng
        The source of randomness.
    """
    total = weights.sum()
    return rng.choice(weights.size, count, p=weights / total if total > 0 else None)


def uniform_crossover(
    first: Genes, second: Genes, *, chance: float = 0.5, rng: np.random.Generator
) -> tuple[Genes, Genes]:
    """Exchange each gene between two parents with a given probability (Syswerda 1989).

    Parameters
    ----------
    first, second
        Genes of one pair of parents, or of several pairs; both arrays have the same shape.
    chance
        The probability that a gene is exchanged.
    rng
        The source of randomness.
    """
    exchanged = rng.random(first.shape) < chance
    return np.where(exchanged, second, first), np.where(exchanged, first, second)  # type: ignore[return-value]  # arrays of the same type as the parents


def tail_crossover(first: Genes, second: Genes, *, rng: np.random.Generator) -> tuple[Genes, Genes]:
    """Cut two lists at independent points and exchange their tails; the lengths of the children may differ.

    Parameters
    ----------
    first, second
        The parents: lists of genes, or of rows of genes.
    rng
        The source of randomness.
    """
    first_cut, second_cut = int(rng.integers(0, len(first) + 1)), int(rng.integers(0, len(second) + 1))
    children = (
        np.concatenate([first[:first_cut], second[second_cut:]]),
        np.concatenate([second[:second_cut], first[first_cut:]]),
    )
    return children  # type: ignore[return-value]  # arrays of the same type as the parents


def reset_randomly(
    genes: NDArray[Any], low: Counts | int, high: Counts | int, *, chance: float, rng: np.random.Generator
) -> None:
    """Mutate each gene with a given probability to a uniformly drawn value (Eiben and Smith 2015, p. 43).

    Parameters
    ----------
    genes
        (IN, OUT) whole numbers.
    low, high
        The smallest allowed value of each gene, and one more than the largest; they broadcast to the genes.
    chance
        The probability that a gene is reset.
    rng
        The source of randomness.
    """
    reset = rng.random(genes.shape) < chance
    if reset.any():
        lows, highs = np.broadcast_to(low, genes.shape)[reset], np.broadcast_to(high, genes.shape)[reset]
        genes[reset] = rng.integers(lows, highs)


def swap_two(genes: NDArray[Any], *, chance: float, rng: np.random.Generator) -> None:
    """Exchange two randomly chosen genes of a list with a given probability (Syswerda 1991).

    Parameters
    ----------
    genes
        (IN, OUT) a list of genes, or of rows of genes.
    chance
        The probability of an exchange.
    rng
        The source of randomness.
    """
    if rng.random() < chance and len(genes) > 1:
        first, second = rng.choice(len(genes), 2, replace=False)
        genes[[first, second]] = genes[[second, first]]


def survivors(fitness: Reals, count: int) -> Counts:
    """Select the fittest individuals, in descending order of fitness; ties keep their order.

    If parents and children compete together, the best fitness never decreases between generations.

    Parameters
    ----------
    fitness
        One number per individual.
    count
        The number of survivors.

    Examples
    --------
    >>> survivors(np.array([0.2, 0.9, 0.4, 0.9]), 3)
    array([1, 3, 2])
    """
    return np.argsort(-fitness, kind="stable")[:count]
