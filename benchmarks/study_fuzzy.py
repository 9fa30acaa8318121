"""QADM14's experiments on Census and Tarragona, repeated: every printed figure beside ours, as tables in Markdown."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import combinations, product
from multiprocessing import get_context

import numpy as np
import polars as pl
from scipy.stats import binomtest, norm
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from benchmarks.qadm14 import BESTS, DISTANCES, MEANS, TESTS, Figures
from benchmarks.tables import DATA
from benchmarks.timing import Row
from benchmarks.toolbox import SETS, gustafson_kessel_objective, toolbox_memberships
from sfumato.array_types import Counts, Reals
from sfumato.fuzzy.c_means import FuzzyCMeans
from sfumato.fuzzy.gustafson_kessel import GustafsonKessel
from sfumato.measures import measure_fuzzy
from sfumato.measures.risk import risk_of

METHODS = ("k-means", "Gustafson-Kessel", "c-means")
SCALINGS: dict[str, Callable[[Reals], Reals]] = {
    "range": lambda table: np.asarray((table - table.min(axis=0)) / np.ptp(table, axis=0)),
    "z-scores": lambda table: np.asarray((table - table.mean(axis=0)) / table.std(axis=0, ddof=1)),
    "raw": lambda table: table,
}
SEEDS = range(5)
SAME = 0.001
"""Objectives as close as this are one minimum."""
SAFER_LOW = ("risk", "t", "max t")

Value = dict[str, float]
Way = tuple[str, str]
"""Scaling and method."""
Key = tuple[tuple[str, str], str, str]
"""Pair of attributes, scaling, method."""


@dataclass(frozen=True)
class Reading:
    """Which attributes play which role."""

    what: str
    table: str
    file: str
    sensitive: dict[str, str]
    """The column that stands for each name printed."""
    never: tuple[str, ...] = ()
    """Attributes that are in no pair."""

    def pairs(self, names: Sequence[str], measure: str) -> list[tuple[str, str]]:
        """Return the pairs that a measure is averaged over: none that has its sensitive attribute."""
        out = {*self.never, self.sensitive.get(measure.split(" ")[0], "")}
        return [pair for pair in combinations(names, 2) if not out & set(pair)]


CENSUS = "CASCrefmicrodata.csv"
READINGS = (
    Reading(
        "PEARNVAL and WSALVAL (columns 10 and 12) sensitive and in no pair",
        "Census",
        CENSUS,
        {"PTOTVAL": "PEARNVAL", "TAXINC": "WSALVAL"},
        ("PEARNVAL", "WSALVAL"),
    ),
    Reading(
        "PTOTVAL and TAXINC sensitive and in no pair, as the text says",
        "Census",
        CENSUS,
        {"PTOTVAL": "PTOTVAL", "TAXINC": "TAXINC"},
        ("PTOTVAL", "TAXINC"),
    ),
    Reading(
        "the sensitive attribute not in its own pairs",
        "Tarragona",
        "Tarragona.csv",
        {"GROSS.PROFIT": "GROSS.PROFIT", "NET.PROFIT": "NET.PROFIT"},
    ),
)


def memberships_of(records: Reals, method: str, seed: int | None = None) -> Reals:
    """Return records x sets by a method; of k-means with a seed, by one random start instead of the best of ten."""
    if method == "k-means":
        ways = {"n_init": 10} if seed is None else {"n_init": 1, "init": "random"}
        return np.eye(SETS)[KMeans(SETS, random_state=seed or 0, **ways).fit(records).labels_]
    if method == "sfumato c-means":
        return FuzzyCMeans(SETS, n_init=3, random_state=0, threads=1).fit(records).memberships_
    if method == "sfumato Gustafson-Kessel":
        return GustafsonKessel(SETS, n_init=3, random_state=0, threads=1).fit(records).memberships_
    return toolbox_memberships(records, own_norms=method == "Gustafson-Kessel")


def above_main_part(sizes: Counts) -> int:
    """Return the records of risk 1/size above median + 2 mad: sdcMicro's count before it asked for 0.1 at least."""
    risks = np.repeat(1.0 / sizes, sizes)
    median = np.median(risks)
    return int((risks > median + 2 * 1.4826 * np.median(np.abs(risks - median))).sum())


