"""The search for sets: clusters of several attributes together, or separate sets for each attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sfumato.array_types import Flags, Reals
from sfumato.errors import SettingError, UnattainableError
from sfumato.fuzzy import BETWEEN, ClusteredSets, LinguisticVariable, PublicSets, ShapedSets, ruspini_from, written
from sfumato.partitions.set_rounding import FINE, rounded_scales, rounded_sets
from sfumato.randomness import Secret

if TYPE_CHECKING:
    from sfumato.microfile import Microfile
    from sfumato.partitions.fuzzy_partition import FuzzyPartition

STARTS = 4
"""The number of starts of a clustering."""
ALIKE = 0.05
"""Clusterings whose objectives differ by up to this share count as equally good."""
NAMED = 2
"""With up to this number of attributes, sets are named by their centres."""


def find_sets(
    settings: FuzzyPartition, microfile: Microfile, names: tuple[str, ...], secret: Secret
) -> dict[str, PublicSets]:
    """Return the sets of the named attributes: one of all of them together, or one each."""
    if settings.method == "sets":
        return {name: ShapedSets(variable=_variable(settings, microfile, name)) for name in names}
    return {joint_name(names): _clustered(settings, microfile, names, secret)}


def joint_name(names: Sequence[str]) -> str:
    """Name the attribute that stands for several."""
    return "+".join(names)


def complete_values(microfile: Microfile, names: Sequence[str]) -> tuple[Reals, Flags]:
    """Return records by attributes, and which records lack one."""
    values = np.stack([microfile.numbers(name) for name in names], axis=1)
    lacking: Flags = np.asarray(np.isnan(values).any(axis=1))
    return values, lacking


def _variable(settings: FuzzyPartition, microfile: Microfile, name: str) -> LinguisticVariable:
    values = microfile.numbers(name)
    requested: Any = settings.sets.get(name, 3) if isinstance(settings.sets, dict) else settings.sets
    if isinstance(requested, int):
        return ruspini_from(name, values, sets=requested)
    variable = LinguisticVariable(attribute=name, values=requested)
    if any(not word.strip() or BETWEEN.strip() in word for word in requested):
        raise SettingError(
            f"sets: a word of {name!r} is empty, or contains {BETWEEN.strip()!r}, which separates words",
            setting="sets",
            column=name,
        )
    present = values[~np.isnan(values)]
    bends = [bend for shape in variable.values.values() for bend in shape.bends]
    # grades must sum to 1 wherever a record can be; the extremes of the file are not reported
    variable.check_ruspini()
    totals = variable.grades(np.array([present.min(), present.max()])).sum(axis=1)
    if np.abs(totals - 1.0).max() > 1e-9:
        raise SettingError(
            f"sets: the values of {name!r} reach beyond its sets, from {written(min(bends))} to {written(max(bends))}",
            hint="let the first set be falling and the last one rising, which have no end",
            setting="sets",
            column=name,
        )
    return variable


def refuse_unclusterable(settings: FuzzyPartition, microfile: Microfile, names: tuple[str, ...]) -> None:
    """Refuse records that cannot be clustered, whatever is drawn."""
    if settings.method == "sets":
        return
    complete, weights = _complete(settings, microfile, names)
    if not len(complete):
        raise UnattainableError(
            "no record has all quasi attributes, so they cannot be clustered together",
            hint="use method = 'sets', which treats each attribute separately",
            setting="quasi",
        )
    for name, column in zip(names, complete.T if weights is None else complete[weights > 0].T, strict=True):
        if column.size and (column == column[0]).all():
            weighty = "" if weights is None else " and a positive weight"
            raise UnattainableError(
                f"column {name!r} (quasi) has the same value in all records that have every quasi attribute{weighty}, "
                "so they cannot be clustered by it",
                hint=f"leave {name!r} out of quasi, or use method = 'sets', which treats each attribute separately",
                setting="quasi",
                column=name,
            )
    n_sets = settings.sets if isinstance(settings.sets, int) else 0
    distinct = pl.DataFrame(complete).n_unique()
    if distinct < n_sets:
        raise UnattainableError(
            f"{n_sets} sets need as many different records; {distinct} have all quasi attributes and differ",
            hint=f"ask for at most {distinct} sets" if distinct > 1 else "use Boxes",
            setting="sets",
        )
    if weights is not None and int((weights > 0).sum()) < n_sets:
        raise UnattainableError(
            f"{n_sets} sets need as many records with a positive weight that have all quasi attributes",
            hint="ask for fewer sets, or cluster without weights",
            setting="sets",
        )


def _complete(settings: FuzzyPartition, microfile: Microfile, names: tuple[str, ...]) -> tuple[Reals, Reals | None]:
    """Return the records that have all attributes, and their weights."""
    values, lacking = complete_values(microfile, names)
    weights = None if settings.weight is None else np.nan_to_num(microfile.numbers(settings.weight)[~lacking])
    return values[~lacking], weights


def _clustered(settings: FuzzyPartition, microfile: Microfile, names: tuple[str, ...], secret: Secret) -> ClusteredSets:
    complete, weights = _complete(settings, microfile, names)
    rounding = secret.stream("rounding of sets")
    scales = _scales(settings, complete, rounding)
    exact = exact_sets(settings, names, complete / scales, scales, weights, secret)
    return _sets(settings, names, *rounded_sets(exact, complete, weights, rounding))


def exact_sets(
    settings: FuzzyPartition,
    names: tuple[str, ...],
    scaled: Reals,
    scales: Reals,
    weights: Reals | None,
    secret: Secret,
) -> ClusteredSets:
    """Return the sets that a clustering finds, in the attributes' own units; they must not be released unrounded."""
    count = settings.sets if isinstance(settings.sets, int) else 0
    centres, norms = _fitted(settings, scaled, count, weights, secret)
    flat = np.flatnonzero((np.diagonal(norms, axis1=1, axis2=2) <= 0).any(axis=0))
    if flat.size:
        raise UnattainableError(
            f"column {names[flat[0]]!r} (quasi) hardly varies among the records that count, beside its largest values",
            hint="top-code it, or leave it out of quasi",
            setting="quasi",
            column=names[flat[0]],
        )
    return _sets(settings, names, (centres * scales).tolist(), (norms / np.outer(scales, scales)).tolist())


