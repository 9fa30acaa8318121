"""Boxes: the settings, and the way from a microfile to a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from sfumato.boxes.preferences import Preference
from sfumato.errors import SettingError
from sfumato.logs import logged
from sfumato.measures.promise import Distance, Promise
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.microfile.roles import Names
from sfumato.progress import Progress, silent, whole
from sfumato.randomness import Secret
from sfumato.release.concerns import concerns_of, warn_of
from sfumato.release.release import Release
from sfumato.settings import Settings
from sfumato.statistics.sensitivity import Wanted


def _wanted(given: Any) -> Any:
    if given is None or isinstance(given, Mapping):
        return given
    if isinstance(given, str):
        given = [given]
    return tuple({"statistic": one} if isinstance(one, str) else one for one in given)


def _preferences(given: Any) -> Any:
    if not isinstance(given, Mapping):
        return given
    return {
        name: {"points": one} if isinstance(one, list | tuple) else {"points": [one]} if _is_number(one) else one
        for name, one in given.items()
    }


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)


if TYPE_CHECKING:
    # a checker sees what may be given, in any of its forms
    Preserved: TypeAlias = Any
    Preferences: TypeAlias = Mapping[str, Any]
else:
    Preserved = Annotated[
        tuple[Wanted, ...] | None, BeforeValidator(_wanted, json_schema_input_type=str | list[str | Wanted])
    ]
    Preferences = Annotated[
        dict[str, Preference],
        BeforeValidator(_preferences, json_schema_input_type=dict[str, float | list[float] | Preference]),
    ]


class Boxes(Settings):
    """Divide the space of quasi attributes into boxes of at least k records, shaped for the statistics that matter.

    Examples
    --------
    >>> from sfumato.datasets import health_survey
    >>> boxes = Boxes(quasi=["age", "hours"], k=10, preserve=["mean(age)", "corr(age, hours)"])
    >>> release = boxes.protect(health_survey(2000))
    >>> release.audit().k >= 10, release.estimate("mean(age)").guaranteed
    (True, True)
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    quasi: Names = Field(min_length=1)
    """Attributes that others may know and that together can identify; they are released as boxes."""
    sensitive: Names = ()
    """Attributes that nobody should learn of a person; they are released as they are."""
    identifiers: Names = ()
    """Attributes that name a person; they never leave."""
    weight: str | None = None
    """How many people of the population a record stands for."""
    household: str | None = None
    """The household of a record: with it, every box has records of at least k households. Its number does not leave,
    unless ``keep_household`` says so."""
    keep_household: bool = False
    """Whether households are released, with new numbers. Their members are then released alike in all that they share,
    so that laying their boxes upon each other tells nothing; a household may still be known by its members together."""
    shared: Names = ()
    """With ``keep_household``: quasi attributes that members of a household have in common; those in which none differ
    are found, so this only says which must not differ."""
    k: int = Field(ge=1, le=2**53)
    """Each box has at least so many records."""
    l: float | None = Field(default=None, ge=1)  # noqa: E741  # the field's own letter
    """Each box has at least so many well-represented values of each sensitive attribute; and of each quasi attribute
    in ``epsilon``, or of all if none is sensitive, so many values at least epsilon apart."""
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct"
    """How ``l`` counts values of sensitive attributes: distinct, entropy or recursive, which needs ``c``."""
    c: float | None = Field(default=None, gt=0)
    """c of recursive (c, l)-diversity."""
    t: float | None = Field(default=None, ge=0, le=1)
    """Each box's sensitive values are at most so far from the table's."""
    distances: dict[str, Distance] = Field(default_factory=dict)
    """The ground distance of ``t``, attribute by attribute; default: ordered for numeric and ordinal attributes,
    hierarchical where there is a hierarchy, else equal."""
    epsilon: dict[str, float] = Field(default_factory=dict)
    """How far apart values of a quasi attribute must lie to count as different ones for ``l``; default: the smallest
    unit in which they are written."""
    preserve: Preserved = None
    """Statistics that shall stay exact, with their importance and accuracy if wanted; default: the means, variances
    and correlations of all numeric quasi attributes."""
    detail: float | None = Field(default=None, ge=0)
    """How much the detail of an attribute that no statistic of ``preserve`` names counts, beside theirs; default: 1,
    or, where ``preserve`` is given, so much less that the wanted accuracy is met if it can be. ``release.notes`` tells
    what was chosen, and its price."""
    hierarchies: dict[str, Hierarchy] = Field(default_factory=dict)
    """Hierarchies of categorical quasi attributes, along which they are cut, and of sensitive ones, for ``t``."""
    edges: Literal["snapped", "tight", "tiling"] = "snapped"
    """Where edges lie: on a readable grid; at the outermost records, whose values they show; or at the cuts, so that
    the boxes cover the whole space and new records can be placed."""
    snap: float = Field(default=0.04, gt=0, le=1)
    """By which share the widths of snapped edges may cost more than those of tight ones."""
    missing: Literal["merged", "own"] = "merged"
    """Records that lack the same quasi values are divided by themselves. Where they are too few, they are merged with
    the nearest others, as few as suffice, which then lack these values too; or that is refused."""
    suppress: float = Field(default=0.0, ge=0, lt=1)
    """Up to this share of the records may be left out, where that buys much."""
    dismiss: Literal["none", "crisp", "fuzzy"] = "none"
    """Whether estimates from the release also tell what they are with rare boxes dropped, or weighted less."""
    calibrate: bool = True
    """Whether these weights keep means and second moments, without which they are biased."""
    prefer: Preferences = Field(default_factory=dict)
    """Preferred cut points of numeric attributes: ``{"age": [18, 65], "income": {"multiples": 1000}}``."""
    strength: float = Field(default=1.0, ge=0, le=1000)
    """How much wider a box seems that reaches across a preferred point, in widths of a usual box."""
    passes: int | None = Field(default=None, ge=0, le=100_000)
    """How often records of neighbouring boxes are exchanged, or, where an attribute has categories without an order,
    regrouped; default: 24 up to 500,000 records, or for categories 6, and fewer where records times k squared are
    more than 1.7 million; else none."""
    refine: bool = False
    """Whether to go on searching for narrower boxes for ``seconds``."""
    seconds: float = Field(default=60.0, gt=0, le=86_400)
    """What refining may take on two cores of today. It buys steps of the search, which are counted, so that the result
    is the same on every machine."""
    threads: int | None = Field(default=None, ge=1, le=1024)
    """How many threads; the result does not depend on it. Default: as many as there are cores."""
    seed: int | None = Field(default=None, ge=0, lt=2**31)
    """For demonstrations: what all random numbers are derived from. Whoever knows or guesses it can repeat the draws.
    Default: a secret that the operating system draws, and that the private record keeps."""
    force: bool = False
    """Whether k = 1, which protects nobody, or limits that only one block of all records keeps are meant."""

    @model_validator(mode="after")
    def _fits(self) -> Boxes:
        if self.k < 2 and not self.force:
            raise ValueError("k = 1 protects nobody; choose k of 2 or more, or set force to true")
        if self.epsilon and self.l is None:
            raise ValueError("epsilon needs l")
        if self.keep_household and self.household is None:
            raise ValueError("keep_household needs household: the attribute that tells who lives together")
        if self.shared and not self.keep_household:
            raise ValueError("shared has no meaning where household numbers are withheld; set keep_household to true")
        for setting in ("epsilon", "prefer", "shared"):
            strange = [name for name in getattr(self, setting) if name not in self.quasi]
            if strange:
                raise ValueError(f"{setting} names {strange[0]!r}, which is not quasi")
        if any(one.multiples is not None and one.spread > one.multiples / 2 for one in self.prefer.values()):
            raise ValueError("prefer: spread may be at most half of multiples")
        strange = [name for name in self.hierarchies if name not in (*self.quasi, *self.sensitive)]
        if strange:
            raise ValueError(f"hierarchies names {strange[0]!r}, which is neither quasi nor sensitive")
        if any(not width > 0 for width in self.epsilon.values()):
            raise ValueError("epsilon must be positive")
        if self.edges == "tiling" and (self.refine or self.passes):
            raise ValueError("edges = 'tiling' cannot be refined: exchanged records would lie in boxes that overlap")
        if self.l is not None and not self.sensitive and self.diversity != "distinct":
            raise ValueError(f"diversity = {self.diversity!r} needs a sensitive attribute")
        if self.l is not None and (self.epsilon or not self.sensitive) and self.l > self.k:
            raise ValueError(f"{self.k} records cannot have {self.l:g} different values; choose l of at most k")
        # the promise checks what it has in common with this
        self.measured_promise()
        return self

    def promise(self, shared: Names = ()) -> Promise:
        """Return what the release will promise; of households only if they are released.

        ``shared`` are the quasi attributes that their members have in common.
        """
        kept = self.household if self.keep_household else None
        return self.measured_promise().model_copy(update={"household": kept, "shared": shared})

    def measured_promise(self) -> Promise:
        """Return what is measured when the release is made: also households that are not released."""
        try:
            return Promise(
                quasi=self.quasi,
                sensitive=self.sensitive,
                weight=self.weight,
                household=self.household,
                k=self.k,
                l=self.l if self.sensitive else None,
                diversity=self.diversity,
                c=self.c,
                t=self.t,
                distances=self.distances,
            )
        except SettingError as error:
            raise ValueError(error.message) from None

    def protect(
        self, microfile: Microfile | Any, *, progress: Progress = silent, secret: Secret | str | None = None
    ) -> Release:
        """Return a release in which the quasi attributes are boxes.

        Parameters
        ----------
        microfile
            A microfile, or a frame that becomes one.
        progress
            Called while cutting and refining.
        secret
            What all random numbers are derived from, as the ``secret`` of another release or the text in its private
            record, which makes that release again; default: a new one. A ``seed`` goes first.

        Raises
        ------
        UnattainableError
            If a limit cannot be kept; it says which, and what would be attainable.

        Warns
        -----
        SfumatoWarning
            If an attribute that is released as it is seems to name people or tells a quasi attribute, or if detail
            that no preserved statistic needs makes them inexact.
        """
        from sfumato.boxes.drowning import drowned
        from sfumato.boxes.protection import protect

        people = as_microfile(microfile)
        with logged("boxes") as note, whole(progress) as told:
            release = protect(self, people, told, Secret.chosen(self.seed, secret))
            note(records=people.records, left_out=release.private["left_out"])
        spoken_of = (*self.sensitive, self.weight, self.household)
        concerns = concerns_of(release.microfile, release.codebook, people, self.quasi, spoken_of, self.household)
        warn_of([*concerns, *drowned(self, release.private["uncertainty"])])
        return release
