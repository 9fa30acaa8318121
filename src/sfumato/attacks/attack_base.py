"""What all attacks on a group share: they learn from one file who is a member, and look for members in another."""

from __future__ import annotations

from typing import Annotated, Any, Protocol

import numpy as np
from pydantic import ConfigDict, Field, SkipValidation

from sfumato.array_types import Flags, Reals
from sfumato.datasets import SurveySteps
from sfumato.errors import SettingError
from sfumato.groups import AdversaryView, Group, PlaceNames, regions_of
from sfumato.harmonising import Difference, agree, harmonise
from sfumato.microfile import Microfile, as_microfile
from sfumato.progress import Progress, silent
from sfumato.record_filter import Chosen, attributes_of, check_known, chosen_in
from sfumato.roles import Names
from sfumato.settings import Settings

FILE_TITLES = ("the attacked file", "the third-party file")
"""How messages name the two files."""


class GroupModel(Protocol):
    """A model of who belongs to a group."""

    def memberships(self, microfile: Any, *, threads: int | None = None) -> Reals:
        """Return each record's degree of membership in the group; 0 for records that are classified as others."""


class Attack(Settings):
    """An attack: the group, the attacker's file, and when a place counts as found."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    group: Group
    """The group to look for and its parameter, with the values of the attacked file. The release need not have the
    vital attributes; the original must."""
    third_party: Annotated[Any, SkipValidation] = Field(default=None, exclude=True, repr=False)
    """The attacker's file, with the vital attributes: a microfile or a frame, harmonised."""
    third_party_vital: Chosen | None = None
    """The vital values in the third-party file, if they are coded differently there."""
    harmonise: SurveySteps = ()
    """Steps that make the attacked file comparable with the third-party file. Records that they remove are ignored."""
    attributes: Names = ()
    """The attributes that the attack uses; both files must have them. Default: all attributes of the third-party file
    except the vital attributes and the parameter. List them if the attacked file lacks some, or if some are
    identifiers."""
    known: PlaceNames = ()
    """Places where the group is publicly known to be an outlier; finding them discloses nothing."""
    region: str | None = None
    """The attribute that holds the region of each place, if the signal of each region is judged separately."""
    significance: float = Field(default=0.01, ge=1e-9, lt=1)
    """The significance level of the modified Thompson tau technique for outliers."""
    robust: bool = True
    """Whether deviations are measured from the median instead of the mean."""
    seed: int = Field(default=0, ge=0, lt=2**31)
    """The seed of all random choices."""
    threads: int | None = Field(default=None, ge=1, le=1024)
    """The number of threads; the result does not depend on it. Default: the number of cores."""

    @property
    def name(self) -> str:
        """The name of the attack in results."""
        raise NotImplementedError

    @property
    def random(self) -> bool:
        """Whether the model depends on random choices, so that attempts differ."""
        raise NotImplementedError

    def learn(self, third_party: Any = None, *, attempt: int = 0, progress: Progress = silent) -> GroupModel:
        """Learn who belongs to the group.

        Parameters
        ----------
        third_party
            The attacker's file; default: the one in the settings.
        attempt
            The number of the attempt; each one makes its random choices again.
        progress
            Called with the share done.
        """
        training_file = self.third_party if third_party is None else third_party
        if training_file is None:
            raise SettingError(
                "third_party: an attack needs a file to learn from",
                hint="give third_party=...",
                setting="third_party",
            )
        people = as_microfile(training_file)
        setting = "vital" if self.third_party_vital is None else "third_party_vital"
        vital = chosen_in(people, self._vital, setting=setting)
        if not vital.any():
            raise SettingError(
                f"{setting}: the third-party file has no vital records",
                hint="give the vital values as they are coded in that file (third_party_vital)",
                setting=setting,
            )
        if vital.all():
            raise SettingError(
                f"{setting}: all records of the third-party file are vital",
                hint="an attack also needs records outside the group, to learn the difference",
                setting=setting,
            )
        return self._learn(people, vital, np.random.SeedSequence([self.seed, attempt]), progress)

    def _learn(self, people: Microfile, vital: Flags, seeds: np.random.SeedSequence, progress: Progress) -> GroupModel:
        raise NotImplementedError

    @property
    def _vital(self) -> Chosen:
        return self.group.vital if self.third_party_vital is None else self.third_party_vital

    def attributes_used(self, people: Microfile) -> tuple[str, ...]:
        """Return the attributes of a third-party file that the attack uses."""
        defining = {*attributes_of(self._vital, setting="vital"), *self.group.parameter}
        for name in self.attributes:
            check_known(people, name, "attributes")
            if name in defining:
                raise SettingError(
                    f"attributes: {name!r} is vital or the parameter; the attack must use other attributes",
                    setting="attributes",
                    column=name,
                )
        names = self.attributes or tuple(name for name in people.names if name not in defining)
        if not names:
            raise SettingError("attributes: no attribute is left for the attack to use", setting="attributes")
        return tuple(names)

    def differences(self, people: Microfile) -> tuple[Difference, ...]:
        """Return how both files differ in the attributes used; refuse grave differences.

        Parameters
        ----------
        people
            The attacked file, or its original; it is harmonised first.
        """
        third_party = as_microfile(self.third_party)
        ours = harmonise(people, self.harmonise).microfile
        return agree(ours, third_party, self.attributes_used(third_party), called=FILE_TITLES)

    def sighting(self, microfile: Microfile, *, attempt: int = 0, progress: Progress = silent) -> AdversaryView:
        """Learn, and apply the model to a file; see :class:`~sfumato.groups.Adversary`."""
        return self.sighting_of(self.learn(attempt=attempt, progress=progress), microfile, microfile)

    def sighting_of(self, model: GroupModel, attacked: Microfile, original: Microfile) -> AdversaryView:
        """Apply a model to a file.

        Parameters
        ----------
        model
            The model that was learned.
        attacked
            The attacked file.
        original
            Its original, from which the regions of places are read.
        """
        regions = None if self.region is None else regions_of(self.group, original, self.region)
        harmonised = harmonise(attacked, self.harmonise)
        memberships = np.zeros(attacked.records)
        memberships[harmonised.kept] = model.memberships(harmonised.microfile, threads=self.threads)
        return AdversaryView(self.name, memberships, self.significance, self.robust, regions)
