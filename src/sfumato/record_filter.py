"""Selecting records by values, ranges, or a condition on several attributes."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Discriminator, Field, Tag, TypeAdapter, ValidationError, model_validator

from sfumato.array_types import Flags
from sfumato.errors import SettingError, nearest
from sfumato.microfile import Code, Kind, Microfile, label_of, listed_values
from sfumato.settings import Settings

Value: TypeAlias = Code | date | datetime
"""A value as a file or a user writes it; dates may also be text, as 1990-12-31 or 1990-12-31T23:59."""
CONDITION = "write it as: MIL == 1 and (AGEP >= 17 or ESR in [4, 5]); put text and dates in quotes"
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
            raise ValueError("least is greater than most, so no value is in the range")
        return self


def _above(least: Value | None, most: Value | None) -> bool:
    if isinstance(least, date) and isinstance(most, date):
        # a day without a time is the whole day
        same = isinstance(least, datetime) == isinstance(most, datetime)
        start, end = _moment(least), _moment(most)
        return bool(start > end) if same else bool(start.astype("datetime64[D]") > end.astype("datetime64[D]"))
    return isinstance(least, int | float) and isinstance(most, int | float) and least > most


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str | int | float | date) else value


def _kind(value: Any) -> str:
    return "table" if isinstance(value, Mapping | Between) else "text" if isinstance(value, str) else "list"


_Listed: TypeAlias = Annotated[tuple[Value, ...], Field(min_length=1)]
Values: TypeAlias = Annotated[_Listed, BeforeValidator(_several, json_schema_input_type=Value | _Listed)]
"""A value, or a list of values."""
# distinguished before they are checked, so that an error is about what was meant
Wanted: TypeAlias = Annotated[
    Annotated[Between, Tag("table")] | Annotated[Values, Tag("text")] | Annotated[Values, Tag("list")],
    Discriminator(_kind),
]
Combination: TypeAlias = Annotated[dict[str, Wanted], Field(min_length=1)]
if TYPE_CHECKING:
    # a type checker sees what may be passed, in any of its forms
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
    """Return which records are selected; a missing value never is.

    Parameters
    ----------
    microfile, chosen
        The records, and what selects them.
    setting
        The setting that errors name.

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
    selected = np.zeros(microfile.records, dtype=np.bool_)
    for combination in (chosen,) if isinstance(chosen, Mapping) else chosen:
        each = [_having(microfile, name, values, setting) for name, values in combination.items()]
        selected |= np.logical_and.reduce(each)
    return selected


def read_chosen(value: Any, *, setting: str) -> Chosen:
    """Check a selection that a user wrote."""
    try:
        chosen: Chosen = TypeAdapter(Chosen).validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["type"] == "extra_forbidden":
            name = str(first["loc"][-1])
            raise SettingError(
                f"{setting}: a range has no {name!r}", hint=nearest(name, Between.model_fields), setting=setting
            ) from None
        problem = first["msg"].removeprefix("Value error, ")
        raise SettingError(
            f"{setting}: {problem[:1].lower()}{problem[1:]}",
            hint='write it as {"AGEP": [17, 18]}, {"AGEP": {"least": 17}}, a list of these, or "AGEP >= 17"',
            setting=setting,
        ) from None
    return chosen


def attributes_of(chosen: Chosen, *, setting: str) -> tuple[str, ...]:
    """Return the attributes of a selection; refuse an invalid condition."""
    if isinstance(chosen, str):
        return tuple(dict.fromkeys(comparison.name for comparison in _parsed(chosen, setting)[1]))
    several = (chosen,) if isinstance(chosen, Mapping) else chosen
    return tuple(dict.fromkeys(name for combination in several for name in combination))


def check_known(microfile: Microfile, name: str, setting: str) -> None:
    """Refuse an attribute that does not exist."""
    if name not in microfile.attributes:
        raise SettingError(
            f"{setting}: unknown column {name!r}", hint=nearest(name, microfile.names), setting=setting, column=name
        )


def _having(microfile: Microfile, name: str, selected: Between | tuple[Value, ...], setting: str) -> Flags:
    """Return which records have a selected value of an attribute."""
    check_known(microfile, name, setting)
    encoded = microfile.encoded(name)
    fitting = np.ones(encoded.values.size, dtype=np.bool_)
    if isinstance(selected, Between):
        for how, end in ((ast.GtE, selected.least), (ast.LtE, selected.most)):
            if end is not None:
                fitting &= _compared(microfile, name, how, end, setting)
    elif encoded.values.dtype.kind == "M":
        fitting = np.logical_or.reduce([_compared(microfile, name, ast.Eq, value, setting) for value in selected])
    else:
        labels = {label_of(value) for value in selected}
        fitting = np.array([label_of(value) in labels for value in listed_values(encoded.values)], dtype=np.bool_)
    return _spread(fitting, encoded.codes)


def _spread(fitting: Flags, codes: Any) -> Flags:
    """Return which records have a fitting value; a missing one does not fit."""
    fits: Flags = np.append(fitting, False)[codes]
    return fits


