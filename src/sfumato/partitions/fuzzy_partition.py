"""The settings of a fuzzy partition."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag

from sfumato.errors import SettingError
from sfumato.fuzzy import LEAST_WIDTH, AnyShape
from sfumato.measures import Operator
from sfumato.microfile import Microfile
from sfumato.progress import Progress
from sfumato.protections import PersonProtection
from sfumato.randomness import Secret
from sfumato.release import Release

Method = Literal["fuzzy-c-means", "gustafson-kessel", "k-means", "sets"]


def _kind(value: Any) -> str:
    return "table" if isinstance(value, dict) else "number"


# distinguished before they are validated, so that an error is about the form that was meant
AttributeSets = Annotated[
    Annotated[int, Tag("number")] | Annotated[dict[str, AnyShape], Tag("table")], Discriminator(_kind)
]
SetCounts = Annotated[
    Annotated[int, Tag("number")] | Annotated[dict[str, AttributeSets], Tag("table")], Discriminator(_kind)
]


class FuzzyPartition(PersonProtection):
    """Replace numeric quasi attributes by fuzzy sets of their values.

    Exact grades would reveal the values, so grades are released on a few levels, or as the words of all sets that a
    record belongs to. Categorical quasi attributes are released unchanged; k, l and t are measured on all that is
    released.

    Examples
    --------
    >>> from sfumato.datasets import health_survey
    >>> partition = FuzzyPartition(quasi=["age", "hours"], k=10)
    >>> release = partition.protect(health_survey(2000))
    >>> release.audit().k >= 10
    True
    """

    log_name: ClassVar[str] = "fuzzy partition"

    k: int = Field(default=2, ge=1, le=2**53)
    """The minimum number of records in a block: of records with the same words or grades and the same categories."""
    method: Method = "fuzzy-c-means"
    """How sets are found: round clusters of all quasi attributes together, elongated clusters (Gustafson-Kessel), crisp
    clusters (k-means), or separate sets for each attribute. With ``keep_household``, attributes that members share need
    separate sets."""
    sets: SetCounts = 3
    """The number of sets; with method "sets" also one number per attribute, or the sets themselves, one shape per
    word."""
    fuzzifier: float = Field(default=2.0, gt=1, le=10)
    """m of the clusterings: the higher, the fuzzier."""
    scale: Literal["deviation", "range", "none"] = "deviation"
    """The unit in which attributes are measured before they are clustered; Gustafson-Kessel finds its own."""
    shown: Literal["words", "grades"] = "words"
    """Whether a record gets the words of all sets that it belongs to, or its grades."""
    levels: int = Field(default=4, ge=1, le=1000)
    """Grades are multiples of one divided by this number, or by a smaller one where ``width`` requires it. A record
    belongs to a set if its grade is at least about half of such a step."""
    width: float = Field(default=0.1, ge=LEAST_WIDTH, lt=1)
    """Inverting the words or grades of a record, with all its other attributes known, leaves at least this share of
    each attribute's extent, averaged over the possible values of the others. Levels are reduced until it does. The
    certificate also reports what is left for single records (``hundredth``)."""
    q: int | None = Field(default=None, ge=1)
    """Q-anonymity: the number of records that every fuzzy set must have, with possibility ``level``."""
    level: float = Field(default=0.5, gt=0, le=1)
    """The possibility that ``q`` requires."""
    operator: Operator = "min"
    """How the possibilities of the sets are combined: min reports the worst set, mean hides it among others."""

    def _check_method_settings(self) -> None:
        if isinstance(self.sets, dict):
            if self.method != "sets":
                raise SettingError(
                    f"sets of single attributes need method = 'sets', not {self.method!r}", setting="sets"
                )
            self._refuse_unlisted("sets", self.quasi, "which is not quasi")
        for sets in self.sets.values() if isinstance(self.sets, dict) else [self.sets]:
            if isinstance(sets, int) and not 2 <= sets <= 60:
                raise SettingError(f"sets must be 2 to 60 (given: {sets})", setting="sets")
            if isinstance(sets, dict) and not 2 <= len(sets) <= 60:
                raise SettingError(f"an attribute needs 2 to 60 sets (given: {len(sets)})", setting="sets")
        if self.method in ("sets", "k-means") and "fuzzifier" in self.model_fields_set:
            raise SettingError(f"method = {self.method!r} has no fuzzifier", setting="fuzzifier")

    def _further_limits(self) -> dict[str, Any]:
        return {"q": self.q, "level": self.level, "operator": self.operator, "width": self.width}

    def _make_release(self, people: Microfile, progress: Progress, secret: Secret) -> Release:
        from sfumato.partitions.protection import protect

        return protect(self, people, progress, secret)
