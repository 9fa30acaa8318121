"""What a report shows, as values: a page has cards on its first screen and illustrated sections below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sfumato.views import Card, Passage, Table

if TYPE_CHECKING:
    from sfumato.report.charts.chart_export import Chart

Edition = Literal["public", "private"]


@dataclass(frozen=True)
class Picture:
    """A chart with its caption."""

    chart: Chart
    caption: str
    description: str
    """What the chart shows, for readers who cannot see it."""


@dataclass(frozen=True)
class Section(Passage):
    """A passage with pictures."""

    pictures: tuple[Picture, ...] = ()


def illustrated(passage: Passage, *pictures: Picture) -> Section:
    """Add pictures to a passage."""
    return Section(passage.name, passage.title, passage.sentences, passage.tables, pictures)


@dataclass(frozen=True)
class Page:
    """A report."""

    release: str
    """The name of the release."""
    edition: Edition
    holds: bool
    verdict: str
    """Whether the release keeps its promise, in one sentence."""
    findings: tuple[str, ...]
    """What is wrong with it."""
    cards: tuple[Card, ...]
    statistics: Table | None
    """How exact the preserved statistics are."""
    sections: tuple[Section, ...]
