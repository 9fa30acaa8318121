"""The verbs, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

from sfumato.cli.show import emit
from sfumato.errors import SfumatoError

VERBS = {
    "demo": "Everything on an embedded census.",
    "profile": "What is in a file: kinds, uniqueness, which columns identify.",
    "measure": "How safe any table is: k, l, t, risk and more; exit 1 if a limit is broken.",
    "audit": "Re-measures a release on disk; exit 1 when a promise is broken.",
}

INTERRUPTED = 130
BUG = 70


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line.

    Exits with 0 when done, 1 when a promise is not kept, 2 when the user's input is wrong.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    verb = next((word for word in given if not word.startswith("-")), None)
    try:
        _app(verb)(args=given, prog_name="sfumato")
    except SfumatoError as error:
        _tell(error, as_json="--json" in given)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted; nothing was left half written.\n")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if os.environ.get("SFUMATO_DEBUG"):
            raise
        # the message of a foreign error could show a record's value
        sys.stderr.write(
            f"Error: a bug in sfumato ({type(error).__name__}). Run again with SFUMATO_DEBUG=1 for the "
            "traceback, which may show values of records, and report it.\n"
        )
        sys.exit(BUG)


def _app(verb: str | None) -> typer.Typer:
    """Make the application; only the verb that is called is loaded, so that help comes at once."""
    app = typer.Typer(
        name="sfumato",
        help="Anonymize microdata, and know how exact and how safe the release is.",
        add_completion=False,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
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
        from sfumato import __version__

        sys.stdout.write(f"sfumato {__version__}\n")
        raise typer.Exit


def _version(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Take options that stand before the verb."""


def _tell(error: SfumatoError, *, as_json: bool) -> None:
    sys.stderr.write(f"Error: {error}\n")
    if as_json:
        content: dict[str, Any] = {"type": type(error).__name__, "message": error.message, "hint": error.hint}
        emit({"error": content})
