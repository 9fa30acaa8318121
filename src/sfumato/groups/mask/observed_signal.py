"""What an observer of a table learns about a mask's group: its signal, its outliers, and what ranks reveal."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from sfumato.groups.mask.mask_settings import MaskSettings
from sfumato.groups.outlier_panel import detected_by_any, revealed_by_rank
from sfumato.groups.signals import Signal
from sfumato.microfile import Microfile
from sfumato.record_filter import chosen_in
from sfumato.roles import weights_named


def observed_signal(settings: MaskSettings, table: Microfile, *, weight: str | None = None) -> Signal:
    """Return the signal that an observer looks at."""
    group = settings.group
    if settings.signal == "quantity":
        return group.quantity(table, weight=weight)
    if settings.signal == "concentration":
        return group.concentration(table, universe=settings.universe, weight=weight)
    assert settings.other is not None
    return group.difference(
        table,
        other=settings.other,
        universe=settings.universe,
        other_universe=settings.other_universe,
        weight=weight,
    )


def member_unit(settings: MaskSettings, table: Microfile, *, weight: str | None = None) -> float:
    """Return what one member amounts to in the signal: the people it stands for, or a share of a place."""
    places, members = settings.group.places(table), settings.group.members(table)
    person = 1.0
    if weight is not None:
        stands_for = settings.group.quantity(table, weight=weight).values.sum()
        person = float(stands_for) / max(int((members & (places.codes >= 0)).sum()), 1)
    if settings.signal == "quantity":
        return person
    everybody = np.ones(table.records, dtype=np.bool_)
    if settings.universe is not None:
        everybody = chosen_in(table, settings.universe, setting="universe") | members
    weights = weights_named(weight, table) if weight is not None else None
    return person / max(float(np.median(places.count(everybody, weights))), person)


def outlier_labels(settings: MaskSettings, table: Microfile, *, weight: str | None = None) -> tuple[str, ...]:
    """Return the places where the group stands out, by any technique of the panel."""
    signal, unit = observed_signal(settings, table, weight=weight), member_unit(settings, table, weight=weight)
    outliers = detected_by_any(signal.values, alpha=settings.alpha, robust=settings.robust, unit=unit)
    return tuple(signal.labels[place] for place in outliers)


def outliers_among(
    settings: MaskSettings, table: Microfile, labels: Collection[str], *, weight: str | None = None
) -> tuple[str, ...]:
    """Return which of some places stand out in a table, to observers who count with a weight if one is given."""
    return tuple(label for label in outlier_labels(settings, table, weight=weight) if label in labels)


def revealed_by_ranks(
    settings: MaskSettings, table: Microfile, original: Mapping[str, float], labels: Collection[str]
) -> list[str]:
    """Return which of some places are revealed by their ranks in a table, although no technique may find them.

    Parameters
    ----------
    settings
        The mask.
    table
        What an observer sees.
    original
        The signal of each place before the mask.
    labels
        The places that stood out there and were to be hidden.
    """
    all_labels = list(original)
    observed = observed_signal(settings, table).as_dict()
    # a place without any released record has no members
    values = np.array([observed.get(label, 0.0) for label in all_labels])
    hidden, unknown = (
        [place for place, label in enumerate(all_labels) if label not in settings.known and label in chosen]
        for chosen in (labels, all_labels)
    )
    revealed = revealed_by_rank(values, np.array(list(original.values())), hidden, unknown, alpha=settings.alpha)
    return [all_labels[place] for place in revealed]


def describe_places(settings: MaskSettings, labels: Collection[str]) -> str:
    """Name places in a message if the steward has named them all, otherwise count them."""
    if {*labels} <= settings.named_places:
        return ", ".join(labels)
    return f"{len(labels):,} hidden place{'s' * (len(labels) > 1)}"
