"""Which settings of a mask go together: what would have no effect is refused, and what could not be brought about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sfumato.errors import SettingError
from sfumato.microfile.selection import Chosen, attributes_of

if TYPE_CHECKING:
    from sfumato.groups.mask import GroupMask

NEEDS = {
    "wavelet": ("reshape", "wavelet"),
    "level": ("reshape", "wavelet"),
    "decoys": ("reshape", "decoy"),
    "restrictions": ("swap", "memetic"),
    "memetic": ("swap", "memetic"),
}
"""Settings that have an effect only with one value of another."""


def choices_of(mask: GroupMask) -> Iterator[tuple[str, Chosen]]:
    """Return by what people are chosen, each with the setting that says so."""
    yield "vital", mask.group.vital
    for name in ("universe", "other", "other_universe"):
        if (chosen := getattr(mask, name)) is not None:
            yield name, chosen
    yield from (("spare", chosen) for chosen in mask.spare)


def check_together(mask: GroupMask) -> None:
    """Refuse settings that have no effect beside the others, or that no exchange could obey."""
    for name, (other, value) in NEEDS.items():
        if _is_given(mask, name) and getattr(mask, other) != value:
            raise SettingError(
                f"{name}: this has no effect unless {other} = {value!r} (given: {getattr(mask, other)!r})",
                hint=f"leave it out, or say {other} = {value!r}",
            )
    if mask.target is not None and "reshape" in mask.model_fields_set:
        raise SettingError(
            "reshape: this has no effect beside a target, which says what is wanted", hint="leave one out"
        )
    if mask.weight in mask.group.parameter:
        raise SettingError("weight: this is the parameter, whose values are exchanged", hint="name another attribute")
    moving = set(mask.along or ())
    for name, chosen in choices_of(mask):
        if both := moving.intersection(attributes_of(chosen, setting=name)):
            raise SettingError(
                f"along: {min(both)!r} says who is meant by {name}, so that it cannot move with the place",
                hint="leave it out",
            )
    for name, others in (("keep", mask.keep), ("influential", tuple(mask.influential or ()))):
        if both := moving.intersection(others):
            raise SettingError(
                f"along: {min(both)!r} moves with the place, so that it has no effect in {name}", hint="leave one out"
            )
    if mask.weight in moving or moving.intersection(mask.identifiers):
        raise SettingError("along: weights and identifiers cannot move with the place", hint="leave them out")
    vital = attributes_of(mask.group.vital, setting="vital")
    if set(vital) <= set(mask.keep):
        raise SettingError(
            f"keep: members differ from all others in {' and '.join(map(repr, vital))}, so that no member could be "
            "exchanged for somebody else",
            hint="keep attributes that members and others can share",
        )


def _is_given(mask: GroupMask, name: str) -> bool:
    """Say whether a setting was given, and not as nothing."""
    value = getattr(mask, name)
    return name in mask.model_fields_set and bool(value.model_fields_set if name == "memetic" else value)
