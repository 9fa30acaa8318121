"""What a report shows, as values: a page has cards on its first screen and sections below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from sfumato.report.pictures import Chart

LETTERS = 38
"""So many letters have room beside each other on a narrow screen."""
LARGE = 1000
"""Numbers from here on are written without a fraction."""
Edition = Literal["public", "private"]


@dataclass(frozen=True)
class Table:
    """A table with its caption."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Each begins with what it is about."""
    digits: bool = False
    """Whether cells are read digit by digit."""

    @property
    def compact(self) -> bool:
        """Whether it fits on a narrow screen as it is; headings can be broken between words."""
        cells = zip(*self.rows, strict=True)
        heads = [max(map(len, column.split())) for column in self.columns]
        widths = [max([head, *map(len, its)]) for head, its in zip(heads, cells, strict=True)] if self.rows else heads
        return sum(widths) + 2 * len(widths) <= LETTERS


@dataclass(frozen=True)
class Picture:
    """A chart with what is said under it."""

    chart: Chart
    caption: str
    description: str
    """What is seen in it, for those who cannot see it."""


@dataclass(frozen=True)
class Card:
    """A part of the first screen."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """A part below the first screen."""

    name: str
    """By which it is linked."""
    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True)
class Page:
    """A report."""

    release: str
    """The name of the release."""
    edition: Edition
    holds: bool
    verdict: str
    """Whether it holds, in one sentence."""
    findings: tuple[str, ...]
    """What is wrong with it."""
    cards: tuple[Card, ...]
    statistics: Table | None
    """What preserved statistics can still tell."""
    sections: tuple[Section, ...]


def count(number: float) -> str:
    """Write how many.

    >>> count(1234567), count(0.4), count(311.7)
    ('1,234,567', 'less than 1', '312')
    """
    return "less than 1" if 0 < number < 0.5 else f"{number:,.0f}"


def counted(number: float, one: str, more: str = "") -> str:
    """Write how many of what; ``more`` is what several are called, by default ``one`` with an s.

    >>> counted(1, "record"), counted(0.3, "record"), counted(2000, "record is", "records are")
    ('1 record', 'less than 1 record', '2,000 records are')
    """
    told = count(number)
    return f"{told} {one if told in ('1', 'less than 1') else more or f'{one}s'}"


def share(part: float) -> str:
    """Write a share.

    >>> share(0.0489), share(0.00000012), share(1.0), share(0)
    ('4.9%', 'less than 0.01%', '100%', '0%')
    """
    if 0 < part < 0.0001:
        return "less than 0.01%"
    return f"{100 * part:.2g}%" if part < 0.1 else f"{100 * part:.3g}%"


def number(found: float) -> str:
    """Write a measured number.

    >>> number(10.0), number(0.348633333), number(float("inf")), number(123456.7)
    ('10', '0.3486', 'not finite', '123,457')
    """
    if found in (float("inf"), float("-inf")) or found != found:
        return "not finite"
    return f"{found:,.0f}" if float(found).is_integer() or abs(found) >= LARGE else f"{found:,.4g}"


def odds(chance: float) -> str:
    """Write a chance.

    >>> odds(0.1), odds(1 / 34567), odds(0.0196), odds(0.66)
    ('10% (1 in 10)', 'less than 0.01% (1 in 34,567)', '2% (1 in 51)', '66% (1 in 1.5)')
    """
    one_in = 1 / chance
    return f"{share(chance)} (1 in {f'{one_in:.2g}' if one_in < 9.5 else count(one_in)})"


def listed(names: Any, *, most: int = 12) -> str:
    """Write names one after the other.

    >>> listed(["age"]), listed(["age", "sex", "zip"]), listed("abcd", most=2)
    ('age', 'age, sex and zip', 'a, b and 2 more')
    """
    shown = [str(name) for name in names]
    if len(shown) > most:
        shown = [*shown[:most], f"{len(shown) - most} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else "nothing"
