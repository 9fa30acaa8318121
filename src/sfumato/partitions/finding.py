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
from sfumato.partitions.rounding import FINE, rounded_sets
from sfumato.randomness import Secret

if TYPE_CHECKING:
    from sfumato.microfile.microfile import Microfile
    from sfumato.partitions.partition import FuzzyPartition

STARTS = 4
"""So many starts of a clustering are tried."""
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
    for name, its in zip(names, known.T, strict=True):
        if (its == its[0]).all():
            raise UnattainableError(
                f"column {name!r} (quasi) has the same value in all records that have every quasi attribute, so that "
                "they cannot be clustered by it",
                hint=f"leave {name!r} out of quasi, or use method = 'sets', which takes each attribute by itself",
            )
    scales = _scales(settings, known)
    count = settings.sets if isinstance(settings.sets, int) else 0
    distinct = pl.DataFrame(known).n_unique()
    if distinct < count:
        raise UnattainableError(
            f"{count} sets need as many different records; {distinct} have all quasi attributes and differ",
            hint=f"ask for at most {distinct} sets" if distinct > 1 else "leave it to Boxes",
        )
    weights = None
    if settings.weight is not None:
        weights = np.nan_to_num(microfile.numbers(settings.weight)[~lacking])
        if int((weights > 0).sum()) < count:
            raise UnattainableError(
                f"{count} sets need as many records with a positive weight that have all quasi attributes",
                hint="ask for fewer sets, or cluster without weights",
            )
    centres, norms = _fitted(settings, known / scales, count, weights, secret)
    fuzzifier = None if settings.method == "k-means" else settings.fuzzifier
    # in the attributes' own units
    found = _sets(names, _plain(centres * scales), _plain(norms / np.outer(scales, scales)), fuzzifier)
    rounded_centres, rounded_norms = rounded_sets(found, known, weights)
    order = sorted(range(count), key=lambda place: rounded_centres[place])
    return _sets(
        names, [rounded_centres[place] for place in order], [rounded_norms[place] for place in order], fuzzifier
    )


def _plain(array: Reals) -> Any:
    return array.tolist()


def _sets(names: tuple[str, ...], centres: Any, norms: Any, fuzzifier: float | None) -> ClusteredSets:
    return ClusteredSets(attributes=names, names=_names(centres), centres=centres, norms=norms, fuzzifier=fuzzifier)


def _fitted(
    settings: FuzzyPartition, values: Reals, count: int, weights: Reals | None, secret: Secret
) -> tuple[Reals, Reals]:
    """Return the centres and norms that a clustering finds."""
    random = secret.legacy_stream("first centres")
    attributes = values.shape[1]
    if settings.method == "k-means":
        from sfumato.fuzzy.k_means import k_means

        crisp = k_means(values, count, weights=weights, starts=STARTS, random=random, threads=settings.threads)
        return crisp, np.tile(np.eye(attributes), (count, 1, 1))
    if settings.method == "gustafson-kessel":
        from sfumato.fuzzy.gustafson_kessel import GustafsonKessel

        long = GustafsonKessel(
            count,
            fuzzifier=settings.fuzzifier,
            # a set that is thinner than centres are rounded would not be where its records are
            max_condition=FINE**2,
            n_init=STARTS,
            random_state=random,
            threads=settings.threads,
        ).fit(values, sample_weight=weights)
        return long.cluster_centers_, long.norms_
    from sfumato.fuzzy.c_means import FuzzyCMeans

    found = FuzzyCMeans(
        count, fuzzifier=settings.fuzzifier, n_init=STARTS, random_state=random, threads=settings.threads
    ).fit(values, sample_weight=weights)
    return found.cluster_centers_, np.tile(np.eye(attributes), (count, 1, 1))


def _scales(settings: FuzzyPartition, known: Reals) -> Reals:
    """Return in what each attribute is measured, rounded so that it tells little."""
    widths = {"deviation": known.std(axis=0), "range": np.ptp(known, axis=0), "none": np.ones(known.shape[1])}
    return np.array([float(f"{width:.2g}") for width in widths[settings.scale]])


def _names(centres: Sequence[Sequence[float]]) -> tuple[str, ...]:
    told = tuple("about " + ", ".join(map(written, centre)) for centre in centres)
    if len(centres[0]) <= NAMED and len(set(told)) == len(told):
        return told
    return tuple(f"set {number}" for number in range(1, len(centres) + 1))
