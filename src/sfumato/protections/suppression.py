"""Suppression of records in blocks that violate a limit, for methods that change no block to meet it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sfumato.array_types import Flags
from sfumato.measures import Limit, check_promise
from sfumato.microfile import Microfile
from sfumato.protections.person_protection import PersonProtection
from sfumato.representations import Form


def broken_limits(settings: PersonProtection, table: Microfile, forms: Mapping[str, Form]) -> list[Limit]:
    """Measure what would be released; return the limits that it violates.

    Parameters
    ----------
    settings
        The protection, with its limits.
    table
        The records that would be released.
    forms
        How the quasi attributes are released.
    """
    keys = [column for name, form in forms.items() for column in form.columns(name)]
    return check_promise(table, settings.measured_promise(tuple(forms)), keys=keys).broken


def records_within_limits(settings: PersonProtection, table: Microfile, forms: Mapping[str, Form]) -> Flags:
    """Return which records remain if those of violating blocks are suppressed, until there are more than allowed.

    Parameters are those of :func:`broken_limits`.
    """
    is_retained = np.ones(table.records, dtype=np.bool_)
    keys = [column for name, form in forms.items() for column in form.columns(name)]
    promise = settings.measured_promise(tuple(forms))
    while True:
        remaining = table.filter(is_retained)
        if any(remaining.is_blank(name) for name in (*keys, *settings.sensitive)):
            # no record with a value can remain, so there is nothing to release
            return np.zeros(table.records, dtype=np.bool_)
        compliance = check_promise(remaining, promise, keys=keys)
        if not compliance.broken:
            return is_retained
        block_ids = compliance.safety.blocks.numbers
        is_violating = np.zeros(len(compliance.safety.blocks), dtype=np.bool_)
        for limit in compliance.broken:
            is_violating |= limit.measure.breaking(limit.limit)
        is_retained[np.flatnonzero(is_retained)[is_violating[block_ids]]] = False
        if (~is_retained).sum() > settings.suppress * table.records or not is_retained.any():
            return is_retained
