"""What is compared of the records of a microfile that could take each other's place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.arrays import Codes, Reals
from sfumato.groups.dependencies import along_of
from sfumato.groups.influence import Influence
from sfumato.microfile.attribute import Kind
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.selection import attributes_of, chosen_in

if TYPE_CHECKING:
    from sfumato.groups.mask import GroupMask


def influence_of(settings: GroupMask, microfile: Microfile) -> Influence:
    """Return what it costs that records of a microfile take each other's place."""
    names = influential_names(settings, microfile)
    ordered = [name for name in names if microfile.attribute(name).kind is not Kind.CATEGORICAL]
    others = [name for name in names if name not in ordered]
    microfile.encode_together([*others, *(name for name in ordered if microfile.attribute(name).order)])
    return Influence(
        _rows([_numbers(microfile, name) for name in ordered], microfile.records, np.float64),
        np.array([names[name] for name in ordered]),
        _rows([microfile.encoded(name).codes for name in others], microfile.records, np.int32),
        np.array([names[name] for name in others]),
        kept_codes(settings, microfile),
    )


def influential_names(settings: GroupMask, microfile: Microfile) -> dict[str, float]:
    """Return the attributes whose joint distribution with the parameter matters, and how much."""
    along = along_of(settings, microfile)
    if settings.influential is not None:
        return {name: weight for name, weight in settings.influential.items() if name not in along}
    vital = attributes_of(settings.group.vital, setting="vital")
    # with these, members differ from all others in any case
    own = {*settings.group.parameter, *along, *vital, *settings.identifiers, settings.weight}
    return dict.fromkeys((name for name in microfile.names if name not in own), 1.0)


def kept_codes(settings: GroupMask, microfile: Microfile) -> Codes:
    """Return a number for each combination of what must not change with a place.

    Beside the attributes to keep, these are whom the shares of the signal are counted among: if only like take each
    other's place, the sizes of these do not change.
    """
    rows = [microfile.encoded(name).codes for name in settings.keep]
    for name in ("universe", "other", "other_universe"):
        chosen = getattr(settings, name)
        if chosen is not None:
            inside = chosen_in(microfile, chosen, setting=name)
            if name == "universe":
                # members count in any case
                inside |= settings.group.members(microfile)
            rows.append(inside.astype(np.int32))
    if not rows:
        return np.zeros(microfile.records, dtype=np.int32)
    return np.unique(np.stack(rows), axis=1, return_inverse=True)[1].ravel().astype(np.int32)


def _numbers(microfile: Microfile, name: str) -> Reals:
    """Return numbers whose relative differences make sense: of categories in their order the rank, from 1."""
    if microfile.attribute(name).kind is Kind.ORDINAL:
        codes = microfile.encoded(name).codes
        return np.where(codes < 0, np.nan, codes + 1.0)
    numbers = microfile.numbers(name)
    # days are counted from some day in the past, of which nobody thinks
    return numbers - np.nanmin(numbers) if microfile.series(name).dtype.is_temporal() else numbers


def _rows(rows: list[np.ndarray], records: int, dtype: type) -> np.ndarray:
    return np.stack(rows).astype(dtype) if rows else np.empty((0, records), dtype=dtype)
