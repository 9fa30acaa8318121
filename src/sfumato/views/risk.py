"""What risk remains for individuals: re-identification, and inference of what is sensitive."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.formatting import count, counted, listed, number, odds, share
from sfumato.measures import ATTRIBUTE_CRITERIA, Promise, miss_of
from sfumato.microfile import Kind
from sfumato.release import ReleaseEvidence
from sfumato.release import naming as naming_attributes
from sfumato.views.model import Card, Passage, Table
from sfumato.views.promise import exact_outside_promise, released_households

UNMEASURED = (
    "The release makes no promise about individuals, so no attack on them is measured. Anyone who knows enough about a "
    "person may find the record, and can then read everything in it."
)
INFERENCE_LIMITS = tuple(dict.fromkeys(criterion.setting for criterion in ATTRIBUTE_CRITERIA))
"""Limits of a promise that make inference harder."""


def risk_card(evidence: ReleaseEvidence) -> Card:
    """Say which risk remains."""
    title = "What risk remains"
    if evidence.compliance is None:
        intact = evidence.certificate is not None and not evidence.certificate.promise.quasi and evidence.audit.holds
        text = "It was not measured. People with rare values may be recognised." if intact else "It was not measured."
        return Card(title, (*identifying_attributes(evidence), text))
    risk, promise = evidence.compliance.safety.risk, evidence.compliance.promise
    sentences = [
        *identifying_attributes(evidence),
        f"An attacker who knows everybody's {listed(evidence.known)} is expected to re-identify "
        f"{count(risk.expected)} of {counted(evidence.compliance.safety.records, 'record')} ({share(risk.rate)}).",
        f"The highest re-identification risk of a single record is {odds(risk.highest)}.",
    ]
    if promise.weight is not None:
        sentences.append(
            "This is the risk from somebody who does not know who is in the file; the number of similar people outside "
            f"it is estimated from {promise.weight}. For somebody who knows that a person is in the file, the "
            f"probability of the right record is at most {odds(1 / risk.candidates)}."
        )
    if risk.outstanding:
        sentences.append(
            f"{counted(risk.outstanding, 'record has', 'records have')} a clearly higher risk than the bulk of the "
            "file."
        )
    if risk.household_expected is not None:
        sentences.append(
            f"{counted(risk.household_expected, 'record')} would be re-identified through other household members."
        )
    sentences += released_households(evidence.audit.measured)
    sentences += _most_exposed(evidence)
    if uncounted := exact_outside_promise(evidence):
        attributes = counted(len(uncounted), "attribute that is", "attributes that are")
        which = "the" if len(uncounted) == 1 else "any of the"
        sentences.append(
            f"Not covered by these figures: an attacker who also knows {which} {attributes} released unchanged "
            f"({listed(uncounted, at_most=4)})."
        )
    return Card(title, tuple(sentences))


def _most_exposed(evidence: ReleaseEvidence) -> Iterator[str]:
    """Say how well the most exposed sensitive attribute can be inferred."""
    guesses = evidence.guesses
    if not guesses:
        return
    name = max(guesses, key=lambda attribute: (guesses[attribute].certain, guesses[attribute].surest))
    guess = guesses[name]
    worst = ", the most exposed attribute," if len(guesses) > 1 else ""
    if guess.certain:
        yield (
            f"{name}{worst} is disclosed for {counted(guess.certain, 'record')}: all records of their blocks have the "
            f"same value. Guessing it from the block is correct for {share(guess.informed)} of all records; guessing "
            f"from the whole file, for {share(guess.blind)}."
        )
        return
    yield (
        f"Guessing {name}{worst} from the block is correct for {share(guess.informed)} of the records "
        f"({share(guess.surest)} in the most revealing block). Guessing without the block is correct for "
        f"{share(guess.blind)}."
    )


def identifying_attributes(evidence: ReleaseEvidence) -> Iterator[str]:
    """Name the attributes that seem to identify people and are released unchanged."""
    if evidence.certificate is None or evidence.release is None:
        return
    promise, release = evidence.certificate.promise, evidence.release
    with_role = (*promise.sensitive, promise.weight, promise.household)
    names = [name for name in exact_outside_promise(evidence) if name not in with_role]
    yield from naming_attributes(release.microfile, release.codebook, names)


def blocks_sentence(evidence: ReleaseEvidence) -> str:
    """Say how large blocks are."""
    assert evidence.compliance is not None
    sizes = evidence.compliance.safety.blocks.sizes
    n_records, smallest = (counted(int(number), "record") for number in (sizes.sum(), sizes.min()))
    return (
        f"The release has {n_records} in {counted(len(sizes), 'block')}. The smallest block has {smallest}, the "
        f"largest {count(sizes.max())}, and half of the blocks have {np.median(sizes):,.4g} records or fewer. "
        f"A block is the set of records that are released with the same values of {listed(evidence.known)}."
    )


def risk_sentence(evidence: ReleaseEvidence) -> str:
    """Say what the risk is and how large."""
    assert evidence.compliance is not None
    risk = evidence.compliance.safety.risk
    outside = " but not who is in the file" if evidence.compliance.promise.weight is not None else ""
    return (
        f"The average re-identification risk of a record is {share(risk.rate)}, the highest is {share(risk.highest)}. "
        f"It is the probability of picking the right record, for somebody who knows {listed(evidence.known)} of a "
        f"person{outside}."
    )


def attacks_passage(evidence: ReleaseEvidence) -> Passage | None:
    """Say what an attacker can do with the release."""
    if evidence.compliance is None:
        without_promise = evidence.certificate is not None and not evidence.certificate.promise.quasi
        return Passage("attacks", "Attacks on individuals", (UNMEASURED,)) if without_promise else None
    sentences = [
        f"The attacker has the release and knows {listed(evidence.known)} of a person exactly. There are two ways to "
        "attack: to find the person's record, and to guess a sensitive value from the records of the block.",
        *_assumptions(evidence),
        *_guessing(evidence),
    ]
    tables = (_reidentification(evidence), *_guesses(evidence), *_misses(evidence))
    return Passage("attacks", "Attacks on individuals", tuple(sentences), tables)


def _assumptions(evidence: ReleaseEvidence) -> Iterator[str]:
    """Say what finding a record depends on."""
    forms = {} if evidence.codebook is None else evidence.codebook.attributes
    if any(entry.form.invertible for entry in forms.values()):
        yield "The codebook explains how values become fuzzy sets, so anyone who knows the values knows the sets."
    if evidence.exchanged:
        yield (
            f"Values of {listed(evidence.exchanged)} may have been swapped between records, so even the right record "
            "may show a wrong value."
        )
    if evidence.compliance is not None and evidence.compliance.promise.missing == "wildcard":
        yield "A missing value counts as equal to any value, so such a record is a candidate for many people."


def _guessing(evidence: ReleaseEvidence) -> Iterator[str]:
    """Say how guesses are made."""
    if evidence.compliance is None or not evidence.compliance.promise.sensitive:
        yield "No attribute was named as sensitive, so inference is not measured."
        return
    yield (
        "A guess is always the most common value: of the whole file, which needs no knowledge about the person, or of "
        "the person's block. A missing value is never guessed."
    )


def _reidentification(evidence: ReleaseEvidence) -> Table:
    assert evidence.compliance is not None
    risk, n_records = evidence.compliance.safety.risk, evidence.compliance.safety.records
    rows = [
        ("picks a record at random", counted(n_records, "record"), *[odds(1 / n_records)] * 2),
        (
            "knows that the person is in the file",
            f"at least {counted(risk.candidates, 'record')} in the block",
            odds(risk.present_rate),
            odds(1 / risk.candidates),
        ),
    ]
    if evidence.compliance.promise.weight is not None:
        similar = (
            f"at least {counted(float(risk.population.min()), 'similar person', 'similar people')}, by the weights"
        )
        rows.append(("does not know who is in the file", similar, odds(risk.rate), odds(risk.highest)))
    if risk.by_household is not None and risk.household_expected is not None:
        average, highest = risk.household_expected / n_records, float(risk.by_household.max())
        rows.append(("looks for any member of a household", "those of each member", odds(average), odds(highest)))
    columns = ("The attacker", "Candidates", "Correct on average", "Correct at best")
    return Table("Re-identification", columns, tuple(rows))


def _guesses(evidence: ReleaseEvidence) -> tuple[Table, ...]:
    if not evidence.guesses or evidence.compliance is None:
        return ()
    promised = _promised(evidence.compliance.promise)
    rows = tuple(
        (name, share(guess.blind), share(guess.informed), share(guess.surest), count(guess.certain), promised)
        for name, guess in evidence.guesses.items()
    )
    columns = (
        "Sensitive attribute",
        "Correct from the whole file",
        "Correct from the block",
        "Correct in the most revealing block",
        "Records whose value is certain",
        "Promised",
    )
    return (Table("Inference of sensitive values", columns, rows),)


def _promised(promise: Promise) -> str:
    limits = {name: getattr(promise, name) for name in INFERENCE_LIMITS}
    return ", ".join(f"{name} = {limit:g}" for name, limit in limits.items() if limit is not None) or "nothing"


def _misses(evidence: ReleaseEvidence) -> tuple[Table, ...]:
    """Say how close guesses of numbers come: they are hardly ever exact."""
    if evidence.compliance is None or evidence.release is None:
        return ()
    table, rows = evidence.release.microfile, []
    for name in evidence.compliance.promise.sensitive:
        if table.attribute(name).kind is Kind.NUMERIC and not table.series(name).dtype.is_temporal():
            error = miss_of(evidence.compliance.safety.blocks, table.numbers(name))
            ratio = share(error.informed / error.blind) if error.blind > 0 else "-"
            rows.append((name, number(error.blind), number(error.informed), ratio))
    columns = (
        "Sensitive number",
        "Error of the mean of the file",
        "Error of the mean of the block",
        "Second as a share of the first",
    )
    return (Table("Error of guessed numbers (root mean square)", columns, tuple(rows)),) if rows else ()
