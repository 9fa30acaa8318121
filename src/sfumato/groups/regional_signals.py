"""Regions: places that are judged together, each region with its own signal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.errors import SettingError, nearest
from sfumato.groups.group import Group
from sfumato.groups.outlier_panel import LEVELS, detections
from sfumato.groups.signals import Signal
from sfumato.groups.thompson_tau import FEWEST, outliers
from sfumato.microfile import Microfile, label_of


def regions_of(group: Group, microfile: Microfile, region: str) -> tuple[str, ...]:
    """Return the region of each of a group's places.

    Parameters
    ----------
    group, microfile
        The group, and the file with its places.
    region
        The attribute that gives the region; all records of a place must have the same.
    """
    if region not in microfile.attributes:
        raise SettingError(
            f"region: unknown column {region!r}",
            hint=nearest(region, microfile.names),
            setting="region",
            column=region,
        )
    places, encoded = group.places(microfile), microfile.encoded(region)
    located = (places.codes >= 0) & (encoded.codes >= 0)
    pairs = np.unique(np.stack([places.codes[located], encoded.codes[located]]), axis=1)
    n_regions = np.bincount(pairs[0], minlength=len(places.labels))
    if (n_regions != 1).any():
        several, none = int((n_regions > 1).sum()), int((n_regions < 1).sum())
        problem = _has(several, "several regions") if several else _has(none, "no region")
        raise SettingError(
            f"region: {region!r} does not give each place one region: {problem}",
            hint="choose an attribute that is the same for everybody at a place",
            setting="region",
            column=region,
        )
    return tuple(label_of(encoded.values.tolist()[code]) for code in pairs[1])


def _has(count: int, problem: str) -> str:
    return f"{count:,} place{'s have' if count > 1 else ' has'} {problem}"


def detected_within(
    signal: Signal,
    regions: Sequence[str] | None,
    *,
    alpha: float,
    robust: bool,
    unit: float | None = None,
    levels: Sequence[float] = LEVELS,
) -> dict[str, tuple[int, ...]]:
    """Return the places that each technique detects in the signal of their region, by its name, TC16's first.

    Parameters
    ----------
    signal, regions
        As for :func:`outliers_within`.
    alpha, robust, unit, levels
        As for :func:`~sfumato.groups.outlier_panel.detections`.
    """
    detected: dict[str, list[int]] = {}
    for places in places_by_region(regions, len(signal)):
        if places.size >= FEWEST:
            for detection in detections(signal.values[places], alpha=alpha, robust=robust, unit=unit, levels=levels):
                detected.setdefault(detection.name, []).extend(places[list(detection.places)].tolist())
    return {name: tuple(sorted(places)) for name, places in detected.items()}


def outliers_within(
    signal: Signal, regions: Sequence[str] | None, *, alpha: float = 0.01, robust: bool = True
) -> tuple[int, ...]:
    """Return which places stand out in the signal of their region; among fewer than three places none does.

    Parameters
    ----------
    signal
        One number per place.
    regions
        The region of each place; None if all places are one region.
    alpha, robust
        As for :func:`~sfumato.groups.thompson_tau.outliers`.

    Examples
    --------
    >>> signal = Signal(tuple("abcdefghij"), np.array([1, 2, 3, 4, 30, 50, 60, 55, 52, 58]), "quantity")
    >>> outliers_within(signal, ["east"] * 5 + ["west"] * 5)
    (4,)
    """
    detected: list[int] = []
    for places in places_by_region(regions, len(signal)):
        if places.size >= FEWEST:
            detected += places[list(outliers(signal.values[places], alpha, robust).indices)].tolist()
    return tuple(sorted(detected))


def places_by_region(regions: Sequence[str] | None, n_places: int) -> list[np.ndarray]:
    """Return the places of each region; all places are one region if none are given."""
    if regions is None:
        return [np.arange(n_places)]
    labels = np.array(regions)
    return [np.flatnonzero(labels == region) for region in dict.fromkeys(regions)]
