"""Reshaping by wavelets: a new approximation of the signal that retains as much of its details as possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.groups.wavelet_transform import decompose, synthesis_matrix
from sfumato.kernels.algebra import dot, product

PULLS = (1.0, 0.999, 0.99, 0.95, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1, 0.0)
"""The distance of a hidden place from the mean, as a share of its reference's distance; tried in turn."""


def reshape_by_wavelet(task: Reshaping, *, wavelet: str = "db2", level: int = 2) -> Counts:
    """Replace a signal's approximation so that hidden places are neither extreme nor outlying, and retain its details.

    A linear program chooses the approximation coefficients a and the largest share s from 0 to 1 of the details D so
    that q* = M a + s D is within the bounds, has the total (ERRATA 003-5), and hidden places that were high are not
    above a reference place (nor the low ones below another). Every other place is tried as reference. The largest s
    is taken for which, with whole people, no hidden place is an outlier; where none is good enough, hidden places are
    pulled further towards the mean.

    Parameters
    ----------
    task
        The signal and the places.
    wavelet
        The name of a wavelet of PyWavelets.
    level
        How often to halve the frequencies.
    """
    program = DetailProgram.of(task, wavelet, level)
    closest = None
    for pull in PULLS:
        solutions = [program.solved(reference, pull) for reference in program.references()]
        ranked = sorted((solution for solution in solutions if solution is not None), key=lambda solution: -solution[0])
        for _, signal in ranked:
            counts = task.rounded(signal)
            if task.hides(counts) and not _extreme(task, counts):
                return counts
            closest = counts if closest is None else closest
    hint = "use reshape 'least', a lower level or another wavelet, or fix fewer places"
    raise task.unattainable(closest, f"{wavelet} at level {level}", hint)


@dataclass(frozen=True)
class DetailProgram:
    """A linear program whose variables are the approximation coefficients and the scale of the details."""

    task: Reshaping
    """The reshaping problem."""
    matrix: Reals
    """Places x variables: the signal is its product with the variables."""
    bounds: tuple[Reals, Reals]
    """The lowest and the highest signal."""

    @classmethod
    def of(cls, task: Reshaping, wavelet: str, level: int) -> DetailProgram:
        """Set up the program for a signal."""
        decomposition = decompose(task.values, wavelet, level)
        matrix = np.column_stack((synthesis_matrix(task.values.size, wavelet, level), decomposition.details))
        return cls(task, matrix, (task.signal_of(task.bounds[0]), task.signal_of(task.bounds[1])))

    def references(self) -> list[tuple[int, int]]:
        """Return pairs of reference places: high hidden ones come below the first, low hidden ones above the second."""
        unhidden = [place for place in range(self.task.counts.size) if place not in self.task.hidden]
        if self.task.high.all() or not self.task.high.any():
            return [(place, place) for place in unhidden]
        # the middle is a good reference for one side while all are tried for the other
        middle = min(unhidden, key=lambda place: (abs(self.task.values[place] - np.median(self.task.values)), place))
        return [(place, middle) for place in unhidden] + [(middle, place) for place in unhidden]

    def solved(self, reference: tuple[int, int], pull: float) -> tuple[float, Reals] | None:
        """Return the largest scale of the details and the signal, if there is one."""
        from scipy.optimize import linprog

        task, matrix = self.task, self.matrix
        mean = float(task.values.mean())
        rows, limits = [matrix, -matrix], [self.bounds[1], -self.bounds[0]]
        for place, high in zip(task.hidden, task.high, strict=True):
            sign, reference_place = (1.0, reference[0]) if high else (-1.0, reference[1])
            rows.append(sign * (matrix[place] - pull * matrix[reference_place])[None])
            limits.append(np.array([sign * (1.0 - pull) * mean]))
        # the total of people, not of the signal: places of a concentration have different sizes
        people = product(task.weights, matrix)[None]
        offset = 0.0 if task.subordinate is None else dot(task.weights, task.subordinate)
        result = linprog(
            -np.eye(matrix.shape[1])[-1],
            A_ub=np.concatenate(rows),
            b_ub=np.concatenate(limits),
            A_eq=people,
            b_eq=[task.total - offset],
            bounds=[(None, None)] * (matrix.shape[1] - 1) + [(0.0, 1.0)],
        )
        return None if result.x is None else (float(result.x[-1]), product(matrix, result.x))


def _extreme(task: Reshaping, counts: Counts) -> bool:
    """Say whether a hidden place is higher, or lower, than all that are not hidden."""
    signal = task.signal_of(counts)
    hidden = np.isin(np.arange(signal.size), task.hidden)
    unhidden = signal[~hidden]
    above, below = signal[hidden][task.high], signal[hidden][~task.high]
    return bool((above > unhidden.max()).any() or (below < unhidden.min()).any())
