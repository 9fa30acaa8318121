"""What preserved statistics can still tell: value, ranges and sampling error, in words, a table and pictures."""

from __future__ import annotations

from sfumato.release.preserved import Part
from sfumato.report.estimates import estimates_chart
from sfumato.report.evidence import Evidence
from sfumato.report.page import Card, Picture, Section, Table, count, counted, listed
from sfumato.statistics.estimate import Estimate
from sfumato.statistics.language import INTERCEPT, parse
from sfumato.statistics.wording import few, within

FIRST = 6
"""So many statistics stand on the first screen."""
DRAWN = 12
"""So many are drawn."""
WORDS = {
    "mean": "Mean",
    "var": "Variance",
    "std": "Standard deviation",
    "cov": "Covariance",
    "corr": "Correlation",
}
SIGNED = ("cov", "corr", "regress")
"""Of these it matters whether they are above or below zero."""


def statistics_card(evidence: Evidence) -> Card:
    """Say what the release can still tell."""
    title = "What it still tells"
    if evidence.release is None:
        return Card(title, ("Nothing is computed from files that do not belong together.",))
    if not evidence.told:
        return Card(title, (_without(evidence), *_partly(evidence)))
    sure, whole = sum(one.found is not None and one.found.guaranteed for one in evidence.told), len(evidence.told)
    some = "each of them" if sure == whole else f"{count(sure)} of them" if sure else "none of them"
    told = (
        f"{count(whole)} statistics were to be preserved." if whole > 1 else "One statistic was to be preserved.",
        f"For {some} a range is proved in which the value must lie that the original values of the released records "
        "give, whatever these are: it stands in the table.",
        *_partly(evidence),
        "The ranges hold for the people in the file. That these were drawn from a population adds the sampling error.",
    )
    return Card(title, told)


def _partly(evidence: Evidence) -> tuple[str, ...]:
    """Say that what is told is not of the whole original, if records or values were left out."""
    left_out = evidence.settings.get("suppress")
    lacking = any(one.found is not None and one.found.left_out for one in evidence.told)
    if not lacking and not left_out:
        return ()
    who = listed([*["may have been left out"] * bool(left_out), *["lack a value"] * lacking]).replace(" and ", " or ")
    return (f"Records that {who} have no part in this: with them, statistics may be others.",)


def _without(evidence: Evidence) -> str:
    """Say what can be computed where no statistic was to be preserved."""
    forms = {} if evidence.codebook is None else {n: e.form.form for n, e in evidence.codebook.attributes.items()}
    exact = [name for name, form in forms.items() if form == "exact" and name not in evidence.exchanged]
    fuzzy = [name for name, form in forms.items() if form == "fuzzy"]
    told = "No statistic was to be preserved by name."
    if exact:
        told += f" Told as they are, and of full use: {listed(exact, most=6)}."
    if fuzzy:
        told += f" Told as fuzzy sets, which have no sharp ends, so that no range is sure: {listed(fuzzy, most=6)}."
    if evidence.exchanged:
        names = listed(evidence.exchanged, most=6)
        told += f" Of use alone, less so together with others, for values may have been exchanged: {names}."
    return told


def statistics_table(evidence: Evidence) -> Table | None:
    """Say of the first statistics what each can tell."""
    rows = [(in_words(part), *part.estimate.told, meaning(part)) for part in evidence.parts]
    rows += [(one.statistic, "-", "-", one.refusal) for one in evidence.told if one.refusal]
    if not rows:
        return None
    left = len(rows) - FIRST
    caption = "What each preserved statistic still can tell" + (f" ({left} more below)" if left > 0 else "")
    return Table(caption, ("Statistic", "Value", "Surely within", "In words"), tuple(rows[:FIRST]))


def in_words(part: Part) -> str:
    """Write the name of a statistic in words."""
    asked = parse(part.statistic)
    if asked.name != "regress":
        return f"{WORDS[asked.name]} of {listed(asked.attributes)}"
    outcome, *predictors = asked.attributes
    line = f"the line of {outcome} by {listed(predictors)}"
    return f"Intercept of {line}" if part.coefficient == INTERCEPT else f"Slope of {part.coefficient} in {line}"


def meaning(part: Part) -> str:
    """Say in words how exact an estimate is."""
    estimate = part.estimate
    if not estimate.guaranteed:
        return "No range can be proved: do not rely on it."
    if estimate.width == 0:
        return "Exact: nothing that it depends on was blurred."
    signed = parse(part.statistic).name in SIGNED and part.coefficient != INTERCEPT
    if signed and estimate.lower <= 0 <= estimate.upper:
        return "Not even its sign is sure."
    sampled = 4 * estimate.sampling_error
    sign = "Its sign is sure. " if signed else ""
    if estimate.width <= sampled:
        return f"{sign}The protection blurs it no more than drawing a sample does."
    if sampled == 0:
        return f"{sign}The protection alone limits how exact it is."
    times = few(estimate.width / sampled, 2)
    return f"{sign}The protection blurs it {times} times as much as drawing a sample does."


def statistics_section(evidence: Evidence) -> Section | None:
    """Show every statistic with its ranges."""
    if not evidence.told:
        return None
    rows = [_row(part) for part in evidence.parts]
    columns = ("Statistic", "Value", "Surely within", "Reached by some data", "Sampling error", "Records")
    sentences = [
        "Surely within (in the pictures: guaranteed): no data that fit the release give a value outside. Reached by "
        "some data (attained): some do come that far, so the sure range cannot be narrower. Sampling error: the "
        "standard error of drawing these people from a population; it would be there without any protection. Linear is "
        "an approximation, shown beside them as what it is."
    ]
    sentences += [f"{one.statistic} cannot be told: {one.refusal}." for one in evidence.told if one.refusal]
    sentences += _lacking(evidence)
    if len(rows) > DRAWN:
        sentences.append(f"The first {DRAWN} of {len(rows)} are drawn.")
    return Section(
        "statistics",
        "Statistics",
        tuple(sentences),
        (Table("Preserved statistics with their ranges", columns, tuple(rows)),) if rows else (),
        tuple(map(_picture, evidence.parts[:DRAWN])),
    )


def _range(ends: tuple[float, float]) -> str:
    low, high = (few(end, 4) for end in ends)
    return low if ends[0] == ends[1] else f"{low} to {high}"


def _error(estimate: Estimate) -> str:
    return few(estimate.sampling_error, 3)


def _row(part: Part) -> tuple[str, ...]:
    one = part.estimate
    return part.name, *one.told, _range(one.attained), _error(one), count(one.records)


def _lacking(evidence: Evidence) -> list[str]:
    some = [(one.statistic, one.found.left_out) for one in evidence.told if one.found is not None]
    lacking = ("record lacks a value and is", "records lack a value and are")
    return [f"{name}: {counted(left, *lacking)} left out." for name, left in some if left]


def _picture(part: Part) -> Picture:
    value, sure = part.estimate.told
    reached, error = _range(part.estimate.attained), _error(part.estimate)
    seen = f"{part.name} is {value}; {within(sure)}; reached by some data: {reached}; sampling error {error}."
    return Picture(estimates_chart(part.estimate), in_words(part), f"Ranges as bars, the value as a line. {seen}")
