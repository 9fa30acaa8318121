"""All reshaping methods behind one function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from numpy.random import Generator

from sfumato.array_types import Counts
from sfumato.errors import SettingError, UnattainableError
from sfumato.groups.reshape.decoys import reshape_by_decoy
from sfumato.groups.reshape.initial_solution import initial_counts
from sfumato.groups.reshape.minimal_moves import reshape_least
from sfumato.groups.reshape.moments import reshape_by_moments
from sfumato.groups.reshaping_problem import Reshaping

How = Literal["least", "wavelet", "moments", "decoy"]


def reshape(
    method: How,
    task: Reshaping,
    *,
    wavelet: str = "db2",
    level: int = 2,
    decoys: Sequence[int] = (),
    rng: Generator | None = None,
) -> Counts:
    """Return counts with the same total in whose signal no hidden place stands out.

    A concentration or difference is reshaped as such and mapped back to whole people; the signal of these is then
    checked again.

    Parameters
    ----------
    method
        "least" moves the fewest people, "wavelet" preserves quick changes, "moments" preserves mean and deviation,
        with "decoy" other places stand out instead.
    task
        The signal and the places.
    wavelet, level
        The transform of "wavelet".
    decoys, rng
        The decoys, or the source of randomness to draw them.

    Examples
    --------
    >>> task = Reshaping([10, 12, 9, 14, 11, 13, 12, 10, 95], hidden=[8])
    >>> counts = reshape("least", task)
    >>> task.flagged(counts), int(counts.sum()), task.moved(counts)
    ((), 186, 44)
    """
    try:
        return _reshaped(method, task, wavelet, level, decoys, rng)
    except UnattainableError:
        if not task.panel or method == "least":
            raise
    # counts that hide from TC16's technique are changed further until the whole panel detects nothing
    counts = _reshaped(method, replace(task, panel=False), wavelet, level, decoys, rng)
    counts_for_panel = initial_counts(replace(task, counts=counts, original=task.values))
    if counts_for_panel is None:
        counts_for_panel = initial_counts(task)
    if counts_for_panel is None:
        raise task.unattainable(counts, "moving people", "use reshape 'least', fix fewer places or hide fewer")
    return counts_for_panel


def _reshaped(
    method: How, task: Reshaping, wavelet: str, level: int, decoys: Sequence[int], rng: Generator | None
) -> Counts:
    if method == "least":
        counts = reshape_least(task)
    elif method == "wavelet":
        from sfumato.groups.reshape.wavelets import reshape_by_wavelet

        counts = reshape_by_wavelet(task, wavelet=wavelet, level=level)
    elif method == "moments":
        counts = reshape_by_moments(task)
    elif method == "decoy":
        counts = reshape_by_decoy(task, decoys=decoys, rng=rng)
    else:
        raise SettingError(f"reshape must be least, wavelet, moments or decoy (given: {method!r})", setting="reshape")
    return counts
