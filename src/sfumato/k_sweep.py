"""The price of another k: the same protection with other values of k, measured in the same way. Confidential."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sfumato.comparison import Refusal, ReleaseSafety, safety_of, short
from sfumato.errors import SettingError, UnattainableError
from sfumato.measures import detail_of, information_loss
from sfumato.microfile import Microfile, as_microfile
from sfumato.progress import Progress, silent, within
from sfumato.protections import PersonProtection
from sfumato.randomness import Secret
from sfumato.release import Release, preserved_by
from sfumato.representations import is_plain_number


@dataclass(frozen=True)
class Price(ReleaseSafety):
    """How safe a release is and how much of it is lost."""

    detail: float
    """The mean share of the detail of quasi attributes that is lost."""
    loss: float | None
    """The mean information loss of numeric quasi attributes relative to the protected file; None if there are none, or
    records were suppressed."""
    widths: Mapping[str, float | None]
    """The width of each preserved statistic's guaranteed range; None if there is none."""


@dataclass(frozen=True)
class Alternative:
    """The result of one k."""

    k: int
    result: Price | Refusal
    released: bool = False
    """Whether it is the k of the release."""

    def summary(self) -> dict[str, Any]:
        """Return the result as plain numbers; for a k that can be met, ``refused`` is None."""
        common: dict[str, Any] = {"k": self.k, "released": self.released}
        if isinstance(self.result, Refusal):
            return {**common, "refused": asdict(self.result)}
        price = self.result
        return {
            **common,
            "refused": None,
            "records": price.records,
            "blocks": price.blocks,
            "smallest": price.k,
            "rate": short(price.rate),
            "highest": short(price.highest),
            "detail": short(price.detail),
            "information_loss": None if price.loss is None else short(price.loss),
            "widths": {name: None if width is None else short(width) for name, width in price.widths.items()},
        }


def check_others(k: Iterable[int]) -> tuple[int, ...]:
    """Refuse invalid values of k; return the others in order.

    >>> check_others([10, 3, 3])
    (3, 10)
    """
    values = tuple(k)
    if any(not isinstance(value, int) or value < 2 for value in values):
        raise SettingError(
            "alternatives: give whole numbers of 2 or more", hint="k = 1 protects nobody", setting="alternatives"
        )
    return tuple(sorted(set(values)))


def other_k(
    protection: PersonProtection,
    people: Microfile | Any,
    k: Sequence[int],
    *,
    release: Release | None = None,
    finish: Callable[[Release], None] | None = None,
    progress: Progress = silent,
) -> tuple[Alternative, ...]:
    """Protect a file with other values of k and measure what each costs; one that cannot be met is not an error.

    Information loss is measured relative to ``people``, so it must not be published. After group masks that is the
    masked file, not the original.

    Parameters
    ----------
    protection
        A protection of individuals; all its settings but k stay the same.
    people
        The file to protect.
    k
        The other values of k.
    release
        The release with the protection's own k; default: it is made.
    finish
        Called with each other release, and may refuse it.
    progress
        Called while protecting.

    Examples
    --------
    >>> from sfumato.boxes import Boxes
    >>> from sfumato.datasets import health_survey
    >>> found = other_k(Boxes(quasi=["age", "hours"], k=10), health_survey(500), [5, 600])
    >>> [(one.k, one.released, isinstance(one.result, Price)) for one in found]
    [(5, False, True), (10, True, True), (600, False, False)]
    """
    people = as_microfile(people)
    all_k = check_others([*k, protection.k])
    secret = Secret.chosen(protection.seed) if release is None else release.secret
    alternatives = []
    for index, value in enumerate(all_k):
        k_progress = within(progress, index / len(all_k), (index + 1) / len(all_k), of=f"k = {value:,}")
        k_progress("protecting", 0.0)
        is_released = value == protection.k
        try:
            if is_released and release is not None:
                tried_release = release
            else:
                tried_release = protection.changed(k=value).protect(people, progress=k_progress, secret=secret)
                if finish is not None:
                    finish(tried_release)
        except (UnattainableError, SettingError) as error:
            # with its own k the protection works, so it is this k that does not
            if is_released:
                raise
            alternatives.append(Alternative(value, Refusal(error.message, error.hint)))
        else:
            alternatives.append(Alternative(value, _price(protection, people, tried_release), released=is_released))
    return tuple(alternatives)


def _price(protection: PersonProtection, people: Microfile, release: Release) -> Price | Refusal:
    safety = safety_of(release)
    if isinstance(safety, Refusal):
        return safety
    forms = release.codebook.forms()
    numeric = [name for name in protection.quasi if is_plain_number(people, name)]
    # without the suppressed records, the two files cannot be compared record by record
    complete = numeric and release.microfile.records == people.records
    lost = information_loss(people, release.microfile, quasi=numeric, forms=forms).mean if complete else None
    statistics = [statistic for preserved in preserved_by(release) for statistic in preserved.numbers]
    return Price(
        **vars(safety),
        detail=detail_of(release.microfile, quasi=release.promise.quasi, forms=forms).mean,
        loss=lost,
        widths={
            statistic.name: statistic.estimate.width if statistic.estimate.guaranteed else None
            for statistic in statistics
        },
    )
