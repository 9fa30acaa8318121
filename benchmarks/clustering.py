"""Iterations of fuzzy c-means and Gustafson-Kessel against those of scikit-learn and scikit-fuzzy, and their memory."""

from __future__ import annotations

import tempfile
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

import sfumato as sf
from benchmarks.peers import ask_peer
from benchmarks.timing import Row, in_turns

RECORDS = 3_000_000
SIZES = ((2, 3), (6, 10))
"""Attributes and sets."""
FEW, MANY = 2, 20
"""An iteration's time is that of a fit with many, divided by them; the difference of two fits is printed beside it."""
SHARED = 20_000
"""Records on which results are compared with a peer's from the same start."""

Make = Callable[[int], Any]


def run() -> Iterator[Row]:
    warnings.simplefilter("ignore", ConvergenceWarning)
    for attributes, sets in SIZES:
        records, start = _clouds(RECORDS, attributes, sets)
        what = f"of {RECORDS:,} records, {attributes} attributes, {sets} sets"
        c_means: Make = lambda n, v=start: sf.FuzzyCMeans(len(v), init=v, max_iter=n, tol=0.0)  # noqa: E731  # one line each
        kessel: Make = lambda n, v=start: sf.GustafsonKessel(len(v), init=v, max_iter=n, tol=0.0)  # noqa: E731  # one line each
        lloyd: Make = lambda n, v=start: KMeans(len(v), init=v, n_init=1, max_iter=n, tol=0.0, copy_x=False)  # noqa: E731  # one line each
        (ours, longer, theirs), bare = _iterations(records, c_means, kessel, lloyd)
        print("    without what a fit begins and ends with: {:.4f} s, {:.4f} s; k-means {:.4f} s".format(*bare))
        yield Row(f"iteration of fuzzy c-means {what}", ours, "scikit-learn's k-means", theirs, "1", ours <= theirs)
        what_kessel = f"iteration of Gustafson-Kessel {what}"
        yield Row(what_kessel, longer, "scikit-learn's k-means", theirs, "4", longer <= 4 * theirs)
        mixture = _mixture_iteration(records, start)
        yield Row(what_kessel, longer, "scikit-learn's Gaussian mixture", mixture, "1", longer <= mixture)
        yield from _against_scikit_fuzzy(records, start, ours, what)
        table = records.shape[0] * sets * 8 / 2**20
        for name, make in (("fuzzy c-means", c_means), ("Gustafson-Kessel", kessel)):
            memory = _memory(make(FEW), records)
            limit = f"peak memory of {name} {what}, besides the records"
            yield Row(limit, memory, "a table of memberships", table, "0.5", memory <= 0.5 * table, unit=" MiB")


def _clouds(count: int, attributes: int, sets: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    places = 2.0 * rng.normal(size=(sets, attributes))
    records = rng.normal(size=(count, attributes)) + places[rng.integers(0, sets, count)]
    return records, records[:sets].copy()


def _iterations(records: np.ndarray, *makes: Make) -> tuple[list[float], list[float]]:
    fits = [lambda make=make, n=n: make(n).fit(records) for make in makes for n in (FEW, MANY)]
    # a peer may have found its sets before
    turns = [fit().n_iter_ for fit in fits]
    times = in_turns(*fits, rounds=4)
    of_fits = [time / turn for time, turn in zip(times, turns, strict=True)][1::2]
    between = [(times[i + 1] - times[i]) / (turns[i + 1] - turns[i]) for i in range(0, len(times), 2)]
    return of_fits, between


def _mixture_iteration(records: np.ndarray, start: np.ndarray) -> float:
    # its iterations take so long that a tenth of the records is enough to time them
    some = records[::10]

    def fit(n: int) -> object:
        return GaussianMixture(len(start), means_init=start, init_params="random", max_iter=n, tol=0.0).fit(some)

    one, more = in_turns(lambda: fit(1), lambda: fit(4), rounds=2)
    return 10 * (more - one) / 3


def _against_scikit_fuzzy(records: np.ndarray, start: np.ndarray, ours: float, what: str) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "task.npz"
        # its tables of memberships would not fit into memory beside others
        np.savez(path, records=records[::10], start=start)
        found = ask_peer("skfuzzy", "skfuzzy_peer.py", path, 1, 3)
        np.savez(path, records=records[:SHARED], start=start)
        shared = ask_peer("skfuzzy", "skfuzzy_peer.py", path, 10, 10)
    if "error" in found or "error" in shared:
        print(f"    scikit-fuzzy: {found.get('error') or shared.get('error')}")
        return
    theirs = 10 * found["seconds"]
    yield Row(f"iteration of fuzzy c-means {what}", ours, "scikit-fuzzy", theirs, "0.1", ours <= 0.1 * theirs)
    model = sf.FuzzyCMeans(len(start), init=start, max_iter=10, tol=0.0).fit(records[:SHARED])
    difference = float(np.abs(model.cluster_centers_ - np.array(shared["centres"])).max())
    yield Row(
        f"largest difference between centres after 10 iterations on {SHARED:,} records",
        difference,
        "allowed beside scikit-fuzzy's",
        1e-9,
        "1",
        difference <= 1e-9,
        unit="",
    )


def _memory(model: Any, records: np.ndarray) -> float:
    tracemalloc.start()
    try:
        model.fit(records)
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
