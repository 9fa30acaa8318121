"""The confidential record of attacks on a release: what each found before and after the protection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.attacks.disclosure import Verdict


def attack_record(
    verdicts: Mapping[str, Verdict], *, third_party: Sequence[str], notes: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the results of attacks as JSON content. It reveals where the group is: keep it confidential.

    Parameters
    ----------
    verdicts
        The verdicts on the "unprotected" file and on the "released" one.
    third_party
        The files from which the attacks learned.
    notes
        Remarks on the attacks.
    """
    return {
        "attacks": {
            when: [disclosure.summary() for disclosure in verdict.disclosures] for when, verdict in verdicts.items()
        },
        "third_party": list(third_party),
        "notes": list(notes),
    }
