"""What all attacks have in common: they learn who belongs to a group from one file, and find its places in another."""

from __future__ import annotations

from typing import Annotated, Any, Protocol

import numpy as np
from pydantic import ConfigDict, Field, SkipValidation

from sfumato.arrays import Reals
from sfumato.attacks.disclosure import Disclosure, disclosure_of
from sfumato.attacks.seen import seen_in
from sfumato.errors import SettingError
from sfumato.groups.group import Group, PlaceNames
from sfumato.groups.regions import regions_of
from sfumato.groups.sighting import Sighting
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.microfile.selection import attributes_of
from sfumato.progress import Progress, silent
from sfumato.settings import Settings


class Model(Protocol):
    """What was learned about a group."""

    def memberships(self, microfile: Any, *, threads: int | None = None) -> Reals:
        """Return how far each record of a microfile belongs to the group; nought for those taken for others."""


class Attack(Settings):
    """What is attacked, with which file, and when a place counts as found."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    group: Group
    """Who is looked for, and over which places. The attacked file need not have its vital attributes."""
    third_party: Annotated[Any, SkipValidation] = Field(default=None, exclude=True, repr=False)
    """Somebody else's file, which has the vital attributes: a microfile or a frame."""
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
        people = self._third_party(third_party)
        vital = self.group.members(people)
        if not vital.any():
            raise SettingError(
                "the third-party file has no vital records", hint="give the vital values as that file writes them"
            )
        if vital.all():
            raise SettingError(
                "all records of the third-party file are vital",
                hint="an attack needs others too, from which to tell the group",
            )
        return self._learn(people, vital, np.random.SeedSequence([self.seed, attempt]), progress)

    def _learn(self, people: Microfile, vital: Any, seeds: np.random.SeedSequence, progress: Progress) -> Model:
        raise NotImplementedError

    def _third_party(self, given: Any) -> Microfile:
        file = self.third_party if given is None else given
        if file is None:
            raise SettingError(
                "third_party: an attack needs somebody else's file to learn from", hint="give third_party=..."
            )
        return as_microfile(file)

    def sighting(self, microfile: Microfile, *, attempt: int = 0, progress: Progress = silent) -> Sighting:
        """Return what the attack sees in a file; see :class:`~sfumato.groups.sighting.Onlooker`."""
        return self.sighting_of(self.learn(attempt=attempt, progress=progress), microfile, microfile)

    def sighting_of(self, model: Model, attacked: Microfile, original: Microfile) -> Sighting:
        """Return what a model makes of a file; in which region places lie, the original tells."""
        regions = None if self.region is None else regions_of(self.group, original, self.region)
        memberships = model.memberships(attacked, threads=self.threads)
        return Sighting(self.name, memberships, self.significance, self.robust, regions)

    def judge(
        self, people: Any, released: Any = None, *, third_party: Any = None, progress: Progress = silent
    ) -> Disclosure:
        """Attack a file, and compare what is found with the truth.

        Parameters
        ----------
        people
            The original, with the vital attributes: where the group really stands out.
        released
            What an adversary gets; default: the original without the vital attributes.
        third_party
            What the adversary has beside it; default: that of the settings.
        progress
            Told how far it is.
        """
        original = as_microfile(people)
        attacked = original if released is None else seen_in(released)
        if released is not None:
            self._refuse_shown(attacked)
        model = self.learn(third_party, progress=progress)
        return disclosure_of(self, model, original, attacked)

    def _refuse_shown(self, attacked: Microfile) -> None:
        """Refuse to judge a release that still has what defines the group: nobody needs an attack then."""
        shown = [name for name in attributes_of(self.group.vital, setting="vital") if name in attacked.attributes]
        if shown:
            raise SettingError(
                f"released: it has the vital attribute {shown[0]!r}, so that nobody needs an attack",
                hint="take it out, or look at the group's own signal",
            )

    def same_file(self, people: Microfile, third_party: Any = None) -> bool:
        """Say whether the third-party file is the attacked one itself, so that the attack says little."""
        file = self._third_party(third_party)
        if file is people:
            return True
        if file.records != people.records:
            return False
        names = [name for name in file.names if name in people.attributes]
        return bool(names) and all(file.series(name).equals(people.series(name)) for name in names)
