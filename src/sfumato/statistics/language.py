"""The language of statistics: ``mean(x)``, ``corr(x, y)``, ``regress(y ~ x1 + x2)``."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from sfumato.errors import SettingError, nearest

FORMS = {
    "mean": "mean(x)",
    "var": "var(x)",
    "std": "std(x)",
    "cov": "cov(x, y)",
    "corr": "corr(x, y)",
    "regress": "regress(y ~ x1 + x2)",
}
"""How each statistic is written."""
NAMES = tuple(FORMS)
SIGNS = "( ) , ~ + ' \""
INTERCEPT = "(intercept)"
MOST_SHOWN = 60
"""Of a long text, so many signs are shown before and behind what is wrong."""

_TOKEN = re.compile(
    r"""\s*(?:(?P<sign>[(),~+])|`(?P<back>[^`]*)`|"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<name>[^(),~+`"']+))"""
)


@dataclass(frozen=True)
class Statistic:
    """A statistic of some attributes of a microfile."""

    name: str
    """Which: one of ``NAMES``."""
    attributes: tuple[str, ...]
    """Of which attributes, in the order of the text; of a regression, the outcome comes first."""
    text: str = field(compare=False)
    """As it was written."""
    places: tuple[tuple[int, int], ...] = field(compare=False, repr=False)
    """Where each attribute stands in the text, from and to."""

    @property
    def targets(self) -> tuple[str, ...]:
        """The numbers that it consists of: the coefficients of a regression, else itself."""
        return (INTERCEPT, *self.attributes[1:]) if self.name == "regress" else (self.text,)

    @property
    def canonical(self) -> str:
        """The text in which everybody writes it.

        >>> parse("cov( 'a' ,b )").canonical
        'cov(a, b)'
        """
        first, *others = map(_quoted, self.attributes)
        inner = f"{first} ~ {' + '.join(others)}" if self.name == "regress" else ", ".join([first, *others])
        return f"{self.name}({inner})"

    def check(self, numeric: Collection[str], others: Collection[str] = ()) -> None:
        """Refuse an attribute that does not exist or is not numeric.

        Parameters
        ----------
        numeric
            The numeric attributes.
        others
            The other attributes there are.
        """
        for name, place in zip(self.attributes, self.places, strict=True):
            if name in others:
                raise _wrong(
                    f"{name!r} is not numeric", self.text, place, hint=f"numeric are: {', '.join(numeric) or 'none'}"
                )
            if name not in numeric:
                close = nearest(name, [*numeric, *others])
                hint = close if close.startswith("did") else f"numeric are: {', '.join(numeric) or 'none'}"
                raise _wrong(f"there is no attribute {name!r}", self.text, place, hint=hint)


def parse(text: str) -> Statistic:
    """Read a statistic.

    Parameters
    ----------
    text
        ``mean(x)``, ``var(x)``, ``std(x)``, ``cov(x, y)``, ``corr(x, y)`` or ``regress(y ~ x1 + x2)``. A name that
        has one of ``( ) , ~ +`` in it stands in quotes or backticks.

    Examples
    --------
    >>> parse("corr(age, hours-per-week)").attributes
    ('age', 'hours-per-week')
    >>> parse("regress(`income, net` ~ age + hours)").targets
    ('(intercept)', 'age', 'hours')
    """
    if not isinstance(text, str):
        raise SettingError("a statistic is a text such as 'mean(age)'")
    words = _Words(text)
    name, place = words.word("a statistic")
    if name not in NAMES:
        close = nearest(name, NAMES)
        hint = f"{close} there are: {', '.join(NAMES)}" if close.startswith("did") else close
        raise _wrong(f"there is no statistic {name!r}", text, place, hint=hint)
    words.hint = f"written as {FORMS[name]}; a name with one of {SIGNS} in it stands in backticks"
    words.sign("(")
    found = [words.word("an attribute")]
    if name == "regress":
        words.sign("~")
        found.append(words.word("an attribute"))
        while words.upcoming == "+":
            words.sign("+")
            found.append(words.word("an attribute"))
    else:
        while len(found) <= FORMS[name].count(","):
            words.sign(",")
            found.append(words.word("an attribute"))
    words.sign(")")
    words.end()
    for number, (attribute, its) in enumerate(found):
        if name == "regress" and attribute == INTERCEPT:
            raise _wrong(f"{INTERCEPT!r} is the name of the intercept", text, its, hint="rename the attribute")
        if attribute in (before for before, _ in found[:number]):
            itself = f"var({attribute}) is the covariance of an attribute with itself" if name == "cov" else None
            raise _wrong(f"{attribute!r} stands here twice", text, its, hint=itself)
    return Statistic(name, tuple(a for a, _ in found), text.strip(), _shifted(text, [place for _, place in found]))


def _quoted(name: str) -> str:
    if name == name.strip() and not any(sign in name for sign in "(),~+`\"'"):
        return name
    return f"`{name}`" if "`" not in name else f'"{name}"' if '"' not in name else f"'{name}'"


class _Words:
    """The words and signs of a text, taken one after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.hint = f"written as {', '.join(FORMS.values())}"

    @property
    def upcoming(self) -> str:
        """The next sign, or nothing."""
        match = _TOKEN.match(self.text, self.at)
        return (match["sign"] or "") if match else ""

    def word(self, wanted: str) -> tuple[str, tuple[int, int]]:
        """Take a name."""
        match = _TOKEN.match(self.text, self.at)
        quoted = match and next((kind for kind in ("back", "double", "single") if match[kind] is not None), None)
        kind = quoted or "name"
        if not match or not (match[kind] or "").strip():
            raise self._expected(wanted)
        self.at = match.end()
        name = match[kind] if quoted else match[kind].strip()
        start = match.start(kind)
        return name, (start, start + len(name))

    def sign(self, wanted: str) -> None:
        """Take a sign."""
        match = _TOKEN.match(self.text, self.at)
        if not match or match["sign"] != wanted:
            raise self._expected(f"'{wanted}'")
        self.at = match.end()

    def end(self) -> None:
        """Take the end of the text."""
        if self.text[self.at :].strip():
            raise self._expected("the end")

    def _expected(self, wanted: str) -> SettingError:
        rest = self.text[self.at :]
        start = self.at + len(rest) - len(rest.lstrip())
        return _wrong(f"{wanted} is expected here", self.text, (start, start + 1), hint=self.hint)


def _shifted(text: str, places: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Count places from the start of the text without the blanks before it."""
    blanks = len(text) - len(text.lstrip())
    return tuple((start - blanks, end - blanks) for start, end in places)


def _wrong(message: str, text: str, place: tuple[int, int], *, hint: str | None) -> SettingError:
    """Show the text with carets under the place."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text).rstrip()
    start, end = place[0], min(max(place[1], place[0] + 1), place[0] + MOST_SHOWN)
    left_off = max(0, start - MOST_SHOWN)
    shown = shown[left_off : end + MOST_SHOWN]
    carets = " " * (start - left_off) + "^" * (end - start)
    return SettingError(f"{message}\n  {shown}\n  {carets}", hint=hint)
