"""What an attack gives away: the places that it finds, against those where the group really stands out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.attacks.adequacy import Adequacy, adequacy
from sfumato.attacks.seen import seen_in
from sfumato.errors import SettingError
from sfumato.groups.masking import numbers_of
from sfumato.groups.regions import outliers_within
from sfumato.groups.signals import Signal
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.progress import Progress, silent

if TYPE_CHECKING:
    from sfumato.attacks.attack import Attack, Model


@dataclass(frozen=True)
class Disclosure:
    """What one attack found."""

    attack: str
    """Its name."""
    model: Model
    """What it learned."""
    true: Signal
    """How many members each place has."""
    auxiliary: Signal
    """What the attack makes of the places: the sum of memberships, TC16 (9)."""
    crisp: Signal
    """How many it takes for members at each place, TC16 (17)."""
    regions: tuple[str, ...] | None
    """The region of each place, if each is judged by itself."""
    standing_out: tuple[int, ...]
    """Where the group really stands out, but for known places."""
    found: tuple[int, ...]
    """Which places the attack finds, but for known ones."""
    known: tuple[int, ...] = ()
    """Places that everybody knows of."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The places."""
        return self.true.labels

    @property
    def disclosed(self) -> tuple[str, ...]:
        """The places that the attack gives away: it finds them, and the group stands out there."""
        return tuple(self.labels[place] for place in self.found if place in self.standing_out)

    @cached_property
    def adequacy(self) -> Adequacy:
        """How well the attack did, over all places but the known ones."""
        asked = [place for place in range(len(self.labels)) if place not in self.known]
        numbers = {place: number for number, place in enumerate(asked)}
        true, found = ([numbers[place] for place in places] for places in (self.standing_out, self.found))
        return adequacy(true, found, len(asked))

    @property
    def correlation(self) -> float:
        """How far the auxiliary signal goes with the true one; nought if one of them is constant."""
        signals = self.true.values, self.auxiliary.values
        if any(np.ptp(values) == 0 for values in signals):
            return 0.0
        return float(np.corrcoef(*signals)[0, 1])

    def summary(self) -> dict[str, Any]:
        """Return what JSON tells of it."""
        its = self.adequacy
        return {
            "attack": self.attack,
            "disclosed": list(self.disclosed),
            "stands_out": [self.labels[place] for place in self.standing_out],
            "found": [self.labels[place] for place in self.found],
            "correlation": self.correlation,
            "accuracy": its.accuracy,
            "sensitivity": its.sensitivity,
            "specificity": its.specificity,
            "youden": its.youden,
            "markedness": its.markedness,
            "bayes": {"value": its.bayes.value, "words": its.bayes.words},
            "signals": [
                {"place": label, "region": region, "true": true, "auxiliary": seen, "crisp": int(crisp)}
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

    @property
    def disclosed(self) -> bool:
        """Whether any attack gives a place away."""
        return any(one.disclosed for one in self.disclosures)

    @property
    def places(self) -> tuple[str, ...]:
        """All places that some attack gives away, in their order."""
        found = {label for one in self.disclosures for label in one.disclosed}
        return tuple(label for label in self.disclosures[0].labels if label in found)

    @property
    def worst(self) -> Disclosure:
        """The attack that gives most places away; of several, the one that does so with the fewest false ones."""
        return max(self.disclosures, key=lambda one: (len(one.disclosed), one.adequacy.youden))


def judge(attacks: Iterable[Attack], people: Any, released: Any = None, *, progress: Progress = silent) -> Verdict:
    """Let several attacks loose on a file; the verdict is the worst of all.

    Parameters
    ----------
    attacks
        Each with its third-party file.
    people
        The original, with the vital attributes.
    released
        What an adversary gets; default: the original without the vital attributes.
    progress
        Told how far each is.
    """
    several = tuple(attacks)
    if not several:
        raise SettingError("attacks: there is none", hint="give a FuzzyRuleAttack, a LearnedAttack, or several")
    original = as_microfile(people)
    attacked = None if released is None else seen_in(released)
    return Verdict(tuple(one.judge(original, attacked, progress=progress) for one in several))


def disclosure_of(attack: Attack, model: Model, original: Microfile, attacked: Microfile) -> Disclosure:
    """Compare what a model makes of the attacked file with the truth."""
    true = attack.group.quantity(original)
    if np.ptp(true.values) == 0:
        raise SettingError(
            "the group has as many members at every place, so that there is nothing to disclose",
            hint="look at the group's signal, or choose another parameter",
        )
    places = attack.group.places(attacked)
    if places.labels != true.labels:
        raise SettingError(
            "released: its places are not those of the original", hint="the parameter must have the same values in both"
        )
    known = numbers_of(attack.known, places, "known")
    sighting = attack.sighting_of(model, attacked, original)
    how: dict[str, Any] = {"alpha": attack.significance, "robust": attack.robust}
    auxiliary = sighting.signal(places)
    standing_out, found = (
        tuple(place for place in outliers_within(signal, sighting.regions, **how) if place not in known)
        for signal in (true, auxiliary)
    )
    return Disclosure(
        attack.name, model, true, auxiliary, sighting.crisp(places), sighting.regions, standing_out, found, known
    )
