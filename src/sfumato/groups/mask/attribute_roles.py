"""The roles of attributes when places are swapped: which move with the place, which cost, which must not change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.array_types import Codes
from sfumato.groups.mask.mask_settings import MaskSettings
from sfumato.groups.swap.swap_cost import Influence, influence_in
from sfumato.measures import group_codes
from sfumato.microfile import Microfile
from sfumato.record_filter import attributes_of, chosen_in

EVIDENCE = 30
"""An attribute counts as describing the place only if at least this many records could have contradicted it."""


def moving_attributes(settings: MaskSettings, microfile: Microfile) -> tuple[str, ...]:
    """Return the attributes that move with the place: those of the settings, or all that have one value per place."""
    if settings.along is not None:
        return tuple(settings.along)
    selecting = [
        name for setting, selection in settings.selections() for name in attributes_of(selection, setting=setting)
    ]
    excluded = {*settings.group.parameter, *settings.identifiers, *settings.keep, *selecting, settings.weight}
    places = joint_codes(microfile, settings.group.parameter)
    place_sizes = np.bincount(places)
    if microfile.records - int((place_sizes > 0).sum()) < EVIDENCE:
        return ()
    return tuple(name for name in microfile.names if name not in excluded and _describes(microfile, name, places))


def _describes(microfile: Microfile, name: str, places: Codes) -> bool:
    """Say whether all records of a place have the same value of an attribute, but not all places the same."""
    codes = microfile.encoded(name).with_missing()
    by_place = np.zeros(int(places.max()) + 1, dtype=codes.dtype)
    by_place[places] = codes
    return bool((by_place[places] == codes).all()) and bool((codes != codes[0]).any())


def influential_attributes(settings: MaskSettings, microfile: Microfile) -> dict[str, float]:
    """Return the attributes whose joint distribution with the parameter matters, with their importance."""
    moving = moving_attributes(settings, microfile)
    if settings.influential is not None:
        return {name: importance for name, importance in settings.influential.items() if name not in moving}
    vital = attributes_of(settings.group.vital, setting="vital")
    # members differ from everybody else in the vital attributes in any case
    excluded = {*settings.group.parameter, *moving, *vital, *settings.identifiers, settings.weight}
    return dict.fromkeys((name for name in microfile.names if name not in excluded), 1.0)


def influence_of(settings: MaskSettings, microfile: Microfile) -> Influence:
    """Return what it costs that records of a microfile swap their places."""
    importances = influential_attributes(settings, microfile)
    return influence_in(microfile, importances, swap_classes(settings, microfile))


def swap_classes(settings: MaskSettings, microfile: Microfile) -> Codes:
    """Return a code for each combination of what must not change with the place.

    Besides the attributes to keep, this is membership in the universes and in the other group: if only records that
    agree in it swap their places, the denominators of the signal's shares do not change.
    """
    rows = [microfile.encoded(name).codes for name in settings.keep]
    for name in ("universe", "other", "other_universe"):
        selection = getattr(settings, name)
        if selection is not None:
            inside = chosen_in(microfile, selection, setting=name)
            if name == "universe":
                # members always count
                inside |= settings.group.members(microfile)
            rows.append(inside.astype(np.int32))
    if not rows:
        return np.zeros(microfile.records, dtype=np.int32)
    return np.unique(np.stack(rows), axis=1, return_inverse=True)[1].ravel().astype(np.int32)


def joint_codes(microfile: Microfile, names: Sequence[str]) -> Codes:
    """Return a code for each combination of some attributes; missing is a value too."""
    return combined_codes([microfile.encoded(name).with_missing() for name in names])


def combined_codes(columns: Sequence[Codes]) -> Codes:
    """Return a code for each combination of coded columns."""
    return columns[0] if len(columns) == 1 else group_codes(columns, [n_codes(codes) for codes in columns])[0]


def n_codes(codes: Codes) -> int:
    """Return the number of codes, from 0 to the largest."""
    return int(codes.max()) + 1
