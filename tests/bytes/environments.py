"""Kinds of machines, as far as one machine can stand for them, and what recipes write on each."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
GLIBC = "-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-FMA4,-FMA4_Usable,-AVX512F,-AVX512VL,-AVX512DQ,-AVX512BW"
"""Without these, the C library computes exponentials and logarithms as on an older processor."""


def environments() -> dict[str, dict[str, str]]:
    """Return the environment variables that make this machine compute as others do, by name."""
    found: dict[str, dict[str, str]] = {"default": {}}
    if platform.machine() in ("x86_64", "AMD64"):
        for kernel in ("Haswell", "SkylakeX", "Prescott"):
            found[f"OpenBLAS {kernel}"] = {"OPENBLAS_CORETYPE": kernel}
        found["C library"] = {"GLIBC_TUNABLES": f"glibc.cpu.hwcaps={GLIBC}"}
    if features := optional_features():
        found["numpy baseline"] = {"NPY_DISABLE_CPU_FEATURES": " ".join(features)}
    found["one thread"] = {
        "POLARS_MAX_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "NUMBA_NUM_THREADS": "1",
    }
    found["seven threads"] = {"POLARS_MAX_THREADS": "7", "OPENBLAS_NUM_THREADS": "7", "OMP_NUM_THREADS": "7"}
    found["numba generic"] = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    return found


def optional_features() -> list[str]:
    """Return the features of this processor that numpy uses but does not need."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return [feature for feature in __cpu_dispatch__ if __cpu_features__.get(feature)]


def digests_in(variables: dict[str, str], *, source: Path = ROOT / "src") -> dict[str, str]:
    """Run all recipes in a process of their own, and return their digests."""
    with tempfile.TemporaryDirectory() as folder:
        printed = printed_in(variables, ["tests.bytes", "--here", str(Path(folder, "work"))], source=source)
    answer: dict[str, str] = json.loads(printed)
    return answer


def printed_in(variables: dict[str, str], module: list[str], *, source: Path = ROOT / "src") -> str:
    """Run a module with its arguments in a process of its own, and return what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        given = {**os.environ, **variables, "PYTHONPATH": os.pathsep.join([str(source), str(ROOT)])}
        if "NUMBA_CPU_NAME" in variables:
            # what is compiled for one kind of processor is not found by another
            given["NUMBA_CACHE_DIR"] = folder
        command = [sys.executable, "-m", *module]
        done = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{module[0]} failed with {variables}:\n{done.stderr}")
    return done.stdout


def all_digests() -> Iterator[tuple[str, dict[str, str]]]:
    """Run all recipes in every environment, one after the other."""
    for name, variables in environments().items():
        yield name, digests_in(variables)
