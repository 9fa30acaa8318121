"""The audit of a release with an outside file: what the file links, and whether that contradicts the promise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.attacks.comparable_attributes import owners
from sfumato.attacks.link_records import link
from sfumato.attacks.linkage import ORDER, Linkage, Linked
from sfumato.errors import SettingError
from sfumato.measures.promise import Promise
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.progress import Progress, silent
from sfumato.release.audit_checks import AuditSubject, CheckResult, Measurement
from sfumato.release.finding import Finding
from sfumato.representations import Form


@dataclass(frozen=True)
class LinkageCheck:
    """A check of an audit: what an outside file links, as ``measured["linkage"]``, and whether that breaks the promise.

    A release that could not be measured is not linked.
    """

    outside: Microfile | Any
    """A microfile, or a frame that becomes one."""
    settings: Linkage
    """How to link."""
    progress: Progress = silent
    """Called while linking."""

    def __call__(self, subject: AuditSubject) -> Iterator[CheckResult]:
        """Link the outside file with the release."""
        if not subject.audit.measured:
            return
        if self.settings.truth == ORDER:
            raise SettingError(
                "truth: the order of a written release tells nothing, for its records are shuffled",
                hint="attack the release in memory, before it is written, with sf.Linkage",
                setting="truth",
            )
        promise, forms = subject.promise, {name: entry.form for name, entry in subject.codebook.attributes.items()}
        outside = as_microfile(self.outside)
        linked = link(self.settings, subject.table, forms, promise.quasi, outside, None, self.progress)
        exchanged: Any = subject.certificate.settings.get("exchanged", {})
        notes = [*_notes(linked, promise, forms, exchanged.get("attributes", []))]
        for message in _contradictions(linked, promise, forms):
            yield Finding("linkage", message)
        facts = linked.summary() | {"k": promise.k, "below_k": _below(linked, promise), "notes": notes}
        yield Measurement("linkage", facts)


def _below(linked: Linked, promise: Promise) -> int | None:
    """Return how many outside records have candidates by containment, but fewer than promised."""
    held = linked.methods.get("containment")
    return None if held is None else held.below(promise.k)


def _strangers(linked: Linked, promise: Promise, forms: Mapping[str, Form]) -> list[str]:
    """Return the attributes that link and of which nothing is promised."""
    there = owners(forms)
    return [name for name in linked.on if there[name] not in promise.quasi]


def _contradictions(linked: Linked, promise: Promise, forms: Mapping[str, Form]) -> Iterator[str]:
    """Say what cannot be, if the promise is kept.

    Blocks are whole: whoever's quasi values fit a record fit all of its block, so that candidates are none or k. That
    holds for any outside file, right or wrong, that knows nothing but quasi attributes.
    """
    below = _below(linked, promise)
    if below and not _strangers(linked, promise, forms) and promise.missing == "own":
        yield f"{below:,} outside records have fewer than k = {promise.k:,} candidates"


def _notes(linked: Linked, promise: Promise, forms: Mapping[str, Form], exchanged: list[str]) -> Iterator[str]:
    """Say what is worth knowing and breaks no promise."""
    below, strangers = _below(linked, promise), _strangers(linked, promise, forms)
    if below and strangers:
        yield (
            f"{below:,} outside records have fewer than k = {promise.k:,} candidates. The promise does not cover "
            f"{', '.join(map(repr, strangers))}, by which they link: if others may know it, make it quasi"
        )
    elif below and promise.missing == "wildcard":
        yield (
            f"{below:,} outside records have fewer than k = {promise.k:,} candidates: the promise counts records that "
            "lack a value as like all others, of which a person with a known value is like fewer"
        )
    if linked.truth is not None:
        yield f"column {linked.truth!r} is in the release and in the outside file: it links them by itself"
    if moved := [name for name in linked.on if name in exchanged]:
        told = ", ".join(map(repr, moved))
        yield f"values of {told} may have been exchanged between records, so that links may be wrong"
