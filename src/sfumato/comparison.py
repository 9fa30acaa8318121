"""Several protections of one file, side by side: how safe each release is, and what it has lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, cast

from pydantic import Field

from sfumato.boxes import Boxes
from sfumato.errors import MicrofileError, UnattainableError
from sfumato.measures.utility import InformationLoss, information_loss
from sfumato.microfile.attribute import Kind
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.microfile.roles import Names, Roles
from sfumato.partitions import FuzzyPartition
from sfumato.progress import Progress, silent, within
from sfumato.release.release import Release
from sfumato.settings import Settings

Method: TypeAlias = Literal["k-means", "fuzzy-c-means", "gustafson-kessel", "boxes"]
METHODS: Mapping[Method, str] = {
    "k-means": "k-means",
    "fuzzy-c-means": "fuzzy c-means",
    "gustafson-kessel": "Gustafson-Kessel",
    "boxes": "boxes",
}
"""What is compared, with its name for people."""
LEVEL = 0.5
"""Q is what is possible at least to this level."""


@dataclass(frozen=True)
class Protected:
    """How safe a release is. Of several sensitive attributes the worst is told."""

    records: int
    blocks: int
    k: int
    """The records of the smallest block: those that are released alike."""
    fuzzy_k: int | None
    """The records of the smallest fuzzy set, by QADM14 (2)."""
    sigma_k: float | None
    """The same by the sigma-count."""
    q: int | None
    """The Q that is possible to the level 0.5."""
    l: float | None  # noqa: E741  # the field's own letter
    """Distinct values in the block that has fewest."""
    fuzzy_l: float | None
    """Distinct values in the fuzzy set that has fewest."""
    t: float | None
    """How far the sensitive values of a block lie from the table's."""
    fuzzy_t: float | None
    """How far what a record's memberships tell of its sensitive value lies from the table."""
    rate: float
    """The expected share of records re-identified."""
    highest: float
    """The largest risk of a record."""


@dataclass(frozen=True)
class Found(Protected):
    """How safe a release is and what it has lost."""

    loss: InformationLoss


@dataclass(frozen=True)
class Refusal:
    """Why there is no release, and what would help."""

    message: str
    hint: str | None


@dataclass(frozen=True)
class Outcome:
    """What became of one method."""

    method: Method
    result: Found | Refusal

    @property
    def name(self) -> str:
        """The method's name for people."""
        return METHODS[self.method]

    def summary(self) -> dict[str, Any]:
        """Return it as plain numbers; a method that keeps its promise has no ``refused``."""
        if isinstance(self.result, Refusal):
            return {"method": self.method, "refused": asdict(self.result)}
        numbers = {name: value for name, value in asdict(self.result).items() if name != "loss"}
        loss = self.result.loss
        lost = {"mean": short(loss.mean), "attributes": {name: short(its) for name, its in loss.attributes.items()}}
        return {"method": self.method, "refused": None, **numbers, "information_loss": lost}


def short(number: float) -> float:
    """Round away what differs between machines in the last bits."""
    return float(f"{number:.12g}")


@dataclass(frozen=True)
class Compared:
    """What became of each method on one file."""

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    records: int
    k: int
    """What every method promised."""
    shown: str
    """Whether fuzzy sets were released as words or as grades."""
    outcomes: tuple[Outcome, ...]

    @property
    def found(self) -> dict[str, Found]:
        """The methods that keep the promise, by their names for people."""
        return {one.name: one.result for one in self.outcomes if isinstance(one.result, Found)}

    @property
    def refused(self) -> dict[str, Refusal]:
        """The methods that do not."""
        return {one.name: one.result for one in self.outcomes if isinstance(one.result, Refusal)}

    def summary(self) -> dict[str, Any]:
        """Return everything as plain numbers."""
        return {
            "quasi": list(self.quasi),
            "sensitive": list(self.sensitive),
            "records": self.records,
            "k": self.k,
            "shown": self.shown,
            "level": LEVEL,
            "methods": [one.summary() for one in self.outcomes],
        }


