"""What a method hands over when it has protected the records, and how a release is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sfumato.array_types import Counts
from sfumato.measures import homes_of, recognisable_households
from sfumato.microfile import Hierarchy, Microfile
from sfumato.protections.person_protection import PersonProtection
from sfumato.randomness import Secret
from sfumato.release import (
    HouseholdPromise,
    PublicSettings,
    Release,
    StewardFacts,
    refuse_sharper,
    released_in_common,
    renumbered,
)
from sfumato.representations import Form


@dataclass(frozen=True)
class ProtectedTable:
    """The protected records, with what is needed to make a release of them."""

    table: Microfile
    """The records that are released, with their households' original numbers."""
    quasi: tuple[str, ...]
    """The quasi attributes of the release, in the order of the promise."""
    forms: dict[str, Form]
    """How each of them is released."""
    records: Counts
    """Which records of the original these are."""
    public: PublicSettings
    """What everybody may know about the protection."""
    shared: tuple[str, ...] = ()
    """The attributes in which members of a household must be released alike."""
    facts: StewardFacts = field(default_factory=StewardFacts)
    """What the method measured on the original, for the steward alone."""
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """Hierarchies of sensitive attributes."""
    notes: tuple[str, ...] = ()
    """What the steward should know about choices that were made, in sentences."""


def release_of(settings: PersonProtection, original: Microfile, protected: ProtectedTable, secret: Secret) -> Release:
    """Make a release of protected records; whether it keeps its promise is checked by the caller."""
    table = _with_new_households(settings, protected.table, secret)
    quasi, forms = protected.quasi, protected.forms
    refuse_sharper(table, settings.promise(quasi, protected.shared), forms)
    # taken from the table: whether members have a value in common is known of the original alone
    common = released_in_common(table, settings.promise(quasi), forms)
    public = protected.public
    if settings.household is not None and not settings.keep_household:
        public = public.model_copy(update={"households": HouseholdPromise(k=settings.k)})
    facts = replace(
        protected.facts,
        original_records=original.records,
        left_out=original.records - protected.records.size,
        protection=settings.model_dump(mode="json", exclude_defaults=True),
    )
    return Release(
        table,
        promise=settings.promise(quasi, common),
        forms=forms,
        hierarchies=protected.hierarchies,
        identifiers=settings.withheld,
        settings=public,
        private=facts,
        secret=secret,
        notes=(*protected.notes, *_recognisable_households(settings, original, protected.records, table)),
    )


def _with_new_households(settings: PersonProtection, table: Microfile, secret: Secret) -> Microfile:
    """Give households new numbers, or withhold them."""
    if settings.household is None:
        return table
    if settings.keep_household:
        return renumbered(table, settings.household, secret=secret)
    return table.select([name for name in table.names if name != settings.household])


def _recognisable_households(
    settings: PersonProtection, original: Microfile, records: Counts, table: Microfile
) -> tuple[str, ...]:
    """Say how many households the released values identify although household numbers are withheld."""
    if settings.household is None or settings.keep_household:
        return ()
    households = recognisable_households(table, homes_of(original.encoded(settings.household))[records])
    if not households.recognisable:
        return ()
    return (
        f"Household numbers are withheld, but {households.recognisable:,} of {households.households:,} households with "
        f"two or more records can be recognised by what their members share: {', '.join(households.names)}.",
    )
