"""The household check: swapped records must not be recognisable among the people they live with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.errors import SettingError
from sfumato.measures import group, homes_of, sharing_of
from sfumato.microfile import Microfile
from sfumato.release import Codebook


def refuse_split(before: Microfile, after: Microfile, parameter: Sequence[str], codebook: Codebook) -> None:
    """Refuse a release with an attribute, such as a household's number, whose records had one place and now have two.

    Everybody could then see who was swapped.

    Parameters
    ----------
    before, after
        The file before and after places were swapped.
    parameter
        The attributes that give the place.
    codebook
        The codebook of the release.
    """
    if any(name not in codebook.attributes for name in parameter):
        # places are not released
        return
    were, are = (group([file.encoded(name) for name in parameter]) for file in (before, after))
    nobody = np.zeros(before.records, dtype=np.bool_)
    if np.array_equal(were.codes[were.numbers], are.codes[are.numbers]):
        return
    for name, entry in codebook.attributes.items():
        if name in parameter or name not in before.attributes or not entry.form.exact:
            continue
        # an attribute that determines the place has more values than places, and a shared one fewer than records
        if not len(were) < before.series(name).n_unique() < before.records:
            continue
        homes = homes_of(before.encoded(name))
        if not sharing_of(homes, were.numbers, nobody).shared:
            continue
        if split := sharing_of(homes, are.numbers, nobody).differing:
            raise SettingError(
                f"identifiers: {name!r} would show who was swapped: all records with the same {name!r} had the same "
                f"place, and in {split:,} of its values they no longer do",
                hint=f"name {name!r} in identifiers; boxes count households without releasing their numbers",
                setting="identifiers",
                column=name,
            )
