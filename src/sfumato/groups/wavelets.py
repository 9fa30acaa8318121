"""Wavelets: a signal as an approximation and details, and signals that keep as much of the details as can be.

Transforms are PyWavelets' with ``mode="periodization"``, which for CT10's length of 16 and "db2" are the paper's
(ERRATA 003-2). A length that is no multiple of 2^level is padded by reflection at its end; the padding's values are
left free and never looked at, and the approximation and details of the places themselves still add up to the signal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pywt

from sfumato.arrays import Counts, Reals
from sfumato.errors import SettingError, nearest
from sfumato.groups.task import Reshaping
from sfumato.kernels.algebra import dot, product

PULLS = (1.0, 0.999, 0.99, 0.95, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1, 0.0)
"""How far a hidden place may be from the mean, as shares of its reference's distance, tried in turn."""


@dataclass(frozen=True)
class Parts:
    """A signal taken apart, in CT10's notation a, d, A and the sum of all D."""

    coefficients: Reals
    """The approximation's, one for 2^level places."""
    detail_coefficients: Reals
    """Those of the coarsest details."""
    approximation: Reals
    """One number a place."""
    details: Reals
    """What it lacks of the signal, one number a place."""


def deepest_level(size: int, wavelet: str) -> int:
    """Return how often a signal of so many places can be halved, by PyWavelets' rule."""
    return int(pywt.dwt_max_level(size, wavelet_named(wavelet).dec_len))


def taken_apart(values: Reals, wavelet: str = "db2", level: int = 2) -> Parts:
    """Take a signal apart into its approximation and details.

    >>> parts = taken_apart(np.arange(16.0))
    >>> bool(np.allclose(parts.approximation + parts.details, np.arange(16.0)))
    True
    """
    matrix = synthesis_matrix(values.size, wavelet, level)
    coefficients, coarsest, *_ = _transformed(values, wavelet, level)
    approximation = product(matrix, coefficients)
    return Parts(coefficients, coarsest, approximation, values - approximation)


def details_of(values: Reals, wavelet: str, level: int) -> tuple[Reals, ...]:
    """Return the details of each level, the finest first."""
    _check_level(values.size, wavelet, level)
    coefficients = _transformed(values, wavelet, level)
    found = []
    for kept in range(level, 0, -1):
        alone = [part if index == kept else np.zeros_like(part) for index, part in enumerate(coefficients)]
        found.append(pywt.waverec(alone, wavelet, mode="periodization")[: values.size])
    return tuple(found)


