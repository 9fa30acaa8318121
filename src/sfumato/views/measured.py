"""How safe a table is: its measures, and the limits that it breaks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.formatting import cell, counted, percent
from sfumato.measures import ATTRIBUTE_CRITERIA, Measured
from sfumato.views.cautions import leaning_on_missing
from sfumato.views.model import Table

SIZES = ("2", "3", "5")
"""The block sizes below which records are counted."""


def safety_table(measured: Mapping[str, Any]) -> Table:
    """Show how large blocks are and what risk the records have."""
    risk, violations = measured["risk"], measured["violations"]
    rows: list[tuple[str, object, str]] = [
        ("k", measured["k"], "records in the smallest block"),
        (
            f"below {' / '.join(SIZES)}",
            " / ".join(cell(violations[size]) for size in SIZES),
            "records in smaller blocks",
        ),
        ("expected re-identifications", risk["expected"], f"{percent(risk['rate'], 3)} of the records"),
        ("highest risk", risk["highest"], "of a single record"),
        ("well above most", risk["above_main_part"], "records with a clearly higher risk than most"),
    ]
    if measured["households"] is not None:
        together = measured["together"]
        rows += [
            ("households", measured["households"], "in the block with the fewest"),
            ("via households", risk["household_expected"], "expected re-identifications through other members"),
            ("unique households", together["unique"], f"of {cell(together['homes'])}, by the combination of members"),
        ]
        if together["laid"] is not None:
            rows.append(
                ("k within households", together["laid"]["k"], "after intersecting the records of each household")
            )
    if measured["other_reading"] is not None:
        other = measured["other_reading"]
        reading = "equals any value" if other["missing"] == "wildcard" else "is a value of its own"
        rows.append(("k, other reading", other["k"], f"if a missing value {reading}"))
    caption = f"{counted(measured['records'], 'record')} in {counted(measured['blocks'], 'block')}"
    return Table(
        caption, ("measure", "value", "meaning"), tuple((name, cell(value), text) for name, value, text in rows)
    )


def attribute_tables(measured: Mapping[str, Any]) -> list[Table]:
    """Show how well sensitive attributes are protected."""
    attributes = measured["attributes"]
    if not attributes:
        return []
    facts = [fact for criterion in ATTRIBUTE_CRITERIA for fact in criterion.listed_facts]
    rows = tuple(
        (fact, *(cell(attribute[fact]) for attribute in attributes.values()))
        for fact in facts
        if all(fact in attribute for attribute in attributes.values())
    )
    return [Table("Sensitive attributes", ("measure", *attributes), rows)]


def attribute_notes(measured: Measured) -> list[str]:
    """Say what limits these measures."""
    unknown = [
        f"The hierarchy of {name} does not contain the values of "
        f"{counted(attribute['unknown_to_hierarchy'], 'record')}."
        for name, attribute in measured["attributes"].items()
        if attribute["unknown_to_hierarchy"]
    ]
    return [*leaning_on_missing(measured), *unknown]


def unique_tables(measured: Mapping[str, Any]) -> list[Table]:
    """Show which attributes make records minimal sample uniques."""
    uniques = measured.get("uniques")
    if uniques is None:
        return []
    rows = tuple((name, cell(share)) for name, share in uniques["contributions"].items())
    caption = f"{counted(uniques['records'], 'record has', 'records have')} minimal sample uniques"
    return [Table(caption, ("attribute", "contribution to their scores"), rows)]


def limit_lines(measured: Mapping[str, Any]) -> list[str]:
    """Say whether the limits are satisfied, and which are not."""
    if "holds" not in measured:
        return []
    verdict = "All limits are satisfied." if measured["holds"] else "These limits are violated:"
    return [verdict, *(f"  {reason['message']}" for reason in measured["why"])]
