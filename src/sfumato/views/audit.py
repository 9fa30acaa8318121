"""What an audit found: the verdict, the findings, and how well an outside file links to the release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.formatting import capitalised, cell, counted, listed, percent
from sfumato.release import Audit
from sfumato.views.cautions import cautions
from sfumato.views.model import Table
from sfumato.views.promise import released_households

LINKAGE_SHARES = {
    "reached": "linked",
    "unique": "unique",
    "right": "correct",
    "precision": "precision",
    "expected": "by chance",
    "covered": "covered",
}
"""The shares that a linkage measures, with the headings of their columns."""


def finding_lines(audit: Audit) -> list[str]:
    """Say what is wrong."""
    return [f"{finding.about}: {finding.message}" for finding in audit.findings]


def measured_sentences(audit: Audit) -> list[str]:
    """Say how safe the data are."""
    measured = audit.measured
    if not measured:
        return []
    if "k" not in measured:
        return [f"{counted(measured['records'], 'record')}; no promise is made about individuals."]
    criteria = [f"{name} = {cell(measured[name])}" for name in ("k", "l", "t") if measured[name] is not None]
    cautionary = () if audit.compliance is None else cautions(measured, audit.compliance.promise)
    return [
        f"{counted(measured['records'], 'record')} in {counted(measured['blocks'], 'block')}; {', '.join(criteria)}; "
        f"{risk_phrase(measured)}.",
        *released_households(measured),
        *cautionary,
    ]


def risk_phrase(measured: Mapping[str, Any]) -> str:
    """Say how many re-identifications are expected."""
    risk = measured["risk"]
    expected = "expected re-identification" + "s" * (risk["expected"] != 1)
    return f"{cell(risk['expected'])} {expected}, highest risk of a record {cell(risk['highest'])}"


def note_lines(audit: Audit) -> list[str]:
    """Say what the audit could not check."""
    return [f"Note: {note}." for note in audit.notes]


def linkage_table(linkage: Mapping[str, Any]) -> Table:
    """Show how well an outside file links to the release, by method."""
    caption = f"{counted(linkage['tried'], 'outside record')} linked on {listed(linkage['on'])}"
    columns = ("method", *LINKAGE_SHARES.values(), "candidates", "fewest")
    rows = tuple(
        (
            name,
            *(percent(result[share]) for share in LINKAGE_SHARES),
            cell(result["candidates"]),
            cell(result["fewest"]),
        )
        for name, result in linkage["methods"].items()
    )
    return Table(caption, columns, rows)


def linkage_notes(linkage: Mapping[str, Any]) -> list[str]:
    """Say what limits the linkage."""
    unscored = [] if linkage["truth"] is not None else ["No ground truth was given, so the links cannot be scored."]
    return [*unscored, *(f"{capitalised(str(note))}" for note in linkage["notes"])]
