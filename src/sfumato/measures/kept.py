"""Whether a table keeps a promise, and where it does not, why and what would help."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sfumato.measures.blocks import Blocks
from sfumato.measures.promise import Promise
from sfumato.measures.safety import Safety, measure
from sfumato.measures.verdict import BlockMeasure, Violations
from sfumato.microfile.forms import Form
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.microfile.microfile import Microfile

STEPS = {"l": -1.0, "t": 0.05, "alpha": 0.05, "beta": 0.5, "delta": 0.5, "c": 0.5, "max_risk": 0.05}
"""By how much relaxing a limit by one step moves it; k and households by -1."""


@dataclass(frozen=True)
class Limit:
    """One limit of a promise, with the measure that must keep it."""

    setting: str
    """Its name in a promise."""
    attribute: str | None
    """The sensitive attribute that it is about, if it is about one."""
    limit: float
    """The number that was promised."""
    measure: BlockMeasure
    """What every block reaches."""
    laid: bool = False
    """Whether it is that of the records of each household laid upon each other."""

    @property
    def reached(self) -> float:
        """What the table has."""
        return self.measure.worst

    @property
    def violations(self) -> Violations:
        """What breaks the limit."""
        return self.measure.violations(self.limit)

    @property
    def relaxed(self) -> float:
        """The limit one step milder."""
        return self.limit + STEPS.get(self.setting, -1.0)


@dataclass(frozen=True)
class Why:
    """Why a limit is broken, in counts only."""

    setting: str
    """The limit's name in a promise."""
    attribute: str | None
    """The sensitive attribute that it is about, if it is about one."""
    limit: float
    """What was promised."""
    reached: float
    """What was measured."""
    records: int
    """How many records are in blocks that break it."""
    blocks: int
    """How many blocks do."""
    worst_block: int
    """The number of the worst block; ``safety.blocks.members`` tells the steward its records."""
    worst_block_records: int
    """How many records it has."""
    without: Mapping[str, int] = field(default_factory=dict)
    """For each quasi attribute, how many records would break the limit without it."""
    relaxed_limit: float = 0.0
    """The limit one step milder."""
    relaxed_records: int = 0
    """How many records would break that one."""
    laid: bool = False
    """Whether it is broken for who lays the records of each household upon each other."""

    def summary(self) -> dict[str, Any]:
        """Return the reason as plain numbers; null stands for what is not finite."""
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in {**vars(self), "without": dict(self.without), "message": str(self)}.items()
        }

    def __str__(self) -> str:
        what = f"{self.setting} of {self.attribute!r}" if self.attribute else self.setting
        what += ", the records of each household laid upon each other" * self.laid
        told = (
            f"{what}: promised {self.limit:g}, reached {self.reached:.6g}; {self.records:,} records in "
            f"{self.blocks:,} blocks break it (the worst is block {self.worst_block}, of {self.worst_block_records:,})"
        )
        if self.without:
            name, left = min(self.without.items(), key=lambda item: item[1])
            told += f"; without the detail of {name!r} {left:,} records would"
        return told + f"; at {self.relaxed_limit:g}, {self.relaxed_records:,} records would"


def limits_of(promise: Promise, safety: Safety) -> list[Limit]:
    """Pair each limit of a promise with its measure."""
    limits = [Limit("k", None, promise.k, safety.k)]
    if safety.households is not None:
        limits.append(Limit("households", None, promise.k, safety.households))
    if promise.max_risk is not None:
        risk = safety.risk
        limits.append(
            Limit("max_risk", None, promise.max_risk, BlockMeasure("risk", risk.by_block, risk.sizes, safer="lower"))
        )
    for name, attribute in safety.attributes.items():
        if promise.l is not None and promise.c is not None:
            limits.append(Limit("c", name, promise.c, attribute.recursive_c(round(promise.l))))
        elif promise.l is not None:
            entropy = promise.diversity == "entropy"
            limits.append(Limit("l", name, promise.l, attribute.entropy_l if entropy else attribute.l))
        for setting in ("t", "alpha", "beta", "delta"):
            limit = getattr(promise, setting)
            if limit is not None:
                limits.append(Limit(setting, name, limit, getattr(attribute, setting)))
    if safety.upon is not None:
        limits += [replace(limit, laid=True) for limit in limits_of(promise, safety.upon)]
    return limits