@lru_cache(maxsize=64)
def synthesis_matrix(size: int, wavelet: str = "db2", level: int = 2) -> Reals:
    """Return M of A = M a: places x approximation coefficients."""
    _check_level(size, wavelet, level)
    padded = -(-size // 2**level) * 2**level
    empty = pywt.wavedec(np.zeros(padded), wavelet, mode="periodization", level=level)
    units = np.eye(empty[0].size)
    columns = [pywt.waverec([unit, *empty[1:]], wavelet, mode="periodization")[:size] for unit in units]
    matrix: Reals = np.column_stack(columns)
    matrix.flags.writeable = False
    return matrix


def lowest_with_details(values: Reals, place: int, *, wavelet: str = "db2", level: int = 2) -> float:
    """Return how low a place can come while all details and the mean stay and nothing gets negative.

    CT10's example cannot hide its peak this way, for it stays at 4319.64 of 4337 (ERRATA 003-4): hiding it is only
    possible by giving up details, which :func:`reshape_by_wavelet` does as little as can be.
    """
    from scipy.optimize import linprog

    matrix, parts = synthesis_matrix(values.size, wavelet, level), taken_apart(values, wavelet, level)
    found = linprog(
        matrix[place],
        A_ub=-matrix,
        b_ub=parts.details,
        A_eq=matrix.sum(axis=0)[None],
        b_eq=[values.sum() - parts.details.sum()],
        bounds=(None, None),
    )
    return float(found.fun + parts.details[place])


def reshape_by_wavelet(task: Reshaping, *, wavelet: str = "db2", level: int = 2) -> Counts:
    """Replace a signal's approximation so that hidden places are neither extreme nor outlying, and keep its details.

    A linear program chooses the approximation coefficients a and the largest share s from 0 to 1 of the details D so
    that q* = M a + s D is within the bounds, has the total (ERRATA 003-5), and hidden places that were high are not
    above a reference place (nor the low ones below another). Every other place is tried as reference. The largest s
    is taken for which, with whole people, no hidden place is an outlier; where none is good enough hidden places are
    pulled further to the mean.

    Parameters
    ----------
    task
        The signal and the places.
    wavelet
        The name of a wavelet of PyWavelets.
    level
        How often to halve the frequencies.
    """
    program = _Program.of(task, wavelet, level)
    closest = None
    for pull in PULLS:
        found = [program.solved(reference, pull) for reference in program.references()]
        ranked = sorted((one for one in found if one is not None), key=lambda one: -one[0])
        for _, signal in ranked:
            counts = task.rounded(signal)
            if task.hides(counts) and not _extreme(task, counts):
                return counts
            closest = counts if closest is None else closest
    hint = "use reshape 'least', a lower level or another wavelet, or fix fewer places"
    raise task.unattainable(closest, f"{wavelet} at level {level}", hint)


def largest_detail_scale(
    task: Reshaping, reference: int, *, wavelet: str = "db2", level: int = 2
) -> tuple[float, Reals] | None:
    """Return which share of the details can be kept if hidden places stay on their side of a reference place.

    Parameters
    ----------
    task
        The signal and the places.
    reference
        The place that hidden high places are not above.
    wavelet, level
        The transform.

    Returns
    -------
    tuple or None
        The share, and the signal that has it, not rounded; None if there is no such signal.
    """
    return _Program.of(task, wavelet, level).solved((reference, reference), 1.0)


@dataclass(frozen=True)
class _Program:
    """The linear program: its variables are the approximation coefficients and the details' scale."""

    task: Reshaping
    matrix: Reals
    """Places x variables: the signal is its product with the variables."""
    bounds: tuple[Reals, Reals]
    """The lowest and the highest signal."""

    @classmethod
    def of(cls, task: Reshaping, wavelet: str, level: int) -> _Program:
        parts = taken_apart(task.values, wavelet, level)
        matrix = np.column_stack((synthesis_matrix(task.values.size, wavelet, level), parts.details))
        return cls(task, matrix, (task.signal_of(task.bounds[0]), task.signal_of(task.bounds[1])))

    def references(self) -> list[tuple[int, int]]:
        """Return pairs of places: hidden high ones come below the first, hidden low ones above the second."""
        known = [place for place in range(self.task.counts.size) if place not in self.task.hidden]
        if self.task.high.all() or not self.task.high.any():
            return [(place, place) for place in known]
        # the middle is a good reference for the one side while all are tried for the other
        middle = min(known, key=lambda place: (abs(self.task.values[place] - np.median(self.task.values)), place))
        return [(place, middle) for place in known] + [(middle, place) for place in known]

    def solved(self, reference: tuple[int, int], pull: float) -> tuple[float, Reals] | None:
        """Return the largest scale of the details and the signal, if there is one."""
        from scipy.optimize import linprog

        task, matrix = self.task, self.matrix
        mean = float(task.values.mean())
        rows, limits = [matrix, -matrix], [self.bounds[1], -self.bounds[0]]
        for place, high in zip(task.hidden, task.high, strict=True):
            sign, other = (1.0, reference[0]) if high else (-1.0, reference[1])
            rows.append(sign * (matrix[place] - pull * matrix[other])[None])
            limits.append(np.array([sign * (1.0 - pull) * mean]))
        # the total of people, not of the signal: a concentration's places are of different sizes
        people = product(task.weights, matrix)[None]
        offset = 0.0 if task.subordinate is None else dot(task.weights, task.subordinate)
        found = linprog(
            -np.eye(matrix.shape[1])[-1],
            A_ub=np.concatenate(rows),
            b_ub=np.concatenate(limits),
            A_eq=people,
            b_eq=[task.total - offset],
            bounds=[(None, None)] * (matrix.shape[1] - 1) + [(0.0, 1.0)],
        )
        return None if found.x is None else (float(found.x[-1]), product(matrix, found.x))


def _extreme(task: Reshaping, counts: Counts) -> bool:
    """Say whether a hidden place is higher, or lower, than all that are not hidden."""
    signal = task.signal_of(counts)
    hidden = np.isin(np.arange(signal.size), task.hidden)
    shown = signal[~hidden]
    above, below = signal[hidden][task.high], signal[hidden][~task.high]
    return bool((above > shown.max()).any() or (below < shown.min()).any())


def _transformed(values: Reals, wavelet: str, level: int) -> list[Reals]:
    padding = -values.size % 2**level
    padded = np.pad(values, (0, padding), mode="symmetric")
    return list(pywt.wavedec(padded, wavelet, mode="periodization", level=level))


def wavelet_named(name: str) -> pywt.Wavelet:
    """Return a discrete wavelet."""
    known = pywt.wavelist(kind="discrete")
    if name not in known:
        raise SettingError(f"{name!r} is no discrete wavelet of PyWavelets", hint=nearest(name, known))
    return pywt.Wavelet(name)


def _check_level(size: int, wavelet: str, level: int) -> None:
    deepest = deepest_level(size, wavelet)
    if not 1 <= level <= deepest:
        allowed = f"1 to {deepest}" if deepest else "none"
        raise SettingError(
            f"{size} places are too few for {wavelet} at level {level}" if level > deepest else f"no level {level}",
            hint=f"levels allowed: {allowed}; a shorter wavelet or a lower level needs fewer places",
        )
