"""Decoys: other places take over the extreme, so that the true one dissolves among them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from sfumato.arrays import Counts
from sfumato.errors import SettingError
from sfumato.groups.outliers import outliers, quartiles
from sfumato.groups.task import Reshaping

TRIES = 16
"""How often ordinary values are drawn."""
LEVELS = (0.5, 0.4, 0.6, 0.3, 0.25, 0.2, 0.75, 0.1)
"""Where hidden places are put if nothing is drawn, or drawing failed: between which of the ordinary ones."""


def reshape_by_decoy(task: Reshaping, *, decoys: Sequence[int] = (), rng: Generator | None = None) -> Counts:
    """Make hidden places ordinary and give what they had too much of (or too little) to decoys.

    A hidden place gets a value from the middle half of the ordinary places, at random if a generator is given, else
    near their median; where even that stands out, since the technique narrows down to the densest values, others are
    tried. The people it loses go to the decoys in proportion to the hidden places' own extremes, the largest to the
    first decoy, so that as many decoys as hidden places look as these did; more decoys share, fewer take more. A decoy
    that is full passes on to the next. People that a low hidden place gains come from the decoys alike.

    Parameters
    ----------
    task
        The signal and the places.
    decoys
        The places that take over; default: as many as are hidden, drawn from the ordinary places with room. A drawn
        choice is what keeps a reader who knows the method from undoing it.
    rng
        Where chance comes from; needed if no decoys are given.
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
                raise SettingError(f"there is no place {place}; places are 0 to {task.counts.size - 1}")
            if place not in task.others:
                raise SettingError(f"{task.name(place)} is hidden or fixed and can be no decoy")
        return list(dict.fromkeys(decoys))
    if rng is None:
        raise SettingError("decoys are drawn at random", hint="give decoys, or a generator")
    standing_out = outliers(task.values, task.alpha, task.robust).indices
    ordinary = [place for place in task.others.tolist() if place not in standing_out] or task.others.tolist()
    if not ordinary:
        raise task.unattainable(None, "decoys", "fix fewer places: none is left to be a decoy")
    # places with more room come first where capacities differ, since a full decoy shows itself
    excess = float(np.abs(task.counts[list(task.hidden)] - np.median(task.counts)).max())
    roomy = [place for place in ordinary if task.most[place] - task.counts[place] >= excess] or ordinary
    return [int(place) for place in rng.permutation(roomy)[: len(task.hidden)]]


def _ordinary(task: Reshaping, decoys: list[int], chance: Generator | float) -> Counts:
    """Return counts for hidden places that are those of ordinary places, drawn or at a level among them."""
    shown = np.delete(task.values, [*task.hidden, *decoys])
    if shown.size == 0:
        shown = np.delete(task.values, list(task.hidden))
    low, _, high = quartiles(np.sort(shown))
    wanted = task.values.copy()
    hidden = list(task.hidden)
    if isinstance(chance, Generator):
        wanted[hidden] = chance.uniform(low, high, len(hidden))
    else:
        wanted[hidden] = np.quantile(shown, chance)
    counts = np.clip(np.rint(task.counts_of(wanted)), 0, task.most).astype(np.int64)
    return counts[hidden]


def _moved(task: Reshaping, decoys: list[int], ordinary: Counts) -> Counts | None:
    """Give hidden places ordinary counts and the difference to the decoys; None if they have no room for it."""
    hidden = np.array(task.hidden)
    counts = task.counts.copy()
    counts[hidden] = ordinary
    excess = task.counts[hidden] - ordinary
    sign = 1 if excess.sum() >= 0 else -1
    left = int(abs(excess.sum()))
    sizes = np.sort(np.abs(excess))[::-1].astype(np.float64)
    shares = np.resize(sizes, len(decoys)) if sizes.sum() > 0 else np.ones(len(decoys))
    room = task.most[decoys] - counts[decoys] if sign > 0 else counts[decoys]
    for decoy, share, most in zip(decoys, np.floor(shares / shares.sum() * left), room, strict=True):
        part = min(int(share), int(most))
        counts[decoy] += sign * part
    left -= int(abs(counts[decoys] - task.counts[decoys]).sum())
    for decoy in decoys:
        part = min(left, int(task.most[decoy] - counts[decoy] if sign > 0 else counts[decoy]))
        counts[decoy] += sign * part
        left -= part
    return counts if left == 0 else None
