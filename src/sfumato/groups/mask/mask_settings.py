"""The settings of a group mask: which group to hide, where, and how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, WithJsonSchema, field_validator, model_validator

from sfumato.errors import SettingError
from sfumato.fuzzy import AnyShape
from sfumato.groups.adversary_view import Adversary
from sfumato.groups.group import ByPlace, Group, PlaceNames, nest_group_settings
from sfumato.groups.swap.memetic_settings import Memetic
from sfumato.protections import Protection, Stage
from sfumato.record_filter import Chosen, attributes_of
from sfumato.roles import Names
from sfumato.settings import Settings

Reshape = Literal["least", "wavelet", "moments", "decoy"]
Swap = Literal["exact", "memetic", "greedy"]
NEEDS = {
    "wavelet": ("reshape", "wavelet"),
    "level": ("reshape", "wavelet"),
    "decoys": ("reshape", "decoy"),
    "restrictions": ("swap", "memetic"),
    "memetic": ("swap", "memetic"),
}
"""Settings that have an effect only with one value of another."""


def _as_importances(value: Any) -> Any:
    names = (value,) if isinstance(value, str) else value
    return dict.fromkeys(names, 1.0) if isinstance(names, list | tuple) else names


def _as_attacks(value: Any) -> Any:
    attacks = value if isinstance(value, list | tuple) or value is None else (value,)
    for attack in attacks or ():
        if not isinstance(attack, Adversary):
            raise ValueError("give attacks, such as FuzzyRuleAttack(group=..., third_party=...)")
    return attacks


# the settings and data of attacks are not the mask's own, so they are not written with it
Against = Annotated[
    tuple[Any, ...] | None, BeforeValidator(_as_attacks), Field(exclude=True), WithJsonSchema({"type": "boolean"})
]
if TYPE_CHECKING:
    # a type checker sees what may be passed: names, or names with their importance
    Importances: TypeAlias = Any
else:
    Importances = Annotated[dict[str, Annotated[float, Field(ge=0, le=1e6)]], BeforeValidator(_as_importances)]


class GroupToHide(Settings):
    """Which group is hidden, where, and how: the settings that only a mask has."""

    group: Group
    """The group to hide, and its places."""
    hide: Literal["outliers"] | PlaceNames | None = None
    """The places where the group must not stand out, or "outliers": wherever it does, before or after."""
    target: Annotated[dict[str, Annotated[int, Field(ge=0, le=2**53)]], Field(min_length=1), ByPlace] | None = None
    """Instead of ``hide``: the number of members that places are to have; places not named share the difference."""
    known: PlaceNames = ()
    """Places where everybody knows that the group stands out; they stay as they are."""
    influential: Importances | None = None
    """Attributes whose joint distribution with the parameter matters, with equal or given importance. Default: all but
    the parameter, the vital attributes, identifiers and the weight."""
    keep: Names = ()
    """Attributes whose joint distribution with the parameter must not change at all."""
    along: Names | None = None
    """Attributes that describe the place, such as its region or density: a swapped record takes on those of its new
    place too. Default: all that have one value per place."""
    signal: Literal["quantity", "concentration", "difference"] = "quantity"
    """What an observer looks at: the number of members, their share, or how much that share exceeds another group's."""
    universe: Chosen | None = None
    """The people among whom members are counted as a share, besides the members themselves; default: everybody."""
    other: Chosen | None = None
    """The other group of a difference."""
    other_universe: Chosen | None = None
    """The people among whom the other group is counted as a share, besides its members; default: everybody."""
    reshape: Reshape = "least"
    """How the signal is changed: "least" moves as few people as possible; "wavelet" changes the approximation and
    preserves details; "moments" preserves mean and deviation; with "decoy" other places stand out instead."""
    swap: Swap = "exact"
    """How to find the records that swap places: "exact" at the least cost, by a "memetic" search, or "greedy", the
    cheapest pair first."""
    alpha: float = Field(default=0.01, ge=1e-9, lt=1)
    """The significance level at which a place stands out."""
    robust: bool = True
    """Whether outliers are judged by median and quartiles instead of mean and deviation."""
    wavelet: str = "db2"
    """For reshape = "wavelet": the name of the wavelet."""
    level: int = Field(default=2, ge=1, le=20)
    """For reshape = "wavelet": how often the signal is halved."""
    decoys: PlaceNames = ()
    """For reshape = "decoy": the places that stand out instead; default: drawn at random."""
    restrictions: Annotated[dict[str, AnyShape], ByPlace] = Field(default_factory=dict)
    """For swap = "memetic": fuzzy sets for the number of members of places; default: about what ``reshape`` finds."""
    memetic: Memetic = Field(default_factory=Memetic)
    """For swap = "memetic": the settings of the search."""
    against: Against = None
    """Attacks, such as :class:`~sfumato.FuzzyRuleAttack` with a third-party file, that must fail too: places are
    swapped until repeated attempts of none of them find a hidden place. List vital attributes that are not released
    among the identifiers; otherwise the group is hidden from those who see them as well. In a recipe, ``true`` means
    the attacks of ``[attack]``."""
    spare: tuple[Chosen, ...] = ()
    """Members of other groups, who stay where they are. In a recipe, these include the groups of earlier masks."""


