"""A file as the source of a microfile."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from sfumato.errors import SettingError, nearest
from sfumato.microfile import Microfile, read, refuse_address
from sfumato.progress import Progress
from sfumato.sources.source import Source


class FileSource(Source):
    """A file, and how it is read."""

    key: ClassVar[str] = "path"

    path: str
    """The file, as seen from the recipe's folder: csv, tsv, txt (also .gz), parquet, sav, dta or sas7bdat."""
    encoding: str | None = None
    """The encoding of a text file, if it is not detected correctly."""
    delimiter: str | None = None
    """The delimiter of a text file, if it is not detected correctly."""
    decimal: str | None = None
    """The decimal separator of a text file, if it is not detected correctly."""

    def read(self, folder: Path, progress: Progress) -> Microfile:
        """Read the file."""
        options = self.model_dump(include={"kinds", "missing", "encoding", "delimiter", "decimal"})
        return read(folder / self.path, **options, progress=progress)

    def describe(self) -> str:
        """Return the path as it was given."""
        return self.path

    def check(self, folder: Path) -> None:
        """Refuse a path that is not a file."""
        check_file_exists(self.path, folder, setting=self.key)


def check_file_exists(path: str, folder: Path, *, setting: str) -> None:
    """Refuse a path that is not a file, suggesting a file beside it.

    Parameters
    ----------
    path
        The path as it was given.
    folder
        The folder from which relative paths start.
    setting
        The setting that gives the path.
    """
    file = folder / path
    try:
        if file.is_file():
            return
        siblings = sorted(sibling.name for sibling in file.parent.iterdir() if sibling.is_file())
    except (OSError, ValueError):
        siblings = []  # the path is too long, or cannot be one
    refuse_address(path)
    hint = nearest(file.name, siblings) if siblings else "relative paths start from the recipe's folder"
    raise SettingError(f"file {file} does not exist", hint=hint, setting=setting)
