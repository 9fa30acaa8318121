"""Small files with rules to try on them, and what plain numpy makes of them, rule by rule."""

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
    found = np.ones(grades.records)
    for variable, gene in enumerate(rule):
        if gene:
            found = found * grades.of(variable)[:, gene - 1]
    return np.where(found >= alpha, found, 0.0)


def every_rule(sizes):
    return np.array(list(itertools.product(*(range(size + 1) for size in sizes))))


def within(one, other):
    """Whether each condition of a rule is one of another's."""
    return all(gene in (0, its) for gene, its in zip(one, other, strict=True))


def brute_force(grades, vital, *, alpha, min_support, min_confidence_ratio):
    """All valid rules and the most general of them, by trying every rule, as TC16 (13) and (15) say."""
    valid = []
    for rule in every_rule(grades.sizes).tolist():
        found = products(grades, rule, alpha)
        hits, false_alarms = found[vital].sum(), found[~vital].sum()
        support, coverage = hits / vital.sum(), found.sum() / vital.size
        ratio = hits / false_alarms if false_alarms else np.inf
        if support >= min_support and support > coverage and ratio >= min_confidence_ratio:
            valid.append(tuple(rule))
    general = [rule for rule in valid if not any(within(other, rule) for other in valid if other != rule)]
    return set(valid), set(general)


def as_set(genes):
    return set(map(tuple, genes.tolist()))
