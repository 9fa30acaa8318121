"""Formulas: LaTeX in a page becomes MathML, which browsers draw by themselves, without a script or a request."""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', flags=re.DOTALL)
"""How pymdownx.arithmatex marks formulas within lines, in round brackets, and those of their own, in square ones."""
AMPERSAND = re.compile(r"&(?!#x?\w+;|[a-z]+;)")


def with_formulas(content: str) -> str:
    r"""Put MathML in the place of all formulas of a page.

    >>> with_formulas(r'<span class="arithmatex">\(k\)</span>')
    '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mi>k</mi></mrow></math>'
    """
    return FORMULA.sub(_drawn, content)


def _drawn(found: re.Match[str]) -> str:
    alone = found[2] == "["
    latex = html.unescape(found[3]).strip()
    drawn = convert(latex, display="block" if alone else "inline")
    # what the converter does not know stays in the formula as it was written
    if "\\" in drawn or AMPERSAND.search(drawn):
        raise ValueError(f"this formula cannot be drawn: {latex}")
    # a wide formula scrolls in its own box, which the keyboard reaches
    return f'<div class="formula" tabindex="0">{drawn}</div>' if alone else drawn
