"""Parting the records by what they lack, so that every part can keep the limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.arrays import Flags
from sfumato.boxes.axes import Axis
from sfumato.boxes.checks import Unattainable, counted, refuse_lost, rules_of, unattainable
from sfumato.boxes.limits import Rule
from sfumato.boxes.quarters import Homes
from sfumato.boxes.strata import Strata
from sfumato.errors import SettingError, UnattainableError
from sfumato.microfile.microfile import Microfile

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes


def strata_of(
    settings: Boxes, microfile: Microfile, axes: list[Axis], rules: list[Rule], homes: Homes | None
) -> tuple[Strata, Flags]:
    """Part the records by what they lack, and see that every part can keep the limits.

    Those of released households are parted by what all members lack, and further only where it is known who is near.
    """
    strata, broken = _parted(settings, microfile, axes, rules, homes)
    kept = ~broken[strata.numbers]
    if not _enough(settings, microfile, kept):

        def works(changed: dict[str, Any]) -> bool:
            try:
                other = settings.changed(**changed)
                parted, wrong = _parted(other, microfile, axes, rules_of(other, microfile, axes), homes)
                refuse_lost(axes, parted.lacking[~wrong])
            except (SettingError, UnattainableError):
                return False
            return _enough(other, microfile, ~wrong[parted.numbers])

        raise unattainable(settings, microfile, counted(rules, axes, strata), strata).error(axes, broken, works)
    refuse_lost(axes, strata.lacking[~broken])
    return strata, kept


def _enough(settings: Boxes, microfile: Microfile, kept: Flags) -> bool:
    """Whether no more records are left out than may be."""
    return bool(kept.any()) and microfile.records - int(kept.sum()) <= allowed(settings, microfile)


def _parted(
    settings: Boxes, microfile: Microfile, axes: list[Axis], rules: list[Rule], homes: Homes | None
) -> tuple[Strata, Flags]:
    """Part the records by what they lack; also return which parts break a limit."""
    seen = axes if homes is None else homes.only_shared(axes)
    strata = Strata.of(seen)

    def measured(some: Strata) -> Unattainable:
        return unattainable(settings, microfile, counted(rules, axes, some), some)

    def breaking(some: Strata) -> Flags:
        few: Flags = some.sizes < settings.k
        return few if few.any() or not rules else few | measured(some).broken

    if settings.missing == "merged":
        strata = strata.merged(breaking, seen, settings.k, None if homes is None else homes.numbers)
    return strata, _left_out(settings, microfile, strata, measured(strata).broken) if rules else breaking(strata)


def _left_out(settings: Boxes, microfile: Microfile, strata: Strata, broken: Flags) -> Flags:
    """Return which strata break limits if those are left out: what is left is the table that t measures from."""
    while settings.t is not None and broken.any() and not broken.all():
        rest = Strata(strata.lacking[~broken], (np.cumsum(~broken) - 1)[strata.numbers[~broken[strata.numbers]]])
        further = unattainable(settings, microfile.filter(~broken[strata.numbers]), (), rest).broken
        if not further.any():
            break
        broken = broken.copy()
        broken[~broken] = further
    return broken


def allowed(settings: Boxes, microfile: Microfile) -> int:
    """Return how many records may be left out; 0.29 of 100 are 29, though not in binary numbers."""
    return int(settings.suppress * microfile.records * (1.0 + 1e-12))
