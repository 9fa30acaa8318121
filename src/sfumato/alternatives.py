"""What another k would have cost: the same protection with other k's, measured alike. For the steward alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from sfumato.boxes import Boxes
from sfumato.comparison import Protected, Refusal, protected_by, short
from sfumato.errors import SettingError, UnattainableError
from sfumato.measures.detail import detail_of
from sfumato.measures.utility import information_loss
from sfumato.microfile.attribute import Kind
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.partitions import FuzzyPartition
from sfumato.progress import Progress, silent, within
from sfumato.randomness import Secret
from sfumato.release.preserved import preserved_by
from sfumato.release.release import Release

Individual: TypeAlias = Boxes | FuzzyPartition
"""A protection of single people, which has a k."""


@dataclass(frozen=True)
class Price(Protected):
    """How safe a release is and what is left of it."""

    detail: float
    """The mean share of the detail of quasi attributes that is gone."""
    loss: float | None
    """The mean information loss of numeric quasi attributes against what was protected; None if there is none, or
    records were left out."""
    widths: Mapping[str, float | None]
    """The width of each preserved statistic's sure range; None if none is proved."""


@dataclass(frozen=True)
class Alternative:
    """What became of one k."""

    k: int
    result: Price | Refusal
    released: bool = False
    """Whether it is that of the release."""

    def summary(self) -> dict[str, Any]:
        """Return it as plain numbers; a k that can be kept has no ``refused``."""
        told: dict[str, Any] = {"k": self.k, "released": self.released}
        if isinstance(self.result, Refusal):
            return {**told, "refused": asdict(self.result)}
        its = self.result
        return {
            **told,
            "refused": None,
            "records": its.records,
            "blocks": its.blocks,
            "smallest": its.k,
            "rate": short(its.rate),
            "highest": short(its.highest),
            "detail": short(its.detail),
            "information_loss": None if its.loss is None else short(its.loss),
            "widths": {name: None if width is None else short(width) for name, width in its.widths.items()},
        }


def check_others(k: Iterable[int]) -> tuple[int, ...]:
    """Refuse what is no k; return them in order.

    >>> check_others([10, 3, 3])
    (3, 10)
    """
    given = tuple(k)
    if any(not isinstance(one, int) or one < 2 for one in given):
        raise SettingError("alternatives: give whole numbers of 2 or more", hint="k = 1 protects nobody")
    return tuple(sorted(set(given)))


def other_k(
    protection: Individual,
    people: Microfile | Any,
    k: Sequence[int],
    *,
    release: Release | None = None,
    finish: Callable[[Release], None] | None = None,
    progress: Progress = silent,
) -> tuple[Alternative, ...]:
    """Protect a file with other k's and measure what each costs; one that cannot be kept is told, not an error.

    Information loss is measured against ``people``, so that it must not be published. Behind group masks that is the
    masked file, not the original.

    Parameters
    ----------
    protection
        Boxes, or a fuzzy partition; all but its k is kept.
    people
        What is protected.
    k
        The other k's.
    release
        What was made with the protection's own k; default: it is made.
    finish
        Called with each other release, and may refuse it.
    progress
        Called while protecting.

    Examples
    --------
    >>> from sfumato.datasets import health_survey
    >>> found = other_k(Boxes(quasi=["age", "hours"], k=10), health_survey(500), [5, 600])
    >>> [(one.k, one.released, isinstance(one.result, Price)) for one in found]
    [(5, False, True), (10, True, True), (600, False, False)]
    """
    people = as_microfile(people)
    asked = check_others([*k, protection.k])
    secret = Secret.chosen(protection.seed) if release is None else release.secret
    found = []
    for place, one in enumerate(asked):
        shown = within(progress, place / len(asked), (place + 1) / len(asked), of=f"k = {one:,}")
        shown("protecting", 0.0)
        own = one == protection.k
        try:
            if own and release is not None:
                made = release
            else:
                made = protection.changed(k=one).protect(people, progress=shown, secret=secret)
                if finish is not None:
                    finish(made)
        except (UnattainableError, SettingError) as error:
            # with its own k the protection fits the file, so that it is this k which does not
            if own:
                raise
            found.append(Alternative(one, Refusal(error.message, error.hint)))
        else:
            found.append(Alternative(one, _price(protection, people, made), released=own))
    return tuple(found)


def _price(protection: Individual, people: Microfile, release: Release) -> Price | Refusal:
    protected = protected_by(release)
    if isinstance(protected, Refusal):
        return protected
    forms = {name: entry.form for name, entry in release.codebook.attributes.items()}
    numeric = [name for name in protection.quasi if _is_number(people, name)]
    # records that were left out cannot be compared one by one
    complete = numeric and release.microfile.records == people.records
    lost = information_loss(people, release.microfile, quasi=numeric, forms=forms).mean if complete else None
    parts = [part for told in preserved_by(release) for part in told.parts]
    return Price(
        **vars(protected),
        detail=detail_of(release.microfile, quasi=release.promise.quasi, forms=forms).mean,
        loss=lost,
        widths={part.name: part.estimate.width if part.estimate.guaranteed else None for part in parts},
    )


def _is_number(people: Microfile, name: str) -> bool:
    return people.attribute(name).kind is Kind.NUMERIC and not people.series(name).dtype.is_temporal()
