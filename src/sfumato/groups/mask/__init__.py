"""The group mask: settings, protection, verification, and what the steward keeps.

Everything is loaded when first used, so that an audit needs no compiled kernels.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.groups.mask.group_audit import HiddenGroupsCheck, group_findings
    from sfumato.groups.mask.group_mask import GroupMask
    from sfumato.groups.mask.household_check import refuse_split
    from sfumato.groups.mask.mask_protection import apply_mask, release_masked, swapped_attributes
    from sfumato.groups.mask.mask_settings import MaskSettings
    from sfumato.groups.mask.mask_task import Masked
    from sfumato.groups.mask.swap_traces import refuse_traces

_HOMES = {
    "GroupMask": "group_mask",
    "MaskSettings": "mask_settings",
    "Masked": "mask_task",
    "apply_mask": "mask_protection",
    "HiddenGroupsCheck": "group_audit",
    "swapped_attributes": "mask_protection",
    "group_findings": "group_audit",
    "refuse_split": "household_check",
    "refuse_traces": "swap_traces",
    "release_masked": "mask_protection",
}

__all__ = [
    "GroupMask",
    "HiddenGroupsCheck",
    "MaskSettings",
    "Masked",
    "apply_mask",
    "group_findings",
    "refuse_split",
    "refuse_traces",
    "release_masked",
    "swapped_attributes",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
