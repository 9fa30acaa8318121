"""CT10's recipe, step by step as printed: new approximation coefficients, a shift, a new scale, rounding.

It is here to reproduce the paper. The shift and the scale take most of the details that the recipe means to keep
(ERRATA 003-3) and the peak need not be hidden (003-7, 003-8);
:func:`~sfumato.groups.reshape.wavelets.reshape_by_wavelet` does what it is for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from numpy.typing import ArrayLike

from sfumato.array_types import Counts, Reals
from sfumato.errors import SettingError
from sfumato.groups.integer_rounding import largest_remainders
from sfumato.groups.reshape.wavelets import DetailProgram
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.groups.thompson_tau import read_values
from sfumato.groups.wavelet_transform import WaveletParts, decompose, synthesis_matrix
from sfumato.kernels.algebra import product

Constraint: TypeAlias = tuple[int, Literal["<=", ">="], float]
"""A place from 0, and which bound its new approximation keeps."""


@dataclass(frozen=True)
class LiteralRecipe:
    """What the recipe's steps give."""

    before: WaveletParts
    """The signal taken apart."""
    approximation: Reals
    """The new one, A-hat."""
    changed: Reals
    """The new approximation with the old details; it may be negative."""
    scale: float
    """What the shifted signal, and with it every detail, is multiplied by."""
    final: Reals
    """The signal shifted and rescaled."""
    counts: Counts | None
    """The same rounded, by largest remainders (ERRATA 003-13), if the total was to stay."""


def literal_recipe(
    values: ArrayLike,
    coefficients: ArrayLike,
    *,
    shift: float,
    rescale: bool = True,
    wavelet: str = "db2",
    level: int = 2,
) -> LiteralRecipe:
    """Follow CT10's recipe (section V).

    Parameters
    ----------
    values
        The signal.
    coefficients
        The new approximation coefficients.
    shift
        What is added so that nothing is negative.
    rescale
        Whether the shifted signal is multiplied by what restores the total, and rounded; the paper does so with its
        quantities, not with its concentrations.
    wavelet, level
        The transform.
    """
    signal, new = read_values(values), read_values(coefficients)
    before = decompose(signal, wavelet, level)
    if new.size != before.coefficients.size:
        raise SettingError(f"{before.coefficients.size} coefficients are needed (given: {new.size})")
    approximation = product(synthesis_matrix(signal.size, wavelet, level), new)
    changed = approximation + before.details
    shifted = changed + shift
    if rescale and (shifted < 0).any():
        raise SettingError(
            f"a shift of {shift:g} leaves negative values", hint=f"shift by {-changed.min():.6g} or more"
        )
    scale = float(signal.sum() / shifted.sum()) if rescale else 1.0
    counts = largest_remainders(shifted * scale, round(float(signal.sum()))) if rescale else None
    return LiteralRecipe(before, approximation, changed, scale, shifted * scale, counts)


def violated(
    size: int,
    coefficients: ArrayLike,
    constraints: Sequence[Constraint],
    *,
    wavelet: str = "db2",
    level: int = 2,
    tolerance: float = 0.0,
) -> tuple[int, ...]:
    """Return the places at which new approximation coefficients break constraints.

    >>> violated(16, [0.0, 0.002, 0.147, 0.025], [(4, ">=", 0.005), (15, "<=", 0.037)])
    (4,)
    """
    approximation = product(synthesis_matrix(size, wavelet, level), read_values(coefficients))
    signs = {"<=": 1.0, ">=": -1.0}
    return tuple(
        place for place, sign, bound in constraints if signs[sign] * (approximation[place] - bound) > tolerance
    )


def lowest_with_details(values: Reals, place: int, *, wavelet: str = "db2", level: int = 2) -> float:
    """Return how low a place can come while all details and the mean stay and nothing gets negative.

    CT10's example cannot hide its peak this way, for it stays at 4319.64 of 4337 (ERRATA 003-4): hiding it is only
    possible by giving up details, which :func:`reshape_by_wavelet` does as little as can be.
    """
    from scipy.optimize import linprog

    matrix, parts = synthesis_matrix(values.size, wavelet, level), decompose(values, wavelet, level)
    found = linprog(
        matrix[place],
        A_ub=-matrix,
        b_ub=parts.details,
        A_eq=matrix.sum(axis=0)[None],
        b_eq=[values.sum() - parts.details.sum()],
        bounds=(None, None),
    )
    return float(found.fun + parts.details[place])


def largest_detail_scale(
    task: Reshaping, reference: int, *, wavelet: str = "db2", level: int = 2
) -> tuple[float, Reals] | None:
    """Return which share of the details can be kept if hidden places stay on their side of a reference place.

    Parameters
    ----------
    task
        The signal and the places.
    reference
        The place that hidden high places are not above.
    wavelet, level
        The transform.

    Returns
    -------
    tuple or None
        The share, and the signal that has it, not rounded; None if there is no such signal.
    """
    return DetailProgram.of(task, wavelet, level).solved((reference, reference), 1.0)
