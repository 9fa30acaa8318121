"""Whether the limits of boxes can be kept at all, and what to say where they cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sfumato.arrays import Counts, Flags, Reals
from sfumato.boxes.axes import Axis
from sfumato.boxes.edges import resolution_of
from sfumato.boxes.limits import Rule, own_codes
from sfumato.boxes.strata import Strata
from sfumato.errors import MicrofileError, SettingError, UnattainableError
from sfumato.measures.blocks import Blocks, homes_of
from sfumato.measures.kept import Kept, Limit, keeps
from sfumato.measures.separation import separation
from sfumato.microfile.attribute import Kind
from sfumato.microfile.forms import Interval
from sfumato.microfile.generalization import Listed
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.roles import Roles, check_span, refuse_look_alikes

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes


LARGEST = 2**62
"""Larger whole numbers may have edges that 64 bits cannot hold."""


def check_roles(settings: Boxes, microfile: Microfile) -> None:
    """Refuse columns that do not exist, have two roles or only missing values."""
    roles = Roles(
        quasi=settings.quasi,
        sensitive=settings.sensitive,
        identifiers=settings.identifiers,
        weight=settings.weight,
        household=settings.household,
    )
    roles.check(microfile)
    refuse_look_alikes(microfile, settings.sensitive)
    _check_columns(settings, microfile)
    _check_listed(settings, microfile)
    if settings.k > microfile.records:
        raise UnattainableError(
            f"k = {settings.k:,} is larger than the file of {microfile.records:,} records",
            hint=f"choose k from 2 to {microfile.records:,}",
        )


def check_spans(axes: Sequence[Axis], edges: str) -> None:
    """Refuse numbers so large or so alike that products of them, or cuts between them, are beyond doubles."""
    for axis in axes:
        if edges == "tiling" and (axis.spacing or axis.origin + axis.span >= LARGEST):
            raise SettingError(
                f"edges: values of {axis.name!r} are larger or finer than the cuts of a tiling can tell apart",
                hint="choose edges = 'snapped', or divide the values",
            )
        if axis.kind == "numeric" and axis.span > 0:
            check_span(axis.name, axis.span)


def _check_columns(settings: Boxes, microfile: Microfile) -> None:
    """Refuse quasi attributes that could not be written as boxes, and preferred points of what has no numbers."""
    for name in settings.quasi:
        numeric = microfile.attribute(name).kind is Kind.NUMERIC and name not in settings.hierarchies
        dtype = microfile.series(name).dtype
        if numeric and isinstance(dtype, pl.Time | pl.Duration):
            raise MicrofileError(
                f"column {name!r} (quasi) holds times without dates", hint="make it a number, such as minutes"
            )
        if name in settings.prefer and (not numeric or dtype.is_temporal()):
            raise SettingError(
                f"prefer names {name!r}, which is not numeric", hint="hierarchies tell where categories are cut"
            )
        ends = Interval().columns(name) if numeric else ()
        if taken := [end for end in ends if end in microfile.attributes and end not in settings.identifiers]:
            raise MicrofileError(
                f"the box of {name!r} would be written to {taken[0]!r}, which is another column",
                hint=f"rename {taken[0]!r}",
            )


def _check_listed(settings: Boxes, microfile: Microfile) -> None:
    """Refuse hierarchies that list what was taken from the file, though fewer than k records have it."""
    for name in settings.quasi:
        hierarchy = settings.hierarchies.get(name)
        if hierarchy is None or not isinstance(hierarchy.by, Listed) or not hierarchy.by.learned:
            continue
        encoded = microfile.encoded(name)
        counts = np.bincount(encoded.codes[encoded.codes >= 0], minlength=encoded.values.size)
        listed = [str(value) in hierarchy.by.paths for value in encoded.values.tolist()]
        if rare := int((counts[listed] < settings.k).sum()):
            raise SettingError(
                f"hierarchies: the automatic one of {name!r} lists {rare:,} categories that fewer than k = "
                f"{settings.k:,} records have",
                hint=f"Hierarchy.automatic(..., {name!r}, least={settings.k}), or declare a hierarchy",
            )


def rules_of(settings: Boxes, microfile: Microfile, axes: Sequence[Axis]) -> list[Rule]:
    """Return what every box must keep beside k."""
    from sfumato.kernels import limits as kinds

    rules = []
    if settings.household is not None:
        homes = homes_of(microfile.encoded(settings.household))
        rules.append(Rule("k", settings.household, kinds.DISTINCT, settings.k, codes=homes, known=int(homes.max()) + 1))
    for name in settings.sensitive:
        encoded = microfile.encoded(name)
        codes, known = own_codes(encoded), int(encoded.values.size)
        if settings.l is not None:
            counted = {"distinct": kinds.DISTINCT, "entropy": kinds.ENTROPY, "recursive": kinds.RECURSIVE}
            rules.append(Rule("l", name, counted[settings.diversity], settings.l, settings.c or 0.0, codes, known))
        if settings.t is not None:
            hierarchy = settings.hierarchies.get(name)
            ordered = microfile.attribute(name).kind.ordered
            distance = settings.distances.get(name, "hierarchical" if hierarchy else "ordered" if ordered else "equal")
            if distance == "hierarchical" and hierarchy is None:
                raise SettingError(f"the hierarchical distance of {name!r} needs its hierarchy")
            rule = {"ordered": kinds.ORDERED, "equal": kinds.EQUAL, "hierarchical": kinds.NESTED}[distance]
            tree = tuple(hierarchy.joining_tree(encoded)) if hierarchy and distance == "hierarchical" else ()
            rules.append(Rule("t", name, rule, settings.t, codes=codes, known=known, tree=tree))
    if settings.l is not None:
        rules += _apart_rules(settings, axes, kinds.APART)
    return rules


def _apart_rules(settings: Boxes, axes: Sequence[Axis], rule: int) -> list[Rule]:
    """Return XK13's l-diversity: so many values at least epsilon apart of every quasi attribute."""
    named = list(settings.epsilon) if settings.sensitive else list(settings.quasi)
    rules = []
    for axis in axes:
        if axis.name not in named:
            continue
        epsilon = settings.epsilon.get(axis.name)
        if epsilon is None:
            epsilon = 1.0 if axis.kind not in ("numeric", "date") else resolution_of(axis.places)
        if epsilon is None:
            raise SettingError(
                f"l needs epsilon for {axis.name!r}: its numbers have no smallest unit from which to derive it",
                hint=f"epsilon={{{axis.name!r}: ...}}: how far apart two values must be to count as different",
            )
        places = np.where(axis.missing, np.nan, axis.places)
        rules.append(Rule("l", axis.name, rule, float(settings.l or 1), epsilon, places=places))
    return rules


