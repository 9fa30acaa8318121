"""Choosing records by what they have: values, ranges, or a condition on several attributes."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Discriminator, Field, Tag, TypeAdapter, ValidationError, model_validator

from sfumato.arrays import Flags
from sfumato.errors import SettingError, nearest
from sfumato.microfile.attribute import Code, Kind
from sfumato.microfile.joining import label_of, listed_values
from sfumato.microfile.microfile import Microfile
from sfumato.settings import Settings

Value: TypeAlias = Code | date | datetime
"""A value as a file or a user writes it; dates also stand as text, as 1990-12-31 or 1990-12-31T23:59."""
CONDITION = "write it as: MIL == 1 and (AGEP >= 17 or ESR in [4, 5]); text and dates stand in quotes"
"""How a condition is written."""


class Between(Settings):
    """A range of numbers or dates, or of categories in their order; both ends belong to it.

    >>> Between(least=18, most=70).most
    70
    """

    least: Value | None = None
    """The smallest value; default: no limit."""
    most: Value | None = None
    """The largest value; default: no limit."""

    @model_validator(mode="after")
    def _fits(self) -> Between:
        least, most = self.least, self.most
        if least is None and most is None:
            raise ValueError("a range needs least, most or both")
        if _above(least, most):
            raise ValueError("least is above most, so that nothing lies between them")
        return self


def _above(least: Value | None, most: Value | None) -> bool:
    if isinstance(least, date) and isinstance(most, date):
        # a day without a time is all of it
        same = isinstance(least, datetime) == isinstance(most, datetime)
        one, other = _moment(least), _moment(most)
        return bool(one > other) if same else bool(one.astype("datetime64[D]") > other.astype("datetime64[D]"))
    return isinstance(least, int | float) and isinstance(most, int | float) and least > most


def _several(given: Any) -> Any:
    return (given,) if isinstance(given, str | int | float | date) else given


def _kind(given: Any) -> str:
    return "table" if isinstance(given, Mapping | Between) else "text" if isinstance(given, str) else "list"


_Listed: TypeAlias = Annotated[tuple[Value, ...], Field(min_length=1)]
Values: TypeAlias = Annotated[_Listed, BeforeValidator(_several, json_schema_input_type=Value | _Listed)]
"""A value, or a list of values."""
# told apart before they are checked, so that an error speaks of what was meant
Wanted: TypeAlias = Annotated[
    Annotated[Between, Tag("table")] | Annotated[Values, Tag("text")] | Annotated[Values, Tag("list")],
    Discriminator(_kind),
]
Combination: TypeAlias = Annotated[dict[str, Wanted], Field(min_length=1)]
if TYPE_CHECKING:
    # a checker sees what may be given, in any of its forms
    Chosen: TypeAlias = str | Mapping[str, Any] | Sequence[Mapping[str, Any]]
else:
    Chosen: TypeAlias = Annotated[
        Annotated[str, Tag("text")]
        | Annotated[Combination, Tag("table")]
        | Annotated[tuple[Combination, ...], Field(min_length=1), Tag("list")],
        Discriminator(_kind),
    ]
"""A condition, the values or ranges that attributes must have, or several of these of which one is enough."""

COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def chosen_in(microfile: Microfile, chosen: Chosen, *, setting: str) -> Flags:
    """Say which records are chosen; a missing value never is.

    Parameters
    ----------
    microfile, chosen
        The records, and what they must have.
    setting
        What is said to be wrong in errors.

    Examples
    --------
    >>> import polars as pl
    >>> people = Microfile(pl.DataFrame({"age": [15, 30, 45], "work": ["no", "army", "army"]}))
    >>> chosen_in(people, {"work": ("army",), "age": Between(most=40)}, setting="vital").tolist()
    [False, True, False]
    >>> chosen_in(people, "work == 'army' or age < 18", setting="vital").tolist()
    [True, True, True]
    """
    if isinstance(chosen, str):
        return _Condition(microfile, setting).of(chosen)
    found = np.zeros(microfile.records, dtype=np.bool_)
    for combination in (chosen,) if isinstance(chosen, Mapping) else chosen:
        each = [_having(microfile, name, wanted, setting) for name, wanted in combination.items()]
        found |= np.logical_and.reduce(each)
    return found


def read_chosen(given: Any, *, setting: str) -> Chosen:
    """Check what a user has chosen by."""
    try:
        chosen: Chosen = TypeAdapter(Chosen).validate_python(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["type"] == "extra_forbidden":
            name = str(first["loc"][-1])
            raise SettingError(
                f"{setting}: a range has no {name!r}", hint=nearest(name, Between.model_fields)
            ) from None
        problem = first["msg"].removeprefix("Value error, ")
        raise SettingError(
            f"{setting}: {problem[:1].lower()}{problem[1:]}",
            hint='write it as {"AGEP": [17, 18]}, {"AGEP": {"least": 17}}, a list of these, or "AGEP >= 17"',
        ) from None
    return chosen


def attributes_of(chosen: Chosen, *, setting: str) -> tuple[str, ...]:
    """Return the attributes that a choice speaks of; what is no condition is refused."""
    if isinstance(chosen, str):
        return tuple(dict.fromkeys(one.name for one in _parsed(chosen, setting)[1]))
    several = (chosen,) if isinstance(chosen, Mapping) else chosen
    return tuple(dict.fromkeys(name for combination in several for name in combination))


def check_known(microfile: Microfile, name: str, setting: str) -> None:
    """Refuse an attribute that is not there."""
    if name not in microfile.attributes:
        raise SettingError(f"{setting}: there is no column {name!r}", hint=nearest(name, microfile.names))


def _having(microfile: Microfile, name: str, wanted: Between | tuple[Value, ...], setting: str) -> Flags:
    """Say which records have a wanted value of an attribute."""
    check_known(microfile, name, setting)
    encoded = microfile.encoded(name)
    fitting = np.ones(encoded.values.size, dtype=np.bool_)
    if isinstance(wanted, Between):
        for how, end in ((ast.GtE, wanted.least), (ast.LtE, wanted.most)):
            if end is not None:
                fitting &= _compared(microfile, name, how, end, setting)
    elif encoded.values.dtype.kind == "M":
        fitting = np.logical_or.reduce([_compared(microfile, name, ast.Eq, value, setting) for value in wanted])
    else:
        labels = {label_of(value) for value in wanted}
        fitting = np.array([label_of(value) in labels for value in listed_values(encoded.values)], dtype=np.bool_)
    return _spread(fitting, encoded.codes)


def _spread(fitting: Flags, codes: Any) -> Flags:
    """Say of each record whether its value fits; a missing one does not."""
    found: Flags = np.append(fitting, False)[codes]
    return found


def _compared(microfile: Microfile, name: str, how: type[ast.cmpop], to: Value, setting: str) -> Flags:
    """Compare the values that an attribute has with one that is given."""
    attribute, values = microfile.attribute(name), microfile.encoded(name).values
    if values.dtype.kind == "M":
        return _compared_days(values, how, to, f"{setting}: {name!r}")
    if how in (ast.Eq, ast.NotEq):
        equal = np.array([label_of(value) == label_of(to) for value in listed_values(values)], dtype=np.bool_)
        return equal if how is ast.Eq else ~equal
    if attribute.kind is Kind.NUMERIC and isinstance(to, int | float) and values.dtype.kind in "iuf":
        try:
            number = float(to)
        except OverflowError:
            number = np.inf if to > 0 else -np.inf
        found: Flags = COMPARISONS[how](values.astype(np.float64), number)
        return found
    order = [label_of(code) for code in attribute.order]
    if attribute.kind is Kind.ORDINAL and label_of(to) in order:
        ranks = np.array([order.index(label_of(value)) for value in listed_values(values)])
        below: Flags = COMPARISONS[how](ranks, order.index(label_of(to)))
        return below
    told = str(to) if isinstance(to, date) else to
    raise SettingError(
        f"{setting}: {name!r} cannot be compared with {told!r}: it is {attribute.kind.value}",
        hint="ranges need numbers, dates, or a category of an attribute whose order is declared",
    )


def _compared_days(values: NDArray[Any], how: type[ast.cmpop], to: Value, what: str) -> Flags:
    """Compare dates, or points of time, with one that is given; a day without a time is all of it."""
    try:
        wanted = _moment(to)
    except ValueError:
        raise SettingError(
            f"{what} cannot be compared with {to!r}: it is a date",
            hint="write a date as 1990-12-31, or with a time as 1990-12-31T23:59",
        ) from None
    whole = np.datetime_data(wanted.dtype)[0] == "D"
    found: Flags = COMPARISONS[how](values.astype("datetime64[D]") if whole else values, wanted)
    return found


def _moment(given: Value) -> np.datetime64:
    """Read a date, or a point of time, which is in UTC if it says where it is."""
    if isinstance(given, str):
        try:
            return _moment(date.fromisoformat(given))
        except ValueError:
            return _moment(datetime.fromisoformat(given))
    if isinstance(given, datetime):
        there = given.astimezone(UTC).replace(tzinfo=None) if given.tzinfo else given
        return np.datetime64(there, "us")
    if isinstance(given, date):
        return np.datetime64(given, "D")
    raise ValueError("not a date")


def _parsed(text: str, setting: str) -> tuple[ast.expr, list[_Comparison]]:
    """Return a condition, and all that it compares."""
    try:
        node = ast.parse(text, mode="eval").body
        return node, list(_comparisons(node, text, setting))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SettingError(f"{setting}: {text!r} is no condition", hint=CONDITION) from None


class _Comparison(NamedTuple):
    """An attribute compared with what is given."""

    name: str
    how: type[ast.cmpop]
    given: Any


def _comparison(node: ast.expr, text: str, setting: str) -> _Comparison:
    """Read what is no combination of others: it can only compare an attribute with given values."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.left, ast.Name):
        how, right = type(node.ops[0]), node.comparators[0]
        try:
            given = ast.literal_eval(right)
        except (ValueError, TypeError, MemoryError, RecursionError):
            given = None
        several = how in (ast.In, ast.NotIn) and isinstance(given, list | tuple | set)
        if several or how in COMPARISONS:
            values = tuple(given) if several else (given,)
            if values and all(isinstance(value, str | int | float) for value in values):
                return _Comparison(node.left.id, how, values if several else given)
    raise SettingError(
        f"{setting}: {text!r} is more than a condition",
        hint="compare attributes with values (==, !=, <, <=, >, >=, in, not in), joined by and, or, not",
    )


