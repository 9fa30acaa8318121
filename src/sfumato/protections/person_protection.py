"""The settings that all protections of single people share: roles of attributes and privacy criteria."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from sfumato.errors import SettingError
from sfumato.measures import Distance, Promise
from sfumato.microfile import Microfile
from sfumato.protections.protection import Protection, Stage
from sfumato.release import Release, concerns_of
from sfumato.roles import Names, Roles
from sfumato.settings import Settings


class PersonCriteria(Settings):
    """The roles of attributes and the privacy criteria of a protection of single people."""

    quasi: Names = Field(min_length=1)
    """Attributes that others may know and that together can identify a person; they are released in less detail."""
    sensitive: Names = ()
    """Attributes that nobody should learn about a particular person; they are released unchanged."""
    household: str | None = None
    """The household of a record. If it is given, every block has records of at least k households. Household numbers
    are not released, unless ``keep_household`` is set."""
    keep_household: bool = False
    """Whether households are released, with new numbers. Their members then have the same released values of
    everything that they share, so that combining their records reveals nothing more. A household may still be
    recognised by its members together."""
    shared: Names = ()
    """With ``keep_household``: quasi attributes that all members of a household have in common. Attributes in which no
    members differ are detected; those named here are refused if members differ."""
    k: int = Field(ge=1, le=2**53)
    """The minimum number of records in a block."""
    l: float | None = Field(default=None, ge=1)  # noqa: E741  # the field's own letter
    """The minimum number of well-represented values of each sensitive attribute in a block."""
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct"
    """How ``l`` counts values of sensitive attributes: distinct, entropy or recursive, which needs ``c``."""
    c: float | None = Field(default=None, gt=0)
    """c of recursive (c, l)-diversity."""
    t: float | None = Field(default=None, ge=0, le=1)
    """The maximum distance between the sensitive values of a block and those of the whole file."""
    distances: dict[str, Distance] = Field(default_factory=dict)
    """The ground distance of ``t`` for each sensitive attribute; default: ordered for numeric and ordinal attributes,
    hierarchical where there is a hierarchy, otherwise equal."""
    suppress: float = Field(default=0.0, ge=0, lt=1)
    """The maximum share of the records that may be suppressed."""


class PersonProtection(Protection, PersonCriteria):
    """A protection of single people. It replaces quasi attributes so that every block meets the criteria."""

    stage: ClassVar[Stage] = Stage.PEOPLE

    force: bool = False
    """Allow k = 1, which gives no protection."""

    @model_validator(mode="after")
    def _common_settings_fit(self) -> Self:
        if self.k < 2 and not self.force:
            raise SettingError("k = 1 protects nobody; choose k of 2 or more, or set force to true", setting="k")
        if self.keep_household and self.household is None:
            raise SettingError(
                "keep_household needs household: the attribute that says who lives together", setting="keep_household"
            )
        if self.shared and not self.keep_household:
            raise SettingError(
                "shared has no meaning where household numbers are withheld; set keep_household to true",
                setting="shared",
            )
        self._refuse_unlisted("shared", self.quasi, "which is not quasi")
        self._check_method_settings()
        # a promise checks what it has in common with these settings
        self.measured_promise()
        return self

    def _check_method_settings(self) -> None:
        """Refuse settings of the method that contradict each other."""

    def _refuse_unlisted(self, setting: str, allowed: Sequence[str], reason: str) -> None:
        """Refuse a setting that names an attribute without the role that it needs."""
        if unlisted := [name for name in getattr(self, setting) if name not in allowed]:
            raise SettingError(f"{setting} names {unlisted[0]!r}, {reason}", setting=setting, column=unlisted[0])

    def promise(self, quasi: Names | None = None, shared: Names = ()) -> Promise:
        """Return the promise of the release; it covers households only if they are released.

        Parameters
        ----------
        quasi
            The quasi attributes of the release, where they are not those of the microfile.
        shared
            Those that the members of every household have in common.
        """
        household = self.household if self.keep_household else None
        return self.measured_promise(quasi).model_copy(update={"household": household, "shared": shared})

    def measured_promise(self, quasi: Names | None = None) -> Promise:
        """Return what is measured while the release is made: also households that are not released."""
        limits: dict[str, Any] = {
            "quasi": self.quasi if quasi is None else quasi,
            "sensitive": self.sensitive,
            "weight": self.weight,
            "household": self.household,
            "k": self.k,
            "l": self.l,
            "diversity": self.diversity,
            "c": self.c,
            "t": self.t,
            "distances": self.distances,
        }
        return Promise(**limits | self._further_limits())

    def _further_limits(self) -> dict[str, Any]:
        """Return limits of the promise that only this method has, or has otherwise."""
        return {}

    @property
    def roles(self) -> Roles:
        """The roles that attributes play."""
        return Roles(
            quasi=self.quasi,
            sensitive=self.sensitive,
            identifiers=self.identifiers,
            weight=self.weight,
            household=self.household,
        )

    @property
    def withheld(self) -> tuple[str, ...]:
        """The attributes that are not released: identifiers, and household numbers unless they are kept."""
        household = () if self.keep_household or self.household is None else (self.household,)
        return (*self.identifiers, *household)

    def _disclosing_attributes(self, release: Release, people: Microfile) -> list[str]:
        roles = (*self.sensitive, self.weight, self.household)
        return concerns_of(release.microfile, release.codebook, people, self.quasi, roles, self.household)
