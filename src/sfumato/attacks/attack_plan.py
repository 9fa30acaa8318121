"""The ``[attack]`` table of a recipe: the group that an attacker looks for, with which files and methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl
from pydantic import BeforeValidator, Field, model_validator

from sfumato.attacks.attack_base import FILE_TITLES, Attack
from sfumato.attacks.attack_caveats import as_text
from sfumato.attacks.fuzzy_rule_attack import FuzzyRuleAttack
from sfumato.attacks.learned_attack import LearnedAttack
from sfumato.datasets import SurveySteps
from sfumato.errors import SettingError, SettingPath, SfumatoError, path_text
from sfumato.groups import nest_group_settings
from sfumato.harmonising import Done, agree, harmonise
from sfumato.microfile import Microfile
from sfumato.progress import Progress
from sfumato.record_filter import attributes_of
from sfumato.settings import Settings
from sfumato.sources import AnySource

Attacker = Literal["rules", "boosting", "logistic"]


class ThirdParty(Settings):
    """An attacker's file, and how it is made comparable with the attacked file."""

    source: AnySource
    """Where it comes from, and how it is read."""
    harmonise: SurveySteps = ()
    """The steps that harmonise it, in order."""

    @model_validator(mode="before")
    @classmethod
    def _gather_source(cls, settings: Any) -> Any:
        """Nest the settings of the source, which a recipe writes beside the steps."""
        if not isinstance(settings, Mapping) or "source" in settings:
            return settings
        source = {name: value for name, value in settings.items() if name != "harmonise"}
        return {"source": source, **{name: value for name, value in settings.items() if name == "harmonise"}}


def _third_parties(setting: Any) -> Any:
    files = setting if isinstance(setting, list | tuple) else (setting,)
    if not files or any(not isinstance(file, str | Mapping | ThirdParty) for file in files):
        raise SettingError("give the path of a file, a table with its path, or a list of these")
    return tuple({"path": file} if isinstance(file, str) else file for file in files)


class AttackPlan(FuzzyRuleAttack):
    """The settings of the ``[attack]`` table of a recipe."""

    third_party: Annotated[tuple[ThirdParty, ...], BeforeValidator(_third_parties)] = Field(min_length=1)
    """The attacker's file, with the vital attributes: its path, or a table that also says how it is read and
    harmonised. Several files are concatenated."""
    attackers: tuple[Attacker, ...] = Field(default=("rules", "boosting", "logistic"), min_length=1)
    """The methods of attack: fuzzy rules, gradient boosting, logistic regression. The most successful one decides the
    verdict."""

    @model_validator(mode="before")
    @classmethod
    def _nest_group(cls, settings: Any) -> Any:
        """Nest the settings of the group, which a recipe writes beside those of the attack."""
        return nest_group_settings(settings)

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
            All records of the third-party files, harmonised.
        people
            The file that is attacked; attacks can use only attributes that it has too.
        hidden
            Attributes that are never released, or that do not describe people, such as weights.
        """
        ours = harmonise(people, self.harmonise).microfile
        excluded = {*self.group.parameter, *hidden, self.region}
        excluded |= {*attributes_of(self.group.vital, setting="vital"), *attributes_of(self._vital, setting="vital")}
        common = tuple(name for name in third_party.names if name in ours.attributes and name not in excluded)
        names = self.attributes or common
        if not names:
            raise SettingError(
                "the files have no attribute in common that the attack can use",
                hint="harmonise them",
                setting="third_party",
            )
        agree(ours, third_party, names, called=FILE_TITLES)
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
