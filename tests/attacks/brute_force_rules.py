"""Small files and all their rules, measured one by one in plain numpy."""

from __future__ import annotations

import itertools

import numpy as np

from sfumato.attacks.membership_grades import make_grades
from sfumato.attacks.rule_data import prepare_rule_data

# products and sums of such grades are exact in any order
GRADES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.0)


def small_file(seed, *, records=120, sizes=(2, 3, 1, 2), grades=GRADES, missing=0.05, codes=6):
    """Grades and vital flags; the group's codes are drawn from fewer ones, so that rules can tell it."""
    rng = np.random.default_rng(seed)
    vital = rng.random(records) < 0.2
    vital[0], vital[1] = True, False
    columns, tables = [], []
    for size in sizes:
        column = np.where(vital & (rng.random(records) < 0.7), rng.integers(0, 2), rng.integers(0, codes, records))
        columns.append(np.where(rng.random(records) < missing, -1, column).astype(np.int32))
        table = rng.choice(grades, (codes, size))
        # every variable is seen by some rule
        table[columns[-1].max(), 0] = 1.0
        tables.append(table)
    return make_grades(columns, tables), vital


def small_rule_data(seed, *, alpha=0.5, **kwargs):
    return prepare_rule_data(*small_file(seed, **kwargs), alpha=alpha)


def products(grades, rule, alpha):
    """TC16 (11) and (12), from left to right."""
    degrees = np.ones(grades.records)
    for variable, gene in enumerate(rule):
        if gene:
            degrees = degrees * grades.of(variable)[:, gene - 1]
    return np.where(degrees >= alpha, degrees, 0.0)


def every_rule(sizes):
    return np.array(list(itertools.product(*(range(size + 1) for size in sizes))))


def within(general, specific):
    """Whether each condition of a rule is one of another's."""
    return all(gene in (0, condition) for gene, condition in zip(general, specific, strict=True))


def brute_force(grades, vital, *, alpha, min_support, min_confidence_ratio):
    """All valid rules and the most general of them, by trying every rule, as TC16 (13) and (15) say."""
    valid = []
    for rule in every_rule(grades.sizes).tolist():
        degrees = products(grades, rule, alpha)
        hits, false_alarms = degrees[vital].sum(), degrees[~vital].sum()
        support, coverage = hits / vital.sum(), degrees.sum() / vital.size
        ratio = hits / false_alarms if false_alarms else np.inf
        if support >= min_support and support > coverage and ratio >= min_confidence_ratio:
            valid.append(tuple(rule))
    general = [rule for rule in valid if not any(within(candidate, rule) for candidate in valid if candidate != rule)]
    return set(valid), set(general)


def as_set(genes):
    return set(map(tuple, genes.tolist()))
