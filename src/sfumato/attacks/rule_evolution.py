"""Rules found by evolution, as in TC16: each individual is a rule, and every rule evaluated is a candidate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from sfumato.array_types import Counts, Reals
from sfumato.attacks.rule_data import RuleData
from sfumato.attacks.rule_measures import RuleMeasures, RuleThresholds, discriminating_limits, most_general
from sfumato.errors import SettingError
from sfumato.evolutionary_operators import reset_randomly, survivors, tournament, uniform_crossover
from sfumato.progress import Progress, silent
from sfumato.settings import Settings


class RuleEvolution(Settings):
    """The settings of the evolution of rules. The defaults are those of TC16."""

    population: int = Field(default=100, ge=2)
    """The number of rules in a generation."""
    offspring: int = Field(default=40, ge=1)
    """The number of children per generation; they replace the least fit rules."""
    generations: int = Field(default=100, ge=1)
    """The number of generations."""
    runs: int = Field(default=10, ge=1)
    """The number of independent evolutions."""
    tournament: int = Field(default=10, ge=1)
    """The number of rules in a tournament, of which the fittest becomes a parent."""
    crossover: float = Field(default=1.0, ge=0, le=1)
    """The probability that two parents exchange genes."""
    mutation: float = Field(default=0.05, ge=0, le=1)
    """The probability that a gene of a child is replaced by a random one."""
    fitness: Literal["ratio", "smoothed", "confidence"] = "ratio"
    """The factor by which the discriminative factor is multiplied. "ratio": the confidence ratio, as in TC16; it is
    infinite without false alarms, so that tiny rules win. "smoothed": the same with one added false alarm.
    "confidence": the share of members among the records that satisfy the rule."""

    @model_validator(mode="after")
    def _check(self) -> RuleEvolution:
        if self.offspring > self.population:
            raise SettingError(
                f"offspring must be at most the population (given: {self.offspring} of {self.population})",
                setting="offspring",
            )
        return self


@dataclass(frozen=True)
class EvolutionHistory:
    """The fitness over the generations, including the initial one: runs by generations."""

    best: Reals
    """The highest fitness."""
    median: Reals
    """The median fitness."""
    n_evaluated: Counts
    """The number of distinct rules that all runs have evaluated up to each generation."""


@dataclass(frozen=True)
class EvolvedRules:
    """The result of an evolution."""

    genes: Counts
    """The most general of the valid rules by variables, in descending order of support."""
    measures: RuleMeasures
    """The measures of these rules."""
    valid: Counts
    """All valid rules that were evaluated, by variables."""
    n_evaluated: int
    """The number of distinct rules that were evaluated."""
    history: EvolutionHistory


@dataclass
class RuleRegistry:
    """All rules that were evaluated, so that none is measured twice."""

    rule_data: RuleData
    threads: int | None
    rule_ids: dict[bytes, int] = field(default_factory=dict)
    """The id of each rule, by its genes."""
    genes: list[Counts] = field(default_factory=list)
    hits: list[Reals] = field(default_factory=list)
    false_alarms: list[Reals] = field(default_factory=list)

    def ids_of(self, genes: Counts) -> Counts:
        """Return the ids of rules; new rules are measured."""
        ids = np.empty(len(genes), dtype=np.int64)
        new = []
        for index, rule in enumerate(genes):
            key = rule.tobytes()
            if key not in self.rule_ids:
                self.rule_ids[key] = len(self.rule_ids)
                new.append(index)
            ids[index] = self.rule_ids[key]
        self._measure(genes[new])
        return ids

    def _measure(self, genes: Counts) -> None:
        hits = self.rule_data.hits(genes, threads=self.threads)
        false_alarms = np.zeros(len(genes))
        # a rule that a smaller share of the group than of all records satisfies has fitness 0, so counting may stop
        has_hits = hits > 0
        limits = discriminating_limits(hits[has_hits], self.rule_data)
        false_alarms[has_hits] = self.rule_data.false_alarms(genes[has_hits], limits=limits, threads=self.threads)
        self.genes.append(genes)
        self.hits.append(hits)
        self.false_alarms.append(false_alarms)

    def measures(self) -> RuleMeasures:
        """Return the measures of all rules, by id."""
        sums = np.concatenate(self.hits), np.concatenate(self.false_alarms)
        return RuleMeasures(*sums, self.rule_data.n_vital, self.rule_data.n_others)


def evolve_rules(
    rule_data: RuleData,
    *,
    rng: np.random.Generator,
    thresholds: RuleThresholds | None = None,
    settings: RuleEvolution | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> EvolvedRules:
    """Evolve rules about who belongs to the group.

    Parameters
    ----------
    rule_data
        The third-party file.
    rng
        The source of randomness.
    thresholds
        When a rule is valid; default: as in TC16.
    settings
        The settings of the evolution; default: as in TC16.
    threads
        The number of threads; the result does not depend on it.
    progress
        Called with the share of generations done.
    """
    settings, thresholds = settings or RuleEvolution(), thresholds or RuleThresholds()
    registry = RuleRegistry(rule_data, threads)
    streams = rng.spawn(settings.runs)
    # TC16: each gene is uniform over the values of its variable and 0
    shape = settings.population, rule_data.sizes.size
    populations = [stream.integers(0, rule_data.sizes + 1, shape) for stream in streams]
    fitness_history, counts = [], []
    for generation in range(settings.generations + 1):
        # all runs advance together, so that their rules are measured in one pass over the records
        rule_ids = registry.ids_of(np.concatenate(populations)).reshape(settings.runs, -1)
        fitness = fitness_of(registry.measures(), settings)[rule_ids]
        fitness_history.append((fitness.max(axis=1), np.median(fitness, axis=1)))
        counts.append(len(registry.rule_ids))
        if generation < settings.generations:
            runs = zip(populations, fitness, streams, strict=True)
            populations = [next_generation(*run, rule_data.sizes, settings) for run in runs]
        progress("evolving rules", generation / settings.generations)
    best, median = np.array(fitness_history).transpose(1, 2, 0)
    return _valid_rules(registry, thresholds, EvolutionHistory(best, median, np.array(counts)))


def fitness_of(measures: RuleMeasures, settings: RuleEvolution) -> Reals:
    """Return the fitness of rules, TC16 (24)."""
    if settings.fitness == "ratio":
        confidence = measures.confidence_ratios
    else:
        confidence = measures.smoothed_ratios() if settings.fitness == "smoothed" else measures.confidences
    # TC16 (24): DF RCF if DF > 0, else 0
    return np.where(measures.discriminate, measures.discriminative_factors * confidence, 0.0)


def next_generation(
    population: Counts, fitness: Reals, rng: np.random.Generator, sizes: Counts, settings: RuleEvolution
) -> Counts:
    """Return the fittest rules, followed by children of selected parents, which replace the least fit.

    Parameters
    ----------
    population
        Rules by variables.
    fitness
        The fitness of each rule.
    rng
        The source of randomness.
    sizes
        The number of values of each variable.
    settings
        The settings of the evolution.
    """
    # lambda pairs would have twice as many children as are needed: see ERRATA 004-19
    pairs = (settings.offspring + 1) // 2
    selected = population[tournament(fitness, 2 * pairs, size=settings.tournament, rng=rng)]
    parents = selected[:pairs], selected[pairs:]
    crossed = uniform_crossover(*parents, rng=rng)
    crossing = rng.random((pairs, 1)) < settings.crossover
    children = np.concatenate([np.where(crossing, new, old) for new, old in zip(crossed, parents, strict=True)])
    children = children[: settings.offspring]
    reset_randomly(children, 0, sizes + 1, chance=settings.mutation, rng=rng)
    surviving = population[survivors(fitness, settings.population - settings.offspring)]
    return np.concatenate([surviving, children])


def _valid_rules(registry: RuleRegistry, thresholds: RuleThresholds, history: EvolutionHistory) -> EvolvedRules:
    genes, measures = np.concatenate(registry.genes), registry.measures()
    valid = thresholds.satisfied_by(measures)
    genes, measures = genes[valid], measures[valid]
    general = np.flatnonzero(most_general(genes, registry.rule_data.sizes))
    general = general[np.argsort(-measures.hits[general], kind="stable")]
    return EvolvedRules(genes[general], measures[general], genes, len(registry.rule_ids), history)
