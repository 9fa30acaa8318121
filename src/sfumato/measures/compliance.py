"""Whether a table satisfies a promise; where it does not, why, and what would help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict

import numpy as np

from sfumato.formatting import json_content
from sfumato.measures.blocks import Blocks
from sfumato.measures.criteria import ATTRIBUTE_CRITERIA, BLOCK_CRITERIA, Limit
from sfumato.measures.promise import Promise
from sfumato.measures.safety import Safety, measure
from sfumato.microfile import Hierarchy, Microfile
from sfumato.representations import Form


class BrokenLimitFacts(TypedDict):
    """Why a limit is broken, as ``--json`` writes it; null stands for a number that is not finite."""

    setting: str
    """The criterion, by the name of its setting."""
    attribute: str | None
    """The sensitive attribute that it limits, if it limits one."""
    limit: float | None
    """The limit."""
    reached: float | None
    """The measured value."""
    records: int
    """Records in blocks that violate it."""
    blocks: int
    """Blocks that violate it."""
    worst_block: int
    """The number of the worst block."""
    worst_block_records: int
    """Records in the worst block."""
    without: dict[str, int]
    """Records that would still violate it without each quasi attribute."""
    relaxed_limit: float | None
    """The next weaker limit."""
    relaxed_records: int
    """Records that would violate the weaker limit."""
    laid: bool
    """Whether it is broken after intersecting the records of each household."""


@dataclass(frozen=True)
class BrokenLimit:
    """Why a limit is broken, in counts only."""

    setting: str
    """The name of the limit."""
    attribute: str | None
    """The sensitive attribute that it is about, if it is about one."""
    limit: float
    """What was promised."""
    reached: float
    """What was measured."""
    records: int
    """How many records are in blocks that violate it."""
    blocks: int
    """How many blocks violate it."""
    worst_block: int
    """The number of the worst block; ``safety.blocks.members`` returns its records."""
    worst_block_records: int
    """How many records the worst block has."""
    without: Mapping[str, int] = field(default_factory=dict)
    """For each quasi attribute, how many records would violate the limit if it were dropped."""
    relaxed_limit: float = 0.0
    """The limit relaxed by one step."""
    relaxed_records: int = 0
    """How many records would violate the relaxed limit."""
    intersected: bool = False
    """Whether it is broken after intersecting the records of each household."""

    def facts(self) -> BrokenLimitFacts:
        """Return the reason as plain numbers."""
        return {
            "setting": self.setting,
            "attribute": self.attribute,
            "limit": json_content(self.limit),
            "reached": json_content(self.reached),
            "records": self.records,
            "blocks": self.blocks,
            "worst_block": self.worst_block,
            "worst_block_records": self.worst_block_records,
            "without": dict(self.without),
            "relaxed_limit": json_content(self.relaxed_limit),
            "relaxed_records": self.relaxed_records,
            "laid": self.intersected,
        }


def limits_of(promise: Promise, safety: Safety) -> list[Limit]:
    """Pair each limit of a promise with its measure."""
    limits = [limit for criterion in BLOCK_CRITERIA for limit in criterion.limits(promise, safety)]
    limits += _attribute_limits(promise, safety)
    if safety.intersected is not None:
        limits += [replace(limit, intersected=True) for limit in limits_of(promise, safety.intersected)]
    return limits


def _attribute_limits(promise: Promise, safety: Safety) -> Iterator[Limit]:
    for name, attribute in safety.attributes.items():
        for criterion in ATTRIBUTE_CRITERIA:
            limit = criterion.limit(promise, name, attribute)
            if limit is not None:
                yield limit


@dataclass(frozen=True)
class Compliance:
    """A table measured against a promise."""

    promise: Promise
    """What was promised."""
    safety: Safety
    """What was measured."""
    limits: tuple[Limit, ...]
    """Each limit with its measure."""

    @property
    def broken(self) -> list[Limit]:
        """The limits that are not satisfied."""
        return [limit for limit in self.limits if not limit.satisfied]

    @property
    def holds(self) -> bool:
        """Whether every limit is satisfied."""
        return not self.broken


def check_promise(
    microfile: Microfile,
    promise: Promise,
    *,
    keys: Sequence[str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    exact_risk: bool = False,
    blocks: Blocks | None = None,
    forms: Mapping[str, Form] | None = None,
) -> Compliance:
    """Measure a table against a promise.

    Parameters
    ----------
    microfile
        The table.
    promise
        The limits.
    keys
        The columns that hold the quasi attributes, where they have other names (an interval has two).
    hierarchies
        Hierarchies of sensitive attributes, for a hierarchical distance.
    exact_risk
        Whether risks of f > 2 use the exact formula.
    blocks
        The blocks, where they are known.
    forms
        How attributes are released, where not exactly; needed only for those that households share.
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
    return Compliance(promise, safety, tuple(limits_of(promise, safety)))


def explain(
    compliance: Compliance,
    microfile: Microfile,
    *,
    columns: Mapping[str, Sequence[str]] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    forms: Mapping[str, Form] | None = None,
) -> list[BrokenLimit]:
    """Return why limits are broken: in which block, by which attribute's detail, and what relaxing would change.

    Parameters
    ----------
    compliance, microfile
        What was measured, and the table.
    columns
        The columns of each quasi attribute, where they have other names.
    hierarchies, forms
        As for :func:`check_promise`.
    """
    if compliance.holds:
        return []
    promise = compliance.promise
    columns_of = {name: tuple((columns or {}).get(name, (name,))) for name in promise.quasi}
    without: dict[str, dict[tuple[str, str | None, bool], int]] = {}
    if len(columns_of) > 1:
        for dropped in columns_of:
            keys = [column for name, own_columns in columns_of.items() if name != dropped for column in own_columns]
            fewer = promise.model_copy(update={"shared": tuple(name for name in promise.shared if name != dropped)})
            reduced = check_promise(
                microfile,
                fewer,
                keys=keys,
                hierarchies=hierarchies,
                exact_risk=compliance.safety.exact_risk,
                forms=forms,
            )
            violating = {(x.setting, x.attribute, x.intersected): x.violations.records for x in reduced.limits}
            # where intersecting the records of households reveals no more, the single records reveal all
            without[dropped] = {(x, y, True): records for (x, y, _), records in violating.items()} | violating
    reasons = []
    for limit in compliance.broken:
        violations, relaxed = limit.violations, limit.measure.violations(limit.relaxed)
        key = (limit.setting, limit.attribute, limit.intersected)
        reasons.append(
            BrokenLimit(
                setting=limit.setting,
                attribute=limit.attribute,
                limit=limit.limit,
                reached=float(limit.reached),
                records=violations.records,
                blocks=violations.blocks,
                worst_block=limit.measure.worst_block,
                worst_block_records=int(limit.measure.sizes[limit.measure.worst_block]),
                without={name: violating[key] for name, violating in without.items()},
                relaxed_limit=float(np.round(limit.relaxed, 12)),
                relaxed_records=relaxed.records,
                intersected=limit.intersected,
            )
        )
    return reasons
