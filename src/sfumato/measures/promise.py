"""The promise: the limits that a release guarantees."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from sfumato.errors import SettingError
from sfumato.measures.criteria import CRITERIA, promised_criteria
from sfumato.microfile import Microfile
from sfumato.roles import Names, Roles
from sfumato.settings import Settings

Distance = Literal["ordered", "equal", "hierarchical"]


class Promise(Settings):
    """Limits that every block of a release satisfies."""

    quasi: Names
    """Attributes that others may know and that together can identify a person; none where individuals are not
    protected."""
    sensitive: Names = ()
    """Attributes that nobody should learn about a person."""
    weight: str | None = None
    """The attribute with the number of people in the population that a record stands for; it enters the risk."""
    household: str | None = None
    """The attribute with the household of a record: with it, k counts households as well."""
    shared: Names = ()
    """Quasi attributes that the members of a household have in common, so that what is released of one member is known
    of all; the limits then also hold after intersecting the records of each household."""
    missing: Literal["own", "wildcard"] = "own"
    """How a missing value is counted: as a value of its own (the safe reading), or as equal to any value."""
    k: int = Field(default=2, ge=1, le=2**53)
    """Each block has at least this number of records."""
    q: int | None = Field(default=None, ge=1)
    """For fuzzy sets: it is possible to ``level`` that each combination of sets has at least this number of records."""
    level: float = Field(default=0.5, gt=0, le=1)
    """The possibility of ``q``."""
    operator: Literal["min", "mean"] = "min"
    """How the possibilities of the sets are combined for ``q``: min shows the worst set, mean hides it."""
    l: float | None = Field(default=None, ge=1)  # noqa: E741  # the field's own letter
    """Each block has at least this number of well-represented values of each sensitive attribute."""
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct"
    """How ``l`` counts values: distinct, entropy or recursive, which needs ``c``."""
    c: float | None = Field(default=None, gt=0)
    """c of recursive (c, l)-diversity."""
    t: float | None = Field(default=None, ge=0, le=1)
    """The distribution of each sensitive attribute in a block is at most this far from that in the table."""
    distances: dict[str, Distance] = Field(default_factory=dict)
    """The ground distance of ``t`` for each attribute; default: ordered for numeric and ordinal attributes, else
    equal."""
    alpha: float | None = Field(default=None, gt=0, le=1)
    """No sensitive value has a larger share of a block."""
    beta: float | None = Field(default=None, gt=0)
    """No sensitive value gains more relative to its share in the table."""
    delta: float | None = Field(default=None, gt=0)
    """No sensitive value that a block has changes its share by a factor of exp(delta) or more."""
    max_risk: float | None = Field(default=None, gt=0, le=1)
    """No record is re-identified with a larger probability."""
    width: float | None = Field(default=None, gt=0, lt=1)
    """For attributes released as fuzzy sets: inverting the words or grades of a record leaves at least this share of
    the attribute's extent, even if all other attributes are known."""

    @model_validator(mode="after")
    def _fits(self) -> Promise:
        if not self.quasi:
            if self.k != 1 or self.model_dump(exclude={"quasi", "k"}, exclude_defaults=True):
                raise ValueError("without quasi attributes nothing can be promised; name some, or give k = 1 alone")
            return self
        if self.shared and self.household is None:
            raise ValueError("shared needs household: the attribute with the household of each record")
        if foreign := [name for name in self.shared if name not in self.quasi]:
            raise ValueError(f"shared names {foreign[0]!r}, which is not quasi")
        for criterion in CRITERIA:
            if criterion.needs_sensitive and getattr(self, criterion.setting) is not None and not self.sensitive:
                raise ValueError(f"{criterion.setting} needs a sensitive attribute")
        if (self.diversity == "recursive") != (self.c is not None):
            raise ValueError("c and diversity = 'recursive' need each other")
        if self.diversity == "recursive" and self.l is not None and not self.l.is_integer():
            raise ValueError(f"recursive diversity needs a whole l, not {self.l:g}")
        if self.diversity != "distinct" and self.l is None:
            raise ValueError(f"diversity = {self.diversity!r} needs l")
        if foreign := [name for name in self.distances if name not in self.sensitive]:
            raise ValueError(f"distances names {foreign[0]!r}, which is not sensitive")
        return self

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out criteria that are newer than the format, unless they are promised."""
        content: dict[str, Any] = write(self)
        for criterion in CRITERIA:
            if not criterion.original and getattr(self, criterion.setting) is None:
                content.pop(criterion.setting, None)
        return content

    @property
    def limits(self) -> dict[str, float]:
        """What is promised: the number of each criterion, by its setting."""
        return {criterion.setting: getattr(self, criterion.setting) for criterion, _ in promised_criteria(self)}

    @property
    def roles(self) -> Roles:
        """The roles that attributes have in this promise."""
        return Roles(
            quasi=self.quasi,
            sensitive=self.sensitive,
            weight=self.weight,
            household=self.household,
            missing=self.missing,
        )

    def check(self, microfile: Microfile) -> None:
        """Refuse a promise that no release of the microfile could satisfy."""
        if not self.quasi:
            return
        self.roles.check(microfile)
        if self.k > microfile.records:
            raise SettingError(
                f"k = {self.k:,} is larger than the table of {microfile.records:,} records",
                hint=f"choose k from 2 to {microfile.records:,}",
                setting="k",
            )
