"""Finding the sets: by clustering several attributes together, or attribute by attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sfumato.arrays import Flags, Reals
from sfumato.errors import SettingError, UnattainableError
from sfumato.fuzzy.partitions import ruspini_from
from sfumato.fuzzy.released import BETWEEN, ClusteredSets, PublicSets, ShapedSets
from sfumato.fuzzy.shapes import written
from sfumato.fuzzy.variables import LinguisticVariable
from sfumato.partitions.rounding import FINE, rounded_scales, rounded_sets
from sfumato.randomness import Secret

if TYPE_CHECKING:
    from sfumato.microfile.microfile import Microfile
    from sfumato.partitions.partition import FuzzyPartition

STARTS = 4
"""So many starts of a clustering are tried."""
ALIKE = 0.05
"""Arrangements whose objectives differ by up to this share are taken to be equally good."""
NAMED = 2
"""Up to so many attributes, sets are named by their centres."""


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
    numbers = microfile.numbers(name)
    given: Any = settings.sets.get(name, 3) if isinstance(settings.sets, dict) else settings.sets
    if isinstance(given, int):
        return ruspini_from(name, numbers, sets=given)
    variable = LinguisticVariable(attribute=name, values=given)
    if any(not word.strip() or BETWEEN.strip() in word for word in given):
        raise SettingError(f"sets: a word of {name!r} is empty, or has {BETWEEN.strip()!r} in it, which parts words")
    known = numbers[~np.isnan(numbers)]
    bends = [bend for shape in variable.values.values() for bend in shape.bends]
    # grades must sum to 1 wherever a record can be; the file's own ends are not told
    variable.check_ruspini()
    totals = variable.grades(np.array([known.min(), known.max()])).sum(axis=1)
    if np.abs(totals - 1.0).max() > 1e-9:
        raise SettingError(
            f"sets: the values of {name!r} reach beyond its sets, from {written(min(bends))} to {written(max(bends))}",
            hint="let the first set be falling and the last one rising, which have no end",
        )
    return variable


def _clustered(settings: FuzzyPartition, microfile: Microfile, names: tuple[str, ...], secret: Secret) -> ClusteredSets:
    values, lacking = complete_values(microfile, names)
    known = values[~lacking]
    if not len(known):
        raise UnattainableError(
            "no record has all quasi attributes, so that they cannot be clustered together",
            hint="use method = 'sets', which takes each attribute by itself",
        )
    weights = None if settings.weight is None else np.nan_to_num(microfile.numbers(settings.weight)[~lacking])
    for name, its in zip(names, known.T if weights is None else known[weights > 0].T, strict=True):
        if its.size and (its == its[0]).all():
            weighty = "" if weights is None else " and a positive weight"
            raise UnattainableError(
                f"column {name!r} (quasi) has the same value in all records that have every quasi attribute{weighty}, "
                "so that they cannot be clustered by it",
                hint=f"leave {name!r} out of quasi, or use method = 'sets', which takes each attribute by itself",
            )
    rounding = secret.stream("rounding of sets")
    scales = _scales(settings, known, rounding)
    count = settings.sets if isinstance(settings.sets, int) else 0
    distinct = pl.DataFrame(known).n_unique()
    if distinct < count:
        raise UnattainableError(
            f"{count} sets need as many different records; {distinct} have all quasi attributes and differ",
            hint=f"ask for at most {distinct} sets" if distinct > 1 else "leave it to Boxes",
        )
    if weights is not None and int((weights > 0).sum()) < count:
        raise UnattainableError(
            f"{count} sets need as many records with a positive weight that have all quasi attributes",
            hint="ask for fewer sets, or cluster without weights",
        )
    exact = exact_sets(settings, names, known / scales, scales, weights, secret)
    return _sets(settings, names, *rounded_sets(exact, known, weights, rounding))


def exact_sets(
    settings: FuzzyPartition,
    names: tuple[str, ...],
    scaled: Reals,
    scales: Reals,
    weights: Reals | None,
    secret: Secret,
) -> ClusteredSets:
    """Return the sets that a clustering finds, in the attributes' own units; they must not leave as they are."""
    count = settings.sets if isinstance(settings.sets, int) else 0
    centres, norms = _fitted(settings, scaled, count, weights, secret)
    flat = np.flatnonzero((np.diagonal(norms, axis1=1, axis2=2) <= 0).any(axis=0))
    if flat.size:
        raise UnattainableError(
            f"column {names[flat[0]]!r} (quasi) hardly varies among the records that count, beside its largest values",
            hint="top-code it, or leave it out of quasi",
        )
    return _sets(settings, names, (centres * scales).tolist(), (norms / np.outer(scales, scales)).tolist())


def _sets(
    settings: FuzzyPartition,
    names: tuple[str, ...],
    centres: list[list[float]],
    norms: list[list[list[float]]],
) -> ClusteredSets:
    """Return sets in the order of their centres, for that in which a clustering finds them may hang on one record."""
    fuzzifier = None if settings.method == "k-means" else settings.fuzzifier
    ordered: Any = sorted(zip(centres, norms, strict=True))
    centres, norms = (list(part) for part in zip(*ordered, strict=True))
    return ClusteredSets.model_validate(
        {"attributes": names, "names": _names(centres), "centres": centres, "norms": norms, "fuzzifier": fuzzifier}
    )


def _fitted(
    settings: FuzzyPartition, values: Reals, count: int, weights: Reals | None, secret: Secret
) -> tuple[Reals, Reals]:
    """Return the centres and norms that a clustering finds, from one of the best of several starts.

    Where arrangements are about equally good, one record would decide which is the best, and the published sets would
    tell of it; so the first one is taken that is good enough, and how good that is comes from the secret.
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
        from sfumato.fuzzy.k_means import k_means

        crisp = k_means(values, count, weights=weights, starts=1, random=random, threads=settings.threads)
        squares = np.min([((values - centre) ** 2).sum(axis=1) for centre in crisp], axis=0)
        total = float(squares.sum() if weights is None else (squares * weights).sum())
        return total, crisp, np.tile(np.eye(attributes), (count, 1, 1))
    if settings.method == "gustafson-kessel":
        from sfumato.fuzzy.gustafson_kessel import GustafsonKessel

        long = GustafsonKessel(
            count,
            fuzzifier=settings.fuzzifier,
            # a set that is thinner than centres are rounded would not be where its records are
            max_condition=FINE**2,
            random_state=random,
            threads=settings.threads,
        ).fit(values, sample_weight=weights)
        return long.objective_, long.cluster_centers_, long.norms_
    from sfumato.fuzzy.c_means import FuzzyCMeans

    found = FuzzyCMeans(count, fuzzifier=settings.fuzzifier, random_state=random, threads=settings.threads).fit(
        values, sample_weight=weights
    )
    return found.objective_, found.cluster_centers_, np.tile(np.eye(attributes), (count, 1, 1))


def _scales(settings: FuzzyPartition, known: Reals, rounding: np.random.Generator) -> Reals:
    """Return in what each attribute is measured, rounded so that it tells little."""
    if settings.scale == "none":
        return np.ones(known.shape[1])
    return rounded_scales(known.std(axis=0) if settings.scale == "deviation" else np.ptp(known, axis=0), rounding)


def _names(centres: Sequence[Sequence[float]]) -> tuple[str, ...]:
    told = tuple("about " + ", ".join(map(written, centre)) for centre in centres)
    if len(centres[0]) <= NAMED and len(set(told)) == len(told):
        return told
    return tuple(f"set {number}" for number in range(1, len(centres) + 1))
