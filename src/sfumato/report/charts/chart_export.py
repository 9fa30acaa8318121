"""Self-contained charts: shown in a notebook without a network, or written as PNG, SVG or HTML."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from sfumato.report.atomic_file import EVERYBODY, OWNER, check_file, write_file

if TYPE_CHECKING:
    import altair as alt

    Chart: TypeAlias = alt.TopLevelMixin

Drawn = TypeVar("Drawn")
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
"""Pixels of a PNG per point of the chart."""


def offline(chart: Drawn) -> Drawn:
    """Make a chart that a notebook shows without loading anything from a network.

    A renderer that was chosen with ``altair.renderers.enable`` is still used.
    """
    kind: Any = type(chart)
    # setting an attribute in the usual way would change the specification
    object.__setattr__(chart, "__class__", _offline_kind(kind))
    return chart


@cache
def _offline_kind(kind: type[Any]) -> type[Any]:
    return type(kind.__name__, (_Offline, kind), {"__module__": kind.__module__, "__doc__": kind.__doc__})


class _Offline:
    """The method that a notebook calls."""

    def _repr_mimebundle_(self, *args: Any, **options: Any) -> Any:
        import altair as alt
        import vl_convert as vlc

        chart: Any = self
        # the default renderer loads its scripts from a server
        if alt.renderers.active != "default":
            return super()._repr_mimebundle_(*args, **options)  # type: ignore[misc]  # altair's method
        return {"image/svg+xml": vlc.vegalite_to_svg(chart.to_json())}


def check_picture(path: str | Path, *, beside: Path | None = None) -> Path:
    """Refuse a file name that cannot be a picture; see :func:`~sfumato.report.atomic_file.check_file`."""
    return check_file(path, what="picture", formats=FORMATS, beside=beside)


def write_picture(chart: Chart, path: str | Path, *, private: bool = False) -> Path:
    """Write a chart in the format given by the file name.

    An HTML file contains its scripts and loads nothing. An interruption leaves the old file or the new one.

    Parameters
    ----------
    chart
        The chart.
    path
        The file; its name ends in .png, .svg or .html.
    private
        Whether only the owner may read it, as for charts of hidden groups.
    """
    import vl_convert as vlc

    path = check_picture(path)
    spec = chart.to_json()
    if path.suffix.lower() == ".png":
        content = vlc.vegalite_to_png(spec, scale=SHARPNESS)
    elif path.suffix.lower() == ".svg":
        content = vlc.vegalite_to_svg(spec).encode()
    else:
        # a name that contains a tag would end the script
        safe = spec.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
        content = PAGE.format(script=vlc.javascript_bundle("window.vegaEmbed = vegaEmbed;"), spec=safe).encode()
    return write_file(path, content, what="picture", mode=OWNER if private else EVERYBODY)
