"""FuzzyRuleAttack: rules about a group, learned on somebody else's file (TC16)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from sfumato.arrays import Flags
from sfumato.attacks.attack_base import Attack
from sfumato.attacks.exhaustive_search import ExactSearch, search_exactly
from sfumato.attacks.fuzzy_model import FuzzyModel
from sfumato.attacks.membership_grades import grades_of
from sfumato.attacks.rule_data import gather_evidence
from sfumato.attacks.rule_evolution import EvolvedRules, RuleEvolution, evolve_rules
from sfumato.attacks.rules import Demands
from sfumato.datasets.american_community_survey import SurveyVariables
from sfumato.errors import SettingError
from sfumato.fuzzy.auto_variables import automatic_variables
from sfumato.fuzzy.category_variables import AnyVariable
from sfumato.microfile.attribute import Kind
from sfumato.microfile.microfile import Microfile
from sfumato.progress import Progress, silent
from sfumato.record_filter import attributes_of


class FuzzyRuleAttack(Attack):
    """Learn rules in words about who belongs to a group, and find the group's places by them.

    Examples
    --------
    >>> import sfumato as sf
    >>> army = sf.Group(vital={"service": [1]}, parameter="workplace")
    >>> age = {"attribute": "age", "values": {"young": {"shape": "falling", "corners": [25, 32]}}}
    >>> hours = {"attribute": "hours", "values": {"long": {"shape": "rising", "corners": [44, 50]}}}
    >>> attack = FuzzyRuleAttack(group=army, variables=[age, hours], search="exact", min_confidence_ratio=0.1)
    >>> model = attack.evolve(sf.datasets.census(20_000, year=2018))
    >>> print(model.rules[0])
    if age is young and hours is long then the group
    """

    variables: SurveyVariables = ()
    """What rules speak of: attributes that both files have, with their words; "acs" stands for TC16's twelve. Default:
    drawn from the third-party file, for all attributes that are looked at."""
    alpha: float = Field(default=0.5, gt=0, le=1)
    """A rule holds only of records whose product of grades is at least this."""
    min_confidence_ratio: float = Demands.model_fields["min_confidence_ratio"].default
    """A rule must find so many members for each one of the others."""
    min_support: float = Demands.model_fields["min_support"].default
    """And at least this share of the members."""
    min_members: float = Field(default=10.0, ge=0)
    """And so many members of the third-party file: rules about fewer say more about these people than about the group.
    With TC16's 14,263 members, its least support asks for more than this."""
    search: Literal["evolution", "exact"] = "evolution"
    """How rules are found: evolved as in TC16, or all that there are."""
    evolution: RuleEvolution = Field(default_factory=RuleEvolution)
    """How rules are evolved."""
    says: str = "the group"
    """What rules conclude, in words."""

    @model_validator(mode="after")
    def _fits(self) -> FuzzyRuleAttack:
        # refuses what is no such demand, under the names that the attack has for them
        self._demands(1)
        names = [variable.attribute for variable in self.variables]
        if len(set(names)) < len(names):
            raise SettingError("variables: an attribute has two variables", setting="variables")
        own = {*attributes_of(self._vital, setting="vital"), *self.group.parameter}
        wrong = [name for name in names if name in own]
        if wrong:
            raise SettingError(
                f"variables: {wrong[0]!r} is vital or the parameter; rules must speak of other attributes",
                setting="variables",
                column=wrong[0],
            )
        return self

    @property
    def random(self) -> bool:
        """Whether each attempt learns other rules."""
        return self.search == "evolution"

    @property
    def name(self) -> str:
        """What the attack is called."""
        return "fuzzy rules"

    def _demands(self, members: int) -> Demands:
        """Return when a rule is valid, of a file with so many members."""
        support = max(self.min_support, min(1.0, self.min_members / members))
        return Demands(min_confidence_ratio=self.min_confidence_ratio, min_support=support)

    def looked_at(self, people: Microfile) -> tuple[str, ...]:
        """Return the attributes that rules speak of, or those for which variables are drawn."""
        if self.variables:
            return tuple(variable.attribute for variable in self.variables)
        return super().looked_at(people)

    def evolve(self, third_party: Any = None, *, attempt: int = 0, progress: Progress = silent) -> FuzzyModel:
        """Learn rules; the parameters are those of :meth:`learn`."""
        model = self.learn(third_party, attempt=attempt, progress=progress)
        assert isinstance(model, FuzzyModel)
        return model

    def _learn(self, people: Microfile, vital: Flags, seeds: np.random.SeedSequence, progress: Progress) -> FuzzyModel:
        variables = self.variables or self._drawn(people)
        evidence = gather_evidence(grades_of(people, variables), vital, alpha=self.alpha, threads=self.threads)
        demands = self._demands(evidence.n_vital)
        found: ExactSearch | EvolvedRules
        if self.search == "exact":
            found = search_exactly(evidence, demands=demands, threads=self.threads, progress=progress)
        else:
            found = evolve_rules(
                evidence,
                rng=np.random.default_rng(seeds),
                demands=demands,
                settings=self.evolution,
                threads=self.threads,
                progress=progress,
            )
        return FuzzyModel(variables, found.genes, found.measures, alpha=self.alpha, says=self.says, group=self.group)

    def _drawn(self, people: Microfile) -> tuple[AnyVariable, ...]:
        """Draw variables from the third-party file; what is the same for all, or for nobody else, tells nothing."""
        names = self.looked_at(people)
        if not self.attributes:
            names = tuple(name for name in names if _tells(people, name))
        return automatic_variables(people, names)


def _tells(people: Microfile, name: str) -> bool:
    values = people.encoded(name).values.size
    named = people.attribute(name).kind is not Kind.NUMERIC
    return 1 < values < (people.records / 2 if named else people.records + 1)
