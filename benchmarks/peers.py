"""Peers: each in an environment of its own, since they pin packages, asked by a script that answers in JSON."""

from __future__ import annotations

import json
import subprocess
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ENVIRONMENTS = HERE / ".envs"

# The versions tested. anonypy, ai-privacy-toolkit and scikit-fuzzy do not name what they need; the second calls
# scikit-learn in a way that 1.4 no longer takes, and that one needs numpy 1.
PACKAGES = {
    "pycanon": ("pycanon==1.3.6",),
    "anonypy": ("anonypy==0.2.1", "pandas==2.3.3"),
    "anjana": ("anjana==1.2.3",),
    "aiprivacy": (
        "ai-privacy-toolkit==0.2.1",
        "adversarial-robustness-toolbox==1.20.1",
        "numpy==1.26.4",
        "packaging==26.3",
        "pandas==2.2.3",
        "scikit-learn==1.3.2",
        "scipy==1.17.1",
    ),
    "pysubgroup": (
        "pysubgroup==0.9.0",
        "numpy==1.26.4",
        "pandas==2.2.3",
        "scikit-learn==1.7.2",
        "scipy==1.17.1",
        "statsmodels==0.14.6",
    ),
    "skfuzzy": ("scikit-fuzzy==0.5.0", "numpy==2.4.6", "packaging==26.3", "scipy==1.17.1"),
}


class PeerError(Exception):
    """A peer cannot be installed; the message says why."""


def environment(name: str, *packages: str) -> Path:
    """Return the Python of a peer's environment, which is made where it is not there with these packages."""
    folder = ENVIRONMENTS / name
    python, installed = folder / "bin" / "python", folder / "installed.txt"
    wanted = "\n".join(packages)
    # The list is written last, so that an installation broken off is not taken for a whole one.
    if not (python.exists() and installed.exists() and installed.read_text() == wanted):
        print(f"    making an environment for {packages[0]}", flush=True)
        try:
            venv.create(folder, with_pip=True, clear=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise PeerError(f"no environment for {packages[0]}: {error}") from error
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
        done = subprocess.run(install, check=False, capture_output=True, text=True)
        if done.returncode:
            raise PeerError(f"{packages[0]} cannot be installed: {_reason(done)}")
        installed.write_text(wanted)
    return python


def ask(python: Path, script: Path, *arguments: object) -> dict[str, Any]:
    """Return the answer of a script run by a peer's Python, or under "error" why there is none."""
    # Isolated: what is in the script's folder or in PYTHONPATH could be taken for modules that the peer imports.
    command = [python, "-I", script, *map(str, arguments)]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except OSError as error:
        return {"error": f"{script.name} cannot be run: {error}"}
    if done.returncode:
        return {"error": f"{script.name} failed: {_reason(done)}"}
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        return {"error": f"{script.name} answered no JSON: {error}"}
    return found


def ask_peer(name: str, script: str, *arguments: object) -> dict[str, Any]:
    """Ask a peer of PACKAGES, installed if need be, by a script of this folder; see `ask`."""
    try:
        python = environment(name, *PACKAGES[name])
    except PeerError as error:
        return {"error": str(error)}
    return ask(python, HERE / script, *arguments)


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last thing said, pip's own errors before its advice, or what ended a process that said nothing."""
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")]
    return (errors or said or [f"exit code {done.returncode}"])[-1]
