"""How kernels are compiled: each once, for the types that its annotations state, when it is first needed.

A kernel marked :func:`interpreted_while_small` runs as plain Python until it has seen a certain amount of data, unless
its machine code is on disk already. Both ways give the same bits.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, TypeVar, cast

import numba
import numpy as np
from numba.core import event
from numba.core.dispatcher import Dispatcher

from sfumato.kernels.argument_types import argument_types, call_fitted, fits, type_of
from sfumato.kernels.compilation_notices import notify

Function = TypeVar("Function", bound=Callable[..., Any])

SMALL = 200_000
"""A call with more elements in its arrays is never interpreted."""
SECONDS = 0.2
"""A kernel is interpreted for this long in a process and then compiled, so that code that matters gets onto disk."""


def compiled(function: Function) -> Function:
    """Compile on first call, keep the machine code on disk if possible, and let other threads run meanwhile."""
    return _compile(function)


def compiled_ratios(function: Function) -> Function:
    """Compile a kernel that divides without checking each divisor for zero, so that loops run several steps at once.

    No option lets the compiler add up in another order: how many numbers a processor adds at once would then decide
    the last digits. Long sums are kept in lanes instead, see :mod:`sfumato.kernels.lane_sums`.
    """
    return _compile(function, error_model="numpy")


def compiled_inside(function: Function) -> Function:
    """Compile a function that only other kernels call: Python cannot call it.

    The code that translates Python's arguments is left out. For structures of many arrays it takes longer to compile
    than the function.
    """
    return _compile(function, no_cpython_wrapper=True)


def compiled_ratios_inside(function: Function) -> Function:
    """Compile a function as :func:`compiled_ratios` does, for other kernels only."""
    return _compile(function, error_model="numpy", no_cpython_wrapper=True)


def compiled_for(*variants: tuple[Any, ...]) -> Callable[[Function], Function]:
    """Compile a kernel that takes several types; ``variants`` are the annotations of its arguments, for each."""

    def decorate(function: Function) -> Function:
        kernel = _compile(function)
        _VARIANTS.extend((kernel, tuple(map(type_of, variant))) for variant in variants)
        return kernel

    return decorate


def compiled_within(function: Function) -> Function:
    """Compile a function into each kernel that calls it.

    It is not compiled separately and its arguments are not passed, so that kernels are ready sooner and run faster.
    This gains nothing for a long function that is called from many places.
    """
    return _compile(function, inline="always")


def interpreted_while_small(kernel: Function) -> Function:
    """Let Python run a kernel while that takes less time than compiling it; all kernels that it calls run likewise.

    For kernels whose work grows with the size of their arrays, and whose integers do not depend on 32-bit arithmetic.
    """
    cast(Any, kernel).interpreted_seconds = 0.0
    return kernel


class Compilations(NamedTuple):
    """The result of compiling all kernels."""

    n_kernels: int
    n_compiled: int
    """How many of them had to be compiled, because they were not on disk."""


def compile_all(progress: Callable[[str, float], None]) -> Compilations:
    """Compile every kernel that is not on disk yet."""
    for module in pkgutil.walk_packages([str(Path(__file__).parent)], f"{__package__}."):
        importlib.import_module(module.name)
    kernels = [*((kernel, kernel.argument_types()) for kernel in _KERNELS), *_VARIANTS]
    for index, (kernel, types) in enumerate(kernels):
        progress("compiling", index / len(kernels))
        kernel.compile(types)
    progress("compiling", 1.0)
    return Compilations(len(kernels), sum(kernel.stats.cache_misses[types] for kernel, types in kernels))


_KERNELS: list[Any] = []
"""All kernels whose annotations state their types."""
_VARIANTS: list[tuple[Any, tuple[Any, ...]]] = []
"""The others, with the types of their arguments."""


class _Notifier(event.Listener):
    """Passes on that a kernel is being compiled, not one of numba's own functions."""

    def on_start(self, started: Any) -> None:
        if started.data["dispatcher"].py_func.__module__.startswith(__package__):
            notify()

    def on_end(self, ended: Any) -> None:
        pass


event.register("numba:compile", _Notifier())  # type: ignore[no-untyped-call]


