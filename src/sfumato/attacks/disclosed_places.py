"""What an attack discloses: the places that it finds, compared with those where the group really is an outlier."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from sfumato.array_types import Reals
from sfumato.attacks.attack_base import Attack, GroupModel
from sfumato.attacks.attack_caveats import SAME_PEOPLE, distinct_comparisons, has_same_people
from sfumato.attacks.detection_adequacy import Adequacy, adequacy
from sfumato.attacks.reconstruction import reconstructed
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
from sfumato.microfile import Microfile, as_microfile
from sfumato.notebook_tables import table
from sfumato.progress import Progress, silent
from sfumato.quiet_repr import quiet
from sfumato.record_filter import attributes_of

LIFT = 2.0
"""A technique other than TC16's discloses places only if its hit rate is at least this multiple of chance."""
RELEASE_ATTEMPT = 1000
"""A release is attacked with other random numbers than those against which it may have been masked."""


@quiet
@dataclass(frozen=True)
class Disclosure:
    """The result of one attack."""

    attack: str
    """The name of the attack."""
    model: GroupModel | None
    """The model that it learned; None for an attacker who sees the vital attributes themselves."""
    true: Signal
    """The number of members at each place."""
    auxiliary: Signal
    """The attack's estimate for each place: the sum of memberships, TC16 (9)."""
    crisp: Signal
    """The number of records at each place that the attack classifies as members, TC16 (17)."""
    regions: tuple[str, ...] | None
    """The region of each place, if regions are judged separately."""
    standing_out: tuple[int, ...]
    """The indices of places where the group really is an outlier by some technique of the panel, except known ones."""
    found: tuple[int, ...]
    """The indices of places that the most successful technique finds, except known ones."""
    known: tuple[int, ...] = ()
    """The indices of publicly known places."""
    techniques: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The indices of places that each technique finds, except known ones; TC16's technique comes first."""
    alpha: float = 0.01
    """The significance level for ranks and correlation."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the places."""
        return self.true.labels

    @property
    def disclosed(self) -> tuple[str, ...]:
        """The places that the attack discloses: outliers of the group that a technique or their ranks reveal."""
        first_technique = next(iter(self.techniques.values()), ())
        indices = {*_true_among((*self.found, *first_technique), self.standing_out), *self._revealed_by_rank}
        for detected in self.techniques.values():
            if self._is_lifted(detected):
                indices |= {*_true_among(detected, self.standing_out)}
        return tuple(label for index, label in enumerate(self.labels) if index in indices)

    @property
    def false_alarms(self) -> tuple[int, ...]:
        """The found places where the group is no outlier."""
        return tuple(index for index in self.found if index not in self.standing_out)

    def _is_lifted(self, detected: tuple[int, ...]) -> bool:
        """Say whether the hit rate of a technique is at least LIFT times that of chance."""
        n_hits = len(_true_among(detected, self.standing_out))
        return n_hits > 0 and n_hits * len(self._judged) >= LIFT * len(detected) * len(self.standing_out)

    @cached_property
    def _judged(self) -> tuple[int, ...]:
        """The indices of the places that count: all except known ones."""
        return tuple(index for index in range(len(self.labels)) if index not in self.known)

    @cached_property
    def _high_and_low(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The outliers above and below the median of their region."""
        values = _centred(self.true.values, self.regions)
        high = tuple(index for index in self.standing_out if values[index] >= 0)
        return high, tuple(index for index in self.standing_out if index not in high)

    @cached_property
    def _revealed_by_rank(self) -> tuple[int, ...]:
        """The outliers that their ranks reveal: more of them are at the top, or at the bottom, than chance explains."""
        values = _centred(self.auxiliary.values, self.regions)
        revealed: tuple[int, ...] = ()
        for signal, outliers in zip((values, -values), self._high_and_low, strict=True):
            top_ranked, chance = among_highest(signal, outliers, self._judged)
            revealed += top_ranked if chance <= self.alpha else ()
            if self.model is None:
                # an attacker who counts the members themselves does not need a test against chance
                revealed += crowded_at_top(signal, outliers, self._judged)
        return revealed

    @cached_property
    def adequacy(self) -> Adequacy:
        """How well the attack found the outliers, over all places except known ones."""
        return _adequacy(self.standing_out, self.found, self._judged)

    @property
    def correlation(self) -> float:
        """The correlation of the auxiliary and the true signal without known places; 0 if one of them is constant."""
        return correlation(*self._signals)

    @cached_property
    def chance_correlation(self) -> float:
        """The quantile of the correlation at the level alpha if outliers were at random places."""
        true, estimated = self._signals
        positions = {index: position for position, index in enumerate(self._judged)}
        outliers = [positions[index] for index in self.standing_out]
        return chance_correlation(true, estimated, outliers, self.alpha)

    @property
    def follows(self) -> bool:
        """Whether outliers make the auxiliary signal follow the true one more closely than chance explains."""
        return self.correlation > self.chance_correlation

    @cached_property
    def _signals(self) -> tuple[Reals, Reals]:
        judged = list(self._judged)
        true, estimated = (_centred(signal.values, self.regions)[judged] for signal in (self.true, self.auxiliary))
        return true, estimated

    def _repr_html_(self) -> str:
        return _as_html([self])

    def summary(self) -> dict[str, Any]:
        """Return the result as JSON content."""
        adequacy = self.adequacy
        names = ("accuracy", "sensitivity", "specificity", "youden", "markedness")
        return {
            "attack": self.attack,
            "disclosed": list(self.disclosed),
            "stands_out": self._labels_of(self.standing_out),
            "found": self._labels_of(self.found),
            "correlation": self.correlation,
            "chance_correlation": self.chance_correlation,
            "follows": self.follows,
            "techniques": {name: self._labels_of(detected) for name, detected in self.techniques.items()},
            **{name: getattr(adequacy, name) for name in names},
            "bayes": {"value": adequacy.bayes.value, "words": adequacy.bayes.words},
            "signals": [
                {"place": label, "region": region, "true": int(true), "auxiliary": estimated, "crisp": int(crisp)}
                for label, region, true, estimated, crisp in zip(
                    self.labels,
                    self.regions or (None,) * len(self.labels),
                    self.true.values.tolist(),
                    self.auxiliary.values.tolist(),
                    self.crisp.values.tolist(),
                    strict=True,
                )
            ],
        }

    def _labels_of(self, indices: Iterable[int]) -> list[str]:
        return [self.labels[index] for index in indices]


@dataclass(frozen=True)
class Verdict:
    """The results of several attacks; the most successful one decides."""

    disclosures: tuple[Disclosure, ...]
    """The result of each attack."""

    @property
    def disclosed(self) -> bool:
        """Whether any attack discloses a place, or estimates a signal that follows the true one."""
        return any(disclosure.disclosed or disclosure.follows for disclosure in self.disclosures)

    @property
    def places(self) -> tuple[str, ...]:
        """All places that some attack discloses, in the order of the signal."""
        disclosed = {label for disclosure in self.disclosures for label in disclosure.disclosed}
        return tuple(label for label in self.disclosures[0].labels if label in disclosed)

    @property
    def worst(self) -> Disclosure:
        """The most successful attack: most places disclosed; among equals, the highest Youden's J."""
        return max(
            self.disclosures,
            key=lambda disclosure: (len(disclosure.disclosed), disclosure.follows, disclosure.adequacy.youden),
        )

    def _repr_html_(self) -> str:
        return _as_html(self.disclosures)


def _as_html(disclosures: Sequence[Disclosure]) -> str:
    disclosed = Verdict(tuple(disclosures)).disclosed
    title = "The group is disclosed" if disclosed else "These attacks do not disclose the group"
    columns = ("attack", "disclosed", "false alarms", "Youden's J", "evidence", "correlation")
    rows = [
        (
            disclosure.attack,
            f"{len(disclosure.disclosed):,} of {len(disclosure.standing_out):,}",
            len(disclosure.false_alarms),
            round(disclosure.adequacy.youden, 2),
            f"{disclosure.adequacy.bayes.value:z.1f} ({disclosure.adequacy.bayes.words})",
            round(disclosure.correlation, 2),
        )
        for disclosure in disclosures
    ]
    return table(title, columns, rows)


def judge(
    attacks: Iterable[Attack] | Attack, people: Any, released: Any = None, *, progress: Progress = silent
) -> Verdict:
    """Run attacks on a file; the most successful one decides the verdict.

    Parameters
    ----------
    attacks
        The attacks, each with its third-party file.
    people
        The original with the vital attributes, from which the true signal is counted.
    released
        What the attacker has: a release or a frame. If it contains the vital attributes, simply counting the members is
        judged as well. Default: the original without the vital attributes.
    progress
        Called with the share done by each attack.

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
    attack_list = (attacks,) if isinstance(attacks, Attack) else tuple(attacks)
    if not attack_list:
        raise SettingError("attacks: the list is empty", hint="give a FuzzyRuleAttack, a LearnedAttack, or several")
    original = as_microfile(people)
    _refuse_different_groups([attack.group for attack in attack_list], original)
    comparisons = distinct_comparisons(attack_list)
    if any(has_same_people(as_microfile(attack.third_party), original) for attack in comparisons):
        warnings.warn(SAME_PEOPLE, SfumatoWarning, stacklevel=2)
    for attack in comparisons:
        attack.differences(original)
    disclosures: list[Disclosure] = []
    attacked = original
    if released is not None:
        table_seen = reconstructed(released)
        disclosures += _by_counting(attack_list[0], original, table_seen)
        attacked = _with_all_attributes(table_seen, original)
    for attack in attack_list:
        model = attack.learn(attempt=0 if released is None else RELEASE_ATTEMPT, progress=progress)
        view = attack.sighting_of(model, attacked, original)
        disclosures.append(_disclosure(attack, view, model, original, attacked))
    return Verdict(tuple(disclosures))


def _refuse_different_groups(groups: Sequence[Group], original: Microfile) -> None:
    """Refuse to judge different groups together; the same members may be defined in different ways."""
    first = groups[0]
    members = first.members(original)
    for group in groups[1:]:
        if group.parameter != first.parameter or not np.array_equal(group.members(original), members):
            raise SettingError(
                "attacks: they look for different groups, or at different places", hint="judge each group separately"
            )


def _by_counting(attack: Attack, original: Microfile, released: Microfile) -> Iterable[Disclosure]:
    """Judge an attacker who counts the members, if a release contains the vital attributes."""
    if all(name in released.attributes for name in attributes_of(attack.group.vital, setting="vital")):
        members = attack.group.members(released).astype(np.float64)
        regions = None if attack.region is None else regions_of(attack.group, original, attack.region)
        view = AdversaryView(VITAL_ATTRIBUTES, members, attack.significance, attack.robust, regions)
        yield _disclosure(attack, view, None, original, released)


def _with_all_attributes(released: Microfile, original: Microfile) -> Microfile:
    """Add the attributes of the original that a release lacks, with missing values only."""
    lacking = [name for name in original.names if name not in released.attributes]
    empty = {name: pl.Series(name, [None] * released.records, dtype=original.series(name).dtype) for name in lacking}
    kinds = {name: original.attribute(name).declared for name in lacking}
    return released.with_columns(empty, kinds=kinds) if lacking else released


def _disclosure(
    attack: Attack, view: AdversaryView, model: GroupModel | None, original: Microfile, attacked: Microfile
) -> Disclosure:
    """Compare what an attacker sees in the attacked file with the truth."""
    true = attack.group.quantity(original)
    if np.ptp(true.values) == 0:
        raise SettingError(
            "the group has equally many members at every place, so there is nothing to disclose",
            hint="check the group's signal, or choose another parameter",
            setting="parameter",
        )
    places = attack.group.places(attacked)
    if places.labels != true.labels:
        raise SettingError(
            "released: its places are not those of the original", hint="the parameter must have the same values in both"
        )
    known = places.indices_of(attack.known, setting="known")
    auxiliary = view.signal(places)

    def without_known(detected: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted({*detected} - {*known}))

    true_outliers = detected_within(true, view.regions, alpha=view.alpha, robust=view.robust, unit=1.0, levels=(1.0,))
    standing_out = without_known(index for detected in true_outliers.values() for index in detected)
    techniques = {name: without_known(detected) for name, detected in view.detected(auxiliary).items()}
    judged = [index for index in range(len(places.labels)) if index not in known]
    worst = max(
        techniques.values(),
        key=lambda detected: (
            len(_true_among(detected, standing_out)),
            _adequacy(standing_out, detected, judged).youden,
        ),
        default=(),
    )
    first_technique = next(iter(techniques.values()), ())
    disclosure = Disclosure(
        view.name,
        model,
        true,
        auxiliary,
        view.crisp_signal(places),
        view.regions,
        standing_out,
        first_technique,
        known,
        techniques,
        view.alpha,
    )
    return replace(disclosure, found=worst) if disclosure._is_lifted(worst) else disclosure


def _true_among(detected: Iterable[int], outliers: Collection[int]) -> tuple[int, ...]:
    return tuple(index for index in detected if index in outliers)


def _adequacy(outliers: Iterable[int], detected: Iterable[int], judged: Sequence[int]) -> Adequacy:
    """Measure how well outliers were detected among the places that count."""
    positions = {index: position for position, index in enumerate(judged)}
    return adequacy([positions[index] for index in outliers], [positions[index] for index in detected], len(judged))


def _centred(values: Reals, regions: Sequence[str] | None) -> Reals:
    """Subtract from each value the median of its region."""
    centred = np.empty(values.size)
    for indices in places_by_region(regions, values.size):
        centred[indices] = values[indices] - np.median(values[indices])
    return centred
