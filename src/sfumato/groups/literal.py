"""CT10's recipe, step by step as printed: new approximation coefficients, a shift, a new scale, rounding.

It is here to reproduce the paper. The shift and the scale take most of the details that the recipe means to keep
(ERRATA 003-3) and the peak need not be hidden (003-7, 003-8); :func:`~sfumato.groups.wavelets.reshape_by_wavelet`
does what it is for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from numpy.typing import ArrayLike

from sfumato.arrays import Counts, Reals
from sfumato.errors import SettingError
from sfumato.groups.outliers import read_values
from sfumato.groups.rounding import largest_remainders
from sfumato.groups.wavelets import Parts, synthesis_matrix, taken_apart
from sfumato.kernels.algebra import product

Constraint: TypeAlias = tuple[int, Literal["<=", ">="], float]
"""A place from 0, and which bound its new approximation keeps."""


@dataclass(frozen=True)
class LiteralRecipe:
    """What the recipe's steps give."""

    before: Parts
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
    before = taken_apart(signal, wavelet, level)
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