def measured(table: pl.DataFrame, memberships: Reals, sensitive: Sequence[str]) -> Value:
    """Return every measure of one release."""
    safety = measure_fuzzy(table, memberships, sensitive=list(sensitive), cardinality="nonfuzzy")
    found: Value = {
        "k": safety.k.crisp.worst,
        "k by (2)": safety.k.nonfuzzy.worst,
        "risk": above_main_part(safety.blocks.sizes),
        "risk over 0.1": risk_of(safety.blocks).outstanding,
        "Q": safety.q(operator="mean").reached(0.5),
        "Q by min": safety.q().reached(0.5),
    }
    for name, attribute in safety.attributes.items():
        found[f"{name} l"] = attribute.l.represented.worst
        found[f"{name} t"] = float(attribute.t.records.values.min())
        found[f"{name} max t"] = attribute.t.t
    return found


def _measure_pair(task: tuple[pl.DataFrame, tuple[str, str], tuple[str, ...]]) -> dict[Key, Value]:
    table, pair, sensitive = task
    found: dict[Key, Value] = {}
    with threadpool_limits(1):
        for scaling, scale in SCALINGS.items():
            records = np.ascontiguousarray(scale(table.select(pair).to_numpy().astype(np.float64)))
            methods = [*METHODS, "sfumato c-means"]
            # norms of their own make units immaterial
            methods += ["sfumato Gustafson-Kessel"] if scaling == "range" else []
            for method in methods:
                memberships = memberships_of(records, method)
                value = measured(table, memberships, sensitive)
                if method.endswith("Gustafson-Kessel"):
                    value["objective"] = gustafson_kessel_objective(records, memberships)
                found[pair, scaling, method] = value
            for seed in SEEDS:
                blocks = measured(table, memberships_of(records, "k-means", seed), ())
                found[pair, scaling, f"k-means {seed}"] = blocks
    return found


def measure_all(table: pl.DataFrame, sensitive: tuple[str, ...]) -> dict[Key, Value]:
    """Return the measures of all pairs of attributes."""
    tasks = [(table, pair, sensitive) for pair in combinations(table.columns, 2)]
    found: dict[Key, Value] = {}
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        for part in pool.map(_measure_pair, tasks, chunksize=4):
            found |= part
    return found


@dataclass(frozen=True)
class Comparison:
    """Methods against each other by one measure, over pairs."""

    means: Reals
    bests: Counts
    """How often each is the best; those that tie all are."""
    distances: Reals
    """How far it is from the best on average where it is not; NaN where it always is."""

    @property
    def shares(self) -> Reals:
        """The percentage of each among all bests, which are more than the pairs where methods tie."""
        return np.asarray(100 * self.bests / self.bests.sum())


def compare(values: Reals, *, safer: str) -> Comparison:
    """Compare methods; values are pairs x methods."""
    best = (values.max if safer == "higher" else values.min)(axis=1, keepdims=True)
    away = np.abs(values - best)
    behind = away > 0
    counts = behind.sum(axis=0)
    distances = np.divide(away.sum(axis=0), counts, out=np.full(counts.size, np.nan), where=counts > 0)
    return Comparison(values.mean(axis=0), np.asarray((~behind).sum(axis=0)), distances)


def totals_that_fit(percentages: Sequence[int], upto: int = 100) -> list[int]:
    """Return the totals of which whole numbers are these percentages, rounded, that sum up to it."""
    fitting = []
    for total in range(1, upto + 1):
        choices = [[n for n in range(total + 1) if round(100 * n / total) == wanted] for wanted in percentages]
        if any(sum(chosen) == total for chosen in product(*choices)):
            fitting.append(total)
    return fitting


def one_sided(share: float, pairs: int) -> float:
    """Return the p-value of a share against 1/2 by the normal approximation, as the paper has it."""
    return float(norm.sf((share - 0.5) * 2 * np.sqrt(pairs)))


def _column(reading: Reading, measure: str) -> str:
    name, _, rest = measure.partition(" ")
    return f"{reading.sensitive[name]} {rest}" if name in reading.sensitive else measure


def _values(
    found: dict[Key, Value], names: Sequence[str], reading: Reading, measure: str, ways: Sequence[Way]
) -> Reals:
    pairs, column = reading.pairs(names, measure), _column(reading, measure)
    return np.array([[found[pair, *way][column] for way in ways] for pair in pairs], dtype=float)


