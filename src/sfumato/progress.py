"""How long work tells how far it is: a callback that command line, web and tests each bring."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, float], None]
"""Called with what is being done and the share done, from 0 to 1."""


def silent(task: str, share: float) -> None:
    """Show nothing."""