def _compile(
    function: Function, *, inline: str = "never", error_model: str = "python", no_cpython_wrapper: bool = False
) -> Function:
    # without "fastmath", so that every machine rounds alike
    options: dict[str, Any] = {"inline": inline, "error_model": error_model, "no_cfunc_wrapper": True}
    options["no_cpython_wrapper"] = no_cpython_wrapper
    try:
        dispatcher = numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:
        # neither the package's folder nor the user's can be written
        dispatcher = numba.njit(nogil=True, **options)(function)
    else:
        # numba looks at the time of the function's own file alone, and would miss changes in the files that it calls;
        # the version is compared before anything else is read, which may name structures that no longer exist
        stored = dispatcher._cache._cache_file
        stored._version, stored._source_stamp = f"{stored._version} {_source_digest()}", _source_digest()
    if inline == "never" and "Any" not in function.__annotations__.values():
        _state_types(dispatcher)
    return cast(Function, dispatcher)


def _state_types(dispatcher: Any) -> None:
    """Let a kernel be compiled for the types of its annotations alone."""

    @cache
    def stated() -> tuple[Any, ...]:
        # not before the first call: structures may be defined further below
        return argument_types(dispatcher.py_func)

    for_any_types = dispatcher.get_call_template

    def get_call_template(arguments: Any, keywords: Any) -> Any:
        # a kernel that calls this one: numba would compile it for the caller's types, a literal number for instance
        dispatcher.compile(stated())
        dispatcher._can_compile = False
        try:
            return for_any_types(arguments, keywords)
        finally:
            dispatcher._can_compile = True

    def compile_for_arguments(*arguments: Any) -> Callable[..., Any]:
        # Python calls with types whose machine code is not in memory
        types = tuple(dispatcher.typeof_pyval(argument) for argument in arguments)
        if not all(map(fits, types, stated())):
            return cast(Callable[..., Any], dispatcher.compile(types))
        if _is_interpreted(dispatcher, arguments):
            return partial(call_fitted, _interpreter(dispatcher), stated())
        entry = dispatcher.compile(stated())
        return cast(Callable[..., Any], entry if types == stated() else partial(call_fitted, entry, stated()))

    dispatcher.argument_types = stated
    dispatcher.get_call_template = get_call_template
    dispatcher._compile_for_args = compile_for_arguments
    _KERNELS.append(dispatcher)


def _is_interpreted(dispatcher: Any, arguments: tuple[Any, ...]) -> bool:
    """Return whether a call is left to Python."""
    if not hasattr(dispatcher, "interpreted_seconds") or dispatcher.overloads or _is_on_disk(dispatcher):
        return False
    return dispatcher.interpreted_seconds < SECONDS and _n_elements(arguments) <= SMALL


def _n_elements(arguments: tuple[Any, ...]) -> int:
    """Count the elements of arrays, those in structures included."""
    return sum(
        argument.size if isinstance(argument, np.ndarray) else _n_elements(argument)
        for argument in arguments
        if isinstance(argument, np.ndarray | tuple)
    )


@cache
def _is_on_disk(dispatcher: Any) -> bool:
    stored = dispatcher._cache
    if not hasattr(stored, "_cache_file"):
        return False
    key = stored._index_key(dispatcher.argument_types(), dispatcher.targetctx.codegen())
    return key in stored._cache_file._load_index()


@cache
def _interpreter(dispatcher: Any) -> Callable[..., Any]:
    """Return a kernel as Python runs it."""
    plain = _plain(dispatcher)

    def interpret(*arguments: Any) -> Any:
        # as in machine code, products of hashes wrap around and ratios may be infinite
        start = time.thread_time()
        with np.errstate(all="ignore"):
            result = plain(*arguments)
        dispatcher.interpreted_seconds += time.thread_time() - start
        return _native(result)

    return interpret


@cache
def _plain(dispatcher: Any) -> Callable[..., Any]:
    """Return the function behind a kernel, which calls the functions behind other kernels."""
    function = dispatcher.py_func
    names = dict(function.__globals__)
    for name in function.__code__.co_names:
        if isinstance(names.get(name), Dispatcher):
            names[name] = _plain(names[name])
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__)


def _native(result: Any) -> Any:
    """Return Python's numbers instead of numpy's, as machine code does."""
    if isinstance(result, tuple):
        return tuple(_native(value) for value in result)
    return result.item() if isinstance(result, np.generic) else result


@cache
def _source_digest() -> str:
    """Return a digest of the source code of all kernels, those in sub-packages included."""
    folder = Path(__file__).parent
    sources = sorted(folder.rglob("*.py"))
    named = (f"{source.relative_to(folder)}\0".encode() + source.read_bytes() for source in sources)
    return hashlib.sha256(b"\0".join(named)).hexdigest()
