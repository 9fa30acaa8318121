"""What another k would have cost, for the steward alone."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.formatting import cell, number, share
from sfumato.views.model import Passage, Table
from sfumato.views.steward_record import KAlternative

PRINTED_STATISTICS = 4
"""The number of statistics whose widths are printed; JSON has all."""
LOSS = "Information loss of numbers is 0 if nothing is lost, and 1 if only the mean is left."


def attainable(alternatives: Sequence[KAlternative]) -> list[KAlternative]:
    """Return the alternatives that make a release."""
    return [alternative for alternative in alternatives if alternative.refused is None]


def refusals(alternatives: Sequence[KAlternative]) -> list[str]:
    """Say which k is unattainable, and why."""
    return [
        f"k = {alternative.k:,} is unattainable: {alternative.refused.message}."
        for alternative in alternatives
        if alternative.refused is not None
    ]


def alternatives_table(alternatives: Sequence[KAlternative], *, statistics: Sequence[str] = ()) -> Table:
    """Compare risk and detail of each k, and the widths of some statistics."""
    rows = tuple(
        (
            alternative.name,
            share(alternative.rate),
            share(alternative.highest),
            share(alternative.detail),
            "-" if alternative.information_loss is None else number(alternative.information_loss),
            *(cell(alternative.widths.get(name)) for name in statistics),
        )
        for alternative in attainable(alternatives)
    )
    columns = ("k", "Average risk", "Highest risk", "Detail lost", "Information loss", *statistics)
    return Table("What another k would have cost", columns, rows)


def alternatives_notes(alternatives: Sequence[KAlternative], *, statistics: Sequence[str]) -> list[str]:
    """Explain the columns of the table, and say which k is unattainable."""
    widths = ["The columns of statistics give the widths of their guaranteed ranges."] if statistics else []
    return [f"Confidential. {LOSS}", *widths, *refusals(alternatives)]


def printed_statistics(alternatives: Sequence[KAlternative]) -> list[str]:
    """Return the statistics whose widths are printed."""
    made = attainable(alternatives)
    return list(made[0].widths)[:PRINTED_STATISTICS] if made else []


def alternatives_passage(alternatives: Sequence[KAlternative]) -> Passage:
    """Show what each k would have cost."""
    made = attainable(alternatives)
    sentences = (
        "The same protection with other values of k. Further left, more detail is released; further down, records are "
        "harder to re-identify. The released k is marked. Information loss compares with the file before this "
        "protection, that is, after any group masks.",
        LOSS,
        *refusals(alternatives),
    )
    tables = [alternatives_table(alternatives)]
    if statistics := list(made[0].widths):
        rows = tuple((name, *(_width(alternative.widths.get(name)) for alternative in made)) for name in statistics)
        heads = ("Statistic", *(alternative.name for alternative in made))
        tables.append(Table("Width of the guaranteed range of each preserved statistic, by k", heads, rows))
    return Passage("others", "What another k would have cost", sentences, tuple(tables))


def _width(width: float | None) -> str:
    return "not guaranteed" if width is None else number(width)
