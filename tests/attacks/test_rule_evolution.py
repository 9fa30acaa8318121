"""Evolved rules: valid, reproducible with the same seed, none measured twice."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.attacks.exhaustive_search import search_exhaustively
from sfumato.attacks.rule_data import RuleData
from sfumato.attacks.rule_evolution import RuleEvolution, evolve_rules, fitness_of, next_generation
from sfumato.attacks.rule_measures import RuleMeasures, RuleThresholds, measure_rules, most_general
from sfumato.errors import SettingError
from tests.attacks.brute_force_rules import as_set, small_rule_data

QUICK = RuleEvolution(population=20, offspring=8, generations=15, runs=3)
THRESHOLDS = RuleThresholds(min_support=0.05, min_confidence_ratio=0.4)


def evolve(seed=0, *, file=2, settings=QUICK, thresholds=THRESHOLDS, **kwargs):
    rule_data = small_rule_data(file, sizes=(3, 2, 3, 2, 2), records=300)
    evolved = evolve_rules(
        rule_data, rng=np.random.default_rng(seed), thresholds=thresholds, settings=settings, **kwargs
    )
    return rule_data, evolved


@pytest.mark.parametrize("fitness", ["ratio", "smoothed", "confidence"])
@pytest.mark.parametrize("file", range(5))
def test_all_rules_found_are_valid_and_those_left_out_more_specific(file, fitness):
    rule_data, evolved = evolve(file=file, settings=QUICK.model_copy(update={"fitness": fitness}))
    exact = search_exhaustively(rule_data, thresholds=THRESHOLDS)
    assert as_set(evolved.genes) <= as_set(evolved.valid) <= as_set(exact.valid)
    assert len(evolved.valid) == len(as_set(evolved.valid)) > 0
    assert as_set(evolved.genes) == as_set(evolved.valid[most_general(evolved.valid, rule_data.sizes)])
    again = measure_rules(rule_data, evolved.genes)
    assert evolved.measures.false_alarms.tolist() == again.false_alarms.tolist()
    assert evolved.measures.hits.tolist() == again.hits.tolist()


def test_a_long_evolution_of_few_rules_finds_all_most_general_ones():
    rule_data, evolved = evolve(settings=RuleEvolution(mutation=0.3, generations=200, fitness="smoothed"))
    exact = search_exhaustively(rule_data, thresholds=THRESHOLDS)
    assert as_set(evolved.genes) == as_set(exact.genes)
    assert len(exact.genes) > 1


def test_the_same_seed_finds_the_same_on_any_number_of_threads():
    (_, first), (_, second) = evolve(seed=3, threads=1), evolve(seed=3, threads=4)
    assert first.genes.tolist() == second.genes.tolist()
    assert first.measures.false_alarms.tolist() == second.measures.false_alarms.tolist()
    assert first.history.best.tolist() == second.history.best.tolist()
    assert evolve(seed=4)[1].history.best.tolist() != first.history.best.tolist()


def test_no_rule_is_measured_twice(monkeypatch):
    measured = []
    hits = RuleData.hits

    def watched(self, genes, **kwargs):
        measured.extend(map(tuple, genes.tolist()))
        return hits(self, genes, **kwargs)

    monkeypatch.setattr(RuleData, "hits", watched)
    _, evolved = evolve()
    assert len(measured) == len(set(measured)) == evolved.n_evaluated
    # far more individuals than rules
    assert evolved.n_evaluated < QUICK.runs * (QUICK.population + QUICK.generations * QUICK.offspring)


def test_the_fittest_survive():
    history = evolve()[1].history
    assert history.best.shape == history.median.shape == (QUICK.runs, QUICK.generations + 1)
    assert (np.diff(history.best, axis=1) >= 0).all()
    assert (history.best[:, -1] > history.best[:, 0]).any()
    assert (np.diff(history.n_evaluated) >= 0).all()
    assert history.n_evaluated[-1] == evolve()[1].n_evaluated


def test_runs_are_independent():
    single_run = evolve(settings=QUICK.model_copy(update={"runs": 1}))[1].history.best
    assert evolve()[1].history.best[:1].tolist() == single_run.tolist()


def test_fitness_is_that_of_the_paper():
    measures = RuleMeasures(np.array([1.61, 1.0, 2.0]), np.array([1.5, 2.0, 0.0]), 3, 3)
    # TC16 (24); a rule that describes more of others than of the group has none
    factor = 0.018333333333333313
    expected = {"ratio": (factor * 1.61 / 1.5, np.inf), "smoothed": (factor * 1.61 / 2.5, 2 / 3)}
    for name, (first, last) in expected.items():
        evolved = fitness_of(measures, RuleEvolution(fitness=name))
        assert evolved.tolist() == pytest.approx([first, 0.0, last])
    assert fitness_of(measures, RuleEvolution(fitness="confidence"))[2] == pytest.approx(1 / 3)


def test_children_have_their_parents_genes_unless_mutated():
    sizes, rng = np.array([3, 1, 2]), np.random.default_rng(1)
    population = np.array([[3, 1, 2], [0, 0, 0], [1, 0, 1], [2, 1, 0]])
    fitness = np.array([1.0, 3.0, 2.0, 0.0])
    how = RuleEvolution(population=4, offspring=3, mutation=0.0, tournament=50)
    # only the fittest wins such tournaments, so that its children are like it
    assert next_generation(population, fitness, rng, sizes, how).tolist() == [[0, 0, 0]] * 4
    how = RuleEvolution(population=4, offspring=2, mutation=0.0, tournament=1, crossover=0.0)
    for _ in range(20):
        following = next_generation(population, fitness, rng, sizes, how)
        assert following[:2].tolist() == population[[1, 2]].tolist()
        assert as_set(following) <= as_set(population)
    wild = RuleEvolution(population=400, offspring=400, mutation=1.0)
    following = next_generation(np.zeros((400, 3), dtype=np.int64), np.zeros(400), rng, sizes, wild)
    assert following.max(axis=0).tolist() == sizes.tolist()
    assert following.min() == 0


def test_crossed_children_mix_genes_of_two_parents():
    rng, sizes = np.random.default_rng(1), np.full(12, 2)
    population = np.repeat([[1], [2]], 12, axis=1)[np.arange(10) % 2]
    how = RuleEvolution(population=10, offspring=10, mutation=0.0, tournament=1)
    following = next_generation(population, np.zeros(10), rng, sizes, how)
    assert (following > 0).all()
    assert any(len(set(rule)) == 2 for rule in following.tolist())


def test_more_children_than_a_generation_has_are_refused():
    with pytest.raises(SettingError, match="offspring must be at most the population"):
        RuleEvolution(population=10)