def counted(rules: Sequence[Rule], axes: Sequence[Axis], strata: Strata) -> list[Rule]:
    """Return rules that leave out the values which strata lose: of what is not released there is nothing to tell."""
    rows = {axis.name: row for row, axis in enumerate(axes)}
    return [
        replace(rule, places=np.where(strata.lacking[strata.numbers, rows[rule.attribute]], np.nan, rule.places))
        if rule.places.size
        else rule
        for rule in rules
    ]


@dataclass(frozen=True)
class Unattainable:
    """How far strata are from keeping the limits as single boxes: what cannot be kept so cannot be kept at all."""

    settings: Boxes
    kept: Kept
    rules: tuple[Rule, ...]
    strata: Strata
    blocks: Blocks

    @cached_property
    def limits(self) -> list[Limit]:
        """The limits with their measures, strata by strata."""
        return [*self.kept.limits, *apart_limits(self.rules, self.blocks)]

    @property
    def broken(self) -> Flags:
        """Which strata break a limit."""
        broken: Flags = np.logical_or.reduce([limit.measure.breaking(limit.limit) for limit in self.limits])
        return broken

    def error(
        self, axes: Sequence[Axis], left_out: Flags, works: Callable[[dict[str, Any]], bool]
    ) -> UnattainableError:
        """Say which limit binds, where, and what would be attainable.

        ``left_out`` tells without which strata; ``works`` tells whether other settings can be kept, so that nothing is
        offered that cannot.
        """
        broken = np.flatnonzero(left_out)
        records = int(self.strata.sizes[broken].sum())
        worst = [limit for limit in self.limits if limit.measure.breaking(limit.limit).any()]
        # of all attributes that the setting speaks of, the one that is furthest from it
        same = [other for other in worst if other.setting == worst[0].setting]
        limit = (min if worst[0].measure.safer == "higher" else max)(same, key=lambda other: other.reached)
        what = f"{limit.setting} of {limit.attribute!r}" if limit.attribute else limit.setting
        best = limit.reached
        lacking = sorted({axes[row].name for row in np.flatnonzero(self.strata.lacking[broken].any(axis=0)).tolist()})
        where = "all records in one box"
        offers = [_milder(limit)]
        if len(self.strata) > 1:
            where = f"{records:,} records that lack values" + (
                f" of {', '.join(map(repr, lacking))}" if lacking else ""
            )
            offers.insert(0, {"suppress": _above(records / int(self.strata.sizes.sum()))})
            if self.settings.missing == "own":
                offers.insert(0, {"missing": "merged"})
        kept = [_told(offer) for offer in offers if works(offer)]
        together = {name: value for other in reversed(worst) for name, value in _milder(other).items()}
        if not kept and works(together):
            kept = [_told(together)]
        hint = (
            f"{', or '.join(kept)} would do" if kept else "leave out attributes that lack values, or relax all limits"
        )
        return UnattainableError(f"{what} = {limit.limit:g} cannot be kept: {where} reach {best:.6g}", hint=hint)


