"""The steward's confidential record of a release, as far as a view shows it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from sfumato.attacks import severity
from sfumato.errors import ReleaseError
from sfumato.release import ReleaseEvidence, kept

SHOWN_ELSEWHERE = (
    *("seal", "groups", "protection", "alternatives", "cost", "swaps", "before", "after"),
    *("secret", "uncertainty"),
)
"""Entries of a record that have their own section, or that are of no use to a reader."""


class RecordPart(BaseModel):
    """A part of a record; fields added by a later version are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class HiddenGroupDefinition(RecordPart):
    """Which group was hidden."""

    parameter: tuple[str, ...]
    vital: JsonValue = None


class RecordedMask(RecordPart):
    """The settings of a group mask."""

    model_config = ConfigDict(extra="allow")

    group: HiddenGroupDefinition
    signal: Literal["quantity", "concentration", "difference"] = "quantity"


class OutlierPlaces(RecordPart):
    """The places at which a group is an outlier."""

    before: tuple[str, ...]
    after: tuple[str, ...]


class SignalChange(RecordPart):
    """One number per place, before and after."""

    before: dict[str, float]
    after: dict[str, float]


class TableChange(RecordPart):
    """How much the table of places and an attribute changed."""

    share: float
    largest_cell_change: int


class WeightedSignal(RecordPart):
    """The signal as counted with weights."""

    outliers: OutlierPlaces


class AttackOnMask(RecordPart):
    """The hidden places that one attack found while the mask was made."""

    name: str
    found_before: tuple[str, ...]
    found_after: tuple[str, ...]


class Hardening(RecordPart):
    """The attacks against which a mask was hardened."""

    attacks: tuple[AttackOnMask, ...]
    looks: int
    changed_values: int
    share_of_values: float
    vital_released: bool


class HiddenGroup(RecordPart):
    """One hidden group."""

    mask: RecordedMask
    hidden: tuple[str, ...]
    known: tuple[str, ...] = ()
    cost: float
    optimal: bool
    moved: int
    changed_records: int
    before: dict[str, float]
    after: dict[str, float]
    outliers: OutlierPlaces
    tables: dict[str, TableChange] = Field(default_factory=dict)
    signal: SignalChange | None = None
    weighted: WeightedSignal | None = None
    at_least: int | None = None
    against: Hardening | None = None

    @property
    def is_counted(self) -> bool:
        """Whether the release shows who belongs to the group."""
        return self.against is None or self.against.vital_released

    @property
    def signals(self) -> SignalChange:
        """What was to be hidden: the signal of the mask, or the numbers of members."""
        return self.signal or SignalChange(before=self.before, after=self.after)

    def role(self, place: str) -> str:
        """Say which role a place has in the mask."""
        return "hidden" if place in self.hidden else "known" if place in self.known else ""


class RefusedK(RecordPart):
    """Why a k is unattainable."""

    message: str


class KAlternative(RecordPart):
    """What another k would have cost."""

    k: int
    released: bool
    refused: RefusedK | None
    rate: float = 0.0
    highest: float = 0.0
    detail: float = 0.0
    information_loss: float | None = None
    widths: dict[str, float | None] = Field(default_factory=dict)

    @property
    def name(self) -> str:
        """The k, with a remark if it is the released one."""
        return f"k = {self.k:,}{' (released)' if self.released else ''}"


class AttackedPlace(RecordPart):
    """One place as an attack sees it."""

    place: str
    region: str | None
    true: float
    auxiliary: float

    @property
    def name(self) -> str:
        """The place with its region."""
        return self.place if self.region is None else f"{self.region}: {self.place}"


class BayesFactor(RecordPart):
    """How strong the evidence of an attack is."""

    value: float
    words: str


class GroupAttack(RecordPart):
    """What one attack on a group found."""

    attack: str
    disclosed: tuple[str, ...]
    stands_out: tuple[str, ...]
    found: tuple[str, ...]
    correlation: float
    chance_correlation: float = 1.0
    follows: bool = False
    youden: float
    bayes: BayesFactor
    signals: tuple[AttackedPlace, ...]

    @property
    def false_alarms(self) -> tuple[str, ...]:
        """The found places where the group is no outlier."""
        return tuple(place for place in self.found if place not in self.stands_out)


class AttackRecord(RecordPart):
    """What all attacks on a group found, before and after the protection."""

    attacks: dict[str, tuple[GroupAttack, ...]] = Field(min_length=1)
    third_party: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def last(self) -> tuple[GroupAttack, ...]:
        """The attacks on the release."""
        return self.attacks.get("released", next(reversed(self.attacks.values())))

    @property
    def discloses(self) -> bool:
        """Whether some attack discloses the group in the release."""
        return any(attack.disclosed or attack.follows for attack in self.last)

    @property
    def places(self) -> list[str]:
        """The places that some attack discloses in the release."""
        return list(dict.fromkeys(place for attack in self.last for place in attack.disclosed))


class StewardRecord(RecordPart):
    """The confidential record."""

    seal: str
    groups: tuple[HiddenGroup, ...] = ()
    alternatives: tuple[KAlternative, ...] = ()
    protection: dict[str, JsonValue] = Field(default_factory=dict)
    uncertainty: dict[str, JsonValue] = Field(default_factory=dict)
    rest: dict[str, JsonValue] = Field(default_factory=dict)
    """All other entries."""


Model = TypeVar("Model", bound=RecordPart)


def read_record(content: Mapping[str, Any], evidence: ReleaseEvidence) -> StewardRecord:
    """Read a confidential record, and refuse the record of another release.

    Parameters
    ----------
    content
        The content of the file.
    evidence
        The release that it should belong to.
    """
    if evidence.certificate is None or content.get("seal") != evidence.certificate.seal:
        raise ReleaseError(
            "the record belongs to another release: its seal is different",
            hint="the record of a release is in the folder RELEASE.private, in a file named after the seal",
        )
    rest = {name: value for name, value in content.items() if name not in SHOWN_ELSEWHERE}
    return _validated(StewardRecord, {**content, "rest": rest})


def read_attack_records(path: Path, evidence: ReleaseEvidence) -> tuple[AttackRecord, ...]:
    """Read what the steward stored of attacks on the release, the worst first.

    Parameters
    ----------
    path
        The confidential record, or the folder that contains it.
    evidence
        The release.
    """
    contents = kept(path, evidence.certificate, "attack").values()
    records = [(_validated(AttackRecord, content), content) for content in contents]
    return tuple(record for record, _ in sorted(records, key=lambda pair: severity(pair[1]), reverse=True))


def _validated(model: type[Model], content: Mapping[str, Any]) -> Model:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        key_path = ".".join(str(key) for key in error.errors()[0]["loc"])
        raise ReleaseError(f"the confidential record has an invalid entry {key_path!r}") from None
