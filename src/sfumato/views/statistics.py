"""Estimates and preserved statistics: values, ranges and what they mean, as tables and in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sfumato.formatting import NO_RANGE, cell, count, counted, few_digits, guaranteed_range, listed, number, share
from sfumato.release import PreservedNumber, PublicSettings, ReleaseEvidence
from sfumato.statistics import Estimate, Regression, parse
from sfumato.views.model import Card, Passage, Table

FIRST_SCREEN = 6
"""The number of statistics on the first screen of a report."""
ESTIMATE_COLUMNS = ("value", "guaranteed range", "attained range", "sampling error")
WEIGHTED_COLUMNS = ("value", "range", "shift", "width saved", "calibrated")
RANGES = (
    "Guaranteed range: no data that fit the release give a value outside it. Attained range: some data that fit the "
    "release reach each of its ends, so the guaranteed range cannot be narrower than that. Sampling error: the "
    "standard error of drawing these people from a population, which is there even without protection. The "
    "linear range in the charts is a first-order approximation and not guaranteed."
)


def estimate_tables(estimates: Iterable[Estimate | Regression]) -> list[Table]:
    """Return the tables of some estimates: single statistics, then each regression, then weighted results."""
    groups = _estimate_groups(estimates)
    tables = [
        Table(title, (first, *ESTIMATE_COLUMNS), tuple(_estimate_row(name, estimate) for name, estimate in rows))
        for title, first, rows in groups
    ]
    for title, first, rows in groups:
        weighted = [(name, estimate.weighted) for name, estimate in rows if estimate.weighted]
        if weighted:
            cells = tuple((name, *result.formatted, cell(result.calibrated)) for name, result in weighted)
            caption = f"{title}, {weighted[0][1].dismiss} weights"
            tables.append(Table(caption, (first, *WEIGHTED_COLUMNS), cells))
    return tables


def _estimate_groups(
    estimates: Iterable[Estimate | Regression],
) -> list[tuple[str, str, list[tuple[str, Estimate]]]]:
    """Return a title, the heading of the first column and the named estimates of each table."""
    estimates = list(estimates)
    single = [(estimate.statistic, estimate) for estimate in estimates if isinstance(estimate, Estimate)]
    groups = [("Estimates", "statistic", single)] if single else []
    regressions = [estimate for estimate in estimates if isinstance(estimate, Regression)]
    return groups + [(regression.statistic, "coefficient", list(regression.items())) for regression in regressions]


def estimate_notes(estimates: Iterable[Estimate | Regression]) -> list[str]:
    """Say what each estimate rests on."""
    notes, weighted = [], False
    for estimate in estimates:
        results = estimate.values() if isinstance(estimate, Regression) else (estimate,)
        weighted |= any(result.weighted is not None for result in results)
        note = f"{estimate.statistic}: {records_of(estimate)}"
        note += "" if estimate.guaranteed else "; the boxes are too wide to guarantee a range"
        notes.append(f"{note}.")
    if weighted:
        notes.append(
            "The weights change the statistic: only the unweighted ranges are guaranteed to contain the true value."
        )
    return notes


def records_of(estimate: Estimate | Regression) -> str:
    """Say how many records an estimate uses."""
    text = counted(estimate.records, "record") + (f", weighted by {estimate.weight}" if estimate.weight else "")
    lacking = counted(estimate.left_out, "record with a missing value", "records with missing values")
    return f"{text}; without {lacking}" if estimate.left_out else text


def suppressed_note(settings: PublicSettings) -> list[str]:
    """Say that suppressed records do not enter the estimates."""
    if not settings.suppress:
        return []
    return [f"Up to {share(settings.suppress)} of the records may have been suppressed; estimates do not cover them."]


def _estimate_row(name: str, estimate: Estimate) -> tuple[str, ...]:
    return name, *estimate.formatted, attained(estimate), few_digits(estimate.sampling_error, 3)


def attained(estimate: Estimate) -> str:
    """Write the attained range of an estimate."""
    low, high = (few_digits(end, 4) for end in estimate.attained)
    return low if estimate.attained[0] == estimate.attained[1] else f"{low} to {high}"


def statistics_card(evidence: ReleaseEvidence) -> Card:
    """Say what the release can still be used for."""
    title = "What can still be computed"
    if evidence.release is None:
        return Card(title, ("Nothing is computed, because the files do not match each other.",))
    if not evidence.preserved:
        return Card(title, (*_usable_attributes(evidence), *_coverage(evidence)))
    total = len(evidence.preserved)
    guaranteed = sum(
        preserved.estimate is not None and preserved.estimate.guaranteed for preserved in evidence.preserved
    )
    subject = ("it" if total == 1 else "each of them") if guaranteed == total else f"{count(guaranteed)} of them"
    subject = subject if guaranteed else "none of them"
    sentences = (
        f"The release was made to preserve {counted(total, 'statistic')}.",
        f"For {subject} the table below gives a guaranteed range: whatever the original values of the released records "
        "are, the statistic computed from them lies within it.",
        *_coverage(evidence),
        "The ranges are about the people in the file. If these were drawn from a population, the sampling error adds "
        "to them.",
    )
    return Card(title, sentences)


def _coverage(evidence: ReleaseEvidence) -> tuple[str, ...]:
    """Say that the statistics do not cover the whole original, if records were suppressed or values are missing."""
    suppressed = evidence.settings.suppress
    lacking = any(preserved.estimate is not None and preserved.estimate.left_out for preserved in evidence.preserved)
    if not lacking and not suppressed:
        return ()
    reasons = [*["suppressed records"] * bool(suppressed), *["records with missing values"] * lacking]
    return (
        f"The statistics do not cover {listed(reasons, conjunction='or')}; including them could change the values.",
    )


def _usable_attributes(evidence: ReleaseEvidence) -> list[str]:
    """Say what can be computed if no statistic was to be preserved."""
    forms = {} if evidence.codebook is None else evidence.codebook.forms()
    exact = [name for name, form in forms.items() if form.exact and name not in evidence.exchanged]
    fuzzy = [name for name, form in forms.items() if form.invertible]
    sentences = ["No particular statistic was to be preserved."]
    if exact:
        sentences.append(f"Released unchanged and fully usable: {listed(exact, at_most=6)}.")
    if fuzzy:
        sentences.append(
            f"Released as fuzzy sets, which have no sharp edges and therefore no guaranteed ranges: "
            f"{listed(fuzzy, at_most=6)}."
        )
    if evidence.exchanged:
        sentences.append(
            f"Usable alone, but less so together with other attributes, because values may have been swapped: "
            f"{listed(evidence.exchanged, at_most=6)}."
        )
    return sentences


def statistics_table(evidence: ReleaseEvidence) -> Table | None:
    """Show the first statistics with what they mean."""
    rows = [
        (in_words(preserved), *preserved.estimate.formatted, meaning(preserved))
        for preserved in evidence.preserved_numbers
    ]
    rows += [
        (preserved.statistic, "-", "-", preserved.refusal) for preserved in evidence.preserved if preserved.refusal
    ]
    if not rows:
        return None
    more = len(rows) - FIRST_SCREEN
    caption = "How exact each preserved statistic is" + (f" ({more} more below)" if more > 0 else "")
    return Table(caption, ("Statistic", "Value", "Guaranteed range", "In words"), tuple(rows[:FIRST_SCREEN]))


def in_words(preserved: PreservedNumber) -> str:
    """Write the name of a statistic in words."""
    return parse(preserved.statistic).described(preserved.coefficient)


def meaning(preserved: PreservedNumber) -> str:
    """Say in words how exact an estimate is."""
    estimate = preserved.estimate
    if not estimate.guaranteed:
        return "No range is guaranteed: do not rely on this value."
    if estimate.width == 0:
        return "Exact: nothing that it depends on was changed."
    signed = parse(preserved.statistic).has_sign(preserved.coefficient)
    if signed and estimate.lower <= 0 <= estimate.upper:
        return "Even its sign is uncertain."
    sampled = 4 * estimate.sampling_error
    sign = "Its sign is certain. " if signed else ""
    if estimate.width <= sampled:
        return f"{sign}The protection adds no more uncertainty than sampling does."
    if sampled == 0:
        return f"{sign}Only the protection limits its accuracy."
    times = few_digits(estimate.width / sampled, 2)
    return f"{sign}The protection adds {times} times as much uncertainty as sampling does."


def statistics_passage(evidence: ReleaseEvidence) -> Passage | None:
    """Show every statistic with its ranges."""
    if not evidence.preserved:
        return None
    rows = tuple(
        (preserved.name, *_estimate_row(preserved.name, preserved.estimate)[1:], count(preserved.estimate.records))
        for preserved in evidence.preserved_numbers
    )
    columns = ("Statistic", "Value", "Guaranteed range", "Attained range", "Sampling error", "Records")
    sentences = [RANGES]
    for preserved in evidence.preserved:
        if preserved.refusal:
            sentences.append(f"{preserved.statistic} cannot be estimated: {preserved.refusal}.")
        elif preserved.estimate is not None and preserved.estimate.left_out:
            unused = counted(
                preserved.estimate.left_out, "record with a missing value is", "records with missing values are"
            )
            sentences.append(f"{preserved.statistic}: {unused} not used.")
    tables = (Table("Preserved statistics with their ranges", columns, rows),) if rows else ()
    return Passage("statistics", "Statistics", tuple(sentences), tables)


def described(preserved: PreservedNumber) -> str:
    """Describe the ranges of a statistic for somebody who cannot see their chart."""
    value, span = preserved.estimate.formatted
    error = few_digits(preserved.estimate.sampling_error, 3)
    return (
        f"{preserved.name} is {value}; {guaranteed_range(span)}; attained range {attained(preserved.estimate)}; "
        f"sampling error {error}."
    )


def width_table(evidence: ReleaseEvidence) -> tuple[Table, ...]:
    """Compare the width of each guaranteed range with sampling and with the target accuracy."""
    if not evidence.preserved_numbers:
        return ()
    targeted = any(preserved.accuracy is not None for preserved in evidence.preserved_numbers)
    columns: tuple[str, ...] = ("Statistic", "Width of the guaranteed range", "Relative to sampling")
    columns += ("Relative to the target accuracy",) if targeted else ()
    rows = tuple(_width_row(preserved, targeted=targeted) for preserved in evidence.preserved_numbers)
    return (Table("Accuracy of preserved statistics", columns, rows),)


def _width_row(preserved: PreservedNumber, *, targeted: bool) -> tuple[str, ...]:
    estimate = preserved.estimate
    if not estimate.guaranteed:
        return preserved.name, NO_RANGE, "-", *(("-",) if targeted else ())
    # two sampling errors on both sides
    to_sampling = _ratio(estimate.width, 4 * estimate.sampling_error)
    to_target = _ratio(estimate.width, 0.0 if preserved.accuracy is None else 2 * preserved.accuracy)
    return preserved.name, number(estimate.width), to_sampling, *((to_target,) if targeted else ())


def _ratio(width: float, unit: float) -> str:
    """Write a ratio.

    >>> _ratio(3.0, 2.0), _ratio(1.0, 0.0)
    ('1.5', '-')
    """
    return f"{width / unit:,.2g}" if unit > 0 else "-"


def estimates_of(evidence: ReleaseEvidence) -> Sequence[Estimate | Regression]:
    """Return the estimates of all preserved statistics that could be computed."""
    return [preserved.estimate for preserved in evidence.preserved if preserved.estimate is not None]
