"""What all attacks have in common: they learn who belongs to a group from one file, and find its places in another."""

from __future__ import annotations

from typing import Annotated, Any, Protocol

import numpy as np
from pydantic import ConfigDict, Field, SkipValidation

from sfumato.arrays import Flags, Reals
from sfumato.datasets.american_community_survey import SurveySteps
from sfumato.errors import SettingError
from sfumato.groups import AdversaryView, Group, PlaceNames, regions_of
from sfumato.harmonising import Difference, agree, harmonise
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.progress import Progress, silent
from sfumato.record_filter import Chosen, attributes_of, check_known, chosen_in
from sfumato.roles import Names
from sfumato.settings import Settings

CALLED = ("the attacked file", "the third-party file")


class Model(Protocol):
    """What was learned about a group."""

    def memberships(self, microfile: Any, *, threads: int | None = None) -> Reals:
        """Return how far each record of a microfile belongs to the group; nought for those taken for others."""


class Attack(Settings):
    """What is attacked, with which file, and when a place counts as found."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    group: Group
    """Who is looked for, and over which places, as the attacked file writes it; it need not have the vital attributes,
    the original does."""
    third_party: Annotated[Any, SkipValidation] = Field(default=None, exclude=True, repr=False)
    """Somebody else's file, which has the vital attributes: a microfile or a frame, harmonised."""
    third_party_vital: Chosen | None = None
    """What makes a member in the third-party file, if it is told there in another way than in the group."""
    harmonise: SurveySteps = ()
    """What is done to the attacked file so that it is like the third-party file. Records that it leaves out are not
    looked at."""
    attributes: Names = ()
    """What is looked at: attributes that both files have. Default: all that the third-party file has, but for the vital
    ones and the parameter; name them if the attacked file lacks some, or if some are identifiers."""
    known: PlaceNames = ()
    """Places of which everybody knows that the group stands out there; to find them discloses nothing."""
    region: str | None = None
    """The attribute that says in which region a place lies, if each region's signal is judged by itself."""
    significance: float = Field(default=0.01, ge=1e-9, lt=1)
    """The level of the modified Thompson tau technique by which a place stands out."""
    robust: bool = True
    """Whether it measures from the median, not the mean."""
    seed: int = Field(default=0, ge=0, lt=2**31)
    """The seed of all that is drawn at random."""
    threads: int | None = Field(default=None, ge=1, le=1024)
    """How many threads; the result does not depend on it. Default: as many as there are cores."""

    @property
    def name(self) -> str:
        """What the attack is called."""
        raise NotImplementedError

    @property
    def random(self) -> bool:
        """Whether each attempt learns something else."""
        raise NotImplementedError

    def learn(self, third_party: Any = None, *, attempt: int = 0, progress: Progress = silent) -> Model:
        """Learn who belongs to the group.

        Parameters
        ----------
        third_party
            Somebody else's file; default: that of the settings.
        attempt
            Which of several tries it is: what is drawn at random is drawn anew in each.
        progress
            Told how far it is.
        """
        given = self.third_party if third_party is None else third_party
        if given is None:
            raise SettingError(
                "third_party: an attack needs somebody else's file to learn from",
                hint="give third_party=...",
                setting="third_party",
            )
        people = as_microfile(given)
        setting = "vital" if self.third_party_vital is None else "third_party_vital"
        vital = chosen_in(people, self._vital, setting=setting)
        if not vital.any():
            raise SettingError(
                f"{setting}: the third-party file has no vital records",
                hint="write the vital values as that file does (third_party_vital)",
                setting=setting,
            )
        if vital.all():
            raise SettingError(
                f"{setting}: all records of the third-party file are vital",
                hint="an attack needs others too, from which to tell the group",
                setting=setting,
            )
        return self._learn(people, vital, np.random.SeedSequence([self.seed, attempt]), progress)

    def _learn(self, people: Microfile, vital: Flags, seeds: np.random.SeedSequence, progress: Progress) -> Model:
        raise NotImplementedError

    @property
    def _vital(self) -> Chosen:
        return self.group.vital if self.third_party_vital is None else self.third_party_vital

    def looked_at(self, people: Microfile) -> tuple[str, ...]:
        """Return the attributes of a third-party file that the attack looks at."""
        own = {*attributes_of(self._vital, setting="vital"), *self.group.parameter}
        for name in self.attributes:
            check_known(people, name, "attributes")
            if name in own:
                raise SettingError(
                    f"attributes: {name!r} is vital or the parameter; the attack must look at others",
                    setting="attributes",
                    column=name,
                )
        names = self.attributes or tuple(name for name in people.names if name not in own)
        if not names:
            raise SettingError("attributes: there is none to look at", setting="attributes")
        return tuple(names)

    def differences(self, people: Microfile) -> tuple[Difference, ...]:
        """Return how the attacked file and the third-party file differ in what is looked at; grave ones are refused.

        Parameters
        ----------
        people
            The attacked file, or the original that it was made of; it is harmonised first.
        """
        third_party = as_microfile(self.third_party)
        ours = harmonise(people, self.harmonise).microfile
        return agree(ours, third_party, self.looked_at(third_party), called=CALLED)

    def sighting(self, microfile: Microfile, *, attempt: int = 0, progress: Progress = silent) -> AdversaryView:
        """Return what the attack sees in a file; see :class:`~sfumato.groups.Adversary`."""
        return self.sighting_of(self.learn(attempt=attempt, progress=progress), microfile, microfile)

    def sighting_of(self, model: Model, attacked: Microfile, original: Microfile) -> AdversaryView:
        """Return what a model makes of a file.

        Parameters
        ----------
        model
            What was learned.
        attacked
            The file.
        original
            The file that it was made of, which tells in which region places lie.
        """
        regions = None if self.region is None else regions_of(self.group, original, self.region)
        found = harmonise(attacked, self.harmonise)
        memberships = np.zeros(attacked.records)
        memberships[found.kept] = model.memberships(found.microfile, threads=self.threads)
        return AdversaryView(self.name, memberships, self.significance, self.robust, regions)
