"""The plan of attack: what a recipe says about whom an adversary looks for, with which files, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl
from pydantic import BeforeValidator, Field, model_validator

from sfumato.attacks.acs import AcsSteps
from sfumato.attacks.attack import CALLED, Attack
from sfumato.attacks.fuzzy_rules import FuzzyRuleAttack
from sfumato.attacks.learned import LearnedAttack
from sfumato.attacks.notes import as_text
from sfumato.errors import SettingError
from sfumato.groups.group import gathered
from sfumato.harmonising import agree, harmonise
from sfumato.harmonising.harmonise import Done
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.selection import attributes_of
from sfumato.microfile.source import Source
from sfumato.progress import Progress

Attacker = Literal["rules", "boosting", "logistic"]


class ThirdParty(Source):
    """Somebody else's file, and how it is made like ours."""

    harmonise: AcsSteps = ()
    """What is done to it, in order."""


def _files(given: Any) -> Any:
    several = given if isinstance(given, list | tuple) else (given,)
    if not several or any(not isinstance(one, str | Mapping | ThirdParty) for one in several):
        raise ValueError("give the path of a file, a table that has it, or a list of these")
    return tuple({"path": one} if isinstance(one, str) else one for one in several)


class AttackPlan(FuzzyRuleAttack):
    """What the ``[attack]`` table of a recipe says."""

    third_party: Annotated[tuple[ThirdParty, ...], BeforeValidator(_files)] = Field(min_length=1)
    """Somebody else's file, which has the vital attributes: its path, a table that also says how it is read and
    harmonised, or several, which are put together."""
    attackers: tuple[Attacker, ...] = Field(default=("rules", "boosting", "logistic"), min_length=1)
    """Who attacks: fuzzy rules, gradient boosting, logistic regression. The verdict is the worst of all."""

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, given: Any) -> Any:
        """Take the group's own settings as they stand in a recipe, beside the attack's."""
        return gathered(given)

    def read(self, folder: Path, progress: Progress) -> tuple[Microfile, list[tuple[str, tuple[Done, ...]]]]:
        """Read the third-party files, harmonise them and put them together; also return what the steps did to each.

        Parameters
        ----------
        folder
            From where paths are seen.
        progress
            Called while reading.
        """
        files, steps = [], []
        for number, one in enumerate(self.third_party):
            setting = f"third_party[{number}]" if len(self.third_party) > 1 else "third_party"
            try:
                theirs = one.read(folder, progress)
            except SettingError as error:
                raise SettingError(f"{setting}.{error.message}", hint=error.hint) from None
            found = harmonise(theirs, one.harmonise, setting=f"{setting}.harmonise")
            files.append(found.microfile)
            steps.append((one.path, found.steps))
        return _together(files), steps

    def attacks(self, third_party: Microfile, people: Microfile, hidden: Sequence[str] = ()) -> tuple[Attack, ...]:
        """Return the attacks, each with the third-party file.

        Parameters
        ----------
        third_party
            All of it, harmonised.
        people
            The file that is attacked, whose attributes decide what can be looked at.
        hidden
            Attributes that are never released, or tell nothing about people, as weights.
        """
        ours = harmonise(people, self.harmonise).microfile
        own = {*self.group.parameter, *hidden, self.region}
        own |= {*attributes_of(self.group.vital, setting="vital"), *attributes_of(self._vital, setting="vital")}
        common = tuple(name for name in third_party.names if name in ours.attributes and name not in own)
        names = self.attributes or common
        if not names:
            raise SettingError("attack: the files have no attribute in common at which to look", hint="harmonise them")
        agree(ours, third_party, names, called=CALLED)
        shared = {name: getattr(self, name) for name in Attack.model_fields}
        shared |= {"third_party": third_party, "attributes": names}
        rules = {name: getattr(self, name) for name in FuzzyRuleAttack.model_fields if name not in shared}
        made: dict[Attacker, Attack] = {}
        for attacker in self.attackers:
            if attacker == "rules":
                made[attacker] = FuzzyRuleAttack(**shared, **rules)
            else:
                made[attacker] = LearnedAttack(
                    **shared, learner=attacker, min_confidence_ratio=self.min_confidence_ratio
                )
        return tuple(made.values())


def _together(files: Sequence[Microfile]) -> Microfile:
    """Put the records of several files together, with the attributes that all have."""
    first = files[0]
    if len(files) == 1:
        return first
    names = [name for name in first.names if all(name in one.attributes for one in files)]
    for other in files[1:]:
        agree(first, other, names)
    frames = [pl.DataFrame([as_text(one.series(name)) for name in names]) for one in files]
    frame = pl.concat(frames, how="vertical_relaxed")
    kinds = {name: first.attribute(name).declared for name in names}
    missing = {name: first.attribute(name).missing for name in names}
    return Microfile(frame, kinds=kinds, missing=missing)
