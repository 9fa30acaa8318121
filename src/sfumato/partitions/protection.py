"""From a microfile to a release of fuzzy sets, step by step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sfumato.array_types import Counts
from sfumato.errors import MicrofileError, SettingError, UnattainableError
from sfumato.fuzzy import LEAST_WIDTH, Inversion, PublicSets, invert, on_levels
from sfumato.measures import Limit, homes_of, sharing, where_any
from sfumato.microfile import Kind, Microfile
from sfumato.partitions.partition_facts import PartitionPublicSettings
from sfumato.partitions.redraws import first_accepted
from sfumato.partitions.set_checks import Graded, refuse_blur, refuse_few, refuse_lonely
from sfumato.partitions.set_search import complete_values, find_sets, refuse_unclusterable
from sfumato.partitions.validation import check_microfile
from sfumato.progress import Progress
from sfumato.protections import ProtectedTable, broken_limits, records_within_limits, release_of
from sfumato.randomness import Secret
from sfumato.release import Release, refuse_unkept, shared_names, short
from sfumato.representations import Exact, Form, Fuzzy

if TYPE_CHECKING:
    from sfumato.partitions.fuzzy_partition import FuzzyPartition

PATIENCE = 3
"""The search for the largest number of levels ends after this number of failures in a row."""


@dataclass(frozen=True)
class Fit:
    """Sets that were found, and the table in which they replace the values of the retained records."""

    retained: Microfile
    records: Counts
    """Which records of the original are retained."""
    graded: dict[str, Graded]
    common: tuple[str, ...]
    """The attributes in which members of a household are released alike."""
    levels: int
    table: Microfile
    forms: dict[str, Form]


def protect(settings: FuzzyPartition, microfile: Microfile, progress: Progress, secret: Secret) -> Release:
    """Find sets, grade the records, measure the result, and make the release."""
    progress("preparing", 0.0)
    check_microfile(settings, microfile)
    shared = _shared(settings, microfile)
    numeric = tuple(name for name in settings.quasi if microfile.attribute(name).kind is Kind.NUMERIC)
    complete = _without_gaps(settings, microfile, [name for name in shared if name not in numeric])
    refuse_unclusterable(settings, complete, numeric)

    def attempt(draws: Secret) -> Release:
        fit = _fit(settings, complete, numeric, shared, draws, progress)
        refuse_blur(fit.graded, settings, fit.levels)
        refuse_lonely(fit.graded, settings, fit.retained)
        _refuse_narrow(fit.graded, settings, fit.levels)
        release = release_of(settings, microfile, _protected_table(settings, fit, numeric), secret)
        refuse_few(settings, release)
        refuse_unkept(release)
        return release

    # only clusterings depend on random draws
    release = attempt(secret) if settings.method == "sets" else first_accepted(attempt, secret, microfile.records)
    progress("measuring", 1.0)
    return release


def _fit(
    settings: FuzzyPartition,
    complete: Microfile,
    numeric: tuple[str, ...],
    shared: tuple[str, ...],
    draws: Secret,
    progress: Progress,
) -> Fit:
    """Find sets, and suppress records until all limits are met."""
    retained, records = complete, np.arange(complete.records)
    while True:
        progress("finding sets", 0.1)
        # nothing may be revealed about suppressed records, so the sets are found without them
        sets_by_name = find_sets(settings, retained, numeric, draws)
        _refuse_mixed(sets_by_name, shared)
        common = tuple(name for name, sets in sets_by_name.items() if {*sets.attributes} <= {*shared})
        graded = {
            name: _graded(sets, retained, settings.household if name in common else None)
            for name, sets in sets_by_name.items()
        }
        common += tuple(name for name in shared if name not in numeric)
        progress("measuring", 0.7)
        levels = _levels(settings, graded)
        table, forms = _table(settings, retained, graded, levels)
        violated = broken_limits(settings, table, forms)
        if not violated:
            return Fit(retained, records, graded, common, levels, table, forms)
        is_retained = records_within_limits(settings, table, forms)
        suppressed_share = (complete.records - int(is_retained.sum())) / complete.records
        if suppressed_share > settings.suppress:
            raise _unattainable(settings, retained, graded, violated[0], suppressed_share, levels)
        retained, records = retained.filter(is_retained), records[is_retained]
        refuse_unclusterable(settings, retained, numeric)


def _protected_table(settings: FuzzyPartition, fit: Fit, numeric: tuple[str, ...]) -> ProtectedTable:
    """Return the protected records with what everybody may know about them."""
    public = PartitionPublicSettings(
        method=settings.method,
        shown=settings.shown,
        levels=fit.levels,
        **({"asked_levels": settings.levels} if fit.levels < settings.levels else {}),
        replaced=numeric,
        suppress=short(settings.suppress, rounding=ROUND_CEILING),
    )
    return ProtectedTable(fit.table, tuple(fit.forms), fit.forms, fit.records, public, shared=fit.common)


def _shared(settings: FuzzyPartition, microfile: Microfile) -> tuple[str, ...]:
    """Return the quasi attributes that members of households have in common, where households are released."""
    if not settings.keep_household or settings.household is None:
        return ()
    return shared_names(sharing(microfile, settings.quasi, household=settings.household), settings.shared)


def _without_gaps(settings: FuzzyPartition, microfile: Microfile, names: Sequence[str]) -> Microfile:
    """Remove a shared category of all members of a household if one of them lacks it: the others would reveal it."""
    if settings.household is None or not names:
        return microfile
    households = homes_of(microfile.encoded(settings.household))
    columns = {}
    for name in names:
        lacking = where_any(microfile.encoded(name).missing, households)
        columns[name] = microfile.series(name).set(pl.Series(lacking), None)
    kinds = {name: attribute.declared for name in names if not (attribute := microfile.attribute(name)).guessed}
    return microfile.with_columns(columns, kinds=kinds)


def _narrowest(settings: FuzzyPartition, graded: Mapping[str, Graded], levels: int) -> Inversion | None:
    """Return the attribute of which inverting the grades leaves the smallest share of its extent."""
    words = settings.shown == "words"
    inverted = [
        inversion
        for attribute in graded.values()
        if not attribute.lacking.all()
        for inversion in invert(
            attribute.sets, on_levels(attribute.grades[~attribute.lacking], levels), levels, words=words
        )
    ]
    return min(inverted, key=lambda inversion: inversion.share, default=None)


def _levels(settings: FuzzyPartition, graded: Mapping[str, Graded]) -> int:
    """Return the largest number of levels, up to that requested, on which inverting the grades leaves enough.

    If even one level does not, return the requested number: a record that will be suppressed may be the reason.
    """

    def works(levels: int) -> bool:
        worst = _narrowest(settings, graded, levels)
        return worst is None or worst.share >= settings.width

    if works(settings.levels) or not works(1):
        return settings.levels
    best = tried = 1
    # more levels do not always leave less, but usually do
    while tried < min(best + PATIENCE, settings.levels - 1):
        tried += 1
        best = tried if works(tried) else best
    return best


def _refuse_narrow(graded: Mapping[str, Graded], settings: FuzzyPartition, levels: int) -> None:
    """Refuse sets whose grades reveal values on any number of levels."""
    worst = _narrowest(settings, graded, levels)
    if worst is None or worst.share >= settings.width:
        return
    coarsest = _narrowest(settings, graded, 1) or worst
    attainable = math.floor(1000 * coarsest.share) / 1000
    milder = f", or width = {attainable:g}" if attainable >= LEAST_WIDTH else ""
    raise UnattainableError(
        f"width = {settings.width:g} is unattainable: even on one level, inverting the sets of {coarsest.attribute!r} "
        f"leaves only {coarsest.share:.3f} of its extent to somebody who knows a record's other attributes",
        hint=f"choose fewer sets{milder}",
        setting="width",
        column=coarsest.attribute,
    )


def _refuse_mixed(sets_by_name: Mapping[str, PublicSets], shared: tuple[str, ...]) -> None:
    """Refuse sets that mix shared and personal attributes: those of several members reveal more."""
    for sets in sets_by_name.values():
        mixed_in = [name for name in sets.attributes if name in shared]
        if mixed_in and len(mixed_in) < len(sets.attributes):
            raise SettingError(
                f"keep_household: members of a household share {mixed_in[0]!r}, and the fuzzy sets of several members, "
                "found in all quasi attributes together, reveal more about it than those of one",
                hint="method='sets', which finds sets of each attribute separately; or no keep_household",
                setting="keep_household",
                column=mixed_in[0],
            )


def _graded(sets: PublicSets, microfile: Microfile, household: str | None) -> Graded:
    """Grade all records; members of a ``household`` lack what one of them lacks: the others would reveal it."""
    values, lacking = complete_values(microfile, sets.attributes)
    if household is not None:
        lacking = where_any(lacking, homes_of(microfile.encoded(household)))
    # nothing is released about a record that lacks a value
    return Graded(sets, sets.grades(np.where(lacking[:, None], 0.0, values)), lacking)


def _table(
    settings: FuzzyPartition, microfile: Microfile, graded: Mapping[str, Graded], levels: int
) -> tuple[Microfile, dict[str, Form]]:
    """Replace the quasi attributes by sets; the other columns are unchanged."""
    forms = {name: Fuzzy.of(attribute.sets, shown=settings.shown, levels=levels) for name, attribute in graded.items()}
    wide: dict[str, pl.Series] = {}
    for name, attribute in graded.items():
        wide |= forms[name].write(name, on_levels(attribute.grades, levels), attribute.lacking)
    replaced = [name for attribute in graded.values() for name in attribute.sets.attributes]
    unchanged = [name for name in microfile.names if name not in (*replaced, *settings.identifiers)]
    clashing = [name for name in wide if name in unchanged]
    if clashing:
        raise MicrofileError(
            f"fuzzy sets would be written to {clashing[0]!r}, which is another column",
            hint=f"rename {clashing[0]!r}",
            setting="quasi",
        )
    table = microfile.select([*unchanged, replaced[0]]).with_columns(wide)
    order, is_placed = [], False
    for name in microfile.names:
        if name in replaced and not is_placed:
            order += list(wide)
            is_placed = True
        elif name in unchanged:
            order.append(name)
    exact = {name: Exact() for name in settings.quasi if name not in replaced}
    return table.select(order), {**forms, **exact}


def _unattainable(
    settings: FuzzyPartition,
    microfile: Microfile,
    graded: Mapping[str, Graded],
    limit: Limit,
    left_out: float,
    levels: int,
) -> UnattainableError:
    """Say which limit binds, and the mildest change that would meet it; suppressing less than ``left_out`` does not."""
    violations = limit.violations
    of_attribute = f" of {limit.attribute!r}" if limit.attribute else ""
    crisp = settings.method == "k-means"
    how = f"{settings.sets} sets" if crisp else f"{settings.shown} on {levels} levels"
    message = (
        f"{limit.setting} = {limit.limit:g}{of_attribute} is unattainable with {how}: {violations.records:,} records "
        f"are in blocks that are too small or too homogeneous (reached: {limit.reached:.4g})"
    )

    def works(fewer: int) -> bool:
        return not broken_limits(settings, *_table(settings, microfile, graded, fewer))

    if not crisp and levels > 1 and works(1):
        low, high = 1, levels
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if works(middle) else (low, middle)
        return UnattainableError(
            message, hint=f"levels = {low} would meet all limits", setting=limit.setting, column=limit.attribute
        )
    fewer = "fewer sets" if settings.method != "sets" else "fewer sets or attributes"
    share = math.ceil(1000 * left_out) / 1000
    # sets are found again without the suppressed records, and then other blocks may be too small
    suppression = f", or try suppress = {share:g} or more" if share < 1 else ""
    return UnattainableError(
        message,
        hint=f"choose {fewer}, a milder {limit.setting}{suppression}",
        setting=limit.setting,
        column=limit.attribute,
    )