def _sets(
    settings: FuzzyPartition,
    names: tuple[str, ...],
    centres: list[list[float]],
    norms: list[list[list[float]]],
) -> ClusteredSets:
    """Return sets in the order of their centres; that of a clustering may depend on one record."""
    fuzzifier = None if settings.method == "k-means" else settings.fuzzifier
    ordered: Any = sorted(zip(centres, norms, strict=True))
    centres, norms = (list(column) for column in zip(*ordered, strict=True))
    return ClusteredSets.model_validate(
        {"attributes": names, "names": _names(centres), "centres": centres, "norms": norms, "fuzzifier": fuzzifier}
    )


def _fitted(
    settings: FuzzyPartition, values: Reals, count: int, weights: Reals | None, secret: Secret
) -> tuple[Reals, Reals]:
    """Return the centres and norms that a clustering finds, from one of the best of several starts.

    If several clusterings are about equally good, a single record would decide which is best, and the published sets
    would reveal it. So the first one that is good enough is taken, and how good that is depends on the secret.
    """
    random = secret.legacy_stream("first centres")
    ways = [_one_way(settings, values, count, weights, random) for _ in range(STARTS)]
    best = min(objective for objective, _, _ in ways)
    enough = best * (1.0 + ALIKE * secret.stream("choice of a start").random())
    return next((centres, norms) for objective, centres, norms in ways if objective <= enough)


def _one_way(
    settings: FuzzyPartition, values: Reals, count: int, weights: Reals | None, random: np.random.RandomState
) -> tuple[float, Reals, Reals]:
    """Return the objective, the centres and the norms that a clustering finds from one start."""
    attributes = values.shape[1]
    if settings.method == "k-means":
        from sfumato.fuzzy import k_means

        crisp = k_means(values, count, weights=weights, starts=1, random=random, threads=settings.threads)
        squares = np.min([((values - centre) ** 2).sum(axis=1) for centre in crisp], axis=0)
        total = float(squares.sum() if weights is None else (squares * weights).sum())
        return total, crisp, np.tile(np.eye(attributes), (count, 1, 1))
    if settings.method == "gustafson-kessel":
        from sfumato.fuzzy import GustafsonKessel

        long = GustafsonKessel(
            count,
            fuzzifier=settings.fuzzifier,
            # a set that is thinner than centres are rounded would not be where its records are
            max_condition=FINE**2,
            random_state=random,
            threads=settings.threads,
        ).fit(values, sample_weight=weights)
        return long.objective_, long.cluster_centers_, long.norms_
    from sfumato.fuzzy import FuzzyCMeans

    clustering = FuzzyCMeans(count, fuzzifier=settings.fuzzifier, random_state=random, threads=settings.threads).fit(
        values, sample_weight=weights
    )
    return clustering.objective_, clustering.cluster_centers_, np.tile(np.eye(attributes), (count, 1, 1))


def _scales(settings: FuzzyPartition, complete: Reals, rounding: np.random.Generator) -> Reals:
    """Return the unit in which each attribute is measured, rounded so that it reveals little."""
    if settings.scale == "none":
        return np.ones(complete.shape[1])
    return rounded_scales(complete.std(axis=0) if settings.scale == "deviation" else np.ptp(complete, axis=0), rounding)


def _names(centres: Sequence[Sequence[float]]) -> tuple[str, ...]:
    names = tuple("about " + ", ".join(map(written, centre)) for centre in centres)
    if len(centres[0]) <= NAMED and len(set(names)) == len(names):
        return names
    return tuple(f"set {number}" for number in range(1, len(centres) + 1))
