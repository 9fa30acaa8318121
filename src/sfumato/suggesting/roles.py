"""What each attribute probably is, from its name, its kind and counts of its values."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.errors import ReleaseError
from sfumato.measures.profile import AttributeProfile, Profile
from sfumato.microfile.attribute import Kind
from sfumato.microfile.microfile import Microfile
from sfumato.release.data import released_frame

MOST_TEXTS = 1000
"""Texts of more different values are names or remarks, unless their codes nest."""
NEARLY_UNIQUE = 0.99
MANY_RECORDS = 100
"""In fewer records, amounts are often all different by chance."""
SINGLES_OUT = 0.5
"""A household number that alone singles out more of the records names people."""
_NAMING = re.compile(
    r"ssn|e.?mail|tele?.?phone|^phone|passport|surname|(first|last|full|given|maiden).?name|^name$|address|street|iban"
)
_CODED = re.compile(r"zip|postal|post.?code|puma|occp?|naics|^soc|icd|fips|county|region|code")
_CORE = re.compile(r"^agep?$|^age.?(y|month)|^sex$|gender|^race|^rac1p|birth|^dob|zip|postal|post.?code")
_NUMBERING = re.compile(r"(id|name|number|nr|no)$")
FEW_NUMBERED = 20
"""What is called a number, and has more values, is one of people, firms or places."""


@dataclass(frozen=True)
class Suggested:
    """The role of an attribute, and why."""

    name: str
    """The attribute."""
    role: str
    """identifier, quasi, sensitive, weight, household, or none: it stays as it is; in a first look also other."""
    reason: str
    """Why it is suggested, in words."""
    coded: bool = False
    """Whether its name tells that its numbers are codes."""
    core: bool = False
    """Whether it is what everybody knows of each other: age, sex, race, where somebody lives."""


def first_look(microfile: Microfile, found: Profile) -> list[Suggested]:
    """Suggest a role for every attribute by itself; what nothing tells of is ``other``."""
    taken: set[str] = set()
    result = []
    for one in found.attributes:
        role, reason = _role(microfile, one, found.records, taken)
        if role == "other" and one.name in found.homes:
            role, reason = "identifier", "others do not differ where it is the same; if it is a household, say so below"
        taken.add(role)
        name = one.name.lower()
        result.append(Suggested(one.name, role, reason, bool(_CODED.search(name)), bool(_CORE.search(name))))
    return result


def _role(microfile: Microfile, one: AttributeProfile, records: int, taken: set[str]) -> tuple[str, str]:
    """Suggest one role, with its reason; ``taken`` are those of the attributes before it."""
    try:
        released_frame(microfile.select([one.name]))
    except ReleaseError as error:
        return "identifier", f"it cannot be released: {error.message}"
    share = one.unique / records
    unique = f"unique in {share:.1%} of the records"
    if one.distinct < 2:
        return "none", "the same in all records" if one.distinct else "it has only missing values"
    if one.kind is not Kind.NUMERIC and _NAMING.search(one.name.lower()) and one.distinct > 2:
        return "identifier", "its name says that it names a person"
    if one.role == "identifier":
        return "identifier", f"{unique}: names a person" if share > SINGLES_OUT else "a number or name by its name"
    if _is_numbered(microfile, one, records):
        return "identifier", f"{unique}, as numbers of cases are; if it is an amount, make it sensitive"
    if one.role == "weight" and not one.missing:
        if "weight" in taken:
            return "identifier", "a further weight: several tell which records were drawn together"
        return "weight", "never negative nor missing, and called a weight"
    if one.role == "household":
        if "household" in taken or share > SINGLES_OUT:
            return "identifier", f"{unique}: a household number that names people" if share else "a further household"
        return "household", f"{one.distinct:,} households by its name: every box gets records of at least k of them"
    if one.role == "sensitive":
        return "sensitive", "nobody should learn it of a person, by its name"
    if one.role == "quasi" or microfile.series(one.name).dtype.is_temporal():
        return "quasi", "others may know it"
    if one.kind is not Kind.NUMERIC and one.distinct > min(MOST_TEXTS, records / 2) and records >= MANY_RECORDS:
        return "identifier", f"{one.distinct:,} different texts: names or remarks, which can tell who it is"
    if one.distinct > FEW_NUMBERED and _NUMBERING.search(one.name.lower()):
        return "identifier", "a number or name by its name; if it is neither, make it sensitive"
    return "other", ""


def _is_numbered(microfile: Microfile, one: AttributeProfile, records: int) -> bool:
    """Whether whole numbers are all different, as numbers of people or cases are and amounts hardly."""
    whole = one.kind is not Kind.NUMERIC or microfile.series(one.name).dtype.is_integer()
    return whole and records >= MANY_RECORDS and one.unique >= NEARLY_UNIQUE * records
