"""GroupMask: the settings, and the way from a microfile to a release in which a group is hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, WithJsonSchema, field_validator, model_validator

from sfumato.errors import SettingError
from sfumato.fuzzy.shapes import AnyShape
from sfumato.groups.evolution import Memetic
from sfumato.groups.group import ByPlace, Group, PlaceNames, gathered
from sfumato.groups.sighting import Onlooker
from sfumato.groups.together import check_together
from sfumato.logs import logged
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.microfile.roles import Names
from sfumato.microfile.selection import Chosen
from sfumato.progress import Progress, silent, whole
from sfumato.randomness import Secret
from sfumato.release.concerns import concerns_of, warn_of
from sfumato.release.release import Release
from sfumato.settings import Settings

Reshape = Literal["least", "wavelet", "moments", "decoy"]
Swap = Literal["exact", "memetic", "greedy"]


def _weighed(given: Any) -> Any:
    names = (given,) if isinstance(given, str) else given
    return dict.fromkeys(names, 1.0) if isinstance(names, list | tuple) else names


def _onlookers(given: Any) -> Any:
    several = given if isinstance(given, list | tuple) or given is None else (given,)
    for one in several or ():
        if not isinstance(one, Onlooker):
            raise ValueError("give attacks, such as FuzzyRuleAttack(group=..., third_party=...)")
    return several


# their settings and data are not the mask's own, so they stay out of what is written of it
Against = Annotated[
    tuple[Any, ...] | None, BeforeValidator(_onlookers), Field(exclude=True), WithJsonSchema({"type": "boolean"})
]
if TYPE_CHECKING:
    # a checker sees what may be given: names, or names with an importance each
    Importances: TypeAlias = Any
else:
    Importances = Annotated[dict[str, Annotated[float, Field(ge=0, le=1e6)]], BeforeValidator(_weighed)]


class GroupMask(Settings):
    """Hide where a group stands out, by exchanging places between records that are otherwise alike.

    Only values of the parameter attribute are exchanged: every place keeps its number of records, and every
    attribute its distribution. The release does not say of which group.

    Examples
    --------
    >>> import polars as pl
    >>> rows = [(area, "army" if number < members else "shop", number) for area, members in
    ...         (("A", 4), ("B", 5), ("C", 40), ("D", 3), ("E", 6)) for number in range(60)]
    >>> people = pl.DataFrame(rows, schema=["area", "work", "age"], orient="row")
    >>> army = Group(vital={"work": ["army"]}, parameter="area")
    >>> release = GroupMask(group=army, hide=["C"], influential=["age"]).protect(people)
    >>> army.quantity(release.table).outliers().labels
    ()
    """

    group: Group
    """Who is hidden, and over which places."""
    hide: Literal["outliers"] | PlaceNames | None = None
    """The places where the group must not stand out, or "outliers": wherever it does, or comes to do."""
    target: Annotated[dict[str, Annotated[int, Field(ge=0, le=2**53)]], Field(min_length=1), ByPlace] | None = None
    """In place of ``hide``: how many members some places shall have; the others share what is left over or lacking."""
    known: PlaceNames = ()
    """Places of which everybody knows that the group stands out there; they stay as they are."""
    influential: Importances | None = None
    """Attributes whose joint distribution with the parameter matters, alike or with an importance each; default: all
    but the parameter, the vital ones, identifiers and weight."""
    keep: Names = ()
    """Attributes whose joint distribution with the parameter must not change at all."""
    along: Names | None = None
    """Attributes that describe the place, as its region or density does: a record that is exchanged takes those of its
    new place too. Default: all that have one value per place."""
    signal: Literal["quantity", "concentration", "difference"] = "quantity"
    """What an observer looks at: numbers of members, their shares, or by how much these exceed another group's."""
    universe: Chosen | None = None
    """Who is counted beside the members for a share; default: everybody."""
    other: Chosen | None = None
    """The other group of a difference."""
    other_universe: Chosen | None = None
    """Who is counted beside the members of the other group; default: everybody."""
    reshape: Reshape = "least"
    """How the signal is changed: as little as possible; by its wavelet approximation, so that details stay; so that
    mean and deviation stay; or so that other places stand out in place of the hidden ones."""
    swap: Swap = "exact"
    """How records are found that take each other's place: at the least cost, by a memetic search, or pair by pair."""
    alpha: float = Field(default=0.01, ge=1e-9, lt=1)
    """The level of the modified Thompson tau technique by which a place stands out."""
    robust: bool = True
    """Whether it measures from the median, not the mean."""
    wavelet: str = "db2"
    """The wavelet of reshape = "wavelet"."""
    level: int = Field(default=2, ge=1, le=20)
    """How often the wavelet halves the signal."""
    decoys: PlaceNames = ()
    """The places that stand out after reshape = "decoy"; default: drawn at random."""
    restrictions: Annotated[dict[str, AnyShape], ByPlace] = Field(default_factory=dict)
    """For swap = "memetic": what the number of members of places shall be, as fuzzy sets; default: what ``reshape``
    finds, about."""
    memetic: Memetic = Field(default_factory=Memetic)
    """How the memetic search goes about it."""
    against: Against = None
    """Attacks, such as :class:`~sfumato.FuzzyRuleAttack` with a third-party file, from which the group is hidden too:
    places are exchanged until fresh looks of none of them find a hidden place. Vital attributes that are not to be
    released stand among the identifiers; else the group is hidden from who sees them as well. In a recipe, ``true``
    stands for the attacks of ``[attack]``."""
    spare: tuple[Chosen, ...] = ()
    """Members of other groups, who stay where they are. In a recipe, those of the masks before this one."""
    identifiers: Names = ()
    """Attributes that name a person; they never leave."""
    weight: str | None = None
    """How many people of the population a record stands for; hidden places stand out neither in counts of records nor,
    unless it is an identifier, in those of people."""
    seed: int | None = Field(default=None, ge=0, lt=2**31)
    """For demonstrations: what all random numbers are derived from. Whoever knows or guesses it can repeat the draws.
    Default: a secret that the operating system draws, and that the private record keeps."""
    threads: int | None = Field(default=None, ge=1, le=1024)
    """How many threads; the result does not depend on it. Default: as many as there are cores."""

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, given: Any) -> Any:
        """Take the group's own settings as they stand in a recipe, beside the mask's."""
        return gathered(given)

    @model_validator(mode="after")
    def _fits(self) -> GroupMask:
        if (self.hide is None) == (self.target is None):
            raise ValueError("say either which places to hide, or a target")
        if self.hide == ():
            raise ValueError('hide names no place; name some, or say "outliers"')
        named = (self.hide if isinstance(self.hide, tuple) else ()) or tuple(self.target or ())
        both = [place for place in named if place in self.known]
        if both:
            raise ValueError(f"{both[0]!r} cannot be both changed and known")
        if (self.signal == "difference") != (self.other is not None):
            raise ValueError("other and signal = 'difference' need each other")
        if self.universe is not None and self.signal == "quantity":
            raise ValueError("universe has no meaning for signal = 'quantity'")
        if self.other_universe is not None and self.signal != "difference":
            raise ValueError(f"other_universe has no meaning for signal = {self.signal!r}")
        others = (*(self.influential or ()), *self.keep, *(self.along or ()))
        wrong = [name for name in others if name in self.group.parameter]
        if wrong:
            raise ValueError(f"{wrong[0]!r} is the parameter, whose values are exchanged; it cannot be influential")
        if self.target is not None and self.swap == "memetic":
            raise ValueError("a memetic search reaches no given target; choose swap = 'exact' or 'greedy', or hide")
        if self.against and (self.target is not None or self.signal != "quantity"):
            raise ValueError("against needs places to hide, and the signal 'quantity', which attacks look at")
        strange = [one for one in self.against or () if one.group.parameter != self.group.parameter]
        if strange:
            raise ValueError("against: an attack looks at another parameter than the mask's")
        try:
            check_together(self)
        except SettingError as error:
            # its hint is told too
            raise ValueError(error.message) from error
        return self

    @field_validator("wavelet")
    @classmethod
    def _is_wavelet(cls, name: str) -> str:
        from sfumato.groups.wavelets import wavelet_named

        try:
            return str(wavelet_named(name).name)
        except SettingError as error:
            raise ValueError(error.message) from error

    def protect(
        self, microfile: Microfile | Any, *, progress: Progress = silent, secret: Secret | str | None = None
    ) -> Release:
        """Return a release in which the group does not stand out where it must not.

        Parameters
        ----------
        microfile
            A microfile, or a frame that becomes one.
        progress
            Called while records are compared and exchanged.
        secret
            What all random numbers are derived from, as the ``secret`` of another release or the text in its private
            record, which makes that release again; default: a new one. A ``seed`` goes first.

        Raises
        ------
        UnattainableError
            If there are too few records to exchange; it says where.

        Warns
        -----
        SfumatoWarning
            If an attribute that is released as it is seems to name people.
        """
        from sfumato.groups.dependencies import refuse_telltale
        from sfumato.groups.masking import mask, released
        from sfumato.groups.relatives import refuse_split

        people, drawn = as_microfile(microfile), Secret.chosen(self.seed, secret)
        with logged("group mask") as note, whole(progress) as told:
            masked = mask(self, people, told, drawn)
            release = released([self], [masked], drawn)
            note(records=people.records)
        refuse_split(people, masked.microfile, self.group.parameter, release.codebook)
        refuse_telltale(self, people, masked.microfile, release)
        warn_of(concerns_of(release.microfile, release.codebook, people, (), (self.weight,)))
        return release