@dataclass(frozen=True)
class Kept:
    """A table measured against a promise."""

    promise: Promise
    """What was promised."""
    safety: Safety
    """What was measured."""
    limits: tuple[Limit, ...]
    """Each limit with its measure."""

    @property
    def broken(self) -> list[Limit]:
        """The limits that are not kept."""
        return [limit for limit in self.limits if limit.violations.blocks]

    @property
    def holds(self) -> bool:
        """Whether every limit is kept."""
        return not self.broken


def keeps(
    microfile: Microfile,
    promise: Promise,
    *,
    keys: Sequence[str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    exact_risk: bool = False,
    blocks: Blocks | None = None,
    forms: Mapping[str, Form] | None = None,
) -> Kept:
    """Measure a table against a promise.

    Parameters
    ----------
    microfile
        The table.
    promise
        The limits.
    keys
        The columns that hold the quasi attributes, where they are not of their names (an interval has two).
    hierarchies
        Hierarchies of sensitive attributes, for a hierarchical distance.
    exact_risk
        Whether risks of f > 2 use the exact formula.
    blocks
        The blocks, where they are known.
    forms
        How attributes stand in the table, where not exactly; needed only of those that households share.
    """
    if keys is None and blocks is None:
        promise.check(microfile)
    safety = measure(
        microfile,
        quasi=tuple(keys or promise.quasi),
        sensitive=promise.sensitive,
        weight=promise.weight,
        household=promise.household,
        shared=promise.shared,
        missing=promise.missing,
        distances=promise.distances,
        hierarchies=hierarchies,
        exact_risk=exact_risk,
        blocks=blocks,
        forms=forms,
    )
    return Kept(promise, safety, tuple(limits_of(promise, safety)))


def explain(
    kept: Kept,
    microfile: Microfile,
    *,
    columns: Mapping[str, Sequence[str]] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    forms: Mapping[str, Form] | None = None,
) -> list[Why]:
    """Say why limits are broken: which block, which attribute's detail, and what relaxing would buy.

    Parameters
    ----------
    kept, microfile
        The table, and what was found.
    columns
        The columns of each quasi attribute, where they are not of its name.
    hierarchies, forms
        As for :func:`keeps`.
    """
    if kept.holds:
        return []
    promise = kept.promise
    held = {name: tuple((columns or {}).get(name, (name,))) for name in promise.quasi}
    without: dict[str, dict[tuple[str, str | None, bool], int]] = {}
    if len(held) > 1:
        for dropped in held:
            keys = [column for name, its in held.items() if name != dropped for column in its]
            fewer = promise.model_copy(update={"shared": tuple(name for name in promise.shared if name != dropped)})
            rest = keeps(
                microfile,
                fewer,
                keys=keys,
                hierarchies=hierarchies,
                exact_risk=kept.safety.exact_risk,
                forms=forms,
            )
            left = {(x.setting, x.attribute, x.laid): x.violations.records for x in rest.limits}
            # where laying records upon each other tells no more, what each tells by itself is all
            without[dropped] = {(x, y, True): records for (x, y, _), records in left.items()} | left
    reasons = []
    for limit in kept.broken:
        broken, milder = limit.violations, limit.measure.violations(limit.relaxed)
        reasons.append(
            Why(
                setting=limit.setting,
                attribute=limit.attribute,
                limit=limit.limit,
                reached=float(limit.reached),
                records=broken.records,
                blocks=broken.blocks,
                worst_block=limit.measure.worst_block,
                worst_block_records=int(limit.measure.sizes[limit.measure.worst_block]),
                without={name: rest[limit.setting, limit.attribute, limit.laid] for name, rest in without.items()},
                relaxed_limit=float(np.round(limit.relaxed, 12)),
                relaxed_records=milder.records,
                laid=limit.laid,
            )
        )
    return reasons
