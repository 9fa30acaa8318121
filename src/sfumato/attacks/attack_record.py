"""What the steward keeps of an attack on a release: what each attack found before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.attacks.disclosure import Verdict


def attack_record(
    found: Mapping[str, Verdict], *, third_party: Sequence[str], notes: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what attacks found, as JSON holds it. It tells where the group is.

    Parameters
    ----------
    found
        The verdict on the "unprotected" file and on what was "released".
    third_party
        The files from which the attacks learned.
    notes
        What is to be said of them.
    """
    return {
        "attacks": {when: [one.summary() for one in its.disclosures] for when, its in found.items()},
        "third_party": list(third_party),
        "notes": list(notes),
    }
