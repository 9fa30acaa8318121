"""What is in a file: its attributes, and which of them single out records."""

from __future__ import annotations

from sfumato.formatting import cell, counted, percent
from sfumato.measures import Profile
from sfumato.suggesting import Suggestion
from sfumato.views.model import Table


def attributes_table(profile: Profile) -> Table:
    """Show every attribute with its kind and probable role."""
    columns = ("attribute", "kind", "missing", "distinct", "unique", "probable role")
    rows = tuple(
        (
            attribute.name,
            attribute.kind.value,
            *map(cell, (attribute.missing, attribute.distinct, attribute.unique)),
            cell(attribute.role),
        )
        for attribute in profile.attributes
    )
    return Table(counted(profile.records, "record"), columns, rows)


def combinations_table(profile: Profile) -> Table:
    """Show how few attributes single out how many records."""
    rows = tuple(
        (", ".join(combination.names), cell(combination.unique), percent(combination.share, 1))
        for combination in profile.combinations
    )
    return Table("How few attributes single out records", ("attributes", "unique records", "share"), rows)


def household_warnings(profile: Profile) -> list[str]:
    """Warn of attributes that look like household numbers."""
    return [
        f"{name} looks like a household number: name it as household or as an identifier. If it is released unchanged, "
        "anyone can combine what the records of a household say."
        for name in profile.homes
    ]


def suggestion_table(suggestion: Suggestion) -> Table:
    """Show which role is suggested for each attribute, and why."""
    rows = tuple((attribute.name, cell(attribute.role), attribute.reason) for attribute in suggestion.attributes)
    return Table(counted(suggestion.records, "record"), ("attribute", "role", "reason"), rows)