def _comparisons(node: ast.expr, text: str, setting: str) -> Iterator[_Comparison]:
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _comparisons(value, text, setting)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _comparisons(node.operand, text, setting)
    else:
        yield _comparison(node, text, setting)


class _Condition:
    """Evaluates a condition, which can only compare attributes with given values, and join comparisons."""

    def __init__(self, microfile: Microfile, setting: str) -> None:
        self.microfile = microfile
        self.setting = setting

    def of(self, text: str) -> Flags:
        return self._node(_parsed(text, self.setting)[0], text)[0]

    def _node(self, node: ast.expr, text: str) -> tuple[Flags, Flags]:
        """Say of whom it is true and of whom it is false; of those who lack the value it is neither."""
        if isinstance(node, ast.BoolOp):
            true, false = zip(*(self._node(value, text) for value in node.values), strict=True)
            if isinstance(node.op, ast.And):
                return np.logical_and.reduce(true), np.logical_or.reduce(false)
            return np.logical_or.reduce(true), np.logical_and.reduce(false)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            true_of, false_of = self._node(node.operand, text)
            return false_of, true_of
        return self._compared(_comparison(node, text, self.setting))

    def _compared(self, asked: _Comparison) -> tuple[Flags, Flags]:
        check_known(self.microfile, asked.name, self.setting)
        codes = self.microfile.encoded(asked.name).codes
        if asked.how in (ast.In, ast.NotIn):
            inside = _having(self.microfile, asked.name, asked.given, self.setting)
            outside = ~inside & (codes >= 0)
            return (inside, outside) if asked.how is ast.In else (outside, inside)
        fitting = _compared(self.microfile, asked.name, asked.how, asked.given, self.setting)
        return _spread(fitting, codes), _spread(~fitting, codes)
