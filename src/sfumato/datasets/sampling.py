"""Random draws with given shares for all records at once, and checks of arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.array_types import Flags, Reals
from sfumato.errors import SettingError

Small = NDArray[np.int8]
"""One code per record, of a small number of codes."""


def check_whole(setting: str, value: object, least: int) -> None:
    """Refuse a value that is not a whole number, or too small."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise SettingError(f"{setting} must be a whole number of at least {least} (given: {value!r})", setting=setting)


def pick(rng: np.random.Generator, shares: Sequence[float], size: int) -> Small:
    """Draw codes with the given shares, which need not sum to one."""
    return pick_within(rng, np.array([shares]), np.zeros(size, dtype=np.int8))


def pick_within(rng: np.random.Generator, shares: Sequence[Sequence[float]] | Reals, groups: NDArray[Any]) -> Small:
    """Draw codes with the shares of each record's group.

    Parameters
    ----------
    rng
        The source of randomness.
    shares
        Groups x codes; the shares of a group need not sum to one.
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
    """Draw for each record whether an event happens, with the given probability."""
    flags: Flags = rng.random(size, dtype=np.float32) < chances
    return flags
