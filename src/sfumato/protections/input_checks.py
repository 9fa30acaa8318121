"""What every protection of single people checks before it starts."""

from __future__ import annotations

from sfumato.errors import UnattainableError
from sfumato.microfile import Microfile
from sfumato.protections.person_protection import PersonProtection
from sfumato.roles import refuse_look_alikes


def check_input(settings: PersonProtection, microfile: Microfile) -> None:
    """Refuse columns that do not exist, have two roles or only missing values, and sensitive values that look alike."""
    settings.roles.check(microfile)
    refuse_look_alikes(microfile, settings.sensitive)


def refuse_large_k(k: int, microfile: Microfile) -> None:
    """Refuse a k that is larger than the file."""
    if k > microfile.records:
        raise UnattainableError(
            f"k = {k:,} is larger than the file of {microfile.records:,} records",
            hint=f"choose k from 2 to {microfile.records:,}",
            setting="k",
        )
