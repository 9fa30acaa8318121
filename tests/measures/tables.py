"""Small random tables, and the definitions of measures taken literally."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction

import polars as pl
from hypothesis import strategies as st

value = st.sampled_from(["a", "b", "c", None])
rows = st.lists(
    st.tuples(value, value, st.sampled_from([1, 2, 3, None]), st.sampled_from(["x", "y", "z", None])),
    min_size=1,
    max_size=30,
)
complete_rows = rows.map(
    lambda rs: [
        tuple(v if v is not None else "a" if i < 2 else 1 if i == 2 else "x" for i, v in enumerate(r)) for r in rs
    ]
)


def frame(records) -> pl.DataFrame:
    schema = {"p": pl.String, "q": pl.String, "n": pl.Int64, "s": pl.String}
    return pl.DataFrame(records, schema=schema, orient="row")


def matching(one, other, *, wildcards) -> bool:
    """Whether two records look alike on the first two attributes."""
    return all(a == b or (wildcards and (a is None or b is None)) for a, b in zip(one[:2], other[:2], strict=True))


def crowds(records, *, wildcards):
    """The records that look like each record."""
    return [[other for other in records if matching(record, other, wildcards=wildcards)] for record in records]


def shares(values):
    counts = Counter(values)
    return {v: Fraction(n, len(values)) for v, n in counts.items()}


def known(records, place, *, wildcards):
    """Sensitive values that count: a missing one is a value of its own, or left out."""
    values = [record[place] for record in records]
    return [v for v in values if v is not None] if wildcards else values


def ordered_distance(block, table) -> float:
    """QADM14 Definition 4, over known values; the missing share counts by itself."""
    values = sorted({v for v in table if v is not None})
    p, w = shares([v for v in block if v is not None] or [None]), shares([v for v in table if v is not None] or [None])
    distance = 0.0
    if len(values) > 1 and None not in p:
        total, running = Fraction(0), Fraction(0)
        for v in values:
            running += p.get(v, 0) - w.get(v, 0)
            total += abs(running)
        distance = float(total / (len(values) - 1))
    if None in table:
        gap = abs(shares(block).get(None, 0) - shares(table).get(None, 0))
        distance = max(distance, float(gap))
    return distance


def equal_distance(block, table) -> float:
    p, w = shares(block), shares(table)
    return float(sum(abs(p.get(v, 0) - w.get(v, 0)) for v in {*p, *w}) / 2)


def entropy_l(block) -> float:
    return math.exp(-sum(float(p) * math.log(p) for p in shares(block).values()))


def recursive_c(block, rank):
    counts = sorted(Counter(block).values(), reverse=True)
    tail = sum(counts[rank - 1 :])
    return counts[0] / tail if tail else math.inf


def by_block(records):
    blocks = defaultdict(list)
    for record in records:
        blocks[record[:2]].append(record)
    return list(blocks.values())
