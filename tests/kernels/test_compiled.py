from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sfumato
from sfumato.kernels.boxes.snap_edges import snap_down
from sfumato.kernels.compilation_notices import notify, watched
from sfumato.kernels.factorize import append_digit, rank_bounded

CALLER = """
from sfumato.kernels.{package}callee import step
from sfumato.kernels.compiled import compiled

@compiled
def run(x: int) -> int:
    return step(x)
"""
CALLEE = """
from sfumato.kernels.compiled import compiled_within

@compiled_within
def step(x):
    return x + {increment}
"""
INTERPRETED = """
import copy, os
import numpy as np
import sfumato as sf
from sfumato.kernels import compiled

compiled._is_on_disk = lambda kernel: False
os.cpu_count = lambda: 1  # no other thread writes to an array that is copied
calls, interpreter = [], compiled._interpreter

def recording(kernel):
    def run(*arguments):
        before = copy.deepcopy(arguments)
        result = interpreter(kernel)(*arguments)
        calls.append((kernel, before, copy.deepcopy(arguments), copy.deepcopy(result)))
        return result
    return run

compiled._interpreter = recording
people = sf.datasets.census(1200, seed=1)
settings = dict(quasi=["age", "sex", "education", "hours"], sensitive="disability", identifiers=["person", "household"])
release = sf.Boxes(**settings, k=5, l=2, preserve=["mean(age)", "corr(age, hours)"], seed=1).protect(people)
for statistic in ("mean(age)", "std(age)", "corr(age, hours)"):
    release.estimate(statistic)
sf.measure(people, quasi=["age", "sex"], sensitive=["disability", "hours"])

def bits(value):
    if isinstance(value, tuple):
        return [bits(part) for part in value]
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return type(value), repr(value)

for kernel, before, after, result in calls:
    compiled_result = kernel.compile(kernel.argument_types())(*before)
    assert bits(compiled_result) == bits(result), kernel.py_func.__name__
    assert bits(before) == bits(after), kernel.py_func.__name__
print(*sorted({kernel.py_func.__name__ for kernel, *_ in calls}))
"""


def _run(code: str, **environment: str) -> str:
    command = [sys.executable, "-W", "ignore", "-c", code]
    ran = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def _copy_kernels(folder: Path) -> Path:
    """Make a package that has only what compiles kernels."""
    kernels = folder / "sfumato" / "kernels"
    (kernels / "boxes").mkdir(parents=True)
    for package in (folder / "sfumato", kernels, kernels / "boxes"):
        (package / "__init__.py").touch()
    source = Path(sfumato.__file__).parent
    for name in (
        "array_types.py",
        "kernels/compiled.py",
        "kernels/argument_types.py",
        "kernels/compilation_notices.py",
    ):
        shutil.copy(source / name, folder / "sfumato" / name)
    return kernels


STRUCTURE = """
from typing import NamedTuple
from sfumato.array_types import Reals

class Numbers(NamedTuple):
    values: Reals
"""
SUM_UP = """
from sfumato.kernels.compiled import compiled
from sfumato.kernels.{module} import Numbers

@compiled
def sum_up(numbers: Numbers) -> float:
    return numbers.values.sum()
"""
SUMMED = """
import numpy as np
from sfumato.kernels.summing import sum_up
from sfumato.kernels.{module} import Numbers
print(sum_up(Numbers(np.ones(3))))
"""


def test_a_structure_that_moved_to_another_module_is_compiled_again(tmp_path: Path) -> None:
    kernels = _copy_kernels(tmp_path)
    for module in ("old_name", "new_name"):
        (kernels / "summing.py").write_text(SUM_UP.format(module=module))
        (kernels / f"{module}.py").write_text(STRUCTURE)
        environment = {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        assert _run(SUMMED.format(module=module), **environment) == "3.0\n"
        (kernels / f"{module}.py").unlink()
        assert [*kernels.rglob("*.nbi")], "nothing was cached, so the test shows nothing"


@pytest.mark.parametrize("package", ["", "boxes."])
def test_a_change_in_a_called_file_compiles_its_callers_again(tmp_path: Path, package: str) -> None:
    kernels = _copy_kernels(tmp_path)
    (kernels / "caller.py").write_text(CALLER.format(package=package))
    results = []
    for increment in (1, 2):
        (kernels / package.replace(".", "/") / "callee.py").write_text(CALLEE.format(increment=increment))
        results.append(
            _run(
                "from sfumato.kernels.caller import run; print(run(10))",
                PYTHONPATH=str(tmp_path),
                PYTHONDONTWRITEBYTECODE="1",
            )
        )
    assert results == ["11\n", "12\n"]
    assert [*kernels.rglob("*.nbi")], "nothing was cached, so the test shows nothing"


def test_python_and_machine_code_give_the_same_bits() -> None:
    kernels = _run(INTERPRETED).split()
    assert {"rank_bounded", "multiply", "sum_bounds", "tabulate_dense", "map_logarithms", "halve"} <= {*kernels}


def test_no_layout_or_type_is_compiled_again() -> None:
    keys, codes = np.arange(6), np.arange(6, dtype=np.int32)
    append_digit(keys, codes, 10, 0)
    spread = np.arange(12)[::2]
    append_digit(spread, codes.astype(np.int16), np.int32(10), 0)
    assert spread.tolist() == [0, 21, 42, 63, 84, 105]
    codes.flags.writeable = False
    append_digit(keys, codes, 10, 0)
    ranks, distinct = rank_bounded(keys.astype(np.int32), np.zeros(0, dtype=bool), 0, 1000)
    assert ranks.tolist() == [0, 1, 2, 3, 4, 5]
    assert distinct.size == 6
    assert all(len(kernel.overloads) <= 1 for kernel in (append_digit, rank_bounded))  # type: ignore[attr-defined]


def test_a_type_that_would_lose_digits_is_not_converted() -> None:
    multiples, _ = snap_down(np.array([1.5, 2.5]), 1, 1.0, False)
    assert multiples.tolist() == [1.0, 2.0]


def test_watchers_are_notified_of_compilations() -> None:
    counts: list[int] = []
    with watched(counts.append):
        notify()
        notify()
    notify()
    assert len(counts) == 2
    assert counts[1] == counts[0] + 1
