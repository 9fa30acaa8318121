"""Rules of the attack at TC16's size: measuring many, evolving them, and searching all."""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks.peers import ask_peer
from benchmarks.soldiers import VARIABLES, soldiers_file, soldiers_grades
from benchmarks.timing import Row
from sfumato.array_types import Counts, Flags, Reals
from sfumato.attacks.exhaustive_search import ExhaustiveRules, search_exhaustively
from sfumato.attacks.membership_grades import Grades, make_grades
from sfumato.attacks.rule_data import RuleData, prepare_rule_data
from sfumato.attacks.rule_evolution import EvolvedRules, RuleEvolution, evolve_rules
from sfumato.attacks.rule_measures import measure_rules, rule_words

RECORDS, RULES = 3_200_000, 4000
SAMPLE = 40
"""So many rules are measured by plain numpy; its time is taken times as many more as there are."""
MINUTES = 5
FEWER = 300_000
"""Records of the comparison with pysubgroup."""

Found = TypeVar("Found")


def run() -> Iterator[Row]:
    _compile()
    numbers, vital = soldiers_file(RECORDS)
    grades = soldiers_grades(numbers)
    print(f"    {RECORDS:,} records, {vital.sum():,} vital, 12 variables, {grades.rules:,} rules")
    yield from _measuring(grades, vital)
    yield from _searching(prepare_rule_data(grades, vital))
    yield from _against_pysubgroup()


def _compile() -> None:
    numbers, vital = soldiers_file(10_000)
    rule_data = prepare_rule_data(soldiers_grades(numbers), vital)
    search_exhaustively(rule_data)
    evolve_rules(rule_data, rng=np.random.default_rng(0), settings=RuleEvolution(generations=1, runs=1))


def _timed(function: Callable[[], Found]) -> tuple[float, Found]:
    began = time.perf_counter()
    found = function()
    return time.perf_counter() - began, found


def _measuring(grades: Grades, vital: Flags) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, grades.sizes + 1, (RULES, grades.sizes.size))
    looser = drawn * (rng.random(drawn.shape) < 0.5)
    rule_data = prepare_rule_data(grades, vital)
    # as numpy takes them the fastest
    columns = [grades.codes[:, number].astype(np.intp) for number in range(grades.sizes.size)]
    for name, rules in (("as TC16 draws them", drawn), ("half as long", looser)):
        # with all that has to be done for a new file
        ours, measures = _timed(lambda rules=rules: measure_rules(prepare_rule_data(grades, vital), rules))
        again, _ = _timed(lambda rules=rules: measure_rules(rule_data, rules))
        theirs, plain = _timed(lambda rules=rules: _plainly(grades, columns, vital, rules[:SAMPLE]))
        theirs *= RULES / SAMPLE
        print(f"    once the file is prepared: {again:.2f} s; numpy: {SAMPLE} rules timed, the rest in proportion")
        what = f"{RULES:,} rules {name} on {RECORDS:,} records"
        yield Row(what, ours, "numpy, rule by rule", theirs, "0.02", ours <= 0.02 * theirs)
        off = float(np.max(np.abs(measures.hits[:SAMPLE] + measures.false_alarms[:SAMPLE] - plain) / (plain + 1e-300)))
        yield Row("largest relative difference from numpy", off, "allowed", 1e-6, "1", off <= 1e-6, unit="")
    memory = _memory(lambda: measure_rules(prepare_rule_data(grades, vital), drawn))
    memory += grades.codes.nbytes / 2**20
    yield Row("peak memory, grades included", memory, "allowed", 2048.0, "1", memory <= 2048, unit=" MiB")


def _plainly(grades: Grades, columns: list[np.ndarray], vital: Flags, rules: Counts) -> Reals:
    """Return sums of cut products over all records; those over vital ones are summed too, as they have to be."""
    totals = np.empty(len(rules))
    for number, rule in enumerate(rules):
        products = np.ones(grades.records)
        for variable, gene in enumerate(rule):
            if gene:
                products *= np.take(np.ascontiguousarray(grades.tables[variable][:, gene - 1]), columns[variable])
        products[products < 0.5] = 0.0
        totals[number] = products[vital].sum() + products[~vital].sum()
    return totals


def _memory(function: Callable[[], object]) -> float:
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def _searching(rule_data: RuleData) -> Iterator[Row]:
    limit = 60.0 * MINUTES
    taken, exact = _timed(lambda: search_exhaustively(rule_data))
    print(f"    {exact.n_frequent:,} rules with enough support, {len(exact.valid):,} valid, {len(exact.genes)} general")
    yield Row(
        f"all {exact.n_possible:,} rules searched on {RECORDS:,} records", taken, "at most", limit, "1", taken <= limit
    )
    for fitness in ("ratio", "smoothed", "confidence"):
        settings = RuleEvolution(fitness=fitness)  # type: ignore[arg-type]  # one of those allowed
        taken, evolved = _timed(
            lambda settings=settings: evolve_rules(rule_data, rng=np.random.default_rng(1), settings=settings)
        )
        what = f"{settings.runs} runs of {settings.generations} generations by {fitness} on {RECORDS:,} records"
        yield Row(what, taken, "at most", limit, "1", taken <= limit)
        _tell(evolved, exact)
    for genes in exact.genes[:3]:
        print(f"    {rule_words(genes.tolist(), VARIABLES, group='soldier')}")


def _tell(evolved: EvolvedRules, exact: ExhaustiveRules) -> None:
    general = {*map(tuple, exact.genes.tolist())} & {*map(tuple, evolved.genes.tolist())}
    shares = len(evolved.valid) / max(1, len(exact.valid)), len(general) / max(1, len(exact.genes))
    met = f"evaluated {evolved.n_evaluated:,} rules, {len(evolved.valid):,} valid ({shares[0]:.1%} of all)"
    left = f"{len(evolved.genes)} of them when pruned, {len(general)} of the {len(exact.genes)} most general of all"
    print(f"    {met}; {left} ({shares[1]:.1%})")


def _against_pysubgroup() -> Iterator[Row]:
    """Compare on crisp values: each record has the value that holds of it the most, so that both count the same."""
    numbers, vital = soldiers_file(FEWER)
    fuzzy = soldiers_grades(numbers)
    values = [fuzzy.of(number).argmax(axis=1).astype(np.int32) for number in range(fuzzy.sizes.size)]
    crisp = make_grades(values, [np.eye(size) for size in fuzzy.sizes], names=fuzzy.names)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "task.npz"
        np.savez(path, values=np.array(values), vital=vital)
        found = ask_peer("pysubgroup", "pysubgroup_peer.py", path)
    if "error" in found:
        print(f"    pysubgroup: {found['error']}")
        return
    rules, theirs = np.array(found["rules"]), float(found["seconds"])
    ours, measures = _timed(lambda: measure_rules(prepare_rule_data(crisp, vital), rules))
    same = np.array_equal(measures.hits, found["hits"]) and np.array_equal(measures.false_alarms, found["false_alarms"])
    print(f"    it tried {found['tried']:,} rules, the others with two values of a variable; counts the same: {same}")
    what = f"{len(rules):,} crisp rules of a beam search on {FEWER:,} records"
    yield Row(what, ours, "pysubgroup", theirs, "1", same and ours <= theirs)
    ours, exact = _timed(lambda: search_exhaustively(prepare_rule_data(crisp, vital)))
    what = f"all {exact.n_possible:,} crisp rules on {FEWER:,} records, beside that beam"
    yield Row(what, ours, "pysubgroup", theirs, "1", ours <= theirs)
