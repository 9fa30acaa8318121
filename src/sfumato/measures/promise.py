"""The promise: what a release says that it keeps."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from sfumato.errors import SettingError
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.roles import Names, Roles
from sfumato.settings import Settings

Distance = Literal["ordered", "equal", "hierarchical"]


class Promise(Settings):
    """Limits that every block of a release keeps."""

    quasi: Names
    """Attributes that others may know and that together can identify; none where single people are not protected."""
    sensitive: Names = ()
    """Attributes that nobody should learn of a person."""
    weight: str | None = None
    """How many people of the population a record stands for; it enters the risk."""
    household: str | None = None
    """The household of a record: with it, k counts households as well."""
    shared: Names = ()
    """Quasi attributes that the members of a household have in common, so that everybody knows of each what is told of
    any of them; the limits hold for who lays their records upon each other, too."""
    missing: Literal["own", "wildcard"] = "own"
    """What a missing value is: a value of its own (the safe reading), or one that could be any."""
    k: int = Field(default=2, ge=1, le=2**53)
    """Each block has at least so many records."""
    q: int | None = Field(default=None, ge=1)
    """Of fuzzy sets: that each has at least so many records is possible to ``level``."""
    level: float = Field(default=0.5, gt=0, le=1)
    """How possible ``q`` is."""
    operator: Literal["min", "mean"] = "min"
    """How the possibilities of the sets are made one for ``q``: min tells the worst set, mean hides it."""
    l: float | None = Field(default=None, ge=1)  # noqa: E741  # the field's own letter
    """Each block has at least so many well-represented values of each sensitive attribute."""
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct"
    """How ``l`` counts values: distinct, entropy or recursive, which needs ``c``."""
    c: float | None = Field(default=None, gt=0)
    """c of recursive (c, l)-diversity."""
    t: float | None = Field(default=None, ge=0, le=1)
    """Each block's sensitive values are at most so far from the table's."""
    distances: dict[str, Distance] = Field(default_factory=dict)
    """The ground distance of ``t``, attribute by attribute; default: ordered for numeric and ordinal
    attributes, else equal."""
    alpha: float | None = Field(default=None, gt=0, le=1)
    """No sensitive value has a larger share of a block."""
    beta: float | None = Field(default=None, gt=0)
    """No sensitive value gains more over its share in the table, relatively."""
    delta: float | None = Field(default=None, gt=0)
    """No sensitive value that a block has changes its share by a factor of exp(delta) or more."""
    max_risk: float | None = Field(default=None, gt=0, le=1)
    """No record is re-identified with a larger probability."""
    width: float | None = Field(default=None, gt=0, lt=1)
    """Of attributes released as fuzzy sets: inverting the words or grades of a record, all other attributes being
    known, leaves at least this share of the attribute's extent."""

    @model_validator(mode="after")
    def _fits(self) -> Promise:
        if not self.quasi:
            if self.k != 1 or self.model_dump(exclude={"quasi", "k"}, exclude_defaults=True):
                raise ValueError("without quasi attributes nothing can be promised; name some, or give k = 1 alone")
            return self
        if self.shared and self.household is None:
            raise ValueError("shared needs household: the attribute that tells who lives together")
        if strange := [name for name in self.shared if name not in self.quasi]:
            raise ValueError(f"shared names {strange[0]!r}, which is not quasi")
        asked = [name for name in ("l", "t", "alpha", "beta", "delta") if getattr(self, name) is not None]
        if asked and not self.sensitive:
            raise ValueError(f"{asked[0]} needs a sensitive attribute")
        if (self.diversity == "recursive") != (self.c is not None):
            raise ValueError("c and diversity = 'recursive' need each other")
        if self.diversity == "recursive" and self.l is not None and not self.l.is_integer():
            raise ValueError(f"recursive diversity needs a whole l, not {self.l:g}")
        if self.diversity != "distinct" and self.l is None:
            raise ValueError(f"diversity = {self.diversity!r} needs l")
        strange = [name for name in self.distances if name not in self.sensitive]
        if strange:
            raise ValueError(f"distances names {strange[0]!r}, which is not sensitive")
        return self

    @property
    def roles(self) -> Roles:
        """The roles that attributes play in this promise."""
        return Roles(
            quasi=self.quasi,
            sensitive=self.sensitive,
            weight=self.weight,
            household=self.household,
            missing=self.missing,
        )

    def check(self, microfile: Microfile) -> None:
        """Refuse a promise that no arrangement of the microfile could keep."""
        if not self.quasi:
            return
        self.roles.check(microfile)
        if self.k > microfile.records:
            raise SettingError(
                f"k = {self.k:,} is larger than the table of {microfile.records:,} records",
                hint=f"choose k from 2 to {microfile.records:,}",
            )
