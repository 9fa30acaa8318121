"""Guesses of each attribute's role, from its name, its kind and counts of its values."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.errors import ReleaseError
from sfumato.measures import AttributeProfile, Profile
from sfumato.microfile import Kind, Microfile
from sfumato.release import released_frame

MOST_TEXTS = 1000
"""Texts with more distinct values are names or remarks, unless they are codes of a hierarchy."""
NEARLY_UNIQUE = 0.99
MANY_RECORDS = 100
"""In fewer records, amounts are often all different by chance."""
SINGLES_OUT = 0.5
"""A household number that alone singles out a larger share of the records identifies people."""
_NAMING = re.compile(
    r"ssn|e.?mail|tele?.?phone|^phone|passport|surname|(first|last|full|given|maiden).?name|^name$|address|street|iban"
)
_CODED = re.compile(r"zip|postal|post.?code|puma|occp?|naics|^soc|icd|fips|county|region|code")
_CORE = re.compile(r"^agep?$|^age.?(y|month)|^sex$|gender|^race|^rac1p|birth|^dob|zip|postal|post.?code")
_NUMBERING = re.compile(r"(id|name|number|nr|no)$")
FEW_NUMBERED = 20
"""What is called a number and has more values numbers people, firms or places."""


@dataclass(frozen=True)
class Suggested:
    """The role of an attribute, and why."""

    name: str
    """The attribute."""
    role: str
    """identifier, quasi, sensitive, weight, household, or none: released as it is; in a first look also other."""
    reason: str
    """Why it is suggested, in words."""
    coded: bool = False
    """Whether its name suggests that its numbers are codes."""
    core: bool = False
    """Whether people know it about each other: age, sex, race, place of residence."""


def first_look(microfile: Microfile, profile: Profile) -> list[Suggested]:
    """Suggest a role for every attribute, one at a time; ``other`` without a clue."""
    assigned: set[str] = set()
    result = []
    for attribute in profile.attributes:
        role, reason = _role(microfile, attribute, profile.records, assigned)
        if role == "other" and attribute.name in profile.homes:
            reason = "records that share it agree in other attributes; if it is a household number, say so below"
            role = "identifier"
        assigned.add(role)
        name = attribute.name.lower()
        result.append(Suggested(attribute.name, role, reason, bool(_CODED.search(name)), bool(_CORE.search(name))))
    return result


def _role(microfile: Microfile, attribute: AttributeProfile, n_records: int, assigned: set[str]) -> tuple[str, str]:
    """Suggest one role, with its reason; ``assigned`` are those of the attributes before it."""
    try:
        released_frame(microfile.select([attribute.name]))
    except ReleaseError as error:
        return "identifier", f"it cannot be released: {error.message}"
    share = attribute.unique / n_records
    unique = f"unique in {share:.1%} of the records"
    if attribute.distinct < 2:
        return "none", "the same in all records" if attribute.distinct else "it has only missing values"
    if attribute.kind is not Kind.NUMERIC and _NAMING.search(attribute.name.lower()) and attribute.distinct > 2:
        return "identifier", "the column name suggests a personal identifier"
    if attribute.role == "identifier":
        return (
            "identifier",
            f"{unique}: identifies a person" if share > SINGLES_OUT else "the column name suggests a number or name",
        )
    if _is_numbered(microfile, attribute, n_records):
        return "identifier", f"{unique}, like case numbers; if it is an amount, make it sensitive"
    if attribute.role == "weight" and not attribute.missing:
        if "weight" in assigned:
            return "identifier", "a second weight: several weights show which records were sampled together"
        return "weight", "never negative or missing, and named like a weight"
    if attribute.role == "household":
        if "household" in assigned or share > SINGLES_OUT:
            return (
                "identifier",
                f"{unique}: a household number that identifies people" if share else "a second household number",
            )
        return "household", f"{attribute.distinct:,} households, judging by its name: every box has at least k of them"
    if attribute.role == "sensitive":
        return "sensitive", "the column name suggests a sensitive attribute"
    if attribute.role == "quasi" or microfile.series(attribute.name).dtype.is_temporal():
        return "quasi", "others may know it"
    if (
        attribute.kind is not Kind.NUMERIC
        and attribute.distinct > min(MOST_TEXTS, n_records / 2)
        and n_records >= MANY_RECORDS
    ):
        return "identifier", f"{attribute.distinct:,} distinct texts: names or remarks, which can identify people"
    if attribute.distinct > FEW_NUMBERED and _NUMBERING.search(attribute.name.lower()):
        return "identifier", "the column name suggests a number or name; if it is neither, make it sensitive"
    return "other", ""


def _is_numbered(microfile: Microfile, attribute: AttributeProfile, n_records: int) -> bool:
    """Whether whole numbers are all different, as numbers of people or cases are and amounts rarely are."""
    is_whole = attribute.kind is not Kind.NUMERIC or microfile.series(attribute.name).dtype.is_integer()
    return is_whole and n_records >= MANY_RECORDS and attribute.unique >= NEARLY_UNIQUE * n_records
