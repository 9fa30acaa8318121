"""Decoys: other places become extreme, so that the true one is lost among them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from sfumato.array_types import Counts
from sfumato.errors import SettingError
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.groups.thompson_tau import outliers, quartiles

TRIES = 16
"""How often ordinary values are drawn."""
LEVELS = (0.5, 0.4, 0.6, 0.3, 0.25, 0.2, 0.75, 0.1)
"""The quantiles of ordinary places at which hidden ones are put if nothing is drawn, or drawing failed."""


def reshape_by_decoy(task: Reshaping, *, decoys: Sequence[int] = (), rng: Generator | None = None) -> Counts:
    """Make hidden places ordinary and give their surplus (or lack) to decoys.

    A hidden place gets a value from the middle half of the ordinary places, at random if a generator is given, else
    near their median; where even that stands out, because the technique narrows down to the densest values, others are
    tried. The people it loses go to the decoys in proportion to the hidden places' own extremes, the largest to the
    first decoy, so that as many decoys as hidden places look as these did; more decoys share, fewer take more. A full
    decoy passes people on to the next. People that a low hidden place gains come from the decoys in the same way.

    Parameters
    ----------
    task
        The signal and the places.
    decoys
        The places that stand out instead; default: as many as are hidden, drawn from the ordinary places with room.
        Because they are drawn, a reader who knows the method cannot undo it.
    rng
        The source of randomness; needed if no decoys are given.
    """
    chosen = _chosen(task, decoys, rng)
    closest = None
    chances: list[Generator | float] = [*([] if rng is None else [rng] * TRIES), *LEVELS]
    for chance in chances:
        counts = _moved(task, chosen, _ordinary(task, chosen, chance))
        if counts is not None:
            if task.hides(counts):
                return counts
            closest = counts
        if rng is not None and not decoys:
            chosen = _chosen(task, decoys, rng)
    hint = "choose other or more decoys with room for the people, or use reshape 'least'"
    raise task.unattainable(closest, "decoys", hint)


def _chosen(task: Reshaping, decoys: Sequence[int], rng: Generator | None) -> list[int]:
    """Check the decoys, or draw them."""
    if decoys:
        for place in decoys:
            if not 0 <= place < task.counts.size:
                raise SettingError(f"place {place} does not exist; places are 0 to {task.counts.size - 1}")
            if place not in task.others:
                raise SettingError(f"{task.name(place)} is hidden or fixed and cannot be a decoy")
        return list(dict.fromkeys(decoys))
    if rng is None:
        raise SettingError("decoys are drawn at random", hint="give decoys, or a generator")
    standing_out = outliers(task.values, task.alpha, task.robust).indices
    ordinary = [place for place in task.others.tolist() if place not in standing_out] or task.others.tolist()
    if not ordinary:
        raise task.unattainable(None, "decoys", "fix fewer places: none is left to be a decoy")
    # places with enough room come first where capacities differ, because a full decoy is recognisable
    excess = float(np.abs(task.counts[list(task.hidden)] - np.median(task.counts)).max())
    roomy = [place for place in ordinary if task.greatest[place] - task.counts[place] >= excess] or ordinary
    return [int(place) for place in rng.permutation(roomy)[: len(task.hidden)]]


def _ordinary(task: Reshaping, decoys: list[int], chance: Generator | float) -> Counts:
    """Return ordinary counts for hidden places, drawn or at a quantile of ordinary places."""
    ordinary_values = np.delete(task.values, [*task.hidden, *decoys])
    if ordinary_values.size == 0:
        ordinary_values = np.delete(task.values, list(task.hidden))
    low, _, high = quartiles(np.sort(ordinary_values))
    target = task.values.copy()
    hidden = list(task.hidden)
    if isinstance(chance, Generator):
        target[hidden] = chance.uniform(low, high, len(hidden))
    else:
        target[hidden] = np.quantile(ordinary_values, chance)
    counts = np.clip(np.rint(task.counts_of(target)), 0, task.greatest).astype(np.int64)
    return counts[hidden]


def _moved(task: Reshaping, decoys: list[int], ordinary: Counts) -> Counts | None:
    """Give hidden places ordinary counts and the difference to the decoys; None if they have no room for it."""
    hidden = np.array(task.hidden)
    counts = task.counts.copy()
    counts[hidden] = ordinary
    excess = task.counts[hidden] - ordinary
    sign = 1 if excess.sum() >= 0 else -1
    n_left = int(abs(excess.sum()))
    sizes = np.sort(np.abs(excess))[::-1].astype(np.float64)
    shares = np.resize(sizes, len(decoys)) if sizes.sum() > 0 else np.ones(len(decoys))
    room = task.greatest[decoys] - counts[decoys] if sign > 0 else counts[decoys]
    for decoy, share, capacity in zip(decoys, np.floor(shares / shares.sum() * n_left), room, strict=True):
        n_people = min(int(share), int(capacity))
        counts[decoy] += sign * n_people
    n_left -= int(abs(counts[decoys] - task.counts[decoys]).sum())
    for decoy in decoys:
        n_people = min(n_left, int(task.greatest[decoy] - counts[decoy] if sign > 0 else counts[decoy]))
        counts[decoy] += sign * n_people
        n_left -= n_people
    return counts if n_left == 0 else None
