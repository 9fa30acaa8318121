"""The audit of a release with an outside file: the links that it allows, and whether they contradict the promise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.attacks.comparable_attributes import released_sources
from sfumato.attacks.link_records import link
from sfumato.attacks.linkage import ORDER, SHUFFLED, Linkage, Linked
from sfumato.errors import SettingError
from sfumato.formatting import counted
from sfumato.measures import Promise
from sfumato.microfile import Microfile, as_microfile
from sfumato.progress import Progress, silent
from sfumato.release import AuditSubject, CheckResult, Finding, Measurement
from sfumato.representations import Form


@dataclass(frozen=True)
class LinkageCheck:
    """A check of an audit: links an outside file, as ``measured["linkage"]``, and compares the result with the promise.

    A release that could not be measured is not linked.
    """

    outside: Microfile | Any
    """A microfile or a frame."""
    settings: Linkage
    """The settings of the linkage."""
    progress: Progress = silent
    """Called with the share done."""

    def __call__(self, subject: AuditSubject) -> Iterator[CheckResult]:
        """Link the outside file with the release."""
        if not subject.audit.measured:
            return
        if self.settings.truth == ORDER:
            raise SettingError(
                SHUFFLED, hint="attack the release in memory, before it is written, with sf.Linkage", setting="truth"
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
    """Return the number of outside records with candidates by containment, but fewer than promised."""
    links = linked.methods.get("containment")
    return None if links is None else links.below(promise.k)


def _unprotected(linked: Linked, promise: Promise, forms: Mapping[str, Form]) -> list[str]:
    """Return the linking attributes that the promise does not cover."""
    sources = released_sources(forms)
    return [name for name in linked.on if sources[name] not in promise.quasi]


def _contradictions(linked: Linked, promise: Promise, forms: Mapping[str, Form]) -> Iterator[str]:
    """Describe results that are impossible if the promise is kept.

    A person whose quasi values match a record matches its whole block, and so has either no candidate or at least k.
    That holds for any outside file, correct or not, that contains only quasi attributes.
    """
    below = _below(linked, promise)
    if below and not _unprotected(linked, promise, forms) and promise.missing == "own":
        yield _few_candidates(below, promise)


def _notes(linked: Linked, promise: Promise, forms: Mapping[str, Form], exchanged: list[str]) -> Iterator[str]:
    """Describe what a steward should know although it does not break the promise."""
    below, unprotected = _below(linked, promise), _unprotected(linked, promise, forms)
    if below and unprotected:
        yield (
            f"{_few_candidates(below, promise)}. They are also linked on {', '.join(map(repr, unprotected))}, which "
            "the promise does not cover: if others may know it, make it quasi"
        )
    elif below and promise.missing == "wildcard":
        yield (
            f"{_few_candidates(below, promise)}: the promise counts a missing value as equal to any value, but a "
            "person whose value is known matches fewer records"
        )
    if linked.truth is not None:
        yield f"column {linked.truth!r} is in both the release and the outside file: it alone links them"
    if swapped := [name for name in linked.on if name in exchanged]:
        names = ", ".join(map(repr, swapped))
        yield f"values of {names} may have been swapped between records, so links may be wrong"


def _few_candidates(count: int, promise: Promise) -> str:
    records = counted(count, "outside record has", "outside records have")
    return f"{records} fewer than k = {promise.k:,} candidates"
