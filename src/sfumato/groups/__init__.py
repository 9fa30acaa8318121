"""Groups: their signals over places, and masks that hide what these would tell."""

from sfumato.groups.group import Group
from sfumato.groups.mask import GroupMask

__all__ = ["Group", "GroupMask"]