def _milder(limit: Limit) -> dict[str, Any]:
    """Return the nearest limit that would be kept, rounded to the safe side."""
    if limit.setting in ("k", "households"):
        return {"k": max(int(limit.reached), 1)} | ({} if limit.reached >= 2 else {"force": True})
    scaled = limit.reached * 1e4
    if not np.isfinite(scaled):
        return {limit.setting: None}
    rounded = np.floor(scaled) if limit.measure.safer == "higher" else np.ceil(scaled) + limit.measure.strict
    return {limit.setting: float(f"{rounded / 1e4:.10g}")}


def _told(offer: dict[str, Any]) -> str:
    """Write settings as they are given, in words that a recipe and Python share.

    >>> _told({"k": 1, "force": True}), _told({"t": 0.25}), _told({"l": 2.0})
    ('k=1 with force', 't=0.25', 'l=2')
    """
    written = [
        name if value is True else f"{name}={value:g}" if isinstance(value, float) else f"{name}={value!r}"
        for name, value in offer.items()
    ]
    return " with ".join(written)


def _above(share: float) -> float:
    """Round a share up to three digits."""
    return float(np.ceil(share * 1e3) / 1e3)


def unattainable(settings: Boxes, microfile: Microfile, rules: Sequence[Rule], strata: Strata) -> Unattainable:
    """Measure strata as if each were a box."""
    blocks = Blocks(strata.numbers.astype(np.int32), strata.sizes, ())
    sensitive = {name: one for name, one in settings.hierarchies.items() if name in settings.sensitive}
    kept = keeps(microfile, settings.measured_promise(), hierarchies=sensitive, blocks=blocks)
    return Unattainable(settings, kept, tuple(rules), strata, blocks)


def refuse_lost(axes: Sequence[Axis], lacking: Flags) -> None:
    """Refuse to release an attribute of which no value is left; ``lacking`` is what the strata lack."""
    for row in np.flatnonzero(lacking.all(axis=0)).tolist():
        name = axes[row].name
        raise UnattainableError(
            f"no value of {name!r} could be released: all records lose it when they are merged with those that lack it",
            hint=f"missing='own' with suppress, or give {name!r} as an identifier, so that it does not leave",
        )


def apart_limits(rules: Sequence[Rule], blocks: Blocks, chosen: Counts | None = None) -> list[Limit]:
    """Pair XK13's l with its measure."""

    def numbers(rule: Rule) -> Reals:
        return rule.places if chosen is None else rule.places[chosen]

    return [
        Limit(rule.setting, rule.attribute, rule.limit, separation(blocks, numbers(rule), rule.extra))
        for rule in rules
        if rule.places.size
    ]


def refuse_single(settings: Boxes, boxes: int, microfile: Microfile) -> None:
    """Refuse limits that only one block of all records keeps, which tells nothing of quasi attributes, unless meant."""
    limits = [name for name in ("l", "t") if getattr(settings, name) is not None]
    if boxes > 1 or settings.force or microfile.records < 2 * settings.k or not limits:
        return
    told = " and ".join(f"{name} = {getattr(settings, name):g}" for name in limits)
    raise UnattainableError(
        f"with {told} all {microfile.records:,} records are one block, which tells nothing of the quasi attributes",
        hint=f"relax {' or '.join(limits)}, or set force to true if that is meant",
    )


def refuse_broken(limits: Sequence[Limit]) -> None:
    """Refuse a result that does not keep its limits."""
    for limit in limits:
        if limit.violations.blocks:
            what = f"{limit.setting} of {limit.attribute!r}" if limit.attribute else limit.setting
            raise UnattainableError(
                f"{what} = {limit.limit:g} is broken by {limit.violations.records:,} records of the result",
                hint=f"{_told(_milder(limit))} is attainable",
            )