class MaskSettings(Protection, GroupToHide):
    """All settings of a mask, checked; :class:`~sfumato.GroupMask` protects by them."""

    log_name: ClassVar[str] = "group mask"
    stage: ClassVar[Stage] = Stage.GROUPS

    weight: str | None = None
    """The number of people in the population that a record stands for. Hidden places stand out neither in counts of
    records nor, unless the weight is an identifier, in counts of people."""

    @model_validator(mode="before")
    @classmethod
    def _nested_group(cls, settings: Any) -> Any:
        """Accept the group's own settings beside the mask's, as a recipe has them."""
        return nest_group_settings(settings)

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        self._check_places()
        self._check_signal()
        self._check_attacks()
        self._check_effective()
        self._check_attributes()
        return self

    @field_validator("wavelet")
    @classmethod
    def _is_wavelet(cls, name: str) -> str:
        from sfumato.groups.wavelet_transform import wavelet_named

        return str(wavelet_named(name).name)

    def selections(self) -> Iterator[tuple[str, Chosen]]:
        """Yield each setting that selects people, with its selection."""
        yield "vital", self.group.vital
        for name in ("universe", "other", "other_universe"):
            if (selection := getattr(self, name)) is not None:
                yield name, selection
        yield from (("spare", selection) for selection in self.spare)

    @property
    def named_places(self) -> set[str]:
        """The places that the steward has named; any other name is a record's value and stays out of messages."""
        hidden = self.hide if isinstance(self.hide, tuple) else ()
        return {*hidden, *(self.target or ()), *self.known, *self.decoys, *self.restrictions}

    @property
    def releases_weight(self) -> bool:
        """Whether everybody can count with the weights."""
        return self.weight is not None and self.weight not in self.identifiers

    def _check_places(self) -> None:
        if (self.hide is None) == (self.target is None):
            raise SettingError("give either the places to hide or a target, not both", setting="hide")
        if self.hide == ():
            raise SettingError('hide names no place; name at least one, or write "outliers"', setting="hide")
        changed = (self.hide if isinstance(self.hide, tuple) else ()) or tuple(self.target or ())
        contradictory = [place for place in changed if place in self.known]
        if contradictory:
            raise SettingError(
                f"{contradictory[0]!r} cannot be both changed and known",
                setting=("known", self.known.index(contradictory[0])),
            )
        if self.target is not None and self.swap == "memetic":
            raise SettingError(
                "a memetic search cannot attain a target; choose swap = 'exact' or 'greedy', or use hide",
                setting="swap",
            )

    def _check_signal(self) -> None:
        if (self.signal == "difference") != (self.other is not None):
            raise SettingError("other and signal = 'difference' need each other", setting="signal")
        if self.universe is not None and self.signal == "quantity":
            raise SettingError("universe has no meaning for signal = 'quantity'", setting="universe")
        if self.other_universe is not None and self.signal != "difference":
            raise SettingError(f"other_universe has no meaning for signal = {self.signal!r}", setting="other_universe")

    def _check_attacks(self) -> None:
        if self.against and (self.target is not None or self.signal != "quantity"):
            raise SettingError(
                "against needs places to hide and signal = 'quantity', which is what attacks look at", setting="against"
            )
        if any(attack.group.parameter != self.group.parameter for attack in self.against or ()):
            raise SettingError("against: an attack has another parameter than the mask", setting="against")

    def _check_effective(self) -> None:
        """Refuse settings that would have no effect."""
        for name, (needed, value) in NEEDS.items():
            if self._is_set(name) and getattr(self, needed) != value:
                raise SettingError(
                    f"{name}: this has no effect unless {needed} = {value!r} (given: {getattr(self, needed)!r})",
                    hint=f"leave it out, or set {needed} = {value!r}",
                    setting=name,
                )
        if self.target is not None and "reshape" in self.model_fields_set:
            raise SettingError(
                "reshape: this has no effect beside a target, which already gives the numbers of members",
                hint="leave one of them out",
                setting="reshape",
            )

    def _check_attributes(self) -> None:
        """Refuse attributes in roles that no swap could respect."""
        for setting, names in (
            ("influential", tuple(self.influential or ())),
            ("keep", self.keep),
            ("along", self.along or ()),
        ):
            for name in names:
                if name in self.group.parameter:
                    raise SettingError(
                        f"{name!r} is the parameter, whose values are swapped; it cannot be influential",
                        setting=setting,
                        column=name,
                    )
        if self.weight in self.group.parameter:
            raise SettingError(
                "weight: this is the parameter, whose values are swapped",
                hint="name another attribute",
                setting="weight",
                column=self.weight,
            )
        self._check_along()
        vital = attributes_of(self.group.vital, setting="vital")
        if set(vital) <= set(self.keep):
            raise SettingError(
                f"keep: members differ from everybody else in {' and '.join(map(repr, vital))}, so no member could be "
                "swapped",
                hint="keep attributes that members and others can share",
                setting="keep",
            )

    def _check_along(self) -> None:
        moving = set(self.along or ())
        for name, selection in self.selections():
            if shared := moving.intersection(attributes_of(selection, setting=name)):
                raise SettingError(
                    f"along: {min(shared)!r} defines who is meant by {name}, so it cannot move with the place",
                    hint="leave it out",
                    setting="along",
                    column=min(shared),
                )
        for name, attributes in (("keep", self.keep), ("influential", tuple(self.influential or ()))):
            if shared := moving.intersection(attributes):
                raise SettingError(
                    f"along: {min(shared)!r} moves with the place, so it has no effect in {name}",
                    hint="leave it out of one of them",
                    setting="along",
                    column=min(shared),
                )
        if self.weight in moving or moving.intersection(self.identifiers):
            raise SettingError(
                "along: weights and identifiers cannot move with the place", hint="leave them out", setting="along"
            )

    def _is_set(self, name: str) -> bool:
        """Say whether the steward has set a setting, and not to an empty value."""
        value = getattr(self, name)
        return name in self.model_fields_set and bool(value.model_fields_set if name == "memetic" else value)
