"""A page as one HTML file that needs nothing else: no script, no request."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING

from sfumato.report.page import Page, Picture

if TYPE_CHECKING:
    from markupsafe import Markup

TEMPLATE = "page.html"
NAMED, USED = re.compile(r' id="(clip\d+|gradient_\d+)"'), re.compile(r"url\(#(clip\d+|gradient_\d+)\)")
"""Where a drawing gives a part a name, and where it uses one."""


def render(page: Page) -> str:
    """Return a page as HTML; all that it shows is text to the browser, whatever it holds."""
    from jinja2 import Environment, StrictUndefined

    from sfumato import __version__

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files("sfumato.report").joinpath(TEMPLATE).read_text(encoding="utf-8"))
    pictures = [picture for section in page.sections for picture in section.pictures]
    drawn = {id(picture): drawing_of(picture, place) for place, picture in enumerate(pictures)}
    return template.render(page=page, drawing=lambda picture: drawn[id(picture)], version=__version__) + "\n"


def drawing_of(picture: Picture, place: int) -> Markup:
    """Return a picture as SVG, whose marks need not be read one by one.

    Parameters
    ----------
    picture
        What is drawn.
    place
        A number of its own on the page.
    """
    import vl_convert as vlc
    from markupsafe import Markup

    spec = picture.chart.to_dict()
    # the description says it at once, and marks would tell their numbers
    spec["config"] = {**spec.get("config", {}), "aria": False}
    drawing = vlc.vegalite_to_svg(json.dumps(spec))
    # parts of a drawing are found by names that must not be those of another one on the page, and that vl-convert
    # counts on from page to page
    names = {name: f"picture{place}-{part}" for part, name in enumerate(dict.fromkeys(NAMED.findall(drawing)))}
    named = re.sub(rf"{NAMED.pattern}|{USED.pattern}", lambda found: _renamed(found, names), drawing)
    # a drawing is XML that vl-convert has escaped
    return Markup(named)


def _renamed(found: re.Match[str], names: dict[str, str]) -> str:
    old = found[1] or found[2]
    return found[0].replace(old, names.get(old, old))
