"""Writing a chart as a file that needs nothing else: PNG, SVG or HTML."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sfumato.errors import SettingError

if TYPE_CHECKING:
    import altair as alt

    Chart: TypeAlias = alt.TopLevelMixin

FORMATS = (".png", ".svg", ".html")
SHARPNESS = 2.0
"""Pixels of a PNG for each point of the chart."""


def check_picture(path: str | Path) -> Path:
    """Refuse a file that cannot become a picture, before any work is done."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise SettingError(f"picture {path.name!r} ends with none of {', '.join(FORMATS)}")
    if not path.absolute().parent.is_dir() or path.is_dir():
        raise SettingError(f"picture {path} cannot be written there", hint="name a file in a folder that exists")
    return path


def write_picture(chart: Chart, path: str | Path) -> Path:
    """Write a chart in the format that the file's name says.

    An HTML file holds the scripts that draw it, and asks for nothing from outside. After an interruption there is
    the old file or the new one.
    """
    import vl_convert as vlc

    path = check_picture(path)
    spec = chart.to_json()
    if path.suffix.lower() == ".png":
        content = vlc.vegalite_to_png(spec, scale=SHARPNESS)
    elif path.suffix.lower() == ".svg":
        content = vlc.vegalite_to_svg(spec).encode()
    else:
        content = vlc.vegalite_to_html(spec, bundle=True).encode()
    work = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        work.write_bytes(content)
        work.replace(path)
    except OSError as error:
        raise SettingError(f"picture {path} cannot be written: {os.strerror(error.errno or 0)}") from None
    finally:
        work.unlink(missing_ok=True)
    return path
