"""Boxes against Mondrian and other tools: how narrow, how fast, how they grow."""

from __future__ import annotations

import itertools
import math
import resource
from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

import sfumato as sf
from benchmarks.mondrian import mondrian
from benchmarks.peers import ask_peer
from benchmarks.tables import DATA
from benchmarks.timing import Row, in_turns
from sfumato.measures.utility import utility_of
from sfumato.statistics.sensitivity import Wanted, combined_sensitivities

K = 5
NAMES = ("age", "income", "hours", "distance")
MOST = {30_000: 0.62, 300_000: 0.54}
REFINED = 0.56
SECONDS = 60
QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
PEERS = ("anonypy", "anjana", "aiprivacy")
LARGE = 3_000_000
MEMORY = 4 * 1024.0

Values = NDArray[np.float64]


def correlated(records: int) -> Values:
    """Make four attributes with correlations of 0.5 before one becomes lognormal, as incomes are."""
    rng = np.random.default_rng(0)
    correlations = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    values = np.linalg.cholesky(correlations) @ rng.normal(size=(4, records))
    values[1] = np.exp(0.8 * values[1])
    return values


def microfile(values: Values) -> sf.Microfile:
    return sf.Microfile(pl.DataFrame(dict(zip(NAMES, values, strict=True))))


def wanted(statistic: str) -> list[Wanted]:
    """Return a statistic of all attributes, or of all pairs, each equally wanted."""
    pairs = itertools.combinations(NAMES, 2)
    texts = [f"corr({a}, {b})" for a, b in pairs] if statistic == "corr" else [f"{statistic}({a})" for a in NAMES]
    return [Wanted(statistic=text, accuracy=1.0) for text in texts]


def uncertainty(costs: dict[str, Values], lo: Values, hi: Values) -> float:
    """Return the mean over the records of the sum of sensitivity times half-width."""
    return float(sum((costs[name] * (hi[row] - lo[row])).mean() / 2 for row, name in enumerate(NAMES)))


def mondrian_edges(values: Values) -> tuple[Values, Values]:
    numbers = mondrian(values, K)
    lo, hi = np.full((2, 4, numbers.max() + 1), np.inf)
    hi *= -1
    for row in range(4):
        np.minimum.at(lo[row], numbers, values[row])
        np.maximum.at(hi[row], numbers, values[row])
    return lo[:, numbers], hi[:, numbers]


def edges_of(release: sf.Release) -> tuple[Values, Values]:
    table = release.microfile
    return np.stack([table.numbers(f"{n}.lo") for n in NAMES]), np.stack([table.numbers(f"{n}.hi") for n in NAMES])


def run() -> Iterator[Row]:
    yield from _quality()
    yield from _adult()
    yield from _speed()


def _quality() -> Iterator[Row]:
    for records, most in MOST.items():
        values = correlated(records)
        table = microfile(values)
        theirs = mondrian_edges(values)
        ratios: dict[str, list[float]] = {"tight": [], "snapped": [], "refined": []}
        sizes = []
        for statistic in ("mean", "var", "corr"):
            asked = wanted(statistic)
            costs = combined_sensitivities(asked, dict(zip(NAMES, values, strict=True)))
            base = uncertainty(costs, *theirs)
            for edges in ("tight", "snapped"):
                release = sf.Boxes(quasi=NAMES, k=K, preserve=asked, edges=edges).protect(table)
                ratios[edges].append(uncertainty(costs, *edges_of(release)) / base)
            sizes.append(records / release.audit().measured["blocks"])
            if records == min(MOST):
                settings = sf.Boxes(quasi=NAMES, k=K, preserve=asked, edges="tight", refine=True, seconds=SECONDS)
                ratios["refined"].append(uncertainty(costs, *edges_of(settings.protect(table))) / base)
        shown = {edges: " / ".join(f"{ratio:.3f}" for ratio in its) for edges, its in ratios.items() if its}
        print(f"    {records:,} records, of Mondrian's uncertainty of means / variances / correlations: {shown}")
        mean = float(np.mean(ratios["tight"]))
        yield Row(f"uncertainty, {records:,} records", mean, "Mondrian", 1.0, str(most), mean <= most, unit="")
        cost = float(np.mean(ratios["snapped"])) / mean
        yield Row(f"snapped edges, {records:,} records", cost, "tight edges", 1.0, "1.05", cost <= 1.05, unit="")
        size = max(sizes) / K
        yield Row(f"records of a box, {records:,} records", size, "k", 1.0, "1.05", size <= 1.05, unit="")
        if ratios["refined"]:
            mean = float(np.mean(ratios["refined"]))
            what = f"uncertainty refined for {SECONDS} s, {records:,} records"
            yield Row(what, mean, "Mondrian", 1.0, str(REFINED), mean <= REFINED, unit="")


def _adult() -> Iterator[Row]:
    path = DATA / "arx_adult" / "adult.csv.gz"
    if not path.exists():
        print(f"    Adult is not in {DATA}: not compared; set SFUMATO_DATA")
        return
    adult = sf.read(path)
    settings = sf.Boxes(quasi=QUASI, sensitive="salary-class", k=K)
    (taken,) = in_turns(lambda: settings.protect(adult))
    yield Row("Adult, 8 quasi attributes", taken, "limit", 0.25, "0.25 s", taken <= 0.25)
    release = settings.protect(adult)
    forms = {name: entry.form for name, entry in release.codebook.attributes.items()}
    ours = utility_of(adult, release.microfile, quasi=QUASI, forms=forms).penalty
    for peer in PEERS:
        print(f"    {peer} anonymizes Adult; this takes a while", flush=True)
        theirs = ask_peer(peer, "boxes_peers.py", peer, path, K)
        if "error" in theirs:
            print(f"    {peer} cannot be run: {theirs['error']}")
            continue
        met = ours <= 0.85 * theirs["gcp"]
        yield Row(
            f"Adult, GCP ({taken:.3f} s, {peer} {theirs['seconds']:.1f} s)",
            ours,
            peer,
            theirs["gcp"],
            "0.85",
            met,
            unit="",
        )


def _speed() -> Iterator[Row]:
    values = correlated(LARGE)
    table = microfile(values)
    settings = sf.Boxes(quasi=NAMES, k=K)
    taken, sorting = in_turns(lambda: settings.protect(table), lambda: [np.sort(row) for row in values], rounds=5)
    yield Row(f"{LARGE:,} records, 4 attributes", taken, "np.sort of the columns", sorting, "8", taken <= 8 * sorting)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield Row("peak memory so far", memory, "limit", MEMORY, "4 GiB", memory <= MEMORY, unit=" MiB")
    times = []
    sizes = (100_000, 1_000_000, 10_000_000)
    plain = sf.Boxes(quasi=NAMES, k=K, passes=0)
    for records in sizes:
        some = microfile(correlated(records))
        (taken,) = in_turns(lambda given=some: plain.protect(given), rounds=2)
        times.append(taken)
        print(f"    {records:,} records, without exchanging: {taken:.3f} s")
    exponent = math.log(times[-1] / times[0]) / math.log(sizes[-1] / sizes[0])
    limit = math.log(sizes[-1] * math.log(sizes[-1]) / (sizes[0] * math.log(sizes[0]))) / math.log(sizes[-1] / sizes[0])
    yield Row(
        "exponent from 10^5 to 10^7 records", exponent, "N log N", limit, "as N log N", exponent <= limit, unit=""
    )