def _compared(
    found: dict[Key, Value], names: Sequence[str], reading: Reading, measure: str, crisp_scaling: str = "range"
) -> Comparison:
    """Compare the three methods, the fuzzy ones on ranges; of Q, which k-means has none of, the fuzzy ones alone."""
    ways = [(crisp_scaling, METHODS[0]), ("range", METHODS[1]), ("range", METHODS[2])]
    fuzzy_alone = measure.startswith("Q")
    low = measure.split(" ", 1)[-1] in SAFER_LOW
    values = _values(found, names, reading, measure, ways[1:] if fuzzy_alone else ways)
    compared = compare(values, safer="lower" if low else "higher")
    if not fuzzy_alone:
        return compared
    return Comparison(np.r_[np.nan, compared.means], np.r_[0, compared.bests], np.r_[np.nan, compared.distances])


def _shown(number: float | None, measure: str, *, percent: bool = False) -> str:
    if number is None or np.isnan(number):
        return "-"
    return f"{number:.0f}" if percent else f"{number:.{_digits(measure)}f}"


def _digits(measure: str) -> int:
    return 4 if measure.endswith(" t") else 2


def _extra(measure: str) -> list[str]:
    """Return what is measured beside a printed measure."""
    return {"k": ["k", "k by (2)"], "Q": ["Q", "Q by min"]}.get(
        measure, [measure, measure[:-1] + "max t"] if measure.endswith(" t") else [measure]
    )


