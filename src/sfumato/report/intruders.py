"""Attacks on single people: what somebody can do who has the release and knows something of a person."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.measures.guessing import miss_of
from sfumato.measures.promise import Promise
from sfumato.microfile.attribute import Kind
from sfumato.microfile.forms import Fuzzy
from sfumato.report.evidence import Evidence
from sfumato.report.page import Section, Table, count, listed, number, odds, share

UNMEASURED = (
    "Nothing is promised about single people, so that no attack on them is measured. Who knows enough of a person may "
    "find the record, and then reads all that stands in it."
)
NAMED = ("l", "t", "alpha", "beta", "delta")
"""Limits of a promise that make guessing harder."""


def attacks_section(evidence: Evidence) -> Section | None:
    """Say what an intruder can do with the release."""
    if evidence.kept is None:
        unpromised = evidence.certificate is not None and not evidence.certificate.promise.quasi
        return Section("attacks", "Attacks", (UNMEASURED,)) if unpromised else None
    sentences = [
        f"An intruder has the release and knows {listed(evidence.known)} of a person, exactly. Two things can be "
        "tried: to find the person's record, and to guess what is sensitive from the records that look alike.",
        *_found(evidence),
        *_guessed(evidence),
    ]
    return Section(
        "attacks", "Attacks", tuple(sentences), (_finding(evidence), *_guesses(evidence), *_misses(evidence))
    )


def _found(evidence: Evidence) -> Iterator[str]:
    """Say what finding a record depends on."""
    forms = {} if evidence.codebook is None else evidence.codebook.attributes
    if any(isinstance(entry.form, Fuzzy) for entry in forms.values()):
        yield "The codebook says how values become fuzzy sets, so that who knows the values knows the sets."
    if evidence.exchanged:
        yield (
            f"Values of {listed(evidence.exchanged)} may have been exchanged between records: what the right record "
            "says of them need not be true."
        )
    if evidence.kept is not None and evidence.kept.promise.missing == "wildcard":
        yield "A missing value counts as one that could be any, so that its record is a candidate for many people."


def _guessed(evidence: Evidence) -> Iterator[str]:
    """Say how guesses are made."""
    if evidence.kept is None or not evidence.kept.promise.sensitive:
        yield "No attribute was named as sensitive, so that guessing one is not measured."
        return
    yield (
        "Who guesses takes the commonest value: of the whole file, as anybody can who knows nothing of the person, or "
        "of the records that look alike. A missing value is never guessed."
    )


def _finding(evidence: Evidence) -> Table:
    assert evidence.kept is not None
    risk, records = evidence.kept.safety.risk, evidence.kept.safety.records
    rows = [
        ("picks a record at random", f"{count(records)} records", *[odds(1 / records)] * 2),
        (
            "knows that the person is in the file",
            f"at least {count(risk.candidates)} records that look alike",
            odds(risk.present_rate),
            odds(1 / risk.candidates),
        ),
    ]
    if evidence.kept.promise.weight is not None:
        alike = f"at least {count(float(risk.population.min()))} people who look alike, by the weights"
        rows.append(("does not know who is in the file", alike, odds(risk.rate), odds(risk.highest)))
    if risk.by_household is not None and risk.household_expected is not None:
        average, highest = risk.household_expected / records, float(risk.by_household.max())
        rows.append(("looks for anybody of a household", "each member's own", odds(average), odds(highest)))
    columns = ("The intruder", "Candidates", "Right on average", "Right at best")
    return Table("Finding a person's record", columns, tuple(rows))


def _guesses(evidence: Evidence) -> tuple[Table, ...]:
    found = evidence.guesses
    if not found or evidence.kept is None:
        return ()
    rows = tuple(
        (
            name,
            share(its.blind),
            share(its.informed),
            share(its.surest),
            count(its.certain),
            _promised(evidence.kept.promise),
        )
        for name, its in found.items()
    )
    columns = (
        "Sensitive attribute",
        "Right by the whole file",
        "Right by those alike",
        "Right in the surest block",
        "Records whose value is certain",
        "Promised",
    )
    return (Table("Guessing what is sensitive", columns, rows),)


def _promised(promise: Promise) -> str:
    limits = {name: getattr(promise, name) for name in NAMED}
    return ", ".join(f"{name} = {limit:g}" for name, limit in limits.items() if limit is not None) or "nothing"


def _misses(evidence: Evidence) -> tuple[Table, ...]:
    """Say how near guesses of numbers come, which are hardly ever right to the last digit."""
    if evidence.kept is None or evidence.release is None:
        return ()
    table, rows = evidence.release.microfile, []
    for name in evidence.kept.promise.sensitive:
        if table.attribute(name).kind is Kind.NUMERIC and not table.series(name).dtype.is_temporal():
            off = miss_of(evidence.kept.safety.blocks, table.numbers(name))
            left = share(off.informed / off.blind) if off.blind > 0 else "-"
            rows.append((name, number(off.blind), number(off.informed), left))
    columns = (
        "Sensitive number",
        "Off by, taking the mean of the file",
        "Off by, taking the mean of those alike",
        "Left",
    )
    caption = "How near numbers are guessed (root mean square)"
    return (Table(caption, columns, tuple(rows)),) if rows else ()
