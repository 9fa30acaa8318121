from .group_audit import HiddenGroupsCheck, group_findings
from .group_mask import GroupMask
from .household_swap_traces import refuse_split
from .mask_protection import apply_mask, release_masked, swapped_attributes
from .mask_settings import MaskSettings
from .mask_task import Masked
from .swap_traces import refuse_traces

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
