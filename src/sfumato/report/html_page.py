"""A page as one HTML file that needs nothing else: no script, no request."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING

from sfumato.report.page_model import Page, Picture
from sfumato.views import Table

if TYPE_CHECKING:
    from markupsafe import Markup

TEMPLATE = "page.html"
NAMED, USED = re.compile(r' id="(clip\d+|gradient_\d+)"'), re.compile(r"url\(#(clip\d+|gradient_\d+)\)")
"""Where a drawing defines an id, and where it uses one."""
NARROW = 38
"""The number of characters that fit into a line on a narrow screen."""


def render(page: Page) -> str:
    """Return a page as HTML in which all content is escaped."""
    from jinja2 import Environment, StrictUndefined

    from sfumato import __version__

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files("sfumato.report").joinpath(TEMPLATE).read_text(encoding="utf-8"))
    pictures = [picture for section in page.sections for picture in section.pictures]
    drawn = {id(picture): drawing_of(picture, index) for index, picture in enumerate(pictures)}
    functions = {"drawing": lambda picture: drawn[id(picture)], "is_compact": is_compact}
    return template.render(page=page, version=__version__, **functions) + "\n"


def is_compact(table: Table) -> bool:
    """Say whether a table fits on a narrow screen; headings can be broken between words."""
    heads = [max(map(len, column.split())) for column in table.columns]
    cells = list(zip(*table.rows, strict=True)) or [()] * len(heads)
    widths = [max([head, *map(len, column)]) for head, column in zip(heads, cells, strict=True)]
    return sum(widths) + 2 * len(widths) <= NARROW


def drawing_of(picture: Picture, index: int) -> Markup:
    """Return a picture as SVG without labels on its marks: the description replaces them.

    Parameters
    ----------
    picture
        The picture.
    index
        Its number on the page.
    """
    import vl_convert as vlc
    from markupsafe import Markup

    spec = picture.chart.to_dict()
    # a screen reader reads the description instead of every mark
    spec["config"] = {**spec.get("config", {}), "aria": False}
    drawing = vlc.vegalite_to_svg(json.dumps(spec))
    # ids must be unique on the page and equal in every run; vl-convert counts on from drawing to drawing
    names = {name: f"picture{index}-{ordinal}" for ordinal, name in enumerate(dict.fromkeys(NAMED.findall(drawing)))}
    named = re.sub(rf"{NAMED.pattern}|{USED.pattern}", lambda match: _renamed(match, names), drawing)
    # vl-convert has escaped the drawing
    return Markup(named)


def _renamed(match: re.Match[str], names: dict[str, str]) -> str:
    old = match[1] or match[2]
    return match[0].replace(old, names.get(old, old))
