"""Wavelet transforms: a signal as an approximation and details.

Transforms are PyWavelets' with ``mode="periodization"``, which for CT10's length of 16 and "db2" are the paper's
(ERRATA 003-2). A length that is not a multiple of 2^level is padded by reflection at its end; the padding's values are
left free and never used, and the approximation and details of the places themselves still add up to the signal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pywt

from sfumato.array_types import Reals
from sfumato.errors import SettingError, nearest
from sfumato.kernels.algebra import product


@dataclass(frozen=True)
class WaveletParts:
    """A decomposed signal, in CT10's notation a, d, A and the sum of all D."""

    coefficients: Reals
    """Those of the approximation, one for 2^level places."""
    detail_coefficients: Reals
    """Those of the coarsest details."""
    approximation: Reals
    """One number per place."""
    details: Reals
    """The signal less its approximation, one number per place."""


def deepest_level(size: int, wavelet: str) -> int:
    """Return how often a signal of this size can be halved, by PyWavelets' rule."""
    return int(pywt.dwt_max_level(size, wavelet_named(wavelet).dec_len))


def decompose(values: Reals, wavelet: str = "db2", level: int = 2) -> WaveletParts:
    """Decompose a signal into its approximation and details.

    >>> parts = decompose(np.arange(16.0))
    >>> bool(np.allclose(parts.approximation + parts.details, np.arange(16.0)))
    True
    """
    matrix = synthesis_matrix(values.size, wavelet, level)
    coefficients, coarsest, *_ = _transformed(values, wavelet, level)
    approximation = product(matrix, coefficients)
    return WaveletParts(coefficients, coarsest, approximation, values - approximation)


def details_of(values: Reals, wavelet: str, level: int) -> tuple[Reals, ...]:
    """Return the details of each level, the finest first."""
    _check_level(values.size, wavelet, level)
    coefficients = _transformed(values, wavelet, level)
    details = []
    for retained in range(level, 0, -1):
        alone = [array if index == retained else np.zeros_like(array) for index, array in enumerate(coefficients)]
        details.append(pywt.waverec(alone, wavelet, mode="periodization")[: values.size])
    return tuple(details)


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


def _transformed(values: Reals, wavelet: str, level: int) -> list[Reals]:
    padding = -values.size % 2**level
    padded = np.pad(values, (0, padding), mode="symmetric")
    return list(pywt.wavedec(padded, wavelet, mode="periodization", level=level))


def wavelet_named(name: str) -> pywt.Wavelet:
    """Return a discrete wavelet."""
    available = pywt.wavelist(kind="discrete")
    if name not in available:
        raise SettingError(
            f"{name!r} is not a discrete wavelet of PyWavelets", hint=nearest(name, available), setting="wavelet"
        )
    return pywt.Wavelet(name)


def _check_level(size: int, wavelet: str, level: int) -> None:
    deepest = deepest_level(size, wavelet)
    if not 1 <= level <= deepest:
        allowed = f"1 to {deepest}" if deepest else "none"
        raise SettingError(
            f"{size} places are too few for {wavelet} at level {level}" if level > deepest else f"no level {level}",
            hint=f"levels allowed: {allowed}; a shorter wavelet or a lower level needs fewer places",
            setting="level",
        )
