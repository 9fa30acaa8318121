"""A finding: something that is wrong with a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Subject = Literal["certificate", "codebook", "data", "promise", "folder", "private", "group", "linkage"]


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a release."""

    about: Subject
    """What it is wrong with."""
    message: str
    """What is wrong, in words that reveal no record's value."""
