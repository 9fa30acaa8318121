"""FuzzyPartition: the settings, and the way from a microfile to a release."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from sfumato.errors import SettingError
from sfumato.fuzzy.inversion import LEAST_WIDTH
from sfumato.fuzzy.shapes import AnyShape
from sfumato.logs import logged
from sfumato.measures.fuzzy_anonymity import Operator
from sfumato.measures.promise import Distance, Promise
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.microfile.roles import Names
from sfumato.progress import Progress, silent, whole
from sfumato.randomness import Secret
from sfumato.release.concerns import concerns_of, warn_of
from sfumato.release.release import Release
from sfumato.settings import Settings

Method = Literal["fuzzy-c-means", "gustafson-kessel", "k-means", "sets"]


def _kind(given: Any) -> str:
    return "table" if isinstance(given, dict) else "number"


# told apart before they are checked, so that an error speaks of what was meant
Own = Annotated[Annotated[int, Tag("number")] | Annotated[dict[str, AnyShape], Tag("table")], Discriminator(_kind)]
Sets = Annotated[Annotated[int, Tag("number")] | Annotated[dict[str, Own], Tag("table")], Discriminator(_kind)]


class FuzzyPartition(Settings):
    """Replace numeric quasi attributes by fuzzy sets of their values.

    Exact grades would give the values back, so they are released on few levels, or as the words of all sets that a
    record belongs to; and k, l and t are those of what is released, categories of further quasi attributes included.

    Examples
    --------
    >>> from sfumato.datasets import health_survey
    >>> partition = FuzzyPartition(quasi=["age", "hours"], k=10)
    >>> release = partition.protect(health_survey(2000))
    >>> release.audit().k >= 10
    True
    """

    quasi: Names = Field(min_length=1)
    """Attributes that others may know and that together can identify. Numeric ones are released as fuzzy sets;
    categories are released as they are, and records are alike only if these are, too."""
    sensitive: Names = ()
    """Attributes that nobody should learn of a person; they are released as they are."""
    identifiers: Names = ()
    """Attributes that name a person; they never leave."""
    weight: str | None = None
    """How many people of the population a record stands for."""
    household: str | None = None
    """The household of a record: with it, every block has records of at least k households. Its number does not leave,
    unless ``keep_household`` says so."""
    keep_household: bool = False
    """Whether households are released, with new numbers. What their members share must then have sets by itself, so
    that all of them are released alike in it; a household may still be known by its members together."""
    shared: Names = ()
    """With ``keep_household``: quasi attributes that members of a household have in common; those in which none differ
    are found, so this only says which must not differ."""
    method: Method = "fuzzy-c-means"
    """How sets are found: round clusters of all quasi attributes together, long ones (Gustafson-Kessel), crisp ones
    (k-means), or sets of each attribute by itself, which cross."""
    sets: Sets = 3
    """How many sets; with method "sets" also attribute by attribute, or the sets themselves, a shape for each word."""
    fuzzifier: float = Field(default=2.0, gt=1, le=10)
    """m of the clusterings: the higher, the fuzzier."""
    scale: Literal["deviation", "range", "none"] = "deviation"
    """In what attributes are measured before they are clustered; Gustafson-Kessel finds its own measure."""
    shown: Literal["words", "grades"] = "words"
    """Whether a record gets the words of all sets that it belongs to, or its grades."""
    levels: int = Field(default=4, ge=1, le=1000)
    """Grades are multiples of one in this number, or in fewer where ``width`` needs it; a record belongs to a set by at
    least about half of one."""
    width: float = Field(default=0.1, ge=LEAST_WIDTH, lt=1)
    """Inverting the words or grades of a record, all other attributes being known, leaves at least this share of each
    attribute's extent, averaged over the possible values of the others; levels are reduced until it does. The
    certificate also says what single records are left (``hundredth``)."""
    k: int = Field(default=2, ge=1, le=2**53)
    """At least so many records are released alike."""
    q: int | None = Field(default=None, ge=1)
    """Q-anonymity: that every fuzzy set has at least so many records shall be possible to ``level``."""
    level: float = Field(default=0.5, gt=0, le=1)
    """How possible ``q`` must be."""
    operator: Operator = "min"
    """How the sets' possibilities are made one: min tells the worst set, mean hides it among others."""
    l: float | None = Field(default=None, ge=1)  # noqa: E741  # the field's own letter
    """Records released alike have at least so many well-represented values of each sensitive attribute."""
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct"
    """How ``l`` counts values: distinct, entropy or recursive, which needs ``c``."""
    c: float | None = Field(default=None, gt=0)
    """c of recursive (c, l)-diversity."""
    t: float | None = Field(default=None, ge=0, le=1)
    """The sensitive values of records released alike are at most so far from the table's."""
    distances: dict[str, Distance] = Field(default_factory=dict)
    """The ground distance of ``t``, attribute by attribute; default: ordered for numeric and ordinal attributes, else
    equal."""
    suppress: float = Field(default=0.0, ge=0, lt=1)
    """Up to this share of the records may be left out: those whose block is too small."""
    seed: int | None = Field(default=None, ge=0, lt=2**31)
    """For demonstrations: what all random numbers are derived from. Whoever knows or guesses it can repeat the draws.
    Default: a secret that the operating system draws, and that the private record keeps."""
    threads: int | None = Field(default=None, ge=1, le=1024)
    """How many threads; the result does not depend on it. Default: as many as there are cores."""
    force: bool = False
    """Whether k = 1, which protects nobody, is meant."""

    @model_validator(mode="after")
    def _fits(self) -> FuzzyPartition:
        if self.k < 2 and not self.force:
            raise ValueError("k = 1 protects nobody; choose k of 2 or more, or set force to true")
        if self.keep_household and self.household is None:
            raise ValueError("keep_household needs household: the attribute that tells who lives together")
        if self.shared and not self.keep_household:
            raise ValueError("shared has no meaning where household numbers are withheld; set keep_household to true")
        if strange := [name for name in self.shared if name not in self.quasi]:
            raise ValueError(f"shared names {strange[0]!r}, which is not quasi")
        if isinstance(self.sets, dict):
            if self.method != "sets":
                raise ValueError(f"sets of single attributes need method = 'sets', not {self.method!r}")
            strange = [name for name in self.sets if name not in self.quasi]
            if strange:
                raise ValueError(f"sets names {strange[0]!r}, which is not quasi")
        for count in self.sets.values() if isinstance(self.sets, dict) else [self.sets]:
            if isinstance(count, int) and not 2 <= count <= 60:
                raise ValueError(f"sets must be 2 to 60 (given: {count})")
            if isinstance(count, dict) and not 2 <= len(count) <= 60:
                raise ValueError(f"an attribute needs 2 to 60 sets (given: {len(count)})")
        if self.method in ("sets", "k-means") and "fuzzifier" in self.model_fields_set:
            raise ValueError(f"method = {self.method!r} has no fuzzifier")
        # the promise checks what it has in common with this
        self.measured_promise(self.quasi)
        return self

    def promise(self, quasi: Names, shared: Names = ()) -> Promise:
        """Return what the release will promise of its own quasi attributes; of households only if they are released.

        ``shared`` are those of these attributes that members of a household have in common.
        """
        kept = self.household if self.keep_household else None
        return self.measured_promise(quasi).model_copy(update={"household": kept, "shared": shared})

    def measured_promise(self, quasi: Names) -> Promise:
        """Return what is measured when the release is made: also households that are not released."""
        try:
            return Promise(
                quasi=quasi,
                sensitive=self.sensitive,
                weight=self.weight,
                household=self.household,
                k=self.k,
                q=self.q,
                level=self.level,
                operator=self.operator,
                l=self.l,
                diversity=self.diversity,
                c=self.c,
                t=self.t,
                distances=self.distances,
                width=self.width,
            )
        except SettingError as error:
            raise ValueError(error.message) from None

    def protect(
        self, microfile: Microfile | Any, *, progress: Progress = silent, secret: Secret | str | None = None
    ) -> Release:
        """Return a release in which the quasi attributes are fuzzy sets.

        Parameters
        ----------
        microfile
            A microfile, or a frame that becomes one.
        progress
            Called while sets are found and measured.
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
            If an attribute that is released as it is seems to name people or tells a quasi attribute.
        """
        from sfumato.partitions.protection import protect

        people = as_microfile(microfile)
        with logged("fuzzy partition") as note, whole(progress) as told:
            release = protect(self, people, told, Secret.chosen(self.seed, secret))
            note(records=people.records, left_out=release.private["left_out"])
        spoken_of = (*self.sensitive, self.weight, self.household)
        warn_of(concerns_of(release.microfile, release.codebook, people, self.quasi, spoken_of, self.household))
        return release
