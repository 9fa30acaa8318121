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
    latex = html.unescape(found[3]).strip()
    if found[2] == "(":
        return _mathml(latex, display="inline")
    # browsers do not break formulas: its parts are formulas of their own, which wrap where a page is narrow
    parts = [_mathml(part, display="block") for part in latex.split(r"\qquad")]
    return f'<div class="formula">{"".join(parts)}</div>'


def _mathml(latex: str, *, display: str) -> str:
    drawn = convert(latex.strip(), display=display)
    # what the converter does not know stays in the formula as it was written
    if "\\" in drawn or AMPERSAND.search(drawn):
        raise ValueError(f"this formula cannot be drawn: {latex}")
    return drawn
