"""What every box must keep beside k, for the kernels, and what to say where it cannot be kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sfumato.arrays import Codes, Flags, Reals
from sfumato.microfile.encoding import Encoded

if TYPE_CHECKING:
    from sfumato.kernels.limits import Limits


@dataclass(frozen=True)
class Rule:
    """One limit."""

    setting: str
    """The setting that it comes from: ``l``, ``t`` or ``household``."""
    attribute: str
    rule: int
    """Of :mod:`sfumato.kernels.limits`."""
    limit: float
    extra: float = 0.0
    codes: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    """The codes of the records; a missing value has the last."""
    known: int = 0
    """How many codes stand for known values."""
    places: Reals = field(default_factory=lambda: np.empty(0))
    tree: tuple[Codes, ...] = ()
    """The node of each known code, from the values themselves to the root."""


def own_codes(encoded: Encoded) -> Codes:
    """Return codes in which a missing value has one of its own, the last."""
    if not encoded.has_missing:
        return encoded.codes
    return np.where(encoded.missing, np.int32(encoded.values.size), encoded.codes)


def limits_with(k: int, rules: Sequence[Rule], kept: Flags | None = None) -> Limits:
    """Gather rules for the kernels; all arrays are rectangles, so that one compiled kernel serves every task.

    ``kept`` tells which records the released table has, from which t measures; default: all.
    """
    from sfumato.kernels.limits import NESTED, ORDERED, Limits

    records = max((max(rule.codes.size, rule.places.size) for rule in rules), default=0)
    width = max((rule.known + 2 for rule in rules), default=0)
    height = max((len(rule.tree) for rule in rules), default=0)
    columns = np.zeros((len(rules), records), dtype=np.int32)
    places = np.zeros((len(rules), records))
    table, prefix = np.zeros((len(rules), width)), np.zeros((len(rules), width + 1))
    nodes = np.full((len(rules), height, width), -1, dtype=np.int32)
    node_shares = np.zeros((len(rules), height, width))
    missing = np.zeros(len(rules), dtype=np.bool_)
    for row, rule in enumerate(rules):
        if rule.places.size:
            places[row] = rule.places
            continue
        columns[row] = rule.codes
        codes = rule.codes if kept is None or kept.all() else rule.codes[kept]
        counts = np.bincount(codes, minlength=rule.known + 1).astype(np.float64)
        missing[row] = counts[rule.known] > 0
        shares = counts / counts.sum()
        if rule.rule == ORDERED:
            table[row, : rule.known] = np.cumsum(counts[: rule.known]) / max(counts[: rule.known].sum(), 1.0)
            prefix[row, 1 : rule.known + 1] = np.cumsum(table[row, : rule.known])
            prefix[row, rule.known + 1] = shares[rule.known]
        else:
            table[row, : shares.size] = shares
        if rule.rule == NESTED:
            for level, its in enumerate(rule.tree[:-1]):
                # a missing value is a node of its own below the root
                full = np.append(its, its.max(initial=-1) + 1)
                nodes[row, level, : full.size] = full
                np.add.at(node_shares[row, level], full, shares)
    return Limits(
        k,
        np.array([rule.rule for rule in rules], dtype=np.int32),
        np.array([rule.limit for rule in rules], dtype=np.float64),
        np.array([rule.extra for rule in rules], dtype=np.float64),
        columns,
        places,
        np.array([rule.known for rule in rules], dtype=np.int32),
        missing,
        table,
        prefix,
        nodes,
        node_shares,
    )


def codes_in(rules: Sequence[Rule]) -> int:
    """Return how many codes or nodes a kernel may have to count."""
    return max((rule.known + 2 for rule in rules), default=0)
