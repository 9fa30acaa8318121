"""A frame as the source of a microfile, for recipes that are made in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from sfumato.errors import SettingError
from sfumato.microfile import Microfile
from sfumato.progress import Progress
from sfumato.sources.source import Source


class FrameSource(Source):
    """A pandas, polars or pyarrow table, or a microfile."""

    key: ClassVar[str] = "frame"

    frame: Any
    """The table, or a microfile."""

    def read(self, folder: Path, progress: Progress) -> Microfile:
        """Return the frame as a microfile."""
        if not isinstance(self.frame, Microfile):
            return Microfile(self.frame, kinds=self.kinds, missing=self.missing)
        for setting in ("kinds", "missing"):
            if getattr(self, setting):
                raise SettingError(
                    f"{setting}: a microfile has its own", hint="give them to sf.Microfile(...)", setting=setting
                )
        return self.frame

    def describe(self) -> str:
        """Return the kind of table."""
        return f"a {type(self.frame).__name__}"
