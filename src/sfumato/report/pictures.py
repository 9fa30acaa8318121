"""Writing a chart as a file that needs nothing else: PNG, SVG or HTML."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sfumato.errors import SettingError

if TYPE_CHECKING:
    import altair as alt

    Chart: TypeAlias = alt.TopLevelMixin

FORMATS = (".png", ".svg", ".html")
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>sfumato</title>
<script>{script}</script>
</head>
<body>
<div id="chart"></div>
<script>vegaEmbed("#chart", {spec}, {{actions: false, renderer: "svg"}});</script>
</body>
</html>
"""
SHARPNESS = 2.0
"""Pixels of a PNG for each point of the chart."""


def check_picture(path: str | Path, *, beside: Path | None = None) -> Path:
    """Refuse a file that cannot become a picture, before any work is done.

    Parameters
    ----------
    path
        The file.
    beside
        A release, which must not get a file more.
    """
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise SettingError(f"picture {path.name!r} ends with none of {', '.join(FORMATS)}")
    try:
        folder = path.resolve().parent
        possible = folder.is_dir() and not path.is_dir()
        inside = beside is not None and beside.resolve() in (folder, *folder.parents)
    except OSError:
        possible = inside = False
    if not possible:
        raise SettingError(f"picture {path} cannot be written there", hint="name a file in a folder that exists")
    if inside:
        raise SettingError(f"picture {path} lies in the release", hint="a release holds its own files and no other")
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
        # in a page, a name with a tag in it would end the script
        safe = spec.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
        content = PAGE.format(script=vlc.javascript_bundle("window.vegaEmbed = vegaEmbed;"), spec=safe).encode()
    work = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        work.write_bytes(content)
        work.replace(path)
    except OSError as error:
        raise SettingError(f"picture {path} cannot be written: {os.strerror(error.errno or 0)}") from None
    finally:
        with suppress(OSError):
            work.unlink(missing_ok=True)
    return path
