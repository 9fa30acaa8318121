"""Random releases and outside files, linked by plain loops over all pairs."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

import sfumato as sf

LABELS = {"{p, r}": ("p", "r"), "p": ("p",), "q": ("q",), "{q, s}": ("q", "s"), "{p, q, r}": ("p", "q", "r")}
NAMES = ("age", "work", "size", "sex")


def _with_gaps(rng, values, lacking):
    return [None if rng.random() < lacking else value for value in values]


def random_release(seed, *, records=40, lacking=0.1):
    """Overlapping intervals, sets of categories with gaps, whole numbers and categories."""
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 12, records)
    absent = rng.random(records) < lacking
    ends = {"age.lo": low, "age.hi": low + rng.integers(0, 6, records)}
    columns = {name: _with_gaps(rng, rng.choice(list(LABELS), records), lacking) for name in ("work",)}
    table = pl.DataFrame(
        {
            **{
                name: [None if gone else int(end) for end, gone in zip(column, absent, strict=True)]
                for name, column in ends.items()
            },
            **columns,
            "size": _with_gaps(rng, rng.integers(0, 4, records).tolist(), lacking),
            "sex": _with_gaps(rng, rng.choice(["f", "m"], records), lacking),
        },
        schema_overrides={
            "age.lo": pl.Int64,
            "age.hi": pl.Int64,
            "work": pl.String,
            "size": pl.Int64,
            "sex": pl.String,
        },
    )
    forms = {"age": sf.Interval(), "work": sf.Sets(members=LABELS)}
    return sf.Release(table, promise=sf.Promise(quasi=NAMES, k=1), forms=forms)


def random_outside(seed, *, records=30, lacking=0.1):
    rng = np.random.default_rng(seed + 1000)
    return pl.DataFrame(
        {
            "age": _with_gaps(rng, rng.integers(-2, 20, records).tolist(), lacking),
            "work": _with_gaps(rng, rng.choice(["p", "q", "r", "s", "other"], records), lacking),
            "size": _with_gaps(rng, rng.integers(0, 5, records).tolist(), lacking),
            "sex": _with_gaps(rng, rng.choice(["f", "m"], records), lacking),
        },
        schema_overrides={"age": pl.Int64, "work": pl.String, "size": pl.Int64, "sex": pl.String},
    )


def _holds(name, row, value):
    """Whether a released record could have the value; None if that value is missing in the release."""
    if name == "age":
        return None if row["age.lo"] is None else row["age.lo"] <= value <= row["age.hi"]
    if row[name] is None:
        return None
    return value in LABELS[row[name]] if name == "work" else value == row[name]


def compared(release, outside, names, *, missing_own):
    """Outside x released x attributes: 0 different, 1 alike, 2 unknown."""
    comparison = np.empty((outside.height, release.table.height, len(names)), dtype=int)
    for i, person in enumerate(outside.iter_rows(named=True)):
        for j, row in enumerate(release.table.iter_rows(named=True)):
            for a, name in enumerate(names):
                value = person[name]
                blank = row["age.lo" if name == "age" else name] is None
                if value is None or blank:
                    comparison[i, j, a] = (1 if value is None and blank else 0) if missing_own else 2
                else:
                    comparison[i, j, a] = int(_holds(name, row, value))
    return comparison


def distances(release, outside, names, *, missing_own):
    """Gower's distance of all pairs."""
    alike = compared(release, outside, names, missing_own=missing_own)
    distances_of_pairs = np.zeros(alike.shape[:2])
    for a, name in enumerate(names):
        columns = ["age.lo", "age.hi"] if name == "age" else [name]
        every = [*outside[name].drop_nulls(), *(v for c in columns for v in release.table[c].drop_nulls())]
        span = max(every) - min(every) if name in ("age", "size") else 1.0
        rows = release.table.select(columns).rows()
        for i, value in enumerate(outside[name]):
            for j, ends in enumerate(rows):
                if alike[i, j, a] != 0:
                    continue
                if name not in ("age", "size") or value is None or ends[0] is None:
                    distances_of_pairs[i, j] += 1.0
                    continue
                away = max(ends[0] - value, value - ends[-1])
                distances_of_pairs[i, j] += away / span
    return distances_of_pairs


def probabilities(alike, overlap, rounds=3000):
    """m and u by EM over all pairs, one by one, as in the textbooks but with the least m."""
    pairs = alike.reshape(-1, alike.shape[2])
    p = overlap / alike.shape[1]
    width = pairs.shape[1]
    u = [np.mean(pairs[pairs[:, a] != 2, a]) for a in range(width)]
    m = [max(0.9, (1 + q) / 2) for q in u]
    for _ in range(rounds):
        posterior = []
        for pair in pairs:
            like_m = math.prod((m[a] if pair[a] else 1 - m[a]) for a in range(width) if pair[a] != 2)
            like_u = math.prod((u[a] if pair[a] else 1 - u[a]) for a in range(width) if pair[a] != 2)
            posterior.append(p * like_m / (p * like_m + (1 - p) * like_u))
        g = np.array(posterior)
        before = [*m, *u]
        for a in range(width):
            comparable = pairs[:, a] != 2
            agrees = pairs[comparable, a] == 1
            u[a] = min(max(np.sum((1 - g[comparable])[agrees]) / np.sum(1 - g[comparable]), 1e-6), 1 - 1e-6)
            m[a] = min(max(np.sum(g[comparable][agrees]) / np.sum(g[comparable]), 1e-6), 1 - 1e-6)
            m[a] = max(m[a], (1 + u[a]) / 2)
        if max(abs(old - new) for old, new in zip(before, [*m, *u], strict=True)) < 1e-9:
            break
    return np.array(m), np.array(u)
