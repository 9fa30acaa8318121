"""The plan of attack in a recipe: which group an adversary looks for, with which files, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl
from pydantic import BeforeValidator, Field, model_validator

from sfumato.attacks.attack_base import CALLED, Attack
from sfumato.attacks.diagnostics import as_text
from sfumato.attacks.fuzzy_rules import FuzzyRuleAttack
from sfumato.attacks.ml_attack import LearnedAttack
from sfumato.datasets.american_community_survey import SurveySteps
from sfumato.errors import SettingError, SettingPath, SfumatoError, path_text
from sfumato.groups import nest_group_settings
from sfumato.harmonising import agree, harmonise
from sfumato.harmonising.harmonise import Done
from sfumato.microfile.microfile import Microfile
from sfumato.progress import Progress
from sfumato.record_filter import attributes_of
from sfumato.settings import Settings
from sfumato.sources import AnySource

Attacker = Literal["rules", "boosting", "logistic"]


class ThirdParty(Settings):
    """Somebody else's file, and how it is made like ours."""

    source: AnySource
    """Where it comes from, and how it is read."""
    harmonise: SurveySteps = ()
    """What is done to it, in order."""

    @model_validator(mode="before")
    @classmethod
    def _gather_source(cls, given: Any) -> Any:
        """Take the settings of the source as a recipe writes them, beside the steps."""
        if not isinstance(given, Mapping) or "source" in given:
            return given
        source = {name: value for name, value in given.items() if name != "harmonise"}
        return {"source": source, **{name: value for name, value in given.items() if name == "harmonise"}}


def _third_parties(given: Any) -> Any:
    files = given if isinstance(given, list | tuple) else (given,)
    if not files or any(not isinstance(file, str | Mapping | ThirdParty) for file in files):
        raise SettingError("give the path of a file, a table that has it, or a list of these")
    return tuple({"path": file} if isinstance(file, str) else file for file in files)


class AttackPlan(FuzzyRuleAttack):
    """What the ``[attack]`` table of a recipe says."""

    third_party: Annotated[tuple[ThirdParty, ...], BeforeValidator(_third_parties)] = Field(min_length=1)
    """Somebody else's file, which has the vital attributes: its path, a table that also says how it is read and
    harmonised, or several, which are concatenated."""
    attackers: tuple[Attacker, ...] = Field(default=("rules", "boosting", "logistic"), min_length=1)
    """Who attacks: fuzzy rules, gradient boosting, logistic regression. The verdict is the worst of all."""

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, given: Any) -> Any:
        """Take the settings of the group as a recipe writes them, beside those of the attack."""
        return nest_group_settings(given)

    def read(self, folder: Path, progress: Progress) -> tuple[Microfile, list[tuple[str, tuple[Done, ...]]]]:
        """Read the third-party files, harmonise and concatenate them; also return what the steps did to each.

        Parameters
        ----------
        folder
            The folder from which relative paths start.
        progress
            Called while reading.
        """
        files, steps = [], []
        for position, third_party in enumerate(self.third_party):
            path: SettingPath = ("third_party", position) if len(self.third_party) > 1 else ("third_party",)
            try:
                microfile = third_party.source.read(folder, progress)
            except SfumatoError as error:
                raise error.within(*path).prefixed(path_text(path)) from None
            harmonised = harmonise(microfile, third_party.harmonise, setting=(*path, "harmonise"))
            files.append(harmonised.microfile)
            steps.append((third_party.source.describe(), harmonised.steps))
        return _concatenated(files), steps

    def attacks(self, third_party: Microfile, people: Microfile, hidden: Sequence[str] = ()) -> tuple[Attack, ...]:
        """Return the attacks, each with the third-party file.

        Parameters
        ----------
        third_party
            All of it, harmonised.
        people
            The file that is attacked, whose attributes decide what the attack can look at.
        hidden
            Attributes that are never released, or say nothing about people, such as weights.
        """
        ours = harmonise(people, self.harmonise).microfile
        excluded = {*self.group.parameter, *hidden, self.region}
        excluded |= {*attributes_of(self.group.vital, setting="vital"), *attributes_of(self._vital, setting="vital")}
        common = tuple(name for name in third_party.names if name in ours.attributes and name not in excluded)
        names = self.attributes or common
        if not names:
            raise SettingError(
                "the files have no attribute in common that the attack can look at",
                hint="harmonise them",
                setting="third_party",
            )
        agree(ours, third_party, names, called=CALLED)
        shared = {name: getattr(self, name) for name in Attack.model_fields}
        shared |= {"third_party": third_party, "attributes": names}
        rules = {name: getattr(self, name) for name in FuzzyRuleAttack.model_fields if name not in shared}
        attacks: dict[Attacker, Attack] = {}
        for attacker in self.attackers:
            if attacker == "rules":
                attacks[attacker] = FuzzyRuleAttack(**shared, **rules)
            else:
                attacks[attacker] = LearnedAttack(
                    **shared, learner=attacker, min_confidence_ratio=self.min_confidence_ratio
                )
        return tuple(attacks.values())


def _concatenated(files: Sequence[Microfile]) -> Microfile:
    """Return the records of all files, with the attributes that all of them have."""
    first = files[0]
    if len(files) == 1:
        return first
    names = [name for name in first.names if all(name in file.attributes for file in files)]
    for file in files[1:]:
        agree(first, file, names)
    frames = [pl.DataFrame([as_text(file.series(name)) for name in names]) for file in files]
    frame = pl.concat(frames, how="vertical_relaxed")
    kinds = {name: first.attribute(name).declared for name in names}
    missing = {name: first.attribute(name).missing for name in names}
    return Microfile(frame, kinds=kinds, missing=missing)