def _table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print(f"\n**{title}**\n\n| {' | '.join(headings)} |\n|{'---|' * len(headings)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def _pairwise(measure: str, printed: Sequence[float | None], ours: Reals, *, percent: bool = False) -> list[str]:
    cells = []
    for theirs, mine in zip(printed, ours, strict=True):
        cells += [_shown(theirs, measure, percent=percent), _shown(float(mine), measure, percent=percent)]
    return cells


def _report(found: dict[Key, Value], names: Sequence[str], reading: Reading) -> None:
    """Print the tables of one reading."""
    print(f"\n### {reading.table}: {reading.what}")
    double = [text for method in METHODS for text in (f"{method}, printed", "ours")]
    for (title, printed, part), scaling in product(
        (
            ("Averages", MEANS, "means"),
            ("Percentages of best results", BESTS, "shares"),
            ("Distances to the best", DISTANCES, "distances"),
        ),
        ("raw", "range"),
    ):
        rows = []
        figures: Figures = printed[reading.table]
        for measure, theirs in figures.items():
            for own in _extra(measure):
                said = theirs if own == measure else (None,) * len(METHODS)
                ours = getattr(_compared(found, names, reading, own, scaling), part)
                if part == "shares" and own.startswith("Q"):
                    ours = np.r_[np.nan, ours[1:]]
                rows.append([own, *_pairwise(own, said, ours, percent=part == "shares")])
        where = "all on ranges" if scaling == "range" else "fuzzy methods on ranges, k-means on raw numbers"
        _table(f"{title}, {where}", ["measure", *double], rows)


def _preprocessings(found: dict[Key, Value], names: Sequence[str], reading: Reading) -> None:
    rows = []
    for measure in ("k", "k by (2)", "risk", "risk over 0.1"):
        for method in (*METHODS, "sfumato Gustafson-Kessel", "sfumato c-means"):
            printed = MEANS[reading.table].get(measure)
            place = METHODS.index(method.removeprefix("sfumato "))
            cells = [measure, method, _shown(printed[place] if printed else None, measure)]
            for scaling in SCALINGS:
                if (reading.pairs(names, measure)[0], scaling, method) not in found:
                    cells.append("same")
                    continue
                cells.append(_shown(_values(found, names, reading, measure, [(scaling, method)]).mean(), measure))
            rows.append(cells)
        if measure in MEANS[reading.table]:
            printed_mean = _shown(MEANS[reading.table][measure][0], measure)
            cells = [measure, f"k-means, one random start, {len(SEEDS)} seeds", printed_mean]
            for scaling in SCALINGS:
                single = [(scaling, f"k-means {seed}") for seed in SEEDS]
                means = _values(found, names, reading, measure, single).mean(axis=0)
                cells.append(f"{means.min():.2f} to {means.max():.2f}")
            rows.append(cells)
    _table("Averages by preprocessing", ["measure", "method", "printed", *SCALINGS], rows)


def _own_starts(found: dict[Key, Value], names: Sequence[str], reading: Reading) -> None:
    """Print who is best with the library's own starts, and which of two Gustafson-Kessels found the lower objective."""
    ways = [("range", method) for method in ("k-means", "sfumato Gustafson-Kessel", "sfumato c-means")]
    rows = []
    for measure in [
        "k by (2)",
        "Q by min",
        *(f"{name} {what}" for name in reading.sensitive for what in ("l", "max t")),
    ]:
        low = measure.endswith(" t")
        compared = compare(_values(found, names, reading, measure, ways), safer="lower" if low else "higher")
        rows.append(
            [
                measure,
                *(
                    f"{_shown(mean, measure)} ({share:.0f} %)"
                    for mean, share in zip(compared.means, compared.shares, strict=True)
                ),
            ]
        )
    _table("Our own starts, all on ranges: averages (percentages of best results)", ["measure", *METHODS], rows)
    both = [("range", "Gustafson-Kessel"), ("range", "sfumato Gustafson-Kessel")]
    theirs, ours = _values(found, names, reading, "objective", both).T
    lower, higher = int((ours < theirs * (1 - SAME)).sum()), int((ours > theirs * (1 + SAME)).sum())
    print(
        f"\nOf {ours.size} pairs, the objective of Gustafson-Kessel from our starts is lower than the toolbox's in "
        f"{lower}, higher in {higher}, and the same to {SAME:.1%} in {ours.size - lower - higher}."
    )


def _significance(found: dict[Key, Value], names: Sequence[str], reading: Reading) -> None:
    rows = []
    for measure, (method, percent, printed) in TESTS[reading.table].items():
        for own in _extra(measure):
            pairs = len(reading.pairs(names, own))
            wins = int(_compared(found, names, reading, own).bests[METHODS.index(method)])
            exact = binomtest(wins, pairs, 0.5, alternative="greater").pvalue
            said = (
                [f"{percent} %", f"{printed:.3g}", f"{one_sided(percent / 100, pairs):.3g}"]
                if own == measure
                else ["-"] * 3
            )
            rows.append(
                [own, method, *said, f"{wins} of {pairs}", f"{one_sided(wins / pairs, pairs):.3g}", f"{exact:.3g}"]
            )
    headings = ["measure", "method", "printed", "printed p", "z of it here", "best in", "z", "exact"]
    _table("One-sided tests against 1/2", headings, rows)


def _reproduced(found: dict[Key, Value], names: Sequence[str], reading: Reading) -> tuple[int, int]:
    """Return how many averages of fuzzy methods, t aside, come out as printed, and how many are printed."""
    same = total = 0
    for measure, printed in MEANS[reading.table].items():
        if measure.endswith(" t"):
            continue
        means = _compared(found, names, reading, measure).means
        for place in (1, 2):
            theirs = printed[place]
            assert theirs is not None
            total += 1
            same += abs(means[place] - theirs) <= 0.005 + 1e-9
    return same, total


def run() -> Iterator[Row]:
    if missing := [file for file in {reading.file for reading in READINGS} if not (DATA / "sdcmicro" / file).exists()]:
        print(f"    {' and '.join(sorted(missing))} not in {DATA / 'sdcmicro'}: not repeated; set SFUMATO_DATA")
        return
    print("    clusterings of all pairs of attributes; this takes minutes", flush=True)
    found: dict[str, dict[Key, Value]] = {}
    for reading in READINGS:
        table = pl.read_csv(DATA / "sdcmicro" / reading.file)
        if reading.file not in found:
            columns = sorted({name for r in READINGS if r.file == reading.file for name in r.sensitive.values()})
            found[reading.file] = measure_all(table, tuple(columns))
        values, names = found[reading.file], table.columns
        _report(values, names, reading)
        _preprocessings(values, names, reading)
        _own_starts(values, names, reading)
        _significance(values, names, reading)
        same, total = _reproduced(values, names, reading)
        what = f"{reading.table}, {reading.what}: averages of k, Q, l and risk of fuzzy methods as printed"
        if same:
            yield Row(what, same, "printed", total, "all but one", same >= total - 1, unit="")
        else:
            print(f"\n{what}: none of {total}")
