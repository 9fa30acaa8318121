"""Swaps of places between records that bring about a new signal at the least cost.

Everything is loaded when first used, so that settings need no compiled kernels.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.groups.swap.greedy_swaps import swap_greedily
    from sfumato.groups.swap.memetic_search import evolve_swaps
    from sfumato.groups.swap.memetic_settings import Evolution, Individual, Memetic, validity
    from sfumato.groups.swap.optimal_swaps import Swaps, swap_exactly, unproven
    from sfumato.groups.swap.swap_cost import Influence, influence_in
    from sfumato.groups.swap.swap_fitness import PlaceRestriction, Restriction

_HOMES = {
    "Evolution": "memetic_settings",
    "Individual": "memetic_settings",
    "Influence": "swap_cost",
    "Memetic": "memetic_settings",
    "PlaceRestriction": "swap_fitness",
    "Restriction": "swap_fitness",
    "Swaps": "optimal_swaps",
    "evolve_swaps": "memetic_search",
    "influence_in": "swap_cost",
    "swap_exactly": "optimal_swaps",
    "swap_greedily": "greedy_swaps",
    "unproven": "optimal_swaps",
    "validity": "memetic_settings",
}

__all__ = [
    "Evolution",
    "Individual",
    "Influence",
    "Memetic",
    "PlaceRestriction",
    "Restriction",
    "Swaps",
    "evolve_swaps",
    "influence_in",
    "swap_exactly",
    "swap_greedily",
    "unproven",
    "validity",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
