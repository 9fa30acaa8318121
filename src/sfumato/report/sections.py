"""The sections of a report: passages of the view layer, each with its charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sfumato.errors import SettingError
from sfumato.formatting import capitalised, listed, number, share
from sfumato.release import ReleaseEvidence
from sfumato.report.charts.alternatives_chart import alternatives_chart
from sfumato.report.charts.bar_chart import bars_chart
from sfumato.report.charts.box_chart import boxes_chart
from sfumato.report.charts.disclosure_chart import attacks_chart, relevant_extract
from sfumato.report.charts.estimate_chart import estimates_chart
from sfumato.report.charts.risk_utility_chart import risk_utility_chart
from sfumato.report.charts.signal_chart import goal_chart
from sfumato.report.page_model import Picture, Section, illustrated
from sfumato.views import (
    AttackRecord,
    GroupAttack,
    HiddenGroup,
    KAlternative,
    Passage,
    StewardRecord,
    alternatives_passage,
    attack_passage,
    attacks_of,
    attacks_passage,
    attainable,
    block_distribution,
    codebook_passage,
    glossary_passage,
    group_passage,
    limits_passage,
    protection_passage,
    relevant_places,
    risk_utility,
    settings_table,
    software_passage,
    statistics,
    uncertainty_sentences,
)

DRAWN_STATISTICS = 12
DRAWN_PLACES = 12
BOX_SIZE = {"width": 440, "height": 320}
CONFIDENTIAL = "This section contains what could help to undo the release. Keep it separate from the release."
BOXES = (
    "Each rectangle is a box: a record is only known to lie somewhere in its box. Where boxes that differ in other "
    "attributes overlap, the colour is darker."
)


def public_sections(evidence: ReleaseEvidence) -> Iterator[Section]:
    """Return the sections of the public edition."""
    passages = (limits_passage(evidence), protection_passage(evidence))
    yield from (illustrated(passage) for passage in passages if passage is not None)
    yield from _boxes(evidence)
    yield from _distributions(evidence)
    yield from _statistics(evidence)
    yield from _risk_utility(evidence)
    closing = (attacks_passage(evidence), codebook_passage(evidence), software_passage(evidence), glossary_passage())
    yield from (illustrated(passage) for passage in closing if passage is not None)


def confidential_sections(record: StewardRecord, attacks: Sequence[AttackRecord] = ()) -> Iterator[Section]:
    """Return the further sections of the confidential edition."""
    for ordinal, group in enumerate(record.groups, start=1):
        yield illustrated(group_passage(ordinal, group), _group_picture(ordinal, group))
    if attacks:
        yield _group_attacks(attacks)
    if record.alternatives:
        yield _alternatives(record.alternatives)
    tables = (settings_table("Settings of the protection", record.protection), settings_table("Record", record.rest))
    sentences = (CONFIDENTIAL, *uncertainty_sentences(record.uncertainty))
    yield Section("record", "The confidential record", sentences, tuple(table for table in tables if table.rows))


def _boxes(evidence: ReleaseEvidence) -> Iterator[Section]:
    """Draw the boxes of two attributes, if there are two."""
    if evidence.release is None:
        return
    try:
        chart = boxes_chart(evidence.release)
    except SettingError:
        # fewer than two attributes are released as intervals
        return
    title = chart.to_dict()["title"]
    caption = f"{title['text']}. {'; '.join(title['subtitle'])}."
    # the caption repeats the title, and is legible at any width
    untitled = chart.properties(title="", **BOX_SIZE)
    picture = Picture(untitled, caption, f"Rectangles of boxes in two attributes. {caption}")
    yield Section("boxes", "Boxes", (BOXES,), (), (picture,))


def _distributions(evidence: ReleaseEvidence) -> Iterator[Section]:
    """Draw how large blocks are, and how the risk is distributed."""
    drawn = (
        (
            block_distribution.blocks_passage(evidence),
            block_distribution.block_bars(evidence),
            "Records by the size of their block",
            "records in a block",
        ),
        (
            block_distribution.risk_passage(evidence),
            block_distribution.record_risk_bars(evidence),
            "Records by their re-identification risk",
            "risk of a record",
        ),
    )
    for passage, bars, caption, axis in drawn:
        if passage is not None and bars is not None:
            description = block_distribution.described(bars, caption)
            yield illustrated(passage, Picture(bars_chart(bars, title=axis), caption, description))


def _statistics(evidence: ReleaseEvidence) -> Iterator[Section]:
    """Draw the ranges of the first statistics."""
    passage = statistics.statistics_passage(evidence)
    if passage is None:
        return
    pictures = (
        Picture(
            estimates_chart(preserved.estimate),
            statistics.in_words(preserved),
            f"Ranges as bars, the value as a line. {statistics.described(preserved)}",
        )
        for preserved in evidence.preserved_numbers[:DRAWN_STATISTICS]
    )
    if len(evidence.preserved_numbers) > DRAWN_STATISTICS:
        extract = f"The first {DRAWN_STATISTICS} of {len(evidence.preserved_numbers)} are drawn."
        passage = Passage(passage.name, passage.title, (*passage.sentences, extract), passage.tables)
    yield illustrated(passage, *pictures)


def _risk_utility(evidence: ReleaseEvidence) -> Iterator[Section]:
    """Draw records by risk and lost detail."""
    passage, drawn = risk_utility.risk_utility_passage(evidence), risk_utility.circles_and_average(evidence)
    if passage is None or drawn is None:
        return
    caption = "Records by lost detail and risk; the larger a circle, the more records"
    yield illustrated(passage, Picture(risk_utility_chart(*drawn), caption, risk_utility.described(*drawn)))


def _alternatives(alternatives: tuple[KAlternative, ...]) -> Section:
    made = attainable(alternatives)
    points = "; ".join(
        f"k = {alternative.k:,}: {share(alternative.detail)} lost, risk {share(alternative.rate)}"
        for alternative in made
    )
    caption = "Average risk of a record against the detail lost, for each k"
    picture = Picture(alternatives_chart(made), caption, f"A line of points. {points}.")
    return illustrated(alternatives_passage(alternatives), picture)


def _group_attacks(records: Sequence[AttackRecord]) -> Section:
    """Draw each attack of the worst run before and after."""
    by_name: dict[str, list[tuple[str, GroupAttack]]] = {}
    for when, attack in attacks_of(records[0]):
        by_name.setdefault(attack.attack, []).append((when, attack))
    pictures = (_attack_picture(name, attacks) for name, attacks in by_name.items())
    return illustrated(attack_passage(records), *pictures)


def _attack_picture(name: str, attacks: list[tuple[str, GroupAttack]]) -> Picture:
    drawn = relevant_extract(attacks)
    n_drawn, n_places = len(drawn[0][1].signals), len(attacks[0][1].signals)
    extract = f"; {n_drawn} of {n_places} places" if n_drawn < n_places else ""
    caption = f"{capitalised(name)}: members as bars, members estimated by the attack as a line{extract}"
    outcome = "; ".join(
        f"{when}: discloses {listed(attack.disclosed)}, false alarms {listed(attack.false_alarms)}"
        for when, attack in attacks
    )
    return Picture(attacks_chart(drawn), caption, f"Bars and a line by place. {outcome}.")


def _group_picture(ordinal: int, group: HiddenGroup) -> Picture:
    """Draw the signal of a group, each place with its role in the mask."""
    places = relevant_places(group, at_most=DRAWN_PLACES)
    names = {place: f"{place} ({group.role(place)})" if group.role(place) else place for place in places}

    def named(signal: Mapping[str, float]) -> dict[str, float]:
        return {names[place]: signal[place] for place in places if place in signal}

    drawn = {
        **group.model_dump(mode="json", exclude={"signal"}),
        "before": named(group.before),
        "after": named(group.after),
        "outliers": {
            when: [names[place] for place in labels if place in names]
            for when, labels in group.outliers.model_dump().items()
        },
    }
    if group.signal is not None:
        drawn["signal"] = {"before": named(group.signal.before), "after": named(group.signal.after)}
    n_places = len(group.signals.before)
    extract = f"; {len(places)} of {n_places} places" if len(places) < n_places else ""
    caption = f"Group {ordinal}: each place before (left) and after (right); ▼ marks outliers{extract}"
    heights = "; ".join(
        f"{names[place]}: {number(group.signals.before.get(place, 0.0))} before, "
        f"{number(group.signals.after.get(place, 0.0))} after"
        for place in places
    )
    chart = goal_chart([drawn])
    for panel in chart.vconcat:
        # the caption repeats the title, and is legible at any width
        panel.title = ""
    return Picture(chart, caption, f"Bars by place. {heights}.")
