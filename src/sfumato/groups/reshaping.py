"""One way in to all reshapings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from numpy.random import Generator

from sfumato.arrays import Counts
from sfumato.errors import SettingError, UnattainableError
from sfumato.groups.decoys import reshape_by_decoy
from sfumato.groups.filling import filled
from sfumato.groups.least import reshape_least
from sfumato.groups.moments import reshape_by_moments
from sfumato.groups.task import Reshaping

How = Literal["least", "wavelet", "moments", "decoy"]


def reshape(
    how: How,
    task: Reshaping,
    *,
    wavelet: str = "db2",
    level: int = 2,
    decoys: Sequence[int] = (),
    rng: Generator | None = None,
) -> Counts:
    """Return counts with the same total in whose signal no hidden place stands out.

    A concentration or difference is reshaped as such and mapped back to whole people; that no hidden place stands out
    is checked again in the signal of these.

    Parameters
    ----------
    how
        "least" moves the fewest people, "wavelet" keeps quick changes, "moments" mean and deviation, "decoy" lets
        other places take over.
    task
        The signal and the places.
    wavelet, level
        The transform of "wavelet".
    decoys, rng
        The places that take over in "decoy", or where chance comes from to draw them.

    Examples
    --------
    >>> task = Reshaping([10, 12, 9, 14, 11, 13, 12, 10, 95], hidden=[8])
    >>> counts = reshape("least", task)
    >>> task.flagged(counts), int(counts.sum()), task.moved(counts)
    ((), 186, 44)
    """
    try:
        return _reshaped(how, task, wavelet, level, decoys, rng)
    except UnattainableError:
        if not task.panel or how == "least":
            raise
    # what hides from TC16's technique is moved on until the panel finds nothing either
    counts = _reshaped(how, replace(task, panel=False), wavelet, level, decoys, rng)
    found = filled(replace(task, counts=counts, original=task.values))
    if found is None:
        found = filled(task)
    if found is None:
        raise task.unattainable(counts, "moving people", "use reshape 'least', fix fewer places or hide fewer")
    return found


def _reshaped(
    how: How, task: Reshaping, wavelet: str, level: int, decoys: Sequence[int], rng: Generator | None
) -> Counts:
    if how == "least":
        counts = reshape_least(task)
    elif how == "wavelet":
        from sfumato.groups.wavelets import reshape_by_wavelet

        counts = reshape_by_wavelet(task, wavelet=wavelet, level=level)
    elif how == "moments":
        counts = reshape_by_moments(task)
    elif how == "decoy":
        counts = reshape_by_decoy(task, decoys=decoys, rng=rng)
    else:
        raise SettingError(f"reshape must be least, wavelet, moments or decoy (given: {how!r})")
    return counts
