"""FuzzyRuleAttack: rules about a group, learned from an attacker's file (TC16)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from sfumato.array_types import Flags
from sfumato.attacks.attack_base import Attack
from sfumato.attacks.exhaustive_search import ExhaustiveRules, search_exhaustively
from sfumato.attacks.fuzzy_model import FuzzyModel
from sfumato.attacks.membership_grades import grades_of
from sfumato.attacks.rule_data import prepare_rule_data
from sfumato.attacks.rule_evolution import EvolvedRules, RuleEvolution, evolve_rules
from sfumato.attacks.rule_measures import RuleThresholds
from sfumato.datasets import SurveyVariables
from sfumato.errors import SettingError
from sfumato.fuzzy import AnyVariable, automatic_variables
from sfumato.microfile import Kind, Microfile
from sfumato.progress import Progress, silent
from sfumato.record_filter import attributes_of


class FuzzyRuleAttack(Attack):
    """An attack with fuzzy rules about a group, learned from another file.

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
    """The linguistic variables of the rules, for attributes that both files have; "acs" stands for TC16's twelve.
    Default: derived from the third-party file, for all attributes that the attack uses."""
    alpha: float = Field(default=0.5, gt=0, le=1)
    """A record satisfies a rule only if the product of its grades is at least this."""
    min_confidence_ratio: float = RuleThresholds.model_fields["min_confidence_ratio"].default
    """The smallest number of members per other record that a rule must find."""
    min_support: float = RuleThresholds.model_fields["min_support"].default
    """The smallest share of the members that a rule must find."""
    min_members: float = Field(default=10.0, ge=0)
    """The smallest number of members in the third-party file that a rule must find: a rule about fewer describes these
    people rather than the group. With TC16's 14,263 members, its min_support is the stronger condition."""
    search: Literal["evolution", "exact"] = "evolution"
    """How rules are found: by evolution as in TC16, or exactly, by an exhaustive search."""
    evolution: RuleEvolution = Field(default_factory=RuleEvolution)
    """The settings of the evolution."""
    says: str = "the group"
    """The conclusion of the rules in words."""

    @model_validator(mode="after")
    def _check_variables(self) -> FuzzyRuleAttack:
        # this refuses thresholds out of range, under the names that they have in the attack
        self._thresholds(1)
        names = [variable.attribute for variable in self.variables]
        if len(set(names)) < len(names):
            raise SettingError("variables: an attribute has two variables", setting="variables")
        defining = {*attributes_of(self._vital, setting="vital"), *self.group.parameter}
        wrong = [name for name in names if name in defining]
        if wrong:
            raise SettingError(
                f"variables: {wrong[0]!r} is vital or the parameter; rules must use other attributes",
                setting="variables",
                column=wrong[0],
            )
        return self

    @property
    def random(self) -> bool:
        """Whether attempts learn different rules."""
        return self.search == "evolution"

    @property
    def name(self) -> str:
        """The name of the attack in results."""
        return "fuzzy rules"

    def _thresholds(self, members: int) -> RuleThresholds:
        """Return when a rule is valid in a file with this number of members."""
        support = max(self.min_support, min(1.0, self.min_members / members))
        return RuleThresholds(min_confidence_ratio=self.min_confidence_ratio, min_support=support)

    def attributes_used(self, people: Microfile) -> tuple[str, ...]:
        """Return the attributes of the variables, or those from which variables are derived."""
        if self.variables:
            return tuple(variable.attribute for variable in self.variables)
        return super().attributes_used(people)

    def evolve(self, third_party: Any = None, *, attempt: int = 0, progress: Progress = silent) -> FuzzyModel:
        """Learn rules; the parameters are those of :meth:`learn`."""
        model = self.learn(third_party, attempt=attempt, progress=progress)
        assert isinstance(model, FuzzyModel)
        return model

    def _learn(self, people: Microfile, vital: Flags, seeds: np.random.SeedSequence, progress: Progress) -> FuzzyModel:
        variables = self.variables or self._derived_variables(people)
        rule_data = prepare_rule_data(grades_of(people, variables), vital, alpha=self.alpha, threads=self.threads)
        thresholds = self._thresholds(rule_data.n_vital)
        rules: ExhaustiveRules | EvolvedRules
        if self.search == "exact":
            rules = search_exhaustively(rule_data, thresholds=thresholds, threads=self.threads, progress=progress)
        else:
            rules = evolve_rules(
                rule_data,
                rng=np.random.default_rng(seeds),
                thresholds=thresholds,
                settings=self.evolution,
                threads=self.threads,
                progress=progress,
            )
        return FuzzyModel(variables, rules.genes, rules.measures, alpha=self.alpha, says=self.says, group=self.group)

    def _derived_variables(self, people: Microfile) -> tuple[AnyVariable, ...]:
        """Derive variables from the third-party file; constant and identifying attributes are left out."""
        names = self.attributes_used(people)
        if not self.attributes:
            names = tuple(name for name in names if _is_informative(people, name))
        return automatic_variables(people, names)


def _is_informative(people: Microfile, name: str) -> bool:
    n_values = people.encoded(name).values.size
    is_categorical = people.attribute(name).kind is not Kind.NUMERIC
    return 1 < n_values < (people.records / 2 if is_categorical else people.records + 1)
