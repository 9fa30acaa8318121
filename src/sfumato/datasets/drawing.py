"""Drawing values with given shares, for everybody at once; the checks of what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.arrays import Flags, Reals
from sfumato.errors import SettingError

Small = NDArray[np.int8]
"""One code a record, of few."""


def check_whole(setting: str, given: object, least: int) -> None:
    """Refuse what is no whole number, or less than the least."""
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise SettingError(f"{setting} must be a whole number of at least {least} (given: {given!r})")


def pick(rng: np.random.Generator, shares: Sequence[float], size: int) -> Small:
    """Draw codes, each with its share; shares need not sum to one."""
    return pick_within(rng, np.array([shares]), np.zeros(size, dtype=np.int8))


def pick_within(rng: np.random.Generator, shares: Sequence[Sequence[float]] | Reals, groups: NDArray[Any]) -> Small:
    """Draw codes with the shares of each one's group.

    Parameters
    ----------
    rng
        The source of randomness.
    shares
        Groups x codes; those of a group need not sum to one.
    groups
        The group of each record.
    """
    table = np.cumsum(np.asarray(shares, dtype=np.float64), axis=1)
    limits = (table / table[:, -1:]).astype(np.float32)
    chance = rng.random(groups.size, dtype=np.float32)
    codes = np.zeros(groups.size, dtype=np.int8)
    for limit in limits[:, :-1].T:
        codes += chance >= limit[groups]
    return codes


def happens(rng: np.random.Generator, chances: float | NDArray[Any], size: int) -> Flags:
    """Draw for each record whether something happens, of some chance."""
    flags: Flags = rng.random(size, dtype=np.float32) < chances
    return flags
