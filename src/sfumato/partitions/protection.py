"""From a microfile to a release of fuzzy sets, step by step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sfumato.arrays import Flags, Reals
from sfumato.errors import MicrofileError, SettingError, UnattainableError
from sfumato.fuzzy.inversion import LEAST_WIDTH, Inversion, invert
from sfumato.fuzzy.released import PublicSets, ShapedSets, columns_of, form_of, on_levels
from sfumato.measures.blocks import homes_of
from sfumato.measures.households import rejoined, sharing, where_any
from sfumato.measures.kept import Limit, keeps
from sfumato.microfile.attribute import Kind
from sfumato.microfile.forms import Exact, Form
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.roles import Roles, check_span, refuse_look_alikes
from sfumato.partitions.finding import complete_values, find_sets
from sfumato.partitions.rounding import dominated, shares_of
from sfumato.progress import Progress
from sfumato.randomness import Secret
from sfumato.release.fuzziness import fuzzy_forms, fuzzy_safety
from sfumato.release.households import refuse_sharper, released_in_common, renumbered, shared_names
from sfumato.release.public import short
from sfumato.release.release import Release, refuse_unkept

if TYPE_CHECKING:
    from sfumato.partitions.partition import FuzzyPartition

ROUNDING = 1e-9
"""By this share sums of shares may be rounded."""
PATIENCE = 3
"""The search for the most levels ends after this number of failures in a row."""


@dataclass(frozen=True)
class Graded:
    """The grades of all records in the sets of one attribute of the release."""

    sets: PublicSets
    grades: Reals
    lacking: Flags


def protect(settings: FuzzyPartition, microfile: Microfile, progress: Progress, secret: Secret) -> Release:
    """Find sets, release grades, measure, and make the release."""
    progress("preparing", 0.0)
    _check(settings, microfile)
    shared = _shared(settings, microfile)
    numeric = tuple(name for name in settings.quasi if microfile.attribute(name).kind is Kind.NUMERIC)
    kept = _without_gaps(settings, microfile, [name for name in shared if name not in numeric])
    while True:
        progress("finding sets", 0.1)
        # of a record that is left out nothing may be told, so the sets are found without it
        found = find_sets(settings, kept, numeric, secret)
        _refuse_mixed(found, shared)
        common = tuple(name for name, sets in found.items() if {*sets.attributes} <= {*shared})
        graded = {
            name: _graded(sets, kept, settings.household if name in common else None) for name, sets in found.items()
        }
        common += tuple(name for name in shared if name not in numeric)
        progress("measuring", 0.7)
        levels = _levels(settings, graded)
        table, forms = _table(settings, kept, graded, levels)
        broken = _broken(settings, table, forms)
        if not broken:
            break
        stay = _stay(settings, table, forms)
        left_out = (microfile.records - int(stay.sum())) / microfile.records
        if left_out > settings.suppress:
            raise _unattainable(settings, kept, graded, broken[0], left_out, levels)
        kept = kept.filter(stay)
    _refuse_blur(graded, settings, levels)
    _refuse_lonely(graded, settings, kept)
    _refuse_narrow(graded, settings, levels)
    table = _with_households(settings, table, secret)
    refuse_sharper(table, settings.promise(tuple(forms), common), forms)
    # told from the table, for whether members have a value in common is known of the original alone
    shared = released_in_common(table, settings.promise(tuple(forms)), forms)
    release = Release(
        table,
        promise=settings.promise(tuple(forms), shared),
        forms=forms,
        identifiers=settings.identifiers,
        settings={
            "method": settings.method,
            "shown": settings.shown,
            "levels": levels,
            **({"asked_levels": settings.levels} if levels < settings.levels else {}),
            "replaced": list(numeric),
            "suppress": short(settings.suppress, rounding=ROUND_CEILING),
            **({"households": {"k": settings.k}} if settings.household and not settings.keep_household else {}),
        },
        private={
            "original_records": microfile.records,
            "left_out": microfile.records - kept.records,
            "protection": settings.model_dump(mode="json", exclude_defaults=True),
        },
        secret=secret,
        notes=_rejoined(settings, table, kept),
    )
    _refuse_few(settings, release)
    refuse_unkept(release)
    progress("measuring", 1.0)
    return release


def _check(settings: FuzzyPartition, microfile: Microfile) -> None:
    Roles(
        quasi=settings.quasi,
        sensitive=settings.sensitive,
        identifiers=settings.identifiers,
        weight=settings.weight,
        household=settings.household,
    ).check(microfile)
    refuse_look_alikes(microfile, settings.sensitive)
    if all(microfile.attribute(name).kind is not Kind.NUMERIC for name in settings.quasi):
        raise MicrofileError("no quasi attribute is numeric, so that there are no fuzzy sets", hint="use Boxes")
    for name in settings.quasi:
        if microfile.series(name).dtype.is_temporal():
            raise MicrofileError(
                f"column {name!r} (quasi) has dates, times or durations, of which no fuzzy sets are made",
                hint="use Boxes, or make a date an age",
            )
        if microfile.is_blank(name):
            raise MicrofileError(f"column {name!r} (quasi) has only missing values", hint="leave it out of quasi")
        if microfile.attribute(name).kind is not Kind.NUMERIC:
            if isinstance(settings.sets, dict) and name in settings.sets:
                raise SettingError(
                    f"sets: {name!r} has categories, which are released as they are", hint="leave it out"
                )
            continue
        numbers = microfile.numbers(name)
        if np.isinf(numbers).any():
            raise MicrofileError(
                f"column {name!r} (quasi) has infinite values, which belong to no set",
                hint="declare them as missing, or leave them out",
            )
        # as Python's numbers, whose difference is infinite without a warning
        span = float(np.nanmax(numbers)) - float(np.nanmin(numbers))
        if not span > 0:
            raise MicrofileError(
                f"column {name!r} (quasi) has the same value everywhere, so that no sets can be found",
                hint="leave it out of quasi",
            )
        check_span(name, span)
    if settings.k > microfile.records:
        raise UnattainableError(
            f"k = {settings.k:,} is larger than the file of {microfile.records:,} records",
            hint=f"choose k from 2 to {microfile.records:,}",
        )


def _shared(settings: FuzzyPartition, microfile: Microfile) -> tuple[str, ...]:
    """Return the quasi attributes that members of households have in common, where households are released."""
    if not settings.keep_household or settings.household is None:
        return ()
    return shared_names(sharing(microfile, settings.quasi, household=settings.household), settings.shared)


def _without_gaps(settings: FuzzyPartition, microfile: Microfile, names: Sequence[str]) -> Microfile:
    """Leave out shared categories of all members of a household of whom one lacks it: the others would tell it."""
    if settings.household is None or not names:
        return microfile
    homes = homes_of(microfile.encoded(settings.household))
    columns = {}
    for name in names:
        lacking = where_any(microfile.encoded(name).missing, homes)
        columns[name] = microfile.series(name).set(pl.Series(lacking), None)
    kinds = {name: its.declared for name in names if not (its := microfile.attribute(name)).guessed}
    return microfile.with_columns(columns, kinds=kinds)


def _narrowest(settings: FuzzyPartition, graded: Mapping[str, Graded], levels: int) -> Inversion | None:
    """Return of which attribute inverting the grades leaves least, as a share of its extent."""
    words = settings.shown == "words"
    inverted = [
        one
        for its in graded.values()
        if not its.lacking.all()
        for one in invert(its.sets, on_levels(its.grades[~its.lacking], levels), levels, words=words)
    ]
    return min(inverted, key=lambda one: one.share, default=None)


def _levels(settings: FuzzyPartition, graded: Mapping[str, Graded]) -> int:
    """Return the most levels, up to those asked for, on which inverting the grades leaves enough of every value.

    Where even one level does not, those asked for: a record that is left out may be the reason.
    """

    def works(levels: int) -> bool:
        worst = _narrowest(settings, graded, levels)
        return worst is None or worst.share >= settings.width

    if works(settings.levels) or not works(1):
        return settings.levels
    best = tried = 1
    # more levels need not leave less, but mostly do
    while tried < min(best + PATIENCE, settings.levels - 1):
        tried += 1
        best = tried if works(tried) else best
    return best


def _refuse_narrow(graded: Mapping[str, Graded], settings: FuzzyPartition, levels: int) -> None:
    """Refuse sets whose grades give values back, on however few levels."""
    worst = _narrowest(settings, graded, levels)
    if worst is None or worst.share >= settings.width:
        return
    coarsest = _narrowest(settings, graded, 1) or worst
    attainable = math.floor(1000 * coarsest.share) / 1000
    milder = f", or width = {attainable:g}" if attainable >= LEAST_WIDTH else ""
    raise UnattainableError(
        f"width = {settings.width:g} cannot be kept: inverting the sets of {coarsest.attribute!r} leaves only "
        f"{coarsest.share:.3f} of its extent to somebody who knows a record's other attributes, even on one level",
        hint=f"choose fewer sets{milder}",
    )


def _refuse_mixed(found: Mapping[str, PublicSets], shared: tuple[str, ...]) -> None:
    """Refuse sets of what members of a household share and of what they do not: those of several tell more of it."""
    for sets in found.values():
        its = [name for name in sets.attributes if name in shared]
        if its and len(its) < len(sets.attributes):
            raise SettingError(
                f"keep_household: members of a household have {its[0]!r} in common, of which the fuzzy sets of several "
                "members, found in all quasi attributes together, tell more than those of each",
                hint="method='sets', which finds sets of each attribute by itself; or no keep_household",
            )


def _with_households(settings: FuzzyPartition, table: Microfile, secret: Secret) -> Microfile:
    """Give households new numbers, or withhold them."""
    if settings.household is None:
        return table
    if settings.keep_household:
        return renumbered(table, settings.household, secret=secret)
    return table.select([name for name in table.names if name != settings.household])


def _rejoined(settings: FuzzyPartition, table: Microfile, kept: Microfile) -> tuple[str, ...]:
    """Say for the steward how many households released values put together although their numbers are withheld."""
    if settings.household is None or settings.keep_household:
        return ()
    return rejoined(table, homes_of(kept.encoded(settings.household))).told()


def _graded(sets: PublicSets, microfile: Microfile, household: str | None) -> Graded:
    """Grade all records; members of a ``household`` lack what one of them lacks, for the others would tell it."""
    values, lacking = complete_values(microfile, sets.attributes)
    if household is not None:
        lacking = where_any(lacking, homes_of(microfile.encoded(household)))
    # a record that lacks a value is told nothing about
    return Graded(sets, sets.grades(np.where(lacking[:, None], 0.0, values)), lacking)


def _table(
    settings: FuzzyPartition, microfile: Microfile, graded: Mapping[str, Graded], levels: int
) -> tuple[Microfile, dict[str, Form]]:
    """Put the sets in the place of the quasi attributes; the other columns stay as they are."""
    forms = {name: form_of(its.sets, shown=settings.shown, levels=levels) for name, its in graded.items()}
    wide: dict[str, pl.Series] = {}
    for name, its in graded.items():
        wide |= columns_of(name, forms[name], on_levels(its.grades, levels), its.lacking)
    replaced = [name for its in graded.values() for name in its.sets.attributes]
    kept = [name for name in microfile.names if name not in (*replaced, *settings.identifiers)]
    taken = [name for name in wide if name in kept]
    if taken:
        raise MicrofileError(
            f"fuzzy sets would be written to {taken[0]!r}, which is another column", hint=f"rename {taken[0]!r}"
        )
    table = microfile.select([*kept, replaced[0]]).with_columns(wide)
    order, put = [], False
    for name in microfile.names:
        if name in replaced and not put:
            order += list(wide)
            put = True
        elif name in kept:
            order.append(name)
    exact = {name: Exact() for name in settings.quasi if name not in replaced}
    return table.select(order), {**forms, **exact}


def _broken(settings: FuzzyPartition, table: Microfile, forms: Mapping[str, Form]) -> list[Limit]:
    """Measure what would be released; return the limits that it breaks."""
    keys = [column for name, form in forms.items() for column in form.columns(name)]
    return keeps(table, settings.measured_promise(tuple(forms)), keys=keys).broken


def _stay(settings: FuzzyPartition, table: Microfile, forms: Mapping[str, Form]) -> Flags:
    """Say which records stay if those of broken blocks are left out, until these are more than may be."""
    stay = np.ones(table.records, dtype=np.bool_)
    keys = [column for name, form in forms.items() for column in form.columns(name)]
    promise = settings.measured_promise(tuple(forms))
    while True:
        left = table.filter(stay)
        if any(left.is_blank(name) for name in (*keys, *settings.sensitive)):
            # nobody who has the value can stay, so there is nothing to release
            return np.zeros(table.records, dtype=np.bool_)
        kept = keeps(left, promise, keys=keys)
        if not kept.broken:
            return stay
        numbers = kept.safety.blocks.numbers
        wrong = np.zeros(len(kept.safety.blocks), dtype=np.bool_)
        for limit in kept.broken:
            wrong |= limit.measure.breaking(limit.limit)
        stay[np.flatnonzero(stay)[wrong[numbers]]] = False
        if (~stay).sum() > settings.suppress * table.records or not stay.any():
            return stay


def _unattainable(
    settings: FuzzyPartition,
    microfile: Microfile,
    graded: Mapping[str, Graded],
    limit: Limit,
    left_out: float,
    levels: int,
) -> UnattainableError:
    """Say which limit binds, and the mildest change that would keep it; with less than ``left_out`` it is not kept."""
    found = limit.violations
    of = f" of {limit.attribute!r}" if limit.attribute else ""
    crisp = settings.method == "k-means"
    how = f"{settings.sets} sets" if crisp else f"{settings.shown} on {levels} levels"
    told = (
        f"{limit.setting} = {limit.limit:g}{of} cannot be kept with {how}: {found.records:,} records are released with "
        f"too few others alike, or with too like ones (reached: {limit.reached:.4g})"
    )

    def works(fewer: int) -> bool:
        return not _broken(settings, *_table(settings, microfile, graded, fewer))

    if not crisp and levels > 1 and works(1):
        low, high = 1, levels
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if works(middle) else (low, middle)
        return UnattainableError(told, hint=f"levels = {low} would keep everything")
    fewer = "fewer sets" if settings.method != "sets" else "fewer sets or attributes"
    share = math.ceil(1000 * left_out) / 1000
    # sets are found anew without the records that are left out, so that others may be too few alike then
    left = f", or try suppress = {share:g} or more" if share < 1 else ""
    return UnattainableError(told, hint=f"choose {fewer}, a milder {limit.setting}{left}")


def _refuse_blur(graded: Mapping[str, Graded], settings: FuzzyPartition, levels: int) -> None:
    """Refuse sets that all records belong to alike: clusters of many attributes that have none."""
    for its in graded.values():
        parts = on_levels(its.grades[~its.lacking], levels)
        shown = parts > 0 if settings.shown == "words" else parts
        if len(shown) and (shown == shown[0]).all():
            raise UnattainableError(
                f"all records would be released alike: they have no clusters in {len(its.sets.attributes)} attributes "
                "that grades on so few levels could tell apart",
                hint="choose fewer attributes, a lower fuzzifier, method = 'k-means', or sets that part the values",
            )


def _refuse_lonely(graded: Mapping[str, Graded], settings: FuzzyPartition, kept: Microfile) -> None:
    """Refuse clusters that rest on fewer than k records, or mostly on two: their centres would tell of these."""
    weights = np.ones(kept.records) if settings.weight is None else np.nan_to_num(kept.numbers(settings.weight))
    for its in graded.values():
        if isinstance(its.sets, ShapedSets):
            continue
        grades = its.grades[~its.lacking]
        shares = shares_of(its.sets, grades, weights[~its.lacking])
        # this number of records with equal weights would be as dispersed
        effective = 1.0 / np.maximum((shares**2).sum(axis=0), np.finfo(np.float64).tiny)
        nearest = np.bincount(grades.argmax(axis=1), minlength=grades.shape[1])
        if effective.min() < settings.k * (1.0 - ROUNDING) or nearest.min() < settings.k or dominated(shares).any():
            raise UnattainableError(
                f"a set rests on fewer than k = {settings.k} records, or mostly on two, of which its centre would tell",
                hint="choose fewer sets, or leave out records that lie far from all others",
            )


def _refuse_few(settings: FuzzyPartition, release: Release) -> None:
    """Refuse a release whose fuzzy sets have too few records."""
    if settings.q is None:
        return
    safety = fuzzy_safety(release.microfile, fuzzy_forms(release.codebook), release.promise)
    if safety is None:
        raise UnattainableError(
            "q cannot be measured: the fuzzy sets of all attributes have too many combinations",
            hint="choose fewer sets",
        )
    reached = safety.q(operator=settings.operator).reached(settings.level)
    if reached < settings.q:
        raise UnattainableError(
            f"q = {settings.q} cannot be kept: at level {settings.level:g} the fuzzy sets reach Q = {reached}",
            hint=f"choose q of at most {reached}, a lower level or fewer sets" if reached else "choose fewer sets",
        )
