"""Whether the labels of sets describe their categories, as boxes write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.release.codebook import Codebook


def mislabelled(codebook: Codebook, settings: Mapping[str, Any]) -> Iterator[str]:
    """Say which sets of a codebook do not match their labels.

    In releases that were not made by boxes, labels are words of the publisher.

    Parameters
    ----------
    codebook
        The codebook of the release.
    settings
        Its public settings.
    """
    boxes = settings.get("method") == "boxes"
    snapped = settings.get("edges") == "snapped"
    for name, entry in codebook.attributes.items():
        yield from entry.form.label_misfits(name, boxes=boxes, snapped=snapped)
