"""Boxes of at least k records, shaped so that the statistics that matter stay exact."""

from sfumato.boxes.boxes import Boxes

__all__ = ["Boxes"]
