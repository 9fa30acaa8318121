"""The language of statistics: ``mean(x)``, ``corr(x, y)``, ``regress(y ~ x1 + x2)``."""

from __future__ import annotations

from sfumato.errors import SettingError, most_similar
from sfumato.statistics.registry import STATISTICS, forms
from sfumato.statistics.statistic import Statistic
from sfumato.statistics.tokens import PUNCTUATION, Tokens, error_at


def parse(text: str) -> Statistic:
    """Read a statistic.

    Parameters
    ----------
    text
        Such as ``mean(x)``, ``corr(x, y)`` or ``regress(y ~ x1 + x2)``; :func:`forms` lists them all. A name that
        contains one of ``( ) , ~ +`` is written in quotes or backticks.

    Examples
    --------
    >>> parse("corr(age, hours-per-week)").attributes
    ('age', 'hours-per-week')
    >>> parse("regress(`income, net` ~ age + hours)").targets
    ('(intercept)', 'age', 'hours')
    """
    if not isinstance(text, str):
        raise SettingError("a statistic is a text such as 'mean(age)'")
    tokens = Tokens(text.strip(), f"written as {', '.join(forms())}")
    name, span = tokens.word("a statistic")
    if name not in STATISTICS:
        similar = most_similar(name, STATISTICS)
        suggested = "" if similar is None else f"did you mean {similar!r}? "
        hint = f"{suggested}available: {', '.join(STATISTICS)}"
        raise error_at(span, f"unknown statistic {name!r}", tokens.text, hint=hint)
    form = STATISTICS[name].form
    tokens.hint = f"written as {form}; a name with one of {PUNCTUATION} in it needs backticks"
    tokens.mark("(")
    statistic = STATISTICS[name].read(tokens)
    tokens.mark(")")
    tokens.end()
    return statistic