class Comparison(Settings):
    """Protect a file by k-means, fuzzy c-means, Gustafson-Kessel and boxes, and measure the releases alike.

    Examples
    --------
    >>> from sfumato.datasets import health_survey
    >>> compared = Comparison(quasi=["age", "hours"], k=10).run(health_survey(500))
    >>> {name: found.k >= 10 for name, found in compared.found.items()}
    {'k-means': True, 'fuzzy c-means': True, 'Gustafson-Kessel': True, 'boxes': True}
    """

    quasi: Names = Field(min_length=1)
    """Numeric attributes that others may know and that together can identify."""
    sensitive: Names = ()
    """Attributes that nobody should learn of a person."""
    weight: str | None = None
    """How many people of the population a record stands for."""
    household: str | None = None
    """The household of a record: with it, records of at least k households are released alike."""
    k: int = Field(default=5, ge=2, le=2**53)
    """At least so many records are released alike; default: 5."""
    sets: int = Field(default=3, ge=2, le=60)
    """How many fuzzy sets; default: 3."""
    shown: Literal["words", "grades"] = "words"
    """Whether a record gets the words of all fuzzy sets that it belongs to, or its grades; default: words."""
    levels: int = Field(default=4, ge=1, le=1000)
    """Grades are multiples of one in so many; default: 4."""
    seed: int = Field(default=0, ge=0, lt=2**31)
    """The seed of all random numbers."""

    def run(self, microfile: Microfile | Any, *, progress: Progress = silent) -> Compared:
        """Protect the file by each method and measure what it releases.

        Parameters
        ----------
        microfile
            A microfile, or a frame that becomes one.
        progress
            Called while protecting and measuring.

        Raises
        ------
        MicrofileError
            If a quasi attribute is not numeric, or the file cannot be used otherwise.
        UnattainableError
            If no method at all can keep k.
        """
        microfile = as_microfile(microfile)
        self._check(microfile)
        outcomes = []
        for number, method in enumerate(METHODS):
            start, end = (share / len(METHODS) for share in (number, number + 1))
            progress(METHODS[method], start)
            shown = within(progress, start, end, of=METHODS[method])
            outcomes.append(Outcome(method, self._outcome(method, microfile, shown)))
        if all(isinstance(one.result, Refusal) for one in outcomes):
            raise UnattainableError(
                f"no method keeps k = {self.k:,}: "
                + "; ".join(f"{one.name}: {cast(Refusal, one.result).message}" for one in outcomes),
                hint=cast(Refusal, outcomes[-1].result).hint,
            )
        progress("measuring", 1.0)
        return Compared(
            tuple(self.quasi), tuple(self.sensitive), microfile.records, self.k, self.shown, tuple(outcomes)
        )

    def _check(self, microfile: Microfile) -> None:
        roles = Roles(quasi=self.quasi, sensitive=self.sensitive, weight=self.weight, household=self.household)
        roles.check(microfile)
        for name in self.quasi:
            if microfile.attribute(name).kind is not Kind.NUMERIC or microfile.series(name).dtype.is_temporal():
                raise MicrofileError(
                    f"column {name!r} (quasi) is not numeric; only numeric attributes can be compared, for clusters "
                    "have centres and others do not",
                    hint=f"leave {name!r} out of quasi, or protect the file by boxes, which take any kind",
                )
        if self.k > microfile.records:
            raise UnattainableError(
                f"k = {self.k:,} is larger than the file of {microfile.records:,} records",
                hint=f"choose k from 2 to {microfile.records:,}",
            )

    def _outcome(self, method: Method, microfile: Microfile, progress: Progress) -> Found | Refusal:
        try:
            release = self._protection(method).protect(microfile, progress=progress)
        except UnattainableError as error:
            return Refusal(error.message, error.hint)
        return _found(release, microfile, tuple(self.quasi))

    def _protection(self, method: Method) -> Boxes | FuzzyPartition:
        shared: dict[str, Any] = self.model_dump(include={"quasi", "sensitive", "weight", "household", "k", "seed"})
        if method == "boxes":
            return Boxes(**shared)
        return FuzzyPartition(
            **shared, method=method, sets=self.sets, shown=self.shown, levels=self.levels, level=LEVEL
        )


def _found(release: Release, microfile: Microfile, quasi: tuple[str, ...]) -> Found | Refusal:
    protected = protected_by(release)
    if isinstance(protected, Refusal):
        return protected
    loss = information_loss(microfile, release.microfile, quasi=quasi, forms=release.codebook.forms())
    return Found(**vars(protected), loss=loss)


def protected_by(release: Release) -> Protected | Refusal:
    """Measure a release as its audit does."""
    audit = release.audit()
    if not audit.holds:
        return Refusal("its release does not hold: " + "; ".join(one.message for one in audit.findings), None)
    measured = audit.measured
    return Protected(
        records=measured["records"],
        blocks=measured["blocks"],
        k=measured["k"],
        l=measured["l"],
        t=measured["t"],
        rate=measured["risk"]["rate"],
        highest=measured["risk"]["highest"],
        **_fuzzy(measured),
    )


def _fuzzy(measured: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fuzzy measures: a box is a crisp set, of which they are the crisp ones."""
    if "fuzzy" not in measured:
        k, l, t = (measured[name] for name in "klt")  # noqa: E741  # the field's own letter
        return {"fuzzy_k": k, "sigma_k": k, "q": k, "fuzzy_l": l, "fuzzy_t": t}
    fuzzy = measured["fuzzy"]
    # too many memberships to reckon with leave them unknown
    attributes = fuzzy.get("attributes", {}).values()
    return {
        "fuzzy_k": fuzzy.get("k"),
        "sigma_k": fuzzy.get("sigma_k"),
        "q": fuzzy.get("q"),
        "fuzzy_l": min((its["l"] for its in attributes), default=None),
        "fuzzy_t": max((its["t"] for its in attributes), default=None),
    }
