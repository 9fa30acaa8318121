"""Small exchanges for tests."""

from __future__ import annotations

import numpy as np

from sfumato.groups.swap.swap_cost import Influence
from sfumato.groups.swap.swap_pool import SwapParticipants, gather_participants


def small_file(seed: int, *, records: int = 60, places: int = 5, apart: int = 2) -> tuple:
    """Records of mixed attributes with gaps, some of them nowhere; every place has vital records and others."""
    rng = np.random.default_rng(seed)
    ordinal = rng.integers(-3, 4, (2, records)).astype(float)
    ordinal[rng.random(ordinal.shape) < 0.1] = np.nan
    nominal = rng.integers(-1, 3, (3, records)).astype(np.int32)
    kept = rng.integers(0, apart, records).astype(np.int32)
    influence = Influence(ordinal, np.array([1.0, 0.5]), nominal, np.array([1.0, 2.0, 0.25]), kept)
    home = rng.integers(-1, places, records).astype(np.int32)
    vital = rng.random(records) < 0.4
    home[: 2 * places] = np.repeat(np.arange(places), 2)
    vital[: 2 * places] = np.tile([True, False], places)
    return influence, home, vital


def small_exchange(seed: int, **kwargs: int) -> SwapParticipants:
    influence, places, vital = small_file(seed, **kwargs)
    return gather_participants(influence, places, vital, ~vital, shrinking=[0, 2], growing=[1, 3, 4])


def whole(influence: Influence, exchange: SwapParticipants, one: int, other: int) -> float:
    """What the metric says of two records of the pool."""
    records = exchange.records
    return float(influence.between(records[[one]], records[[other]])[0])
