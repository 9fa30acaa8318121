from .adversary_view import VITAL_ATTRIBUTES, Adversary, AdversaryView
from .group import Group, PlaceNames, Places, nest_group_settings
from .mask import (
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
from .outlier_panel import among_highest, chance_correlation, correlation, crowded_at_top
from .regional_signals import detected_within, outliers_within, places_by_region, regions_of
from .signals import Signal
from .swap.memetic_settings import Memetic
from .thompson_tau import Outliers, outliers

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