def _compared(microfile: Microfile, name: str, how: type[ast.cmpop], to: Value, setting: str) -> Flags:
    """Compare each distinct value of an attribute with a given one."""
    attribute, values = microfile.attribute(name), microfile.encoded(name).values
    if values.dtype.kind == "M":
        return _compared_days(values, how, to, name, setting)
    if how in (ast.Eq, ast.NotEq):
        equal = np.array([label_of(value) == label_of(to) for value in listed_values(values)], dtype=np.bool_)
        return equal if how is ast.Eq else ~equal
    if attribute.kind is Kind.NUMERIC and isinstance(to, int | float) and values.dtype.kind in "iuf":
        try:
            number = float(to)
        except OverflowError:
            number = np.inf if to > 0 else -np.inf
        fits: Flags = COMPARISONS[how](values.astype(np.float64), number)
        return fits
    order = [label_of(code) for code in attribute.order]
    if attribute.kind is Kind.ORDINAL and label_of(to) in order:
        ranks = np.array([order.index(label_of(value)) for value in listed_values(values)])
        below: Flags = COMPARISONS[how](ranks, order.index(label_of(to)))
        return below
    compared = str(to) if isinstance(to, date) else to
    raise SettingError(
        f"{setting}: {name!r} cannot be compared with {compared!r}: it is {attribute.kind.value}",
        hint="ranges need numbers, dates, or a category of an attribute whose order is declared",
        setting=setting,
        column=name,
    )


def _compared_days(values: NDArray[Any], how: type[ast.cmpop], to: Value, name: str, setting: str) -> Flags:
    """Compare dates, or points in time, with a given one; a day without a time is the whole day."""
    try:
        moment = _moment(to)
    except ValueError:
        raise SettingError(
            f"{setting}: {name!r} cannot be compared with {to!r}: it is a date",
            hint="write a date as 1990-12-31, or with a time as 1990-12-31T23:59",
            setting=setting,
            column=name,
        ) from None
    is_day = np.datetime_data(moment.dtype)[0] == "D"
    fits: Flags = COMPARISONS[how](values.astype("datetime64[D]") if is_day else values, moment)
    return fits


def _moment(value: Value) -> np.datetime64:
    """Read a date, or a point in time, which is converted to UTC if it has a time zone."""
    if isinstance(value, str):
        try:
            return _moment(date.fromisoformat(value))
        except ValueError:
            return _moment(datetime.fromisoformat(value))
    if isinstance(value, datetime):
        local = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
        return np.datetime64(local, "us")
    if isinstance(value, date):
        return np.datetime64(value, "D")
    raise ValueError("not a date")


def _parsed(text: str, setting: str) -> tuple[ast.expr, list[_Comparison]]:
    """Return a parsed condition and its comparisons."""
    try:
        node = ast.parse(text, mode="eval").body
        return node, list(_comparisons(node, text, setting))
    except SettingError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SettingError(f"{setting}: {text!r} is not a condition", hint=CONDITION, setting=setting) from None


class _Comparison(NamedTuple):
    """An attribute compared with a value, or with several."""

    name: str
    how: type[ast.cmpop]
    value: Any


def _comparison(node: ast.expr, text: str, setting: str) -> _Comparison:
    """Read a single comparison of an attribute with values."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.left, ast.Name):
        how, right = type(node.ops[0]), node.comparators[0]
        try:
            value = ast.literal_eval(right)
        except (ValueError, TypeError, MemoryError, RecursionError):
            value = None
        several = how in (ast.In, ast.NotIn) and isinstance(value, list | tuple | set)
        if several or how in COMPARISONS:
            values = tuple(value) if several else (value,)
            if values and all(isinstance(each, str | int | float) for each in values):
                return _Comparison(node.left.id, how, values if several else value)
    raise SettingError(
        f"{setting}: unsupported expression in condition {text!r}",
        hint="compare attributes with values (==, !=, <, <=, >, >=, in, not in), joined by and, or, not",
        setting=setting,
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
    """Evaluates a condition: comparisons of attributes with values, joined by and, or, not."""

    def __init__(self, microfile: Microfile, setting: str) -> None:
        self.microfile = microfile
        self.setting = setting

    def of(self, text: str) -> Flags:
        return self._node(_parsed(text, self.setting)[0], text)[0]

    def _node(self, node: ast.expr, text: str) -> tuple[Flags, Flags]:
        """Return for which records it is true and for which it is false; without a value it is neither."""
        if isinstance(node, ast.BoolOp):
            true, false = zip(*(self._node(value, text) for value in node.values), strict=True)
            if isinstance(node.op, ast.And):
                return np.logical_and.reduce(true), np.logical_or.reduce(false)
            return np.logical_or.reduce(true), np.logical_and.reduce(false)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            true_of, false_of = self._node(node.operand, text)
            return false_of, true_of
        return self._compared(_comparison(node, text, self.setting))

    def _compared(self, comparison: _Comparison) -> tuple[Flags, Flags]:
        check_known(self.microfile, comparison.name, self.setting)
        codes = self.microfile.encoded(comparison.name).codes
        if comparison.how in (ast.In, ast.NotIn):
            inside = _having(self.microfile, comparison.name, comparison.value, self.setting)
            outside = ~inside & (codes >= 0)
            return (inside, outside) if comparison.how is ast.In else (outside, inside)
        fitting = _compared(self.microfile, comparison.name, comparison.how, comparison.value, self.setting)
        return _spread(fitting, codes), _spread(~fitting, codes)
