"""Several protections of one file side by side: how safe each release is, and how much information it has lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

from pydantic import Field

from sfumato.errors import MicrofileError, UnattainableError
from sfumato.measures import InformationLoss, information_loss
from sfumato.microfile import Microfile, as_microfile
from sfumato.progress import Progress, silent, within
from sfumato.protection_registry import Method, compared_methods, method_named
from sfumato.protections import PersonProtection
from sfumato.release import Release
from sfumato.representations import is_plain_number
from sfumato.roles import Names, Roles
from sfumato.settings import Settings

LEVEL = 0.5
"""Q is reported at this level of possibility."""


@dataclass(frozen=True)
class ReleaseSafety:
    """How safe a release is. Of several sensitive attributes the worst is reported."""

    records: int
    blocks: int
    k: int
    """The number of records in the smallest block."""
    fuzzy_k: int | None
    """The number of records in the smallest fuzzy set, by QADM14 (2)."""
    sigma_k: float | None
    """The same by the sigma-count."""
    q: int | None
    """The Q with possibility 0.5."""
    l: float | None  # noqa: E741  # the field's own letter
    """The number of distinct values in the least diverse block."""
    fuzzy_l: float | None
    """The number of distinct values in the least diverse fuzzy set."""
    t: float | None
    """The largest distance between the sensitive values of a block and those of the table."""
    fuzzy_t: float | None
    """The largest distance between what a record's memberships reveal about its sensitive value and the table."""
    rate: float
    """The expected share of re-identified records."""
    highest: float
    """The largest risk of a record."""


@dataclass(frozen=True)
class ComparedRelease(ReleaseSafety):
    """How safe a release is and how much information it has lost."""

    loss: InformationLoss


@dataclass(frozen=True)
class Refusal:
    """Why a method cannot make a release, and what would help."""

    message: str
    hint: str | None


@dataclass(frozen=True)
class Outcome:
    """The result of one method."""

    method: str
    result: ComparedRelease | Refusal

    @property
    def name(self) -> str:
        """The method's name for people."""
        return method_named(self.method).title

    def summary(self) -> dict[str, Any]:
        """Return the result as plain numbers; for a method that keeps its promise, ``refused`` is None."""
        if isinstance(self.result, Refusal):
            return {"method": self.method, "refused": asdict(self.result)}
        numbers = {name: value for name, value in asdict(self.result).items() if name != "loss"}
        loss = self.result.loss
        information_loss_facts = {
            "mean": short(loss.mean),
            "attributes": {name: short(attribute_loss) for name, attribute_loss in loss.attributes.items()},
        }
        return {"method": self.method, "refused": None, **numbers, "information_loss": information_loss_facts}


def short(number: float) -> float:
    """Round away the last digits, which may differ between machines."""
    return float(f"{number:.12g}")


