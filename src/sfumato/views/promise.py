"""What a release promises, and whether it keeps the promise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sfumato.boxes import BoxPublicSettings
from sfumato.formatting import count, counted, listed, number, share
from sfumato.measures import ATTRIBUTE_CRITERIA, BLOCK_CRITERIA, Limit, Promise
from sfumato.release import ReleaseEvidence
from sfumato.views.cautions import leaning_on_missing
from sfumato.views.model import Card, Passage, Table

UNPROTECTED = (
    "Individuals are not protected: no attribute was named by which somebody could be recognised, so the release makes "
    "no promise about individuals."
)


def promise_card(evidence: ReleaseEvidence) -> Card:
    """Say what is promised."""
    title = "What is promised"
    if evidence.certificate is None:
        return Card(title, ("The certificate cannot be read, so it is not known what was promised.",))
    promise = evidence.certificate.promise
    if not promise.quasi:
        return Card(title, (UNPROTECTED, *swapped_values(evidence)))
    singled_out, *limits = _sentences(promise, evidence.known)
    sentences = (singled_out, *_uncovered(evidence), *limits, *_leaning(evidence, promise), *original_values(evidence))
    return Card(title, (*sentences, *withheld_households(evidence), *swapped_values(evidence)))


def exact_outside_promise(evidence: ReleaseEvidence) -> list[str]:
    """Return the attributes that are released exactly although nobody is assumed to know them."""
    if evidence.codebook is None or evidence.certificate is None:
        return []
    quasi = evidence.certificate.promise.quasi
    entries = evidence.codebook.attributes
    return [name for name, entry in entries.items() if name not in quasi and entry.form.exact]


def _uncovered(evidence: ReleaseEvidence) -> Iterator[str]:
    """Say that attributes outside the promise may single people out."""
    if n_exact := len(exact_outside_promise(evidence)):
        attributes = counted(n_exact, "other attribute is", "other attributes are")
        they = "it" if n_exact == 1 else "they"
        yield f"{attributes} released unchanged: the promise does not cover this, and {they} may single people out."


def _leaning(evidence: ReleaseEvidence, promise: Promise) -> list[str]:
    """Name the attributes that reach l only because a missing value counts as a value."""
    if promise.l is None or "attributes" not in evidence.audit.measured:
        return []
    return leaning_on_missing(evidence.audit.measured, l=promise.l)


def _sentences(promise: Promise, quasi: Sequence[str]) -> Iterator[str]:
    if promise.k > 1:
        values = "value of it" if len(quasi) == 1 else "values of these"
        yield (
            f"By {listed(quasi)} alone nobody can be singled out: every record has the same released {values} as at "
            f"least {counted(promise.k - 1, 'other')} (k = {count(promise.k)})."
        )
    else:
        yield f"People can be singled out: with k = 1 a record may be the only one with its {listed(quasi)}."
    if promise.household is not None:
        yield f"The records of each block come from at least {count(promise.k)} households."
    if promise.shared:
        yield (
            f"All members of a household are released with the same {listed(promise.shared)}, so comparing them "
            "reveals nothing more about any of them."
        )
    if promise.q is not None:
        yield (
            f"Every fuzzy set has at least {count(promise.q)} records with a possibility of at least {promise.level:g} "
            f"(Q = {count(promise.q)})."
        )
    if promise.max_risk is not None:
        yield f"No record is re-identified with a probability above {share(promise.max_risk)}."
    for criterion in BLOCK_CRITERIA:
        if not criterion.original and criterion.promised(promise) is not None:
            yield criterion.statement(promise)
    subject, verb = (
        f"In every block of such records, {listed(promise.sensitive)}",
        "has" if len(promise.sensitive) == 1 else "each have",
    )
    for sensitive_criterion in ATTRIBUTE_CRITERIA:
        if sensitive_criterion.promised(promise) is not None:
            yield f"{subject} {verb} {sensitive_criterion.statement(promise)}."
    if promise.missing == "wildcard":
        yield "A missing value was counted as equal to any value, which is the less strict reading."


def original_values(evidence: ReleaseEvidence) -> Iterator[str]:
    """Say which values of quasi attributes each block had: only the original shows them."""
    for name, rule in BoxPublicSettings.stated_in(evidence.settings).apart.items():
        distance = "" if rule.epsilon is None else f" at least {rule.epsilon:g} apart"
        yield f"At the time of release, each block had at least {rule.l:g} different values of {name}{distance}."


def withheld_households(evidence: ReleaseEvidence) -> Iterator[str]:
    """Say from how many households the records of a block come: only the original shows it."""
    if households := evidence.settings.households:
        yield (
            f"At the time of release, each block had records from at least {counted(households.k, 'household')}. "
            "Household numbers are withheld, so this cannot be measured again."
        )
        yield (
            "Withholding the numbers does not separate the members: records with the same rare value of a shared "
            "attribute, such as the rent, may belong together."
        )


def released_households(measured: Mapping[str, Any]) -> Iterator[str]:
    """Say how many released households are unique by their members."""
    together = measured.get("together")
    if together is None:
        return
    yield (
        f"Households are released: {count(together['unique'])} of {count(together['homes'])} are unique by the "
        "combination of their members, although no single member is."
    )


def swapped_values(evidence: ReleaseEvidence) -> tuple[str, ...]:
    """Say that values may have been swapped between records, if the certificate says so."""
    if not evidence.exchanged:
        return ()
    return (
        f"Values of {listed(evidence.exchanged)} may have been swapped between records. Which values, and "
        "how many, is not disclosed, because that would help to undo the protection.",
    )


def limits_table(evidence: ReleaseEvidence) -> Table | None:
    """Compare each limit with what was measured."""
    if evidence.compliance is None:
        return None
    promise = evidence.compliance.promise
    rows = [_limit_row(limit) for limit in evidence.compliance.limits]
    measured_q = evidence.audit.measured.get("fuzzy", {}).get("q")
    if promise.q is not None:
        satisfied = measured_q is not None and measured_q >= promise.q
        text = "not measured" if measured_q is None else number(measured_q)
        rows.append((f"Q of the fuzzy sets at {promise.level:g}, at least", number(promise.q), text, _yes(satisfied)))
    return Table(
        "Limits of the promise, for the worst block", ("Limit", "Promised", "Measured", "Satisfied"), tuple(rows)
    )


def limits_passage(evidence: ReleaseEvidence) -> Passage | None:
    """Show the limits."""
    table = limits_table(evidence)
    if table is None or evidence.compliance is None:
        return None
    sentence = (
        "Every limit holds for the worst block, not just on average. All figures were measured on the released files."
    )
    leaning = leaning_on_missing(evidence.audit.measured, l=evidence.compliance.promise.l)
    return Passage("limits", "Promised and measured", (sentence, *leaning), (table,))


def _limit_row(limit: Limit) -> tuple[str, ...]:
    meaning = limit.criterion.label.format(limit.attribute)
    meaning += ", after intersecting the records of each household" * limit.intersected
    return meaning, number(limit.limit), number(limit.reached), _yes(not limit.violations.blocks)


def _yes(satisfied: bool) -> str:
    return "yes" if satisfied else "NO"
