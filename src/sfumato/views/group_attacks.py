"""Attacks on a group, for the steward alone: what each attack finds, before and after the protection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.attacks import Disclosure, FuzzyModel, Rule, Verdict
from sfumato.formatting import capitalised, cell, count, counted, listed
from sfumato.harmonising import Done
from sfumato.views.model import Card, Passage, Table
from sfumato.views.steward_record import AttackRecord, GroupAttack

SHOWN_PLACES = 30
"""The largest number of places that are printed, those with most members first; JSON has all."""
SHOWN_RULES = 5
"""The number of rules that are printed, best supported first."""
ATTACK_COLUMNS = ("attack", "disclosed", "false", "Youden", "evidence", "corr.")
"""The heads of a table of attacks, short enough for 80 characters; the last one is the correlation of the signals."""
WHEN = {"unprotected": "before", "released": "after"}
"""What was attacked, in the words of a report."""
RULE = (
    "A place where the group really is an outlier is disclosed if the technique of TC16 (modified Thompson tau) flags "
    "it, if another technique flags it and is right at least twice as often as chance, or if more such places are "
    "among the highest or lowest estimates than chance explains. The group is also disclosed if the estimates follow "
    "the true numbers more closely than chance explains."
)
"""When something is disclosed."""
FALSE_ALARMS = (
    "False alarms are places that the most revealing technique flags although the group is no outlier there. Youden's "
    "J and the evidence judge this technique alone."
)
LEGEND = (
    "disclosed: outliers that any technique or their ranks give away; false: other places that the most revealing "
    "technique flags; Youden and evidence: of this technique alone."
)
"""What the columns of the tables on the command line mean."""
TITLES = {
    "unprotected": "Attacks if only the vital attributes are removed",
    "released": "Attacks on the release",
}


def last_verdict(verdicts: Mapping[str, Verdict]) -> Verdict:
    """Return the verdict on what would be published."""
    return verdicts.get("released", verdicts["unprotected"])


def rules_of(verdict: Verdict) -> tuple[Rule, ...]:
    """Return the rules of the first attack that has rules."""
    models = [disclosure.model for disclosure in verdict.disclosures if isinstance(disclosure.model, FuzzyModel)]
    return models[0].rules if models else ()


def group_sentence(verdicts: Mapping[str, Verdict]) -> str:
    """Say how large the group is and where it is an outlier."""
    disclosure = verdicts["unprotected"].disclosures[0]
    members, n_places = int(disclosure.true.values.sum()), len(disclosure.labels)
    outliers = counted(len(disclosure.standing_out), "place")
    return (
        f"{counted(members, 'member')} at {counted(n_places, 'place')}. The group is an outlier at {outliers}, which "
        "should be hidden."
    )


def preparation(steps: Sequence[tuple[str, tuple[Done, ...]]]) -> list[str]:
    """Say from which files the attacks learned, and which records were removed to make files comparable.

    Parameters
    ----------
    steps
        The file under attack, then the third-party files, each with what was done to it.
    """
    sentences = []
    for index, (path, done) in enumerate(steps):
        if index:
            sentences.append(f"The attacks learned from {path}.")
        sentences += [f"  {step}" for step in done if step.removed]
    return sentences


def verdict_tables(verdicts: Mapping[str, Verdict]) -> list[Table]:
    """Show how well each attack did, on the unprotected file and on the release."""
    return [
        Table(TITLES[when], ATTACK_COLUMNS, tuple(map(_attack_row, verdict.disclosures)))
        for when, verdict in verdicts.items()
    ]


def _attack_row(disclosure: Disclosure) -> tuple[str, ...]:
    adequacy = disclosure.adequacy
    return (
        disclosure.attack,
        f"{len(disclosure.disclosed):,} of {len(disclosure.standing_out):,}",
        cell(len(disclosure.false_alarms)),
        cell(round(adequacy.youden, 2)),
        f"{adequacy.bayes.value:z.1f} ({adequacy.bayes.words})",
        cell(round(disclosure.correlation, 2)),
    )


def rule_lines(rules: Sequence[Rule]) -> list[str]:
    """List the rules with most support."""
    if not rules:
        return []
    title = "1 rule:" if len(rules) == 1 else f"{count(len(rules))} rules, best supported first:"
    lines = [
        f"  {rule.words} (support {rule.support:.1%}, ratio {rule.confidence_ratio:.2f})"
        for rule in rules[:SHOWN_RULES]
    ]
    return [title, *lines]


def place_table(disclosure: Disclosure) -> tuple[Table | None, list[str]]:
    """Show the places that are outliers, found or known, and say how many members the others have at most."""
    members = disclosure.true.values
    special = {*disclosure.standing_out, *disclosure.found, *disclosure.known}
    found = {*disclosure.disclosed, *(disclosure.labels[place] for place in disclosure.false_alarms)}
    order = np.argsort(-members, kind="stable").tolist()
    relevant, rest = [place for place in order if place in special], [place for place in order if place not in special]
    rows = tuple(
        (
            disclosure.labels[place],
            *((disclosure.regions[place],) if disclosure.regions else ()),
            cell(int(members[place])),
            cell(float(disclosure.auxiliary.values[place])),
            "outlier" if place in disclosure.standing_out else "known" if place in disclosure.known else "",
            "found" if disclosure.labels[place] in found else "",
        )
        for place in relevant[:SHOWN_PLACES]
    )
    region = ("region",) if disclosure.regions else ()
    columns = ("place", *region, "members", "estimated members", "truth", "attack")
    sentences = []
    if len(relevant) > SHOWN_PLACES:
        more = counted(
            len(relevant) - SHOWN_PLACES, "more place is an outlier or was", "more places are outliers or were"
        )
        sentences.append(f"{more} found; --json lists all of them.")
    if rest:
        largest = cell(int(members[rest[0]]))
        unremarkable = counted(len(rest), "place is not an outlier and was", "places are not outliers and were")
        sentences.append(f"{unremarkable} not found; at most {largest} members each.")
    return (Table("Places, as seen by the most successful attack", columns, rows) if rows else None), sentences


def disclosure_sentence(verdicts: Mapping[str, Verdict], third_party: Sequence[str]) -> str:
    """Say whether these attacks, trained on these files, disclose the group."""
    verdict = last_verdict(verdicts)
    n_outliers = len(verdicts["unprotected"].disclosures[0].standing_out)
    if verdict.places:
        return _disclosed(verdict.places, n_outliers)
    if verdict.disclosed:
        worst = max(verdict.disclosures, key=lambda item: item.correlation - item.chance_correlation)
        return _correlated(worst.attack, worst.correlation, worst.chance_correlation)
    return _undisclosed(third_party, n_outliers)


def _undisclosed(third_party: Sequence[str], n_outliers: int) -> str:
    trained = f", trained on {listed(third_party)}," if third_party else ""
    finding = "do not find the one place" if n_outliers == 1 else f"find none of the {count(n_outliers)} places"
    return (
        f"These attacks{trained} {finding} where the group is an outlier, and their estimates follow the "
        "true numbers no more closely than chance. Other attacks or files may."
    )


def _disclosed(places: Sequence[str], n_outliers: int) -> str:
    return (
        f"The group is disclosed: attacks find {count(len(places))} of {counted(n_outliers, 'place')} where it is an "
        f"outlier ({listed(places)})."
    )


def _correlated(attack: str, correlation: float, chance: float) -> str:
    return (
        f"The group is disclosed: no single place is found, but the estimate of {attack} is correlated with the true "
        f"signal ({correlation:.2f}; chance explains up to {chance:.2f})."
    )


def attack_finding(record: AttackRecord) -> str:
    """Say in the findings of an audit how attacks disclose a hidden group."""
    if record.places:
        return f"attacks find {counted(len(record.places), 'place')} where a hidden group is an outlier"
    return "the estimates of attacks follow a hidden group more closely than chance explains"


def attack_card(records: Sequence[AttackRecord]) -> Card:
    """Say on the first screen of the confidential edition whether the group is disclosed, by the worst run."""
    record = records[0]
    places, n_outliers = record.places, len(record.last[0].stands_out)
    if places:
        sentence = f"✗ {_disclosed(places, n_outliers)}"
    elif correlated := [attack for attack in record.last if attack.follows]:
        worst = max(correlated, key=lambda attack: attack.correlation - attack.chance_correlation)
        sentence = f"✗ {_correlated(worst.attack, worst.correlation, worst.chance_correlation)}"
    else:
        sentence = f"✓ {_undisclosed(record.third_party, n_outliers)}"
    before = {place for attack in record.attacks.get("unprotected", ()) for place in attack.disclosed}
    unprotected = f"Without protection, attacks would find {count(len(before))}."
    sentences = [sentence, *([unprotected] if "unprotected" in record.attacks else [])]
    if len(records) > 1:
        sentences.append(
            f"This is the worst of {count(len(records))} runs with different attacks or files; "
            f"{counted(sum(run.discloses for run in records), 'run discloses', 'runs disclose')} the group."
        )
    return Card("What attacks find", tuple(sentences))


def attacks_of(record: AttackRecord) -> list[tuple[str, GroupAttack]]:
    """Return all attacks of a record, each with when it was made."""
    return [(WHEN.get(when, when), attack) for when, attacks in record.attacks.items() for attack in attacks]


def attack_passage(records: Sequence[AttackRecord]) -> Passage:
    """Show what each attack found before and after, in every run."""
    files = dict.fromkeys(file for record in records for file in record.third_party)
    learned = f" The attacks learned from {listed(files)}." if files else ""
    sentences = (
        "An attacker with another file learns from it what is typical of the members of the group, and then looks for "
        f"them in the release.{learned}",
        RULE,
        FALSE_ALARMS,
        *(("Each run has its own table, the worst first. The pictures show the worst.",) * (len(records) > 1)),
        *dict.fromkeys(f"Note: {note}." for record in records for note in record.notes),
    )
    tables = tuple(
        _attack_table(record, f"What attacks{f' trained on {listed(record.third_party)}' * (len(records) > 1)} find")
        for record in records
    )
    return Passage("disclosure", "Attacks on the group", sentences, tables)


def _attack_table(record: AttackRecord, caption: str) -> Table:
    rows = tuple(
        (
            f"{capitalised(attack.attack)}, {when}",
            count(len(attack.stands_out)),
            listed(attack.disclosed),
            listed(attack.false_alarms),
            f"{attack.youden:.2f}",
            f"{attack.bayes.value:.2f} ({attack.bayes.words})",
            f"{attack.correlation:.2f}",
        )
        for when, attack in attacks_of(record)
    )
    columns = ("Attack", "Outliers", "Disclosed", "False alarms", "Youden's J", "Evidence", "Correlation")
    return Table(caption, columns, rows)
