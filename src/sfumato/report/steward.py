"""The private edition: what only the steward may know of how groups were hidden."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ConfigDict, Field, JsonValue, ValidationError

from sfumato.errors import ReleaseError
from sfumato.release.private import kept
from sfumato.report.attacks import Attacked, attacked_section
from sfumato.report.evidence import Evidence
from sfumato.report.others import Other, others_section
from sfumato.report.page import Picture, Section, Table, count, counted, listed, number, share
from sfumato.report.protected import exactness
from sfumato.report.records import RecordPart

Form = TypeVar("Form", bound=RecordPart)

UNCOUNTED = (
    "Who belongs to the group is not released, so that nobody can count it: what is shown is the truth behind the "
    "release, which was hidden from attacks."
)
DRAWN, LISTED = 12, 24
"""So many places are drawn at most, and listed."""
KEPT_APART = (
    *("seal", "groups", "protection", "alternatives", "cost", "swaps", "before", "after"),
    *("secret", "uncertainty"),
)
"""Parts of a record that are shown elsewhere, or that are of no use to a reader."""


class Parameter(RecordPart):
    """The group that was hidden."""

    parameter: tuple[str, ...]
    vital: JsonValue = None


class Mask(RecordPart):
    """How it was hidden."""

    model_config = ConfigDict(extra="allow")

    group: Parameter
    signal: Literal["quantity", "concentration", "difference"] = "quantity"


class Outliers(RecordPart):
    """The places that stand out."""

    before: tuple[str, ...]
    after: tuple[str, ...]


class Signals(RecordPart):
    """One number a place."""

    before: dict[str, float]
    after: dict[str, float]


class Change(RecordPart):
    """How much a table of places and an attribute changed."""

    share: float
    largest_cell_change: int


class Weighted(RecordPart):
    """What is seen by those who count with weights."""

    outliers: Outliers


class Attack(RecordPart):
    """What an attack saw."""

    name: str
    found_before: tuple[str, ...]
    found_after: tuple[str, ...]


class Against(RecordPart):
    """The attacks from which the group was hidden."""

    attacks: tuple[Attack, ...]
    looks: int
    changed_values: int
    share_of_values: float
    vital_released: bool


class Hidden(RecordPart):
    """One hidden group, as the steward's record tells it."""

    mask: Mask
    hidden: tuple[str, ...]
    known: tuple[str, ...] = ()
    cost: float
    optimal: bool
    moved: int
    changed_records: int
    before: dict[str, float]
    after: dict[str, float]
    outliers: Outliers
    tables: dict[str, Change] = Field(default_factory=dict)
    signal: Signals | None = None
    weighted: Weighted | None = None
    at_least: int | None = None
    against: Against | None = None

    @property
    def is_counted(self) -> bool:
        """Whether the release tells who belongs to the group."""
        return self.against is None or self.against.vital_released

    @property
    def signals(self) -> Signals:
        """What was to be hidden: the signal of the mask, or the numbers of members."""
        return self.signal or Signals(before=self.before, after=self.after)

    def sign(self, place: str) -> str:
        """Say what the mask was told of a place."""
        return "hidden" if place in self.hidden else "known" if place in self.known else ""


class Record(RecordPart):
    """The steward's record, as far as a report shows it."""

    seal: str
    groups: tuple[Hidden, ...] = ()
    alternatives: tuple[Other, ...] = ()
    protection: dict[str, JsonValue] = Field(default_factory=dict)
    uncertainty: dict[str, JsonValue] = Field(default_factory=dict)
    rest: dict[str, JsonValue] = Field(default_factory=dict)
    """What else stands there."""


def read_record(content: Mapping[str, Any], evidence: Evidence) -> Record:
    """Read what a steward's record says, refusing one of another release.

    Parameters
    ----------
    content
        What stands in the file.
    evidence
        The release that it shall be of.
    """
    if evidence.certificate is None or content.get("seal") != evidence.certificate.seal:
        raise ReleaseError(
            "the record is not that of this release: it has another seal",
            hint="the record of a release lies in the folder RELEASE.private, named after the seal",
        )
    rest = {name: value for name, value in content.items() if name not in KEPT_APART}
    return _read(Record, {**content, "rest": rest})


def read_attacked(path: Path, evidence: Evidence) -> Attacked | None:
    """Read what the steward kept of an attack on the release, if there is something.

    Parameters
    ----------
    path
        The steward's record, or the folder in which it lies.
    evidence
        The release.
    """
    found = kept(path, evidence.certificate, "attack")
    return None if found is None else _read(Attacked, found)


def _read(model: type[Form], content: Mapping[str, Any]) -> Form:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise ReleaseError(f"the record is not of its form at {where!r}") from None


def private_sections(record: Record, attacked: Attacked | None = None) -> tuple[Section, ...]:
    """Show each hidden group, what attacks find, what another k would have cost, and the settings."""
    groups = tuple(_group_section(place, one) for place, one in enumerate(record.groups, start=1))
    tables = [_settings("Settings of the protection", record.protection), _settings("Record", record.rest)]
    shown = tuple(table for table in tables if table.rows)
    told = "What could help to undo the release. Keep it apart from it."
    others = () if not record.alternatives else (others_section(record.alternatives),)
    found = () if attacked is None else (attacked_section(attacked),)
    sentences = (told, *exactness(record.uncertainty))
    return (*groups, *found, *others, Section("record", "The steward's record", sentences, shown))


