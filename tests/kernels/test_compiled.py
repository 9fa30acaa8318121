from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import sfumato

CALLER = """
from sfumato.kernels.callee import step
from sfumato.kernels.compiled import compiled

@compiled
def run(x):
    return step(x)
"""
CALLEE = """
from sfumato.kernels.compiled import compiled_within

@compiled_within
def step(x):
    return x + {increment}
"""


def test_a_change_in_a_called_file_compiles_its_callers_again(tmp_path: Path) -> None:
    kernels = tmp_path / "sfumato" / "kernels"
    kernels.mkdir(parents=True)
    (tmp_path / "sfumato" / "__init__.py").touch()
    (kernels / "__init__.py").touch()
    shutil.copy(Path(sfumato.__file__).parent / "kernels" / "compiled.py", kernels)
    (kernels / "caller.py").write_text(CALLER)
    results = []
    for increment in (1, 2):
        (kernels / "callee.py").write_text(CALLEE.format(increment=increment))
        command = [sys.executable, "-c", "from sfumato.kernels.caller import run; print(run(10))"]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        results.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert results == ["11\n", "12\n"]
    assert [*kernels.rglob("*.nbi")], "nothing was cached, so the test shows nothing"
