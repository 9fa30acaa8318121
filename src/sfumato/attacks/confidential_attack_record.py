"""The confidential record of attacks on a release: what each found before and after the protection."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.attacks.disclosed_places import Verdict
from sfumato.errors import ReleaseError
from sfumato.release import Certificate, beside, keep, kept


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


def severity(record: Mapping[str, Any]) -> tuple[bool, int, float]:
    """Return how bad a record is: whether it discloses the group, how many places, and how far it exceeds chance."""
    attacks = record["attacks"]
    last = attacks.get("released", next(reversed(attacks.values())))
    places = {place for attack in last for place in attack["disclosed"]}
    followed = [
        attack["correlation"] - attack.get("chance_correlation", 1.0) for attack in last if attack.get("follows")
    ]
    return bool(places or followed), len(places), max(followed, default=0.0)


def keep_attack(folder: Path, certificate: Certificate, record: Mapping[str, Any]) -> bool:
    """Store a record beside its release; return whether a stored one is worse.

    Of the same attacks with the same files on the same group, the worst record is kept. Other records stay as they are.

    Parameters
    ----------
    folder
        The release.
    certificate
        The certificate of the release.
    record
        What :func:`attack_record` returned.
    """
    earlier = kept(beside(folder, ".private"), certificate, "attack")
    try:
        same = [severity(other) for other in earlier.values() if _kind(other) == _kind(record)]
        worst = max((severity(other) for other in earlier.values()), default=severity(record))
    except (AttributeError, LookupError, StopIteration, TypeError):
        raise ReleaseError("a stored record of an attack is damaged", hint="remove it") from None
    if all(severity(record) >= other for other in same):
        keep(folder, certificate, "attack", record, name=_kind(record))
    return worst[0] and not severity(record)[0]


def _kind(record: Mapping[str, Any]) -> str:
    """Return a name for the attacks of a record, their third-party files and the group that they look for."""
    attacks = [attack for made in record["attacks"].values() for attack in made]
    truth = [[place["place"], place["region"], place["true"]] for place in attacks[0]["signals"]]
    names = sorted({attack["attack"] for attack in attacks})
    content = json.dumps([names, list(record["third_party"]), truth])
    return hashlib.sha256(content.encode()).hexdigest()[:16]