def _group_section(place: int, group: Hidden) -> Section:
    """Show one group."""
    parameter, weighted = " and ".join(group.mask.group.parameter), group.weighted
    optimal = "no exchange with this outcome costs less" if group.optimal else "a cheaper exchange may exist"
    sentences = (
        f"The group is {_vital(group.mask.group.vital)}, counted by {parameter}. Hidden: {listed(group.hidden)}. "
        f"Known to others anyway: {listed(group.known)}.",
        f"{counted(group.moved, 'person', 'people')} moved{_fewest(group)}, "
        f"{counted(group.changed_records, 'record')} changed; "
        f"distortion {number(group.cost)} ({optimal}).",
        _standing_out(group, group.outliers, "Places that stand out") if group.is_counted else UNCOUNTED,
        *(() if weighted is None else (_standing_out(group, weighted.outliers, "If people are counted with weights"),)),
    )
    return Section(
        f"group-{place}",
        f"Group {place}: before and after",
        sentences,
        (
            _places_table(group),
            *_attacks(group),
            *_changes(group),
            _settings("Settings of the mask", group.mask.model_dump(mode="json")),
        ),
        (_picture(place, group),),
    )


def _fewest(group: Hidden) -> str:
    if group.at_least is None:
        return ""
    return " (no fewer would do)" if group.moved == group.at_least else f" (at least {count(group.at_least)} have to)"


def _attacks(group: Hidden) -> tuple[Table, ...]:
    """Show what attacks found of the hidden places, before and after."""
    told = group.against
    if told is None:
        return ()
    rows = tuple((one.name, listed(one.found_before), listed(one.found_after)) for one in told.attacks)
    price = f"{counted(told.changed_values, 'value')} changed, {share(told.share_of_values)} of all"
    return (Table(f"Hidden places that attacks find; {price}", ("Attack", "Before", "After"), rows),)


def _standing_out(group: Hidden, found: Outliers, what: str) -> str:
    still = [label for label in found.after if label in group.hidden]
    told = f"Still standing out although hidden: {listed(still)}." if still else "No hidden place stands out."
    return f"{what}: {count(len(found.before))} before, {count(len(found.after))} after. {told}"


def _places(group: Hidden, *, most: int) -> list[str]:
    """Return the places that matter, if all are too many: those with a sign, then those that changed most."""
    before, after = group.signals.before, group.signals.after
    labels = list(dict.fromkeys([*before, *after]))
    if len(labels) <= most:
        return labels
    special = {*group.hidden, *group.known, *group.outliers.before, *group.outliers.after}
    moved = {label: abs(after.get(label, 0.0) - before.get(label, 0.0)) for label in labels}
    chosen = set(sorted(labels, key=lambda label: (label not in special, -moved[label]))[:most])
    return [label for label in labels if label in chosen]


def _places_table(group: Hidden) -> Table:
    signals, shown, places = group.signals, group.outliers, _places(group, most=LISTED)
    whole = len(dict.fromkeys([*signals.before, *signals.after]))
    rows = tuple(
        (
            place,
            group.sign(place) or "-",
            number(signals.before.get(place, 0.0)),
            number(signals.after.get(place, 0.0)),
            _when(place in shown.before, place in shown.after),
        )
        for place in places
    )
    some = f", {len(places)} of {whole} places" if len(places) < whole else ""
    kind = {"quantity": "Members", "concentration": "Shares of members", "difference": "Differences of shares"}
    columns = ("Place", "Mask", "Before", "After", "Stands out")
    return Table(f"{kind[group.mask.signal]} before and after{some}", columns, rows)


def _when(before: bool, after: bool) -> str:
    return "both" if before and after else "before" if before else "after" if after else "-"


def _changes(group: Hidden) -> tuple[Table, ...]:
    rows = tuple(
        (name, share(change.share), count(change.largest_cell_change)) for name, change in group.tables.items()
    )
    columns = ("Attribute", "Share of people in another cell", "Largest change of a cell")
    return (Table("Change of the tables of places and an attribute", columns, rows),) if rows else ()


def _settings(caption: str, settings: Mapping[str, Any]) -> Table:
    rows = tuple((name, _written(value)) for name, value in settings.items())
    return Table(caption, ("Setting", "Value"), rows)


def _vital(chosen: JsonValue) -> str:
    """Say which people are meant."""
    if not isinstance(chosen, dict):
        return _written(chosen)
    told = [f"{name} {listed(its) if isinstance(its, list) else _written(its)}" for name, its in chosen.items()]
    return " with ".join(told)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _picture(ordinal: int, group: Hidden) -> Picture:
    """Draw the places, each with what the mask was told of it."""
    from sfumato.report.groups import goal_chart

    places = _places(group, most=DRAWN)
    names = {place: f"{place} ({group.sign(place)})" if group.sign(place) else place for place in places}

    def named(signal: Mapping[str, float]) -> dict[str, float]:
        return {names[place]: signal[place] for place in places if place in signal}

    drawn = {
        **group.model_dump(mode="json", exclude={"signal"}),
        "before": named(group.before),
        "after": named(group.after),
        "outliers": {
            when: [names[place] for place in shown if place in names]
            for when, shown in group.outliers.model_dump().items()
        },
    }
    if group.signal is not None:
        drawn["signal"] = {"before": named(group.signal.before), "after": named(group.signal.after)}
    some = f"; {len(places)} of {len(group.signals.before)} places" if len(places) < len(group.signals.before) else ""
    caption = f"Group {ordinal}: each place before (left) and after (right); ▼ stands over what stands out{some}"
    seen = "; ".join(
        f"{names[place]}: {number(group.signals.before.get(place, 0.0))} before, "
        f"{number(group.signals.after.get(place, 0.0))} after"
        for place in places
    )
    chart = goal_chart([drawn])
    for panel in chart.vconcat:
        # said in the caption, where it can be read at any width
        panel.title = ""
    return Picture(chart, caption, f"Bars by place. {seen}.")
