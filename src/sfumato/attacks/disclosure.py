"""What an attack gives away: the places that it finds, against those where the group really stands out."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from sfumato.arrays import Reals
from sfumato.attacks.adequacy import Adequacy, adequacy
from sfumato.attacks.attack_base import Attack, Model
from sfumato.attacks.diagnostics import different_looks, is_same
from sfumato.attacks.reconstruction import seen_in
from sfumato.errors import SettingError, SfumatoWarning
from sfumato.groups import (
    VITAL_ATTRIBUTES,
    AdversaryView,
    Group,
    Signal,
    among_highest,
    chance_correlation,
    correlation,
    crowded_at_top,
    detected_within,
    places_by_region,
    regions_of,
)
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.notebook_tables import table
from sfumato.progress import Progress, silent
from sfumato.quiet_repr import quiet
from sfumato.record_filter import attributes_of

COLUMNS = ("attack", "finds", "right", "Youden", "evidence", "corr.")
"""What tables tell of an attack, in 80 signs; the last is the correlation of the signals."""
LIFT = 2.0
"""A technique other than TC16's discloses places only if it is right so many times as often as chance."""
AFRESH = 1000
"""A release is attacked with other random numbers than those against which it may have been masked."""


@quiet
@dataclass(frozen=True)
class Disclosure:
    """What one attack found."""

    attack: str
    """Its name."""
    model: Model | None
    """What it learned; None of who sees the vital attributes themselves."""
    true: Signal
    """How many members each place has."""
    auxiliary: Signal
    """What the attack makes of the places: the sum of memberships, TC16 (9)."""
    crisp: Signal
    """How many it takes for members at each place, TC16 (17)."""
    regions: tuple[str, ...] | None
    """The region of each place, if each is judged by itself."""
    standing_out: tuple[int, ...]
    """Where the group really stands out by any technique of the panel, but for known places."""
    found: tuple[int, ...]
    """Which places the technique finds that discloses most, but for known ones."""
    known: tuple[int, ...] = ()
    """Places that everybody knows of."""
    techniques: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Which places each technique finds at its level, but for known ones; TC16's comes first."""
    alpha: float = 0.01
    """The level at which ranks and correlation count as more than chance."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The places."""
        return self.true.labels

    @property
    def disclosed(self) -> tuple[str, ...]:
        """The places that the attack gives away: the group stands out there, and a technique or their ranks show it."""
        own = next(iter(self.techniques.values()), ())
        found = {*_right((*self.found, *own), self.standing_out), *self._on_top}
        for places in self.techniques.values():
            if self._is_lifted(places):
                found |= {*_right(places, self.standing_out)}
        return tuple(label for place, label in enumerate(self.labels) if place in found)

    def _is_lifted(self, places: tuple[int, ...]) -> bool:
        """Say whether a technique is right at least twice as often as chance would be."""
        right = len(_right(places, self.standing_out))
        return right > 0 and right * len(self._asked) >= LIFT * len(places) * len(self.standing_out)

    @cached_property
    def _asked(self) -> tuple[int, ...]:
        return tuple(place for place in range(len(self.labels)) if place not in self.known)

    @cached_property
    def _sides(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The places that stand out above and below the middle of their region."""
        values = _centred(self.true.values, self.regions)
        high = tuple(place for place in self.standing_out if values[place] >= 0)
        return high, tuple(place for place in self.standing_out if place not in high)

    @cached_property
    def _on_top(self) -> tuple[int, ...]:
        """The places that their ranks give away: more of them are on top, or at the bottom, than chance explains."""
        values = _centred(self.auxiliary.values, self.regions)
        found: tuple[int, ...] = ()
        for signal, places in zip((values, -values), self._sides, strict=True):
            seen, chance = among_highest(signal, places, self._asked)
            found += seen if chance <= self.alpha else ()
            if self.model is None:
                # who counts members themselves needs no chance
                found += crowded_at_top(signal, places, self._asked)
        return found

    @cached_property
    def adequacy(self) -> Adequacy:
        """How well the attack did, over all places but the known ones."""
        return _adequacy(self.standing_out, self.found, self._asked)

    @property
    def correlation(self) -> float:
        """How far the auxiliary signal goes with the true one, known places left out; 0 if one of them is constant."""
        return correlation(*self._signals)

    @cached_property
    def chance_correlation(self) -> float:
        """The correlation that chance exceeds at the level, if what stands out is dealt to other places."""
        true, seen = self._signals
        asked = {place: number for number, place in enumerate(self._asked)}
        some = [asked[place] for place in self.standing_out]
        return chance_correlation(true, seen, some, self.alpha)

    @property
    def follows(self) -> bool:
        """Whether the auxiliary signal goes with the true one more than chance explains, because of hidden places."""
        return self.correlation > self.chance_correlation

    @cached_property
    def _signals(self) -> tuple[Reals, Reals]:
        asked = list(self._asked)
        true, seen = (_centred(its.values, self.regions)[asked] for its in (self.true, self.auxiliary))
        return true, seen

    @property
    def row(self) -> tuple[object, ...]:
        """How well the attack did, as a row of a table with COLUMNS."""
        its = self.adequacy
        return (
            self.attack,
            len(self.found),
            f"{len(self.disclosed):,} of {len(self.standing_out):,}",
            round(its.youden, 2),
            f"{its.bayes.value:z.1f} ({its.bayes.words})",
            round(self.correlation, 2),
        )

    def _repr_html_(self) -> str:
        return _as_html([self])

    def summary(self) -> dict[str, Any]:
        """Return what JSON tells of it."""
        its = self.adequacy
        names = ("accuracy", "sensitivity", "specificity", "youden", "markedness")
        return {
            "attack": self.attack,
            "disclosed": list(self.disclosed),
            "stands_out": [self.labels[place] for place in self.standing_out],
            "found": [self.labels[place] for place in self.found],
            "correlation": self.correlation,
            "chance_correlation": self.chance_correlation,
            "follows": self.follows,
            "techniques": {name: [self.labels[place] for place in places] for name, places in self.techniques.items()},
            **{name: getattr(its, name) for name in names},
            "bayes": {"value": its.bayes.value, "words": its.bayes.words},
            "signals": [
                {"place": label, "region": region, "true": int(true), "auxiliary": seen, "crisp": int(crisp)}
                for label, region, true, seen, crisp in zip(
                    self.labels,
                    self.regions or (None,) * len(self.labels),
                    self.true.values.tolist(),
                    self.auxiliary.values.tolist(),
                    self.crisp.values.tolist(),
                    strict=True,
                )
            ],
        }


@dataclass(frozen=True)
class Verdict:
    """What several attacks found: as bad as the worst of them."""

    disclosures: tuple[Disclosure, ...]
    """What each attack found."""

    @property
    def disclosed(self) -> bool:
        """Whether any attack gives a place away, or sees a signal that follows the true one."""
        return any(one.disclosed or one.follows for one in self.disclosures)

    @property
    def places(self) -> tuple[str, ...]:
        """All places that some attack gives away, in their order."""
        found = {label for one in self.disclosures for label in one.disclosed}
        return tuple(label for label in self.disclosures[0].labels if label in found)

    @property
    def worst(self) -> Disclosure:
        """The attack that gives most places away; of several, the one that does so with the fewest false ones."""
        return max(self.disclosures, key=lambda one: (len(one.disclosed), one.follows, one.adequacy.youden))

    def _repr_html_(self) -> str:
        return _as_html(self.disclosures)


def _as_html(disclosures: Sequence[Disclosure]) -> str:
    disclosed = any(one.disclosed or one.follows for one in disclosures)
    title = "The group is disclosed" if disclosed else "The group is not disclosed"
    return table(title, COLUMNS, [one.row for one in disclosures])


def judge(
    attacks: Iterable[Attack] | Attack, people: Any, released: Any = None, *, progress: Progress = silent
) -> Verdict:
    """Let attacks loose on a file; the verdict is the worst of all.

    Parameters
    ----------
    attacks
        Each with its third-party file.
    people
        The original, with the vital attributes: where the group really stands out.
    released
        What an adversary gets: a release or a frame. If it has the vital attributes, it is also looked at how the group
        stands out in it to the naked eye. Default: the original without the vital attributes.
    progress
        Told how far each is.

    Examples
    --------
    >>> import sfumato as sf
    >>> army = sf.Group(vital={"service": [1]}, parameter="workplace")
    >>> habits = ["age", "sex", "hours", "departure", "travel_minutes", "transport", "income"]
    >>> other_year = sf.datasets.census(60_000, year=2018)
    >>> attack = sf.LearnedAttack(group=army, third_party=other_year, attributes=habits, learner="logistic")
    >>> verdict = judge(attack, sf.datasets.census(60_000, year=2020))
    >>> verdict.disclosed, verdict.worst.attack
    (True, 'logistic regression')
    """
    several = (attacks,) if isinstance(attacks, Attack) else tuple(attacks)
    if not several:
        raise SettingError("attacks: there is none", hint="give a FuzzyRuleAttack, a LearnedAttack, or several")
    original = as_microfile(people)
    _refuse_other_groups([attack.group for attack in several], original)
    looks = different_looks(several)
    if any(is_same(as_microfile(attack.third_party), original) for attack in looks):
        warnings.warn(
            "third_party: it holds the same people as the attacked file; learn from others",
            SfumatoWarning,
            stacklevel=2,
        )
    for attack in looks:
        attack.differences(original)
    found: list[Disclosure] = []
    attacked = original
    if released is not None:
        seen = seen_in(released)
        found += _to_the_eye(several[0], original, seen)
        attacked = _with_all(seen, original)
    for attack in several:
        model = attack.learn(attempt=0 if released is None else AFRESH, progress=progress)
        found.append(_disclosure(attack, attack.sighting_of(model, attacked, original), model, original, attacked))
    return Verdict(tuple(found))


def _refuse_other_groups(groups: Sequence[Group], original: Microfile) -> None:
    """Refuse to judge groups together, which may be written in different ways but must be the same people."""
    first = groups[0]
    members = first.members(original)
    for other in groups[1:]:
        if other.parameter != first.parameter or not np.array_equal(other.members(original), members):
            raise SettingError(
                "attacks: they look for different groups, or at different places", hint="judge each group by itself"
            )


def _to_the_eye(attack: Attack, original: Microfile, seen: Microfile) -> Iterable[Disclosure]:
    """Look at the group itself, if a release has its vital attributes."""
    if all(name in seen.attributes for name in attributes_of(attack.group.vital, setting="vital")):
        members = attack.group.members(seen).astype(np.float64)
        regions = None if attack.region is None else regions_of(attack.group, original, attack.region)
        sighting = AdversaryView(VITAL_ATTRIBUTES, members, attack.significance, attack.robust, regions)
        yield _disclosure(attack, sighting, None, original, seen)


def _with_all(seen: Microfile, original: Microfile) -> Microfile:
    """Let a release have all attributes of the original; of those that it lacks nothing is known."""
    lacking = [name for name in original.names if name not in seen.attributes]
    empty = {name: pl.Series(name, [None] * seen.records, dtype=original.series(name).dtype) for name in lacking}
    kinds = {name: original.attribute(name).declared for name in lacking}
    return seen.with_columns(empty, kinds=kinds) if lacking else seen


def _disclosure(
    attack: Attack, sighting: AdversaryView, model: Model | None, original: Microfile, attacked: Microfile
) -> Disclosure:
    """Compare what is seen in the attacked file with the truth."""
    true = attack.group.quantity(original)
    if np.ptp(true.values) == 0:
        raise SettingError(
            "the group has as many members at every place, so that there is nothing to disclose",
            hint="look at the group's signal, or choose another parameter",
            setting="parameter",
        )
    places = attack.group.places(attacked)
    if places.labels != true.labels:
        raise SettingError(
            "released: its places are not those of the original", hint="the parameter must have the same values in both"
        )
    known = places.indices_of(attack.known, setting="known")
    auxiliary = sighting.signal(places)

    def unknown(found: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted({*found} - {*known}))

    true_looks = detected_within(
        true, sighting.regions, alpha=sighting.alpha, robust=sighting.robust, unit=1.0, levels=(1.0,)
    )
    standing_out = unknown(place for found in true_looks.values() for place in found)
    techniques = {name: unknown(found) for name, found in sighting.detected(auxiliary).items()}
    asked = [place for place in range(len(places.labels)) if place not in known]
    worst = max(
        techniques.values(),
        key=lambda found: (len(_right(found, standing_out)), _adequacy(standing_out, found, asked).youden),
        default=(),
    )
    own = next(iter(techniques.values()), ())
    one = Disclosure(
        sighting.name,
        model,
        true,
        auxiliary,
        sighting.crisp_signal(places),
        sighting.regions,
        standing_out,
        own,
        known,
        techniques,
        sighting.alpha,
    )
    return replace(one, found=worst) if one._is_lifted(worst) else one


def _right(found: Iterable[int], true: Collection[int]) -> tuple[int, ...]:
    return tuple(place for place in found if place in true)


def _adequacy(true: Iterable[int], found: Iterable[int], asked: Sequence[int]) -> Adequacy:
    """Judge what was found among the places that are asked about."""
    numbers = {place: number for number, place in enumerate(asked)}
    return adequacy([numbers[place] for place in true], [numbers[place] for place in found], len(asked))


def _centred(values: Reals, regions: Sequence[str] | None) -> Reals:
    """Measure places from the middle of their region."""
    centred = np.empty(values.size)
    for places in places_by_region(regions, values.size):
        centred[places] = values[places] - np.median(values[places])
    return centred
