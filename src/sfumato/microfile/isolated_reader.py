"""Reading files of other packages in a separate process, which may crash, hang or run out of memory.

The library that reads SPSS, Stata and SAS files is written in C, and a damaged file can crash it; Polars may abort when
a damaged Parquet file makes it request too much memory. So they run in a child process with limits; the table is
returned through an anonymous file, which disappears as soon as both processes have closed it.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import polars as pl

from sfumato.errors import MicrofileError
from sfumato.microfile.memory_limit import available_memory, with_unit

STATISTICAL = (".sav", ".zsav", ".dta", ".sas7bdat")
"""The endings of the files that pyreadstat reads."""
SECONDS = 60.0
SECONDS_PER_MEGABYTE = 2.0
"""The limit on processor time: a constant, and per megabyte far more than intact files need."""
MEMORY = 1 << 30
MEMORY_PER_BYTE = {".zsav": 8_000, ".sas7bdat": 1_000}
MEMORY_PER_BYTE_ELSE = 200
"""The limit on memory, of which a damaged file could request any amount: more than intact files need. Each of their
bytes can represent several values of about 32 bytes each, and very many where the file is compressed."""
PATIENCE = 10
"""On a busy machine, elapsed time may be this multiple of processor time."""
NOT_STARTED, NOT_OF_ITS_FORM, OUT_OF_MEMORY = 1, 3, 4
"""Exit codes of the child process; any other code means that the reading library has crashed."""


@dataclass(frozen=True)
class Foreign:
    """The content of a file of another package."""

    frame: pl.DataFrame
    """Its data."""
    labels: dict[str, dict[Any, str]]
    """What the codes of each column mean."""
    titles: dict[str, str]
    """The titles of columns."""
    measures: dict[str, str]
    """The measurement levels of columns, if the file has them."""


def read_apart(path: Path, *, encoding: str | None, seconds: float | None = None) -> Foreign:
    """Read a sav, zsav, dta, sas7bdat or Parquet file in a child process.

    ``seconds`` limits the processor time; by default generously, in proportion to the size of the file.
    """
    seconds = SECONDS + SECONDS_PER_MEGABYTE * path.stat().st_size / 2**20 if seconds is None else seconds
    ending = path.suffix.lower().lstrip(".")
    memory = MEMORY + MEMORY_PER_BYTE.get(path.suffix.lower(), MEMORY_PER_BYTE_ELSE) * path.stat().st_size
    if (available := available_memory()) is not None:
        memory = min(memory, available)
    with _nameless() as file:
        task = {
            "path": os.path.abspath(path),
            "encoding": encoding,
            "seconds": max(int(seconds), 1),
            "memory": memory,
            "file": file.fileno(),
        }
        try:
            ended = subprocess.run(
                [sys.executable, "-P", "-c", "from sfumato.microfile.isolated_reader import main; main()"],
                input=json.dumps(task).encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                pass_fds=[file.fileno()],
                timeout=PATIENCE * seconds,
                check=False,
            )
            code = ended.returncode
        except subprocess.TimeoutExpired:
            raise _endless(seconds) from None
        if code == -signal.SIGXCPU:
            raise _endless(seconds)
        if code == OUT_OF_MEMORY:
            raise MicrofileError(
                f"reading the file needs more than {with_unit(memory)} of memory",
                hint="if it opens in the program that wrote it, use a machine with more memory",
            )
        if code == NOT_STARTED:
            raise MicrofileError(
                f"the process that reads {ending} files could not be started",
                hint=f"{sys.executable} must be able to import sfumato, polars and pyreadstat",
            )
        if code != 0:
            encoded = (
                ", is damaged, or has a different encoding" if path.suffix.lower() in STATISTICAL else ", or is damaged"
            )
            raise MicrofileError(f"the file is not a {ending} file{encoded}")
        facts = json.loads(ended.stdout)
        file.seek(0)
        frame = pl.read_ipc(file)
    return Foreign(
        frame,
        {name: dict(pairs) for name, pairs in facts["labels"].items()},
        facts["titles"],
        facts["measures"],
    )


def _endless(seconds: float) -> MicrofileError:
    return MicrofileError(
        f"reading the file was stopped after {seconds:,.0f} seconds of processor time: it is probably damaged",
        hint="open it in the program that wrote it and save it again",
    )


def _nameless() -> IO[bytes]:
    """Open a file in memory if possible, otherwise one without a name: no record's value remains on disk."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("sfumato"), "w+b")
    return cast(IO[bytes], tempfile.TemporaryFile())  # the caller closes it


def main() -> None:
    """Read a file as a child process: the task on standard input, facts on standard output, the table in a file."""
    task = json.load(sys.stdin)
    if Path(task["path"]).suffix.lower() in STATISTICAL:
        import pyreadstat  # noqa: F401  # an import error is not the fault of the file
    _limit(task["seconds"], task["memory"])
    try:
        frame, facts = _read(Path(task["path"]), task["encoding"])
        with os.fdopen(task["file"], "w+b", closefd=False) as file:
            frame.write_ipc(file, compression="uncompressed")
        sys.stdout.write(json.dumps(facts))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except (Exception, pl.exceptions.PanicException):
        # on a damaged file, the library may raise anything
        os._exit(NOT_OF_ITS_FORM)


def _limit(seconds: int, memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard != resource.RLIM_INFINITY:
        return
    try:
        in_use = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (in_use + memory, hard))


def _read(path: Path, encoding: str | None) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Read a file with the library for its format; return the table and its metadata."""
    if path.suffix.lower() not in STATISTICAL:
        return pl.read_parquet(path, glob=False), {"labels": {}, "titles": {}, "measures": {}}
    import pyreadstat

    readers: dict[str, Any] = {
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".dta": pyreadstat.read_dta,
        ".sas7bdat": pyreadstat.read_sas7bdat,
    }
    options = {"encoding": encoding} if encoding else {}
    frame, meta = readers[path.suffix.lower()](str(path), output_format="polars", **options)
    return frame, {
        "labels": {name: list(labels.items()) for name, labels in _labels(path, meta).items()},
        "titles": {name: title for name, title in meta.column_names_to_labels.items() if title},
        "measures": dict(meta.variable_measure),
    }


def _labels(path: Path, meta: Any) -> dict[str, dict[Any, str]]:
    """Return the value labels; those of a SAS file are in a separate catalogue."""
    catalogue = path.with_suffix(".sas7bcat")
    labels: dict[str, dict[Any, str]] = dict(meta.variable_value_labels)
    if path.suffix.lower() != ".sas7bdat" or not catalogue.is_file():
        return labels
    import pyreadstat

    _, formats = pyreadstat.read_sas7bcat(str(catalogue), output_format="polars")
    return labels | {
        name: formats.value_labels[kind]
        for name, kind in meta.variable_to_label.items()
        if kind in formats.value_labels
    }
