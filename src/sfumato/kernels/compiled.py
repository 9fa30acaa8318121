"""The one switch for compilation."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile on first call, keep the machine code on disk if it can be kept, and let other threads run meanwhile."""
    return _compile(function)


def compiled_ratios(function: Function) -> Function:
    """Compile a kernel that divides without asking each time whether by zero, so that loops run several steps at once.

    No option lets the compiler add up in another order: how many numbers a processor adds at once would then decide
    the last digits. Long sums are kept in lanes instead, see :mod:`sfumato.kernels.lanes`.
    """
    return _compile(function, error_model="numpy")


def compiled_within(function: Function) -> Function:
    """Compile a function into each kernel that calls it.

    It is then not compiled by itself, nor handed over many arrays, so that kernels are ready sooner and run faster.
    Nothing is won with a long one that is called from many places.
    """
    return _compile(function, inline="always")


def _compile(function: Function, *, inline: str = "never", error_model: str = "python") -> Function:
    # without "fastmath", so that every machine rounds alike
    options: dict[str, Any] = {"inline": inline, "error_model": error_model}
    try:
        dispatcher = numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:
        # neither the package's folder nor the user's can be written
        return cast(Function, numba.njit(nogil=True, **options)(function))
    # numba looks at the time of the function's own file alone, and would miss changes in the files that it calls into
    dispatcher._cache._cache_file._source_stamp = _source_digest()
    return cast(Function, dispatcher)


@cache
def _source_digest() -> str:
    """Return a digest of the source code of all kernels."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()
