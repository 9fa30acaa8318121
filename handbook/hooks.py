"""What mkdocs calls while it builds the site."""

from __future__ import annotations

import sys
from importlib import resources
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

# mkdocs loads hooks by their path, and knows nothing but their folder
sys.path.insert(0, str(Path(__file__).parents[1]))

from handbook.formulas import with_formulas
from handbook.reference import generated_pages

FONT = "STIXTwoMath-Regular.ttf"
"""What formulas are set in where a reader has no font of mathematics; ziamath brings it along."""


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the reference, which no file holds, and the font of formulas."""
    for name, content in generated_pages().items():
        files.append(File.generated(config, name, content=content))
    files.append(
        File.generated(config, f"fonts/{FONT}", content=(resources.files("ziamath.fonts") / FONT).read_bytes())
    )
    return files


def on_page_content(html: str, **_: Any) -> str:
    """Draw the formulas of a page."""
    return with_formulas(html)
