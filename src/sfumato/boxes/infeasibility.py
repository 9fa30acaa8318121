"""Why limits cannot be met, and what would be attainable instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.array_types import Counts, Flags, Reals
from sfumato.boxes.axes import QuasiAxis
from sfumato.boxes.constraints import BoxRule
from sfumato.boxes.missingness_strata import Strata
from sfumato.errors import UnattainableError
from sfumato.measures import EPSILON_DIVERSITY, Blocks, Compliance, Limit, check_promise, separation
from sfumato.microfile import Microfile

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes

Changes = dict[str, Any]
"""Settings to be changed, with their new values."""


@dataclass(frozen=True)
class MeasuredStrata:
    """Strata measured as if each were one box: a limit that such a box violates cannot be met at all."""

    settings: Boxes
    compliance: Compliance
    rules: tuple[BoxRule, ...]
    strata: Strata
    blocks: Blocks

    @cached_property
    def limits(self) -> list[Limit]:
        """The limits with their measures for each stratum."""
        return [*self.compliance.limits, *apart_limits(self.rules, self.blocks)]

    @property
    def violating(self) -> Flags:
        """Which strata violate a limit."""
        violating: Flags = np.logical_or.reduce([limit.measure.breaking(limit.limit) for limit in self.limits])
        return violating

    def error(
        self, axes: Sequence[QuasiAxis], suppressed: Flags, works: Callable[[Changes], bool]
    ) -> UnattainableError:
        """Say which limit binds, for which records, and what would be attainable.

        ``suppressed`` strata violate a limit; ``works`` says whether changed settings can be met, so that only those
        are suggested.
        """
        violated = [limit for limit in self.limits if limit.measure.breaking(limit.limit).any()]
        # of all attributes that the setting is about, the one that is furthest from it
        same_setting = [limit for limit in violated if limit.setting == violated[0].setting]
        worst = min if violated[0].measure.safer == "higher" else max
        limit = worst(same_setting, key=lambda limit: limit.reached)
        suggestions = self._suggestions(limit, violated, suppressed, works)
        hint = (
            f"{', or '.join(suggestions)} would be attainable"
            if suggestions
            else "leave out attributes with missing values, or relax all limits"
        )
        where = self._where(axes, suppressed)
        return UnattainableError(
            f"{_described(limit)} = {limit.limit:g} is unattainable: {where} {limit.reached:.6g}",
            hint=hint,
            setting="k" if limit.setting == "households" else limit.setting,
            column=limit.attribute,
        )

    def _where(self, axes: Sequence[QuasiAxis], suppressed: Flags) -> str:
        """Say which records reach the limit least."""
        if len(self.strata) == 1:
            return "even one box of all records reaches"
        violating = np.flatnonzero(suppressed)
        n_records = int(self.strata.sizes[violating].sum())
        rows = np.flatnonzero(self.strata.lacking[violating].any(axis=0)).tolist()
        names = ", ".join(sorted({repr(axes[row].name) for row in rows}))
        return f"{n_records:,} records with missing values{f' of {names}' if names else ''} reach"

    def _suggestions(
        self, limit: Limit, violated: Sequence[Limit], suppressed: Flags, works: Callable[[Changes], bool]
    ) -> list[str]:
        """Return changes of settings that would help; all limits together, if no single change does."""
        changes = [relaxed(limit)]
        if len(self.strata) > 1:
            share = int(self.strata.sizes[suppressed].sum()) / int(self.strata.sizes.sum())
            changes.insert(0, {"suppress": _rounded_up(share)})
            if self.settings.missing == "own":
                changes.insert(0, {"missing": "merged"})
        attainable = [as_written(change) for change in changes if works(change)]
        all_relaxed = {name: value for limit in reversed(violated) for name, value in relaxed(limit).items()}
        return attainable or ([as_written(all_relaxed)] if works(all_relaxed) else [])


def _described(limit: Limit) -> str:
    return f"{limit.setting} of {limit.attribute!r}" if limit.attribute else limit.setting


def relaxed(limit: Limit) -> Changes:
    """Return the nearest limit that would be met, rounded to the safe side."""
    if limit.setting in ("k", "households"):
        return {"k": max(int(limit.reached), 1)} | ({} if limit.reached >= 2 else {"force": True})
    scaled = limit.reached * 1e4
    if not np.isfinite(scaled):
        return {limit.setting: None}
    rounded = np.floor(scaled) if limit.measure.safer == "higher" else np.ceil(scaled) + limit.measure.strict
    return {limit.setting: float(f"{rounded / 1e4:.10g}")}


def as_written(changes: Changes) -> str:
    """Write settings as they are given in a recipe and in Python.

    >>> as_written({"k": 1, "force": True}), as_written({"t": 0.25}), as_written({"l": 2.0})
    ('k=1 with force', 't=0.25', 'l=2')
    """
    written = [
        name if value is True else f"{name}={value:g}" if isinstance(value, float) else f"{name}={value!r}"
        for name, value in changes.items()
    ]
    return " with ".join(written)


def _rounded_up(share: float) -> float:
    """Round a share up to three digits."""
    return float(np.ceil(share * 1e3) / 1e3)


def measured_strata(settings: Boxes, microfile: Microfile, rules: Sequence[BoxRule], strata: Strata) -> MeasuredStrata:
    """Measure strata as if each were a box."""
    blocks = Blocks(strata.numbers.astype(np.int32), strata.sizes, ())
    promise, hierarchies = settings.measured_promise(), settings.sensitive_hierarchies
    compliance = check_promise(microfile, promise, hierarchies=hierarchies, blocks=blocks)
    return MeasuredStrata(settings, compliance, tuple(rules), strata, blocks)


def refuse_lost(axes: Sequence[QuasiAxis], lacking: Flags) -> None:
    """Refuse to release an attribute without any value left; ``lacking`` is what the strata lack."""
    for row in np.flatnonzero(lacking.all(axis=0)).tolist():
        name = axes[row].name
        raise UnattainableError(
            f"no value of {name!r} could be released: all records lose it when they are merged with those that lack it",
            hint=f"missing='own' with suppress, or make {name!r} an identifier, so that it is not released",
            setting="quasi",
            column=name,
        )


def apart_limits(rules: Sequence[BoxRule], blocks: Blocks, records: Counts | None = None) -> list[Limit]:
    """Pair XK13's l with its measure, for all or some records."""

    def coordinates(rule: BoxRule) -> Reals:
        return rule.coordinates if records is None else rule.coordinates[records]

    return [
        Limit(EPSILON_DIVERSITY, rule.attribute, rule.limit, separation(blocks, coordinates(rule), rule.extra))
        for rule in rules
        if rule.coordinates.size
    ]


def refuse_broken(limits: Sequence[Limit]) -> None:
    """Refuse a result that does not meet its limits."""
    for limit in limits:
        if limit.violations.blocks:
            n_records = limit.violations.records
            raise UnattainableError(
                f"{_described(limit)} = {limit.limit:g} is violated by {n_records:,} records of the result",
                hint=f"{as_written(relaxed(limit))} is attainable",
                setting="k" if limit.setting == "households" else limit.setting,
                column=limit.attribute,
            )
