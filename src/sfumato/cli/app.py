"""The verbs, and what becomes of errors."""

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

from sfumato.characters import printable
from sfumato.cli.interruption import Interruption, answered
from sfumato.cli.show import emit
from sfumato.errors import SfumatoError

VERBS = {
    "demo": "Everything on an embedded census.",
    "profile": "What is in a file: kinds, uniqueness, which columns identify.",
    "init": "Writes a first recipe for a file, which says why it suggests what.",
    "protect": "Runs a recipe's protections in order and writes the release.",
    "compare": "Protects a file by several methods, and shows how safe and how exact each is.",
    "measure": "How safe any table is: k, l, t, risk and more; exit 1 if a limit is broken.",
    "estimate": "Statistics of a release, with the ranges they are sure to lie in.",
    "audit": "Re-measures a release on disk; exit 1 when a promise is broken.",
    "attack": "Finds a group with somebody else's file, as an adversary would; exit 1 when it is disclosed.",
    "report": "Writes one page on a release, for the steward and the officer; exit 1 when a promise is broken.",
}

WRONG = 2
BUG = 70
INTERRUPTED = 130
STOPPED = "interrupted; nothing is half written: a release that is there is whole"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line.

    Exits with 0 when done, 1 when a promise is not kept, 2 when the user's input is wrong.
    """
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    for closed in ("stdout", "stderr"):
        if getattr(sys, closed) is None:
            setattr(sys, closed, Path(os.devnull).open("w"))  # noqa: SIM115  # it stays open as long as the process
    code = 0
    try:
        with answered(_leave) as interruption:
            code = _run(given, interruption)
            if code == INTERRUPTED and threading.active_count() > 2:
                # kernels that still run on other threads would be waited for
                _leave(told=True)
        sys.stdout.flush()
    except BrokenPipeError:
        # nobody reads any longer; what was asked for was done
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        message = f"reading or writing failed: {os.strerror(error.errno or errno.EIO)}"
        with suppress(OSError):
            _refuse(message, kind="OSError", message=message, hint=None, as_json="--json" in given)
            sys.stdout.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = WRONG
    sys.exit(code)


def _leave(*, told: bool = False) -> None:
    """End the process at once after Ctrl-C, as a crash would, but with its message and exit code."""
    if not told:
        _complain(STOPPED)
    with suppress(OSError):
        if sys.stderr.isatty():
            # a bar of progress hides the cursor
            sys.stderr.write("\x1b[?25h")
        sys.stderr.flush()
    os._exit(INTERRUPTED)


def _run(given: list[str], interruption: Interruption) -> int:
    """Run a verb and return the exit code."""
    verb = next((word for word in given if not word.startswith("-")), None)
    as_json = "--json" in given
    try:
        code = _app(verb)(args=given, prog_name="sfumato", standalone_mode=False)
        if code == INTERRUPTED:
            # typer itself takes the interruption
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except SfumatoError as error:
        return _refuse(error, kind=type(error).__name__, message=error.message, hint=error.hint, as_json=as_json)
    except (KeyboardInterrupt, typer.Abort):
        _complain(STOPPED)
        return INTERRUPTED
    except SystemExit:
        # raised only by a console whose reader went away
        return 0
    except OSError:
        raise
    except BaseException as error:
        if interruption.arrived:
            # inside a kernel or a foreign library an interruption becomes an error of any kind
            _complain(STOPPED)
            return INTERRUPTED
        if hasattr(error, "format_message"):
            # the command line itself is wrong
            message = error.format_message()
            hint = f"sfumato {verb} --help" if verb in VERBS else "sfumato --help"
            return _refuse(f"{message}\nHint: {hint}", kind="UsageError", message=message, hint=hint, as_json=as_json)
        if os.environ.get("SFUMATO_DEBUG"):
            raise
        # the message of a foreign error could show a record's value
        message = f"a bug in sfumato ({type(error).__name__})"
        hint = "run again with SFUMATO_DEBUG=1 for the traceback, which may show values of records, and report it"
        _refuse(f"{message}\nHint: {hint}", kind="Bug", message=message, hint=hint, as_json=as_json)
        return BUG


def _app(verb: str | None) -> typer.Typer:
    """Make the application; only the verb that is called is loaded, so that help comes at once."""
    app = typer.Typer(
        name="sfumato",
        help="Anonymize microdata, and know how exact and how safe the release is.",
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_version)
    for name, told in VERBS.items():
        app.command(name, help=told)(_loaded(name) if name == verb else _not_called)
    return app


def _loaded(name: str) -> Callable[..., None]:
    return getattr(import_module(f"sfumato.cli.{name}"), name)  # type: ignore[no-any-return]  # by convention


def _not_called() -> None:
    """Stand for a verb in the list of verbs."""


def _show_version(wanted: bool) -> None:
    if wanted:
        from sfumato.version import __version__

        sys.stdout.write(f"sfumato {__version__}\n")
        raise typer.Exit


def _version(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Take options that stand before the verb."""


def _refuse(told: object, *, kind: str, message: str, hint: str | None, as_json: bool) -> int:
    _complain(str(told))
    with suppress(BrokenPipeError):
        if as_json:
            emit({"error": {"type": kind, "message": message, "hint": hint}})
    return WRONG


def _complain(message: str) -> None:
    with suppress(OSError):
        sys.stderr.write(f"Error: {printable(message)}\n")
