"""The commands, and how errors are reported."""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.interruption import Interruption, answered
from sfumato.cli.output import emit
from sfumato.errors import SfumatoError, path_text
from sfumato.invisible_characters import printable

VERBS = {
    "demo": "Run all steps on a synthetic census.",
    "profile": "Show what is in a file: kinds, uniqueness, which columns identify people.",
    "init": "Write a starter recipe for a file, with a reason for each suggestion.",
    "protect": "Run the protections of a recipe in order and write the release.",
    "compare": "Protect a file by several methods, and compare how safe and how exact they are.",
    "measure": "Measure how safe a table is: k, l, t, risk and more; exit with 1 if a limit is violated.",
    "estimate": "Estimate statistics of the original from a release, with guaranteed ranges.",
    "audit": "Measure the files of a release again; exit with 1 if a promise is broken.",
    "attack": "Attack a group as an attacker with another file would; exit with 1 if it is disclosed.",
    "report": "Write a report about a release as one HTML page; exit with 1 if a promise is broken.",
    "warm": "Compile everything now, so that no first run has to wait.",
}

WRONG = 2
BUG = 70
INTERRUPTED = 130
STOPPED = "Interrupted. No partial output; any existing release is intact."


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line.

    Exits with 0 on success, 1 if a promise is broken, 2 if the user's input is wrong.
    """
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    for closed in ("stdout", "stderr"):
        if getattr(sys, closed) is None:
            setattr(sys, closed, Path(os.devnull).open("w"))  # noqa: SIM115  # it stays open as long as the process
    code = 0
    try:
        with answered(_leave) as interruption:
            code = _run(words, interruption)
            if code == INTERRUPTED and threading.active_count() > 2:
                # otherwise the process would wait for kernels that still run on other threads
                _leave(reported=True)
        sys.stdout.flush()
    except BrokenPipeError:
        # the reader closed the pipe; the work itself is done
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        message = f"reading or writing failed: {os.strerror(error.errno or errno.EIO)}"
        with suppress(OSError):
            _refuse(message, {"type": "OSError", "code": "os", "message": message}, as_json="--json" in words)
            sys.stdout.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = WRONG
    sys.exit(code)


def _leave(*, reported: bool = False) -> None:
    """End the process at once after Ctrl-C, as a crash would, but with its message and exit code."""
    if not reported:
        _complain(STOPPED)
    with suppress(OSError):
        if sys.stderr.isatty():
            # a progress bar hides the cursor
            sys.stderr.write("\x1b[?25h")
        sys.stderr.flush()
    os._exit(INTERRUPTED)


def _run(words: list[str], interruption: Interruption) -> int:
    """Run a command and return the exit code."""
    verb = next((word for word in words if not word.startswith("-")), None)
    as_json = "--json" in words
    try:
        code = _app(verb)(args=words, prog_name="sfumato", standalone_mode=False)
        if code == INTERRUPTED:
            # typer itself takes the interruption
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except SfumatoError as error:
        return _refuse(str(error), _facts(error), as_json=as_json)
    except (KeyboardInterrupt, typer.Abort):
        _complain(STOPPED)
        return INTERRUPTED
    except SystemExit:
        # raised only by a console whose pipe was closed
        return 0
    except OSError:
        raise
    except BaseException as error:
        if interruption.arrived:
            # inside a kernel or a foreign library an interruption can become any error
            _complain(STOPPED)
            return INTERRUPTED
        if hasattr(error, "format_message"):
            # the command line itself is wrong
            message = error.format_message()
            hint = f"sfumato {verb} --help" if verb in VERBS else "sfumato --help"
            facts = {"type": "UsageError", "code": "usage", "message": message, "hint": hint}
            return _refuse(f"{message}\nHint: {hint}", facts, as_json=as_json)
        if os.environ.get("SFUMATO_DEBUG"):
            raise
        # the message of a foreign error could show a record's value
        message = f"a bug in sfumato ({type(error).__name__})"
        hint = "run again with SFUMATO_DEBUG=1 for the traceback, which may show values of records, and report it"
        facts = {"type": "Bug", "code": "bug", "message": message, "hint": hint}
        _refuse(f"{message}\nHint: {hint}", facts, as_json=as_json)
        return BUG


def _app(verb: str | None) -> typer.Typer:
    """Make the application; only the requested command is imported, so that help appears at once."""
    app = typer.Typer(
        name="sfumato",
        help="Anonymize microdata, and know how safe and how exact the release is.",
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_version)
    for name, help_text in VERBS.items():
        app.command(name, help=help_text)(_loaded(name) if name == verb else _not_called)
    return app


def _loaded(name: str) -> Callable[..., None]:
    return getattr(import_module(f"sfumato.cli.{name}"), name)  # type: ignore[no-any-return]  # by convention


def _not_called() -> None:
    """Represent a command that is only listed."""


def _show_version(requested: bool) -> None:
    if requested:
        from sfumato.version import __version__

        sys.stdout.write(f"sfumato {__version__}\n")
        raise typer.Exit


def _version(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Accept options before the command."""


def _facts(error: SfumatoError) -> dict[str, object]:
    """Return what programs need to know about an error."""
    return {
        "type": type(error).__name__,
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
        "setting": path_text(error.setting) or None,
        "setting_path": list(error.setting),
        "column": error.column,
        "file": None if error.file is None else str(error.file),
        "line": error.line,
    }


def _refuse(message: str, facts: dict[str, object], *, as_json: bool) -> int:
    """Print an error, with ``--json`` also as an object that always has the same keys."""
    _complain(message)
    with suppress(BrokenPipeError):
        if as_json:
            emit({"error": _facts(SfumatoError("")) | facts})
    return WRONG


def _complain(message: str) -> None:
    with suppress(OSError):
        sys.stderr.write(f"Error: {printable(message)}\n")