@dataclass(frozen=True)
class Compared:
    """The results of all methods on one file."""

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    records: int
    k: int
    """The k that every method promised."""
    shown: str
    """Whether fuzzy sets were released as words or as grades."""
    outcomes: tuple[Outcome, ...]

    @property
    def found(self) -> dict[str, ComparedRelease]:
        """The methods that keep the promise, by their names for people."""
        return {
            outcome.name: outcome.result for outcome in self.outcomes if isinstance(outcome.result, ComparedRelease)
        }

    @property
    def refused(self) -> dict[str, Refusal]:
        """The methods that do not."""
        return {outcome.name: outcome.result for outcome in self.outcomes if isinstance(outcome.result, Refusal)}

    def summary(self) -> dict[str, Any]:
        """Return everything as plain numbers."""
        return {
            "quasi": list(self.quasi),
            "sensitive": list(self.sensitive),
            "records": self.records,
            "k": self.k,
            "shown": self.shown,
            "level": LEVEL,
            "methods": [outcome.summary() for outcome in self.outcomes],
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
    """Numeric attributes that others may know and that together can identify a person."""
    sensitive: Names = ()
    """Attributes that nobody should learn about a particular person."""
    weight: str | None = None
    """The number of people in the population that a record stands for."""
    household: str | None = None
    """The household of a record. If it is given, every block has records of at least k households."""
    k: int = Field(default=5, ge=2, le=2**53)
    """The minimum number of records in a block; default: 5."""
    sets: int = Field(default=3, ge=2, le=60)
    """The number of fuzzy sets; default: 3."""
    shown: Literal["words", "grades"] = "words"
    """Whether a record gets the words of all fuzzy sets that it belongs to, or its grades; default: words."""
    levels: int = Field(default=4, ge=1, le=1000)
    """Grades are multiples of one divided by this number; default: 4."""
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
            If no method attains k.
        """
        microfile = as_microfile(microfile)
        self._check(microfile)
        outcomes = []
        methods = compared_methods()
        for index, method in enumerate(methods):
            start, end = index / len(methods), (index + 1) / len(methods)
            progress(method.title, start)
            method_progress = within(progress, start, end, of=method.title)
            outcomes.append(Outcome(method.name, self._outcome(method, microfile, method_progress)))
        if all(isinstance(outcome.result, Refusal) for outcome in outcomes):
            raise UnattainableError(
                f"no method attains k = {self.k:,}: "
                + "; ".join(f"{outcome.name}: {cast(Refusal, outcome.result).message}" for outcome in outcomes),
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
            if not is_plain_number(microfile, name):
                raise MicrofileError(
                    f"column {name!r} (quasi) is not numeric; methods can be compared only on numeric attributes, "
                    "because clusters need centres",
                    hint=f"leave {name!r} out of quasi, or protect the file with boxes, which accept any kind",
                    setting="quasi",
                    column=name,
                )
        if self.k > microfile.records:
            raise UnattainableError(
                f"k = {self.k:,} is larger than the file of {microfile.records:,} records",
                hint=f"choose k from 2 to {microfile.records:,}",
                setting="k",
            )

    def _outcome(self, method: Method, microfile: Microfile, progress: Progress) -> ComparedRelease | Refusal:
        try:
            release = self._protection(method).protect(microfile, progress=progress)
        except UnattainableError as error:
            return Refusal(error.message, error.hint)
        return _compared(release, microfile, tuple(self.quasi))

    def _protection(self, method: Method) -> PersonProtection:
        """Return the settings of a method, as far as it has those of the comparison."""
        settings_class = method.settings_class()
        common = {name: getattr(self, name) for name in type(self).model_fields if name in settings_class.model_fields}
        protection: PersonProtection = settings_class(**common, **method.fixed_settings)
        return protection


def _compared(release: Release, microfile: Microfile, quasi: tuple[str, ...]) -> ComparedRelease | Refusal:
    safety = safety_of(release)
    if isinstance(safety, Refusal):
        return safety
    loss = information_loss(microfile, release.microfile, quasi=quasi, forms=release.codebook.forms())
    return ComparedRelease(**vars(safety), loss=loss)


def safety_of(release: Release) -> ReleaseSafety | Refusal:
    """Measure a release as its audit does."""
    audit = release.audit()
    if not audit.holds:
        return Refusal("its release fails its audit: " + "; ".join(finding.message for finding in audit.findings), None)
    measured = audit.measured
    return ReleaseSafety(
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
    """Return the fuzzy measures; boxes are crisp sets, whose fuzzy measures are the crisp ones."""
    if "fuzzy" not in measured:
        k, l, t = (measured[name] for name in "klt")  # noqa: E741  # the field's own letter
        return {"fuzzy_k": k, "sigma_k": k, "q": k, "fuzzy_l": l, "fuzzy_t": t}
    fuzzy = measured["fuzzy"]
    # with too many memberships they are not computed
    attributes = fuzzy.get("attributes", {}).values()
    return {
        "fuzzy_k": fuzzy.get("k"),
        "sigma_k": fuzzy.get("sigma_k"),
        "q": fuzzy.get("q"),
        "fuzzy_l": min((measures["l"] for measures in attributes), default=None),
        "fuzzy_t": max((measures["t"] for measures in attributes), default=None),
    }
