"""What can go wrong, as one tree.

::

    SfumatoError
    ├── SettingError       a setting is wrong: what was given, what is allowed
    ├── MicrofileError     a file or frame cannot be used as a microfile
    ├── UnattainableError  the promise cannot be kept; names what binds and what would relax it
    └── ReleaseError       a release cannot be written, opened or believed

Every message names the column or setting, never a record's value. What is allowed but may not be meant is told by a
:class:`SfumatoWarning`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from sfumato.characters import printable


class SfumatoError(Exception):
    """Base of every error that sfumato raises on purpose.

    Parameters
    ----------
    message
        What is wrong, naming the column or setting.
    hint
        What to do about it.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        # what is named may come from a file, and a terminal obeys what it is shown
        self.message = printable(message)
        self.hint = None if hint is None else printable(hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nHint: {self.hint}"


class SfumatoWarning(UserWarning):
    """Something that is allowed but may not be meant: the category of every warning of sfumato."""


class SettingError(SfumatoError):
    """A setting is wrong."""


class MicrofileError(SfumatoError):
    """A file or frame cannot be used as a microfile."""


class UnattainableError(SfumatoError):
    """A promise cannot be kept on this microfile."""


class ReleaseError(SfumatoError):
    """A release cannot be written, opened or believed."""


def needs(what: str, package: str, *, extra: str) -> MicrofileError:
    """Say which package is not there, and how it is installed.

    >>> print(needs(".sav files", "pyreadstat", extra="files"))
    .sav files need the package pyreadstat
    Hint: pip install 'sfumato[files]'
    """
    return MicrofileError(f"{what} need the package {package}", hint=f"pip install 'sfumato[{extra}]'")


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which known name is meant, or which there are.

    >>> nearest("aeg", ["age", "sex"])
    "did you mean 'age'?"
    >>> nearest("zip", ["age", "sex"])
    'there are: age, sex'
    """
    names = list(known)
    lowered = {candidate.lower(): candidate for candidate in names}
    close = difflib.get_close_matches(name.lower(), lowered, n=1)
    if close:
        return f"did you mean {lowered[close[0]]!r}?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"there are: {shown}"
