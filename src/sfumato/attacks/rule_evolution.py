"""Rules found by evolution, as in TC16: each individual is a rule, and every rule ever met is considered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from sfumato.arrays import Counts, Reals
from sfumato.attacks.rule_data import Evidence
from sfumato.attacks.rules import Demands, Measures, discriminating_limits, most_general
from sfumato.errors import SettingError
from sfumato.evolutionary_operators import reset_randomly, survivors, tournament, uniform_crossover
from sfumato.progress import Progress, silent
from sfumato.settings import Settings


class RuleEvolution(Settings):
    """How rules are evolved. The defaults are those of TC16."""

    population: int = Field(default=100, ge=2)
    """How many rules a generation has."""
    offspring: int = Field(default=40, ge=1)
    """How many of them, the least fit, give way to children."""
    generations: int = Field(default=100, ge=1)
    """How many generations."""
    runs: int = Field(default=10, ge=1)
    """How many evolutions, which know nothing of each other."""
    tournament: int = Field(default=10, ge=1)
    """Of how many the fittest becomes a parent."""
    crossover: float = Field(default=1.0, ge=0, le=1)
    """How likely two parents exchange genes."""
    mutation: float = Field(default=0.05, ge=0, le=1)
    """How likely each gene of a child is drawn anew."""
    fitness: Literal["ratio", "smoothed", "confidence"] = "ratio"
    """What the discriminative factor is multiplied by: the confidence ratio, as in TC16, which is infinite without
    false alarms, so that tiny rules win; the same with one more false alarm imagined; or the share of hits."""

    @model_validator(mode="after")
    def _check(self) -> RuleEvolution:
        if self.offspring > self.population:
            raise SettingError(
                f"offspring must be at most the population (given: {self.offspring} of {self.population})",
                setting="offspring",
            )
        return self


@dataclass(frozen=True)
class History:
    """What each generation was like, the first one included: runs by generations."""

    best: Reals
    """The greatest fitness."""
    median: Reals
    """The median of fitness."""
    met: Counts
    """How many different rules all runs together have met by then; one a generation."""


@dataclass(frozen=True)
class EvolvedRules:
    """What evolution found."""

    genes: Counts
    """The most general of the valid rules met, by variables; the best supported first."""
    measures: Measures
    """Theirs."""
    valid: Counts
    """All valid rules met, by variables."""
    met: int
    """How many different rules were met."""
    history: History


@dataclass
class Met:
    """Every rule ever met, so that none is measured twice."""

    evidence: Evidence
    threads: int | None
    numbers: dict[bytes, int] = field(default_factory=dict)
    """The number of each rule, by its genes."""
    genes: list[Counts] = field(default_factory=list)
    hits: list[Reals] = field(default_factory=list)
    false_alarms: list[Reals] = field(default_factory=list)

    def numbers_of(self, genes: Counts) -> Counts:
        """Return the numbers of rules; those not met before are measured."""
        found = np.empty(len(genes), dtype=np.int64)
        new = []
        for place, rule in enumerate(genes):
            key = rule.tobytes()
            if key not in self.numbers:
                self.numbers[key] = len(self.numbers)
                new.append(place)
            found[place] = self.numbers[key]
        self._measure(genes[new])
        return found

    def _measure(self, genes: Counts) -> None:
        hits = self.evidence.hits(genes, threads=self.threads)
        false_alarms = np.zeros(len(genes))
        # a rule that describes less of the group than of everybody has no fitness, however much less
        some = hits > 0
        limits = discriminating_limits(hits[some], self.evidence)
        false_alarms[some] = self.evidence.false_alarms(genes[some], limits=limits, threads=self.threads)
        self.genes.append(genes)
        self.hits.append(hits)
        self.false_alarms.append(false_alarms)

    def measures(self) -> Measures:
        """Return the measures of all rules met, by number."""
        sums = np.concatenate(self.hits), np.concatenate(self.false_alarms)
        return Measures(*sums, self.evidence.n_vital, self.evidence.n_others)


def evolve_rules(
    evidence: Evidence,
    *,
    rng: np.random.Generator,
    demands: Demands | None = None,
    settings: RuleEvolution | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> EvolvedRules:
    """Evolve rules about who belongs to the group.

    Parameters
    ----------
    evidence
        The third-party file.
    rng
        The source of randomness.
    demands
        When a rule is valid; default: as in TC16.
    settings
        How rules are evolved; default: as in TC16.
    threads
        How many threads; the result does not depend on it.
    progress
        Told the share of generations done.
    """
    settings, demands = settings or RuleEvolution(), demands or Demands()
    met = Met(evidence, threads)
    streams = rng.spawn(settings.runs)
    # TC16: each gene as likely any value of its variable as none
    shape = settings.population, evidence.sizes.size
    populations = [stream.integers(0, evidence.sizes + 1, shape) for stream in streams]
    told, counts = [], []
    for generation in range(settings.generations + 1):
        # all runs take each step together, so that their rules are measured in one pass over the records
        numbers = met.numbers_of(np.concatenate(populations)).reshape(settings.runs, -1)
        fitness = fitness_of(met.measures(), settings)[numbers]
        told.append((fitness.max(axis=1), np.median(fitness, axis=1)))
        counts.append(len(met.numbers))
        if generation < settings.generations:
            runs = zip(populations, fitness, streams, strict=True)
            populations = [next_generation(*run, evidence.sizes, settings) for run in runs]
        progress("evolving rules", generation / settings.generations)
    best, median = np.array(told).transpose(1, 2, 0)
    return _chosen(met, demands, History(best, median, np.array(counts)))


def fitness_of(measures: Measures, settings: RuleEvolution) -> Reals:
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
    """Return the fittest rules and children of fit ones in place of the others.

    Parameters
    ----------
    population
        Rules by variables.
    fitness
        Theirs.
    rng
        The source of randomness.
    sizes
        How many values each variable has.
    settings
        How rules are evolved.
    """
    # lambda pairs would have twice as many children as are needed: see ERRATA 004-19
    pairs = (settings.offspring + 1) // 2
    parents = population[tournament(fitness, 2 * pairs, size=settings.tournament, rng=rng)]
    ones, others = parents[:pairs], parents[pairs:]
    crossed = uniform_crossover(ones, others, rng=rng)
    crossing = rng.random((pairs, 1)) < settings.crossover
    children = np.concatenate([np.where(crossing, new, old) for new, old in zip(crossed, (ones, others), strict=True)])
    children = children[: settings.offspring]
    reset_randomly(children, 0, sizes + 1, chance=settings.mutation, rng=rng)
    kept = population[survivors(fitness, settings.population - settings.offspring)]
    return np.concatenate([kept, children])


def _chosen(met: Met, demands: Demands, history: History) -> EvolvedRules:
    genes, measures = np.concatenate(met.genes), met.measures()
    valid = demands.met(measures)
    genes, measures = genes[valid], measures[valid]
    general = np.flatnonzero(most_general(genes, met.evidence.sizes))
    general = general[np.argsort(-measures.hits[general], kind="stable")]
    return EvolvedRules(genes[general], measures[general], genes, len(met.numbers), history)
