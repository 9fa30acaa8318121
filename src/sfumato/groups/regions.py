"""Regions: places that are looked at together, each region's signal by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.errors import SettingError, nearest
from sfumato.groups.group import Group
from sfumato.groups.outliers import FEWEST, outliers
from sfumato.groups.panel import LEVELS, looks_of
from sfumato.groups.signals import Signal
from sfumato.microfile.joining import label_of
from sfumato.microfile.microfile import Microfile


def regions_of(group: Group, microfile: Microfile, region: str) -> tuple[str, ...]:
    """Return the region of each of a group's places.

    Parameters
    ----------
    group, microfile
        Whose places, and where they occur.
    region
        The attribute that tells the region; all records of a place must have the same.
    """
    if region not in microfile.attributes:
        raise SettingError(f"region: there is no column {region!r}", hint=nearest(region, microfile.names))
    places, its = group.places(microfile), microfile.encoded(region)
    known = (places.codes >= 0) & (its.codes >= 0)
    pairs = np.unique(np.stack([places.codes[known], its.codes[known]]), axis=1)
    counts = np.bincount(pairs[0], minlength=len(places.labels))
    if (counts != 1).any():
        several = int((counts > 1).sum())
        what = f"{several:,} places lie in several regions" if several else f"{int((counts < 1).sum()):,} lie in none"
        raise SettingError(
            f"region: {region!r} is not the region of places, for {what}",
            hint="choose an attribute that is the same for everybody of a place",
        )
    return tuple(label_of(its.values.tolist()[code]) for code in pairs[1])


def looks_within(
    signal: Signal,
    regions: Sequence[str] | None,
    *,
    alpha: float,
    robust: bool,
    unit: float | None = None,
    levels: Sequence[float] = LEVELS,
) -> dict[str, tuple[int, ...]]:
    """Return which places each technique finds in the signal of their region, by its name, TC16's first.

    Parameters
    ----------
    signal, regions
        As for :func:`outliers_within`.
    alpha, robust, unit, levels
        As for :func:`~sfumato.groups.panel.looks_of`.
    """
    found: dict[str, list[int]] = {}
    for places in members_of(regions, len(signal)):
        if places.size >= FEWEST:
            for look in looks_of(signal.values[places], alpha=alpha, robust=robust, unit=unit, levels=levels):
                found.setdefault(look.name, []).extend(places[list(look.found)].tolist())
    return {name: tuple(sorted(places)) for name, places in found.items()}


def outliers_within(
    signal: Signal, regions: Sequence[str] | None, *, alpha: float = 0.01, robust: bool = True
) -> tuple[int, ...]:
    """Return which places stand out in the signal of their region; of fewer than three places none does.

    Parameters
    ----------
    signal
        One number a place.
    regions
        The region of each place; None if all are one.
    alpha, robust
        As for :func:`~sfumato.groups.outliers.outliers`.

    Examples
    --------
    >>> signal = Signal(tuple("abcdefghij"), np.array([1, 2, 3, 4, 30, 50, 60, 55, 52, 58]), "quantity")
    >>> outliers_within(signal, ["east"] * 5 + ["west"] * 5)
    (4,)
    """
    found: list[int] = []
    for places in members_of(regions, len(signal)):
        if places.size >= FEWEST:
            found += places[list(outliers(signal.values[places], alpha, robust).indices)].tolist()
    return tuple(sorted(found))


def members_of(regions: Sequence[str] | None, size: int) -> list[np.ndarray]:
    """Return the places of each region, of which there is one if none is told."""
    if regions is None:
        return [np.arange(size)]
    told = np.array(regions)
    return [np.flatnonzero(told == region) for region in dict.fromkeys(regions)]
