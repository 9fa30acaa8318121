"""Whether fuzzy sets can be made of a microfile as the settings ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import MicrofileError, SettingError
from sfumato.microfile import Kind, Microfile
from sfumato.protections import check_input, refuse_large_k
from sfumato.roles import check_span

if TYPE_CHECKING:
    from sfumato.partitions.fuzzy_partition import FuzzyPartition


def check_microfile(settings: FuzzyPartition, microfile: Microfile) -> None:
    """Refuse a microfile of which no fuzzy sets can be made."""
    check_input(settings, microfile)
    if all(microfile.attribute(name).kind is not Kind.NUMERIC for name in settings.quasi):
        raise MicrofileError(
            "no quasi attribute is numeric, so there are no fuzzy sets", hint="use Boxes", setting="quasi"
        )
    for name in settings.quasi:
        _check_quasi(settings, microfile, name)
    refuse_large_k(settings.k, microfile)


def _check_quasi(settings: FuzzyPartition, microfile: Microfile, name: str) -> None:
    """Refuse an attribute of which no fuzzy sets can be made."""
    if microfile.series(name).dtype.is_temporal():
        raise MicrofileError(
            f"column {name!r} (quasi) has dates, times or durations, for which there are no fuzzy sets",
            hint="use Boxes, or convert a date to an age",
            setting="quasi",
            column=name,
        )
    if microfile.is_blank(name):
        raise MicrofileError(
            f"column {name!r} (quasi) has only missing values",
            hint="leave it out of quasi",
            setting="quasi",
            column=name,
        )
    if microfile.attribute(name).kind is not Kind.NUMERIC:
        if isinstance(settings.sets, dict) and name in settings.sets:
            raise SettingError(
                f"sets: {name!r} has categories, which are released unchanged",
                hint="leave it out",
                setting=("sets", name),
                column=name,
            )
        return
    values = microfile.numbers(name)
    if np.isinf(values).any():
        raise MicrofileError(
            f"column {name!r} (quasi) has infinite values, which belong to no set",
            hint="declare them as missing, or leave them out",
            setting="quasi",
            column=name,
        )
    # as Python's numbers, whose difference overflows to infinity without a warning
    span = float(np.nanmax(values)) - float(np.nanmin(values))
    if not span > 0:
        raise MicrofileError(
            f"column {name!r} (quasi) has the same value everywhere, so no sets can be found",
            hint="leave it out of quasi",
            setting="quasi",
            column=name,
        )
    check_span(name, span)
