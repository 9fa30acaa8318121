"""The errors that sfumato raises, as one tree.

::

    SfumatoError
    ├── SettingError       a setting is wrong: what was given and what is allowed
    ├── MicrofileError     a file or frame cannot be used as a microfile
    ├── UnattainableError  a promise is unattainable: which limit binds, and what would relax it
    └── ReleaseError       a release cannot be written, opened or trusted

Every message names the column or setting, never a record's value. Something that is allowed but may be a mistake raises
a :class:`SfumatoWarning`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from sfumato.invisible_characters import printable

SettingPath = tuple[str | int, ...]
"""Which setting is meant, from the outermost in: ``("preserve", 1, "accuracy")``."""
FACTS = ("message", "hint", "setting", "column", "code", "file", "line")
"""What every error carries."""


def path_text(path: SettingPath) -> str:
    """Write the path of a setting.

    >>> path_text(("protect", 0, "preserve", 1, "accuracy"))
    'protect[0].preserve[1].accuracy'
    """
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


class SfumatoError(Exception):
    """Base of every error that sfumato raises on purpose.

    The message is for people. Programs read the other fields: a recipe finds the line of a mistake by ``setting`` and
    ``column``, and ``--json`` prints all fields.

    Parameters
    ----------
    message
        What is wrong, naming the column or setting.
    hint
        What to do about it.
    setting
        The setting that is wrong: its name, or the path to an entry within it.
    column
        The attribute or column concerned.
    code
        A stable name of what went wrong; default: that of the class.
    file, line
        Where the setting is written, if it was read from a file.

    Examples
    --------
    >>> error = SettingError("k must be at least 1", setting="k")
    >>> error.within("protect", 0).setting
    ('protect', 0, 'k')
    """

    default_code = "error"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        setting: str | SettingPath = (),
        column: str | None = None,
        code: str | None = None,
        file: Path | None = None,
        line: int | None = None,
    ) -> None:
        # names may come from a file, and a terminal obeys control characters
        self.message = printable(message)
        self.hint = None if hint is None else printable(hint)
        self.setting: SettingPath = (setting,) if isinstance(setting, str) else tuple(setting)
        self.column = column
        self.code = code or self.default_code
        self.file = file
        self.line = line
        super().__init__(self.message)

    @property
    def location(self) -> str | None:
        """The file and line of the mistake, in words; None if the settings come from no file."""
        if self.file is None:
            return None
        return printable(self.file.name if self.line is None else f"{self.file.name}, line {self.line}")

    def __str__(self) -> str:
        located = self.message if self.location is None else f"{self.location}: {self.message}"
        return located if self.hint is None else f"{located}\nHint: {self.hint}"

    def within(self, *outer: str | int) -> Self:
        """Return the same error with the path of its setting seen from further out."""
        return self.changed(setting=(*outer, *self.setting))

    def prefixed(self, subject: str) -> Self:
        """Return the same error with a message that first says what it is about."""
        return self.changed(message=f"{subject}: {self.message}")

    def changed(self, **facts: Any) -> Self:
        """Return the same error with some of its facts changed."""
        current = {name: getattr(self, name) for name in FACTS}
        return type(self)(**{**current, **facts})


class SfumatoWarning(UserWarning):
    """Something that is allowed but may be a mistake: the category of every warning of sfumato."""


class SettingError(SfumatoError, ValueError):
    """A setting is wrong. Being a ``ValueError``, it can be raised while pydantic checks settings."""

    default_code = "setting"


class MicrofileError(SfumatoError):
    """A file or frame cannot be used as a microfile."""

    default_code = "microfile"


class UnattainableError(SfumatoError):
    """A promise is unattainable on this microfile."""

    default_code = "unattainable"


class ReleaseError(SfumatoError):
    """A release cannot be written, opened or trusted."""

    default_code = "release"


def needs(subject: str, package: str, *, extra: str) -> MicrofileError:
    """Return the error for a missing package, saying how to install it.

    >>> print(needs(".sav files", "pyreadstat", extra="files"))
    .sav files need the package pyreadstat
    Hint: pip install 'sfumato[files]'
    """
    return MicrofileError(f"{subject} need the package {package}", hint=f"pip install 'sfumato[{extra}]'")


def nearest(name: str, available: Iterable[str]) -> str:
    """Suggest the available name that is most like a misspelt one, or list the names.

    >>> nearest("aeg", ["age", "sex"])
    "did you mean 'age'?"
    >>> nearest("zip", ["age", "sex"])
    'available: age, sex'
    """
    names = list(available)
    similar = most_similar(name, names)
    if similar is not None:
        return f"did you mean {similar!r}?"
    listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"available: {listed}"


def most_similar(name: str, available: Iterable[str]) -> str | None:
    """Return the available name that is most like a misspelt one, if any is.

    >>> most_similar("aeg", ["age", "sex"])
    'age'
    """
    lowered = {candidate.lower(): candidate for candidate in available}
    similar = difflib.get_close_matches(name.lower(), lowered, n=1)
    return lowered[similar[0]] if similar else None
