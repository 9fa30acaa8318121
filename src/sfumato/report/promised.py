"""The first screen: what was promised, whether it holds, and the risk that remains, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sfumato.measures.kept import Limit
from sfumato.measures.promise import Promise
from sfumato.measures.summary import leaning_on_missing
from sfumato.microfile.forms import Exact
from sfumato.release.concerns import naming as naming_attributes
from sfumato.report.evidence import Evidence
from sfumato.report.page import Card, Section, Table, count, counted, listed, number, odds, share

UNPROTECTED = (
    "Single people are not protected: no attribute was named by which somebody could be recognised, so nothing is "
    "promised about single people."
)
LIMITS = {
    "k": "Records that look alike, at least",
    "households": "Households in a block, at least",
    "max_risk": "Risk of one record, at most",
    "l": "Different values of {} in a block, at least",
    "entropy": "Effective number of values of {} in a block (entropy), at least",
    "c": "Weight of the commonest value of {} in a block (c of recursive diversity), at most",
    "t": "Distance of {} in a block from the whole file (0 to 1), at most",
    "alpha": "Share of one value of {} in a block, at most",
    "beta": "Gain of a value of {} in a block over its share in the file, at most",
    "delta": "Change of the share of a value of {} in a block (logarithm), less than",
}
"""What each limit of a promise means."""


def verdict_of(evidence: Evidence) -> str:
    """Say in one sentence whether the release holds."""
    if not evidence.audit.holds:
        return "The release does not hold: do not publish it, and do not rely on it."
    if evidence.certificate is not None and not evidence.certificate.promise.quasi:
        return "The files are intact, but they promise nothing about single people."
    return "The release holds: the files are intact, and measured anew they keep every promise."


def promise_card(evidence: Evidence) -> Card:
    """Say what was promised."""
    title = "What was promised"
    if evidence.certificate is None:
        return Card(title, ("The certificate cannot be read, so that it is not known what was promised.",))
    promise = evidence.certificate.promise
    if not promise.quasi:
        return Card(title, (UNPROTECTED, *exchanged(evidence)))
    sentences = (*_sentences(promise, evidence.known), *_leaning(evidence, promise), *apart(evidence))
    return Card(title, (*sentences, *withheld_households(evidence), *exchanged(evidence)))


def _leaning(evidence: Evidence, promise: Promise) -> list[str]:
    """Say of which attributes l is kept only because a missing value counts as one."""
    if promise.l is None or "attributes" not in evidence.audit.measured:
        return []
    return leaning_on_missing(evidence.audit.measured, l=promise.l)


def _sentences(promise: Promise, known: Sequence[str]) -> Iterator[str]:
    if promise.k > 1:
        yield (
            f"Nobody stands alone: in {listed(known)} every record looks exactly like at least "
            f"{count(promise.k - 1)} other{'s' * (promise.k > 2)} (k = {count(promise.k)})."
        )
    else:
        yield f"Nothing against being singled out: k = 1 lets a record stand alone in {listed(known)}."
    if promise.household is not None:
        yield f"Those who look alike come from at least {count(promise.k)} households."
    if promise.shared:
        yield (
            f"Members of a household are released alike in {listed(promise.shared)}: having it in common tells no more "
            "of any of them."
        )
    if promise.q is not None:
        yield f"That every fuzzy set has at least {count(promise.q)} records is possible to {promise.level:g} (Q)."
    if promise.max_risk is not None:
        yield f"No record is found with a probability above {share(promise.max_risk)}."
    whose = f"In each block of records that look alike, {listed(promise.sensitive)}"
    if promise.l is not None:
        how = {
            "distinct": f"at least {promise.l:g} different values",
            "entropy": f"values as mixed as {promise.l:g} equally frequent ones",
            "recursive": f"{promise.l:g} values or more, of which none dominates (c = {promise.c or 0:g})",
        }[promise.diversity]
        yield f"{whose} still {_have(promise)} {how} (l = {promise.l:g})."
    if promise.t is not None:
        yield (
            f"{whose} {_have(promise)} shares that lie at most {promise.t:g} from those of the whole file, where 0 is "
            f"the same and 1 as far as can be (t = {promise.t:g})."
        )
    if promise.alpha is not None:
        yield f"{whose} {_have(promise)} no value with more than {share(promise.alpha)} of the block."
    if promise.beta is not None:
        yield f"{whose} {_have(promise)} no value more than {promise.beta:g} times more likely than before (beta)."
    if promise.delta is not None:
        yield f"{whose} {_have(promise)} no value whose share changes by a factor of exp({promise.delta:g}) or more."
    if promise.missing == "wildcard":
        yield "A missing value was counted as one that could be any, which is the milder reading."


def _have(promise: Promise) -> str:
    return "has" if len(promise.sensitive) == 1 else "have each"


def apart(evidence: Evidence) -> Iterator[str]:
    """Say which values of quasi attributes each block had, which only the original tells."""
    for name, rule in evidence.setting("apart").items():
        values, given = _value(rule, "l"), isinstance(rule, dict) and "epsilon" in rule
        which = f"values of {name} that lie {_value(rule, 'epsilon')} apart" if given else f"different values of {name}"
        yield f"When it was made, each block had {values} {which}."


def withheld_households(evidence: Evidence) -> Iterator[str]:
    """Say of how many households each block had records, which only the original tells."""
    if households := evidence.setting("households"):
        yield (
            f"When it was made, each block had records of at least {_value(households, 'k')} households; their numbers "
            "are withheld, so that this cannot be measured again."
        )
        yield (
            "Withheld numbers do not keep members apart: records with the same rare value of what a household shares, "
            "such as its rent, may belong together."
        )


def told_together(measured: Mapping[str, Any]) -> Iterator[str]:
    """Say what the released members of a household tell together."""
    together = measured.get("together")
    if together is None:
        return
    yield (
        f"Households are released: {count(together['unique'])} of {count(together['homes'])} are known by their "
        "members together, though each member looks like others."
    )


def _value(rule: object, name: str) -> str:
    found = rule.get(name) if isinstance(rule, dict) else None
    return f"{found:g}" if isinstance(found, int | float) else "some"


def exchanged(evidence: Evidence) -> tuple[str, ...]:
    """Say that values may have been exchanged between records, if the certificate says so."""
    if not evidence.exchanged:
        return ()
    return (
        f"Values of {listed(evidence.exchanged)} may have been exchanged between records. Of whom, where and how many "
        "is not told, for that would help to undo it.",
    )


def risk_card(evidence: Evidence) -> Card:
    """Say which risk remains."""
    title = "What risk remains"
    if evidence.kept is None:
        measured = evidence.certificate is not None and not evidence.certificate.promise.quasi and evidence.audit.holds
        told = "It was not measured, and people who are rare in any way may be found." if measured else "Not measured."
        return Card(title, (*naming(evidence), told))
    risk, promise = evidence.kept.safety.risk, evidence.kept.promise
    sentences = [
        *naming(evidence),
        f"Of {count(evidence.kept.safety.records)} records, {count(risk.expected)} ({share(risk.rate)}) would be "
        f"guessed rightly by somebody who knows {listed(evidence.known)} of everybody.",
        f"The record that is easiest to find is found with a probability of {odds(risk.highest)}.",
    ]
    if promise.weight is not None:
        sentences.append(
            f"That holds for somebody who does not know who is in the file: how many people outside look alike is "
            f"estimated from {promise.weight}. Who knows that a person is in it picks rightly with a probability of at "
            f"most {odds(1 / risk.candidates)}."
        )
    if risk.outstanding:
        sentences.append(
            f"{counted(risk.outstanding, 'record is', 'records are')} at a clearly higher risk than the main part."
        )
    if risk.household_expected is not None:
        sentences.append(f"Through their household, {counted(risk.household_expected, 'record')} would be given away.")
    sentences += told_together(evidence.audit.measured)
    sentences += _guessed(evidence)
    if uncounted := _uncounted(evidence):
        they = "it is" if len(uncounted) == 1 else "they are"
        sentences.append(f"Not counted: somebody who also knows {listed(uncounted, most=4)}, released as {they}.")
    return Card(title, tuple(sentences))


def _guessed(evidence: Evidence) -> Iterator[str]:
    """Say how well that sensitive attribute can be guessed which is certain of most records, or else in one block."""
    found = evidence.guesses
    if not found:
        return
    name = max(found, key=lambda one: (found[one].certain, found[one].surest))
    its = found[name]
    most = ", the most exposed attribute," if len(found) > 1 else ""
    if its.certain:
        yield (
            f"Of {counted(its.certain, 'record')} {name}{most} is given away: all who look alike have the same value. "
            f"Guessing it by them is right for {share(its.informed)} of all, by the whole file alone for "
            f"{share(its.blind)}."
        )
        return
    yield (
        f"Guessing {name}{most} by the records that look alike is right for {share(its.informed)} of them, and for "
        f"{share(its.surest)} in the surest block; by the whole file alone for {share(its.blind)}."
    )


def naming(evidence: Evidence) -> Iterator[str]:
    """Say which attributes seem to name people and are released as they are."""
    if evidence.certificate is None or evidence.release is None:
        return
    promise, release = evidence.certificate.promise, evidence.release
    spoken_of = (*promise.sensitive, promise.weight, promise.household)
    names = [name for name in _uncounted(evidence) if name not in spoken_of]
    yield from naming_attributes(release.microfile, release.codebook, names)


def _uncounted(evidence: Evidence) -> list[str]:
    """Return the attributes that are released exactly although nobody was supposed to know them."""
    if evidence.codebook is None or evidence.certificate is None:
        return []
    known = evidence.certificate.promise.quasi
    entries = evidence.codebook.attributes
    return [name for name, entry in entries.items() if name not in known and isinstance(entry.form, Exact)]


def limits_table(evidence: Evidence) -> Table | None:
    """Set each limit beside what was measured."""
    if evidence.kept is None:
        return None
    promise = evidence.kept.promise
    rows = [_limit_row(limit, promise) for limit in evidence.kept.limits]
    reached = evidence.audit.measured.get("fuzzy", {}).get("q")
    if promise.q is not None:
        kept = reached is not None and reached >= promise.q
        told = "not measured" if reached is None else number(reached)
        rows.append((f"Q of the fuzzy sets at {promise.level:g}, at least", number(promise.q), told, _yes(kept)))
    return Table("Limits of the promise", ("Limit", "Promised", "Measured", "Kept"), tuple(rows))


def limits_section(evidence: Evidence) -> Section | None:
    """Show the limits."""
    table = limits_table(evidence)
    told = "Every limit holds for the worst block, not on average. Measured on the files as they now are."
    if table is None or evidence.kept is None:
        return None
    leaning = leaning_on_missing(evidence.audit.measured, l=evidence.kept.promise.l)
    return Section("limits", "Promised and measured", (told, *leaning), (table,))


def _limit_row(limit: Limit, promise: Promise) -> tuple[str, ...]:
    entropy = limit.setting == "l" and promise.diversity == "entropy"
    what = LIMITS["entropy" if entropy else limit.setting].format(limit.attribute)
    what += " (records of each household laid upon each other)" * limit.laid
    return what, number(limit.limit), number(limit.reached), _yes(not limit.violations.blocks)


def _yes(kept: bool) -> str:
    return "yes" if kept else "NO"
