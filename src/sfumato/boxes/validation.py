"""Whether a microfile can be divided into boxes as the settings ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sfumato.boxes.axes import QuasiAxis
from sfumato.errors import MicrofileError, SettingError, UnattainableError
from sfumato.microfile import Kind, Listed, Microfile
from sfumato.protections import check_input, refuse_large_k
from sfumato.representations import Interval
from sfumato.roles import check_span

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes

LARGEST = 2**62
"""Larger whole numbers may have edges that 64 bits cannot hold."""


def check_columns(settings: Boxes, microfile: Microfile) -> None:
    """Refuse roles, quasi attributes, preferred points, hierarchies or a k that do not fit the microfile."""
    check_input(settings, microfile)
    for name in settings.quasi:
        _check_quasi(settings, microfile, name)
    for name in settings.quasi:
        _check_learned_hierarchy(settings, microfile, name)
    refuse_large_k(settings.k, microfile)


def _check_quasi(settings: Boxes, microfile: Microfile, name: str) -> None:
    """Refuse an attribute that cannot be written as boxes, and preferred points of one without numbers."""
    numeric = microfile.attribute(name).kind is Kind.NUMERIC and name not in settings.hierarchies
    dtype = microfile.series(name).dtype
    if numeric and isinstance(dtype, pl.Time | pl.Duration):
        raise MicrofileError(
            f"column {name!r} (quasi) holds times without dates",
            hint="convert it to a number, such as minutes",
            setting="quasi",
            column=name,
        )
    if name in settings.prefer and (not numeric or dtype.is_temporal()):
        raise SettingError(
            f"prefer names {name!r}, which is not numeric",
            hint="hierarchies determine where categories are cut",
            setting=("prefer", name),
            column=name,
        )
    ends = Interval().columns(name) if numeric else ()
    if clashing := [end for end in ends if end in microfile.attributes and end not in settings.identifiers]:
        raise MicrofileError(
            f"the box of {name!r} would be written to {clashing[0]!r}, which is another column",
            hint=f"rename {clashing[0]!r}",
            setting="quasi",
            column=name,
        )


def _check_learned_hierarchy(settings: Boxes, microfile: Microfile, name: str) -> None:
    """Refuse a hierarchy that lists categories learned from the file that fewer than k records have."""
    hierarchy = settings.hierarchies.get(name)
    if hierarchy is None or not isinstance(hierarchy.by, Listed) or not hierarchy.by.learned:
        return
    encoded = microfile.encoded(name)
    counts = np.bincount(encoded.codes[encoded.codes >= 0], minlength=encoded.values.size)
    is_listed = [str(value) in hierarchy.by.paths for value in encoded.values.tolist()]
    if n_rare := int((counts[is_listed] < settings.k).sum()):
        raise SettingError(
            f"hierarchies: the automatic one of {name!r} lists {n_rare:,} categories that fewer than k = "
            f"{settings.k:,} records have",
            hint=f"Hierarchy.automatic(..., {name!r}, least={settings.k}), or declare a hierarchy",
            setting=("hierarchies", name),
            column=name,
        )


def check_spans(axes: Sequence[QuasiAxis], edges: str) -> None:
    """Refuse numbers so large or so close together that their products, or cuts between them, exceed doubles."""
    for axis in axes:
        if edges == "tiling" and (axis.spacing or axis.origin + axis.span >= LARGEST):
            raise SettingError(
                f"edges: values of {axis.name!r} are larger or finer than the cuts of a tiling can represent",
                hint="choose edges = 'snapped', or divide the values",
                setting="edges",
                column=axis.name,
            )
        if axis.kind == "numeric" and axis.span > 0:
            check_span(axis.name, axis.span)


def refuse_single(settings: Boxes, n_boxes: int, microfile: Microfile) -> None:
    """Refuse limits that only one block of all records meets, unless forced: nothing is left of quasi attributes."""
    limits = [name for name in ("l", "t") if getattr(settings, name) is not None]
    if n_boxes > 1 or settings.force or microfile.records < 2 * settings.k or not limits:
        return
    described = " and ".join(f"{name} = {getattr(settings, name):g}" for name in limits)
    raise UnattainableError(
        f"with {described} all {microfile.records:,} records form one block, which leaves no information in the quasi "
        "attributes",
        hint=f"relax {' or '.join(limits)}, or set force to true if that is intended",
        setting=limits[0],
    )
