"""Charts that need nothing else: drawn in a notebook without a network, or written as PNG, SVG or HTML."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from sfumato.report.files import EVERYBODY, OWNER, check_file, write_file

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
"""Pixels of a PNG for each point of the chart."""


def offline(chart: Drawn) -> Drawn:
    """Let a notebook draw a chart, and what is made of it, without loading anything from a network.

    A renderer that was chosen with ``altair.renderers.enable`` still draws it.
    """
    kind: Any = type(chart)
    # an attribute that is set in the usual way would become a part of the specification
    object.__setattr__(chart, "__class__", _offline_kind(kind))
    return chart


@cache
def _offline_kind(kind: type[Any]) -> type[Any]:
    return type(kind.__name__, (_Offline, kind), {"__module__": kind.__module__, "__doc__": kind.__doc__})


class _Offline:
    """What altair asks of a chart that a notebook shows."""

    def _repr_mimebundle_(self, *args: Any, **given: Any) -> Any:
        import altair as alt
        import vl_convert as vlc

        chart: Any = self
        # the default renderer loads its scripts from a server
        if alt.renderers.active != "default":
            return super()._repr_mimebundle_(*args, **given)  # type: ignore[misc]  # altair's own, which stands beside
        return {"image/svg+xml": vlc.vegalite_to_svg(chart.to_json())}


def check_picture(path: str | Path, *, beside: Path | None = None) -> Path:
    """Refuse a file that cannot become a picture; parameters are as for :func:`~sfumato.report.files.check_file`."""
    return check_file(path, what="picture", formats=FORMATS, beside=beside)


def write_picture(chart: Chart, path: str | Path, *, private: bool = False) -> Path:
    """Write a chart in the format that the file's name says.

    An HTML file holds the scripts that draw it, and asks for nothing from outside. After an interruption there is
    the old file or the new one.

    Parameters
    ----------
    chart
        What is drawn.
    path
        The file, whose name ends with .png, .svg or .html.
    private
        Whether only its owner may read it, as where a group is hidden.
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
    return write_file(path, content, what="picture", mode=OWNER if private else EVERYBODY)
