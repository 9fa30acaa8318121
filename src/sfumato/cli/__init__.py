"""The command line: arguments, one call, text or JSON."""

from sfumato.cli.app import main

__all__ = ["main"]
