"""Groups: their signals over places, and masks that hide what these would reveal.

The rooms, from the top: :mod:`~sfumato.groups.mask` (the protection), :mod:`~sfumato.groups.swap` and
:mod:`~sfumato.groups.reshape` (its two steps), :mod:`~sfumato.groups.proof` (proofs of minimality); below them the
group, its signals and its outliers. Everything is loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.groups.adversary_view import VITAL_ATTRIBUTES, Adversary, AdversaryView
    from sfumato.groups.group import Group, PlaceNames, Places, nest_group_settings
    from sfumato.groups.mask import (
        GroupMask,
        HiddenGroupsCheck,
        Masked,
        apply_mask,
        group_findings,
        refuse_split,
        refuse_traces,
        release_masked,
        swapped_attributes,
    )
    from sfumato.groups.outlier_panel import among_highest, chance_correlation, correlation, crowded_at_top
    from sfumato.groups.regions import detected_within, outliers_within, places_by_region, regions_of
    from sfumato.groups.signals import Signal
    from sfumato.groups.swap.memetic_settings import Memetic
    from sfumato.groups.thompson_tau import Outliers, outliers

_HOMES = {
    "Adversary": "adversary_view",
    "AdversaryView": "adversary_view",
    "Group": "group",
    "GroupMask": "mask",
    "Masked": "mask",
    "Memetic": "swap.memetic_settings",
    "Outliers": "thompson_tau",
    "PlaceNames": "group",
    "Places": "group",
    "Signal": "signals",
    "VITAL_ATTRIBUTES": "adversary_view",
    "among_highest": "outlier_panel",
    "apply_mask": "mask",
    "HiddenGroupsCheck": "mask",
    "chance_correlation": "outlier_panel",
    "correlation": "outlier_panel",
    "crowded_at_top": "outlier_panel",
    "detected_within": "regions",
    "swapped_attributes": "mask",
    "group_findings": "mask",
    "nest_group_settings": "group",
    "outliers": "thompson_tau",
    "outliers_within": "regions",
    "places_by_region": "regions",
    "refuse_split": "mask",
    "refuse_traces": "mask",
    "regions_of": "regions",
    "release_masked": "mask",
}

__all__ = [
    "VITAL_ATTRIBUTES",
    "Adversary",
    "AdversaryView",
    "Group",
    "GroupMask",
    "HiddenGroupsCheck",
    "Masked",
    "Memetic",
    "Outliers",
    "PlaceNames",
    "Places",
    "Signal",
    "among_highest",
    "apply_mask",
    "chance_correlation",
    "correlation",
    "crowded_at_top",
    "detected_within",
    "group_findings",
    "nest_group_settings",
    "outliers",
    "outliers_within",
    "places_by_region",
    "refuse_split",
    "refuse_traces",
    "regions_of",
    "release_masked",
    "swapped_attributes",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
