from __future__ import annotations

import pytest

from handbook.formulas import with_formulas


def marked(latex, *, alone=False):
    tag, begin, end = ("div", "[", "]") if alone else ("span", "(", ")")
    return f'<{tag} class="arithmatex">\\{begin}{latex}\\{end}</{tag}>'


def test_formulas_are_mathml():
    found = with_formulas("<p>As " + marked("a_i &lt; b") + " says</p>" + marked(r"\frac{c}{a}", alone=True))
    assert found.count("<math ") == 2
    assert "<msub>" in found
    assert "<mfrac>" in found
    assert found.count('<div class="formula">') == 1
    assert "arithmatex" not in found


@pytest.mark.parametrize("latex", [r"\nonsense{x}", r"\begin{aligned} a &amp;= b \end{aligned}"])
def test_what_cannot_be_drawn_is_refused(latex):
    with pytest.raises(ValueError, match="cannot be drawn"):
        with_formulas(marked(latex))
