"""Choosing records by what they have: values, ranges, or a condition on several attributes."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeAlias

import numpy as np
from pydantic import BeforeValidator, Discriminator, Field, Tag, TypeAdapter, ValidationError, model_validator

from sfumato.arrays import Flags
from sfumato.errors import SettingError, nearest
from sfumato.microfile.attribute import Code, Kind
from sfumato.microfile.microfile import Microfile
from sfumato.settings import Settings


class Between(Settings):
    """A range of numbers, or of categories in their order; both ends belong to it.

    >>> Between(least=18, most=70).most
    70
    """

    least: Code | None = None
    """The smallest value; default: no limit."""
    most: Code | None = None
    """The largest value; default: no limit."""

    @model_validator(mode="after")
    def _fits(self) -> Between:
        if self.least is None and self.most is None:
            raise ValueError("a range needs least, most or both")
        return self


def _several(given: Any) -> Any:
    return (given,) if isinstance(given, str | int | float) else given


def _kind(given: Any) -> str:
    return "table" if isinstance(given, Mapping | Between) else "text" if isinstance(given, str) else "list"


# told apart before they are checked, so that an error speaks of what was meant
Values: TypeAlias = Annotated[tuple[Code, ...], Field(min_length=1), BeforeValidator(_several)]
Wanted: TypeAlias = Annotated[
    Annotated[Between, Tag("table")] | Annotated[Values, Tag("text")] | Annotated[Values, Tag("list")],
    Discriminator(_kind),
]
Combination: TypeAlias = Annotated[dict[str, Wanted], Field(min_length=1)]
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
        problem = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise SettingError(
            f"{setting}: {problem[:1].lower()}{problem[1:]}",
            hint='write it as {"AGEP": [17, 18]}, {"AGEP": {"least": 17}}, a list of these, or "AGEP >= 17"',
        ) from None
    return chosen


def attributes_of(chosen: Chosen) -> tuple[str, ...]:
    """Return the attributes that a choice speaks of."""
    if isinstance(chosen, str):
        names = [node.id for node in ast.walk(_parsed(chosen, "condition")) if isinstance(node, ast.Name)]
        return tuple(dict.fromkeys(names))
    several = (chosen,) if isinstance(chosen, Mapping) else chosen
    return tuple(dict.fromkeys(name for combination in several for name in combination))


def label_of(value: object) -> str:
    """Write a value as people do.

    >>> label_of(300.0), label_of("300"), label_of(0.5)
    ('300', '300', '0.5')
    """
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float | np.floating) and float(value).is_integer() else str(value)


def _having(microfile: Microfile, name: str, wanted: Between | tuple[Code, ...], setting: str) -> Flags:
    """Say which records have a wanted value of an attribute."""
    _known(microfile, name, setting)
    encoded = microfile.encoded(name)
    if isinstance(wanted, Between):
        fitting = np.ones(encoded.values.size, dtype=np.bool_)
        if wanted.least is not None:
            fitting &= _compared(microfile, name, ast.GtE, wanted.least, setting)
        if wanted.most is not None:
            fitting &= _compared(microfile, name, ast.LtE, wanted.most, setting)
    else:
        labels = {label_of(code) for code in wanted}
        fitting = np.array([label_of(value) in labels for value in encoded.values.tolist()], dtype=np.bool_)
    return _spread(fitting, encoded.codes)


def _spread(fitting: Flags, codes: Any) -> Flags:
    """Say of each record whether its value fits; a missing one does not."""
    found: Flags = np.append(fitting, False)[codes]
    return found


def _known(microfile: Microfile, name: str, setting: str) -> None:
    if name not in microfile.attributes:
        raise SettingError(f"{setting}: there is no column {name!r}", hint=nearest(name, microfile.names))


def _compared(microfile: Microfile, name: str, how: type[ast.cmpop], to: Any, setting: str) -> Flags:
    """Compare the values that an attribute has with one that is given."""
    attribute, values = microfile.attribute(name), microfile.encoded(name).values
    if how in (ast.Eq, ast.NotEq):
        equal = np.array([label_of(value) == label_of(to) for value in values.tolist()], dtype=np.bool_)
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
        ranks = np.array([order.index(label_of(value)) for value in values.tolist()])
        below: Flags = COMPARISONS[how](ranks, order.index(label_of(to)))
        return below
    raise SettingError(
        f"{setting}: {name!r} cannot be compared with {to!r}: it is {attribute.kind.value}",
        hint="ranges need numbers, or a category of an attribute whose order is declared",
    )


def _parsed(text: str, setting: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SettingError(
            f"{setting}: {text!r} is no condition", hint="write it as: MIL == 1 and (AGEP >= 17 or ESR in [4, 5])"
        ) from None


class _Condition:
    """Evaluates a condition, which can only compare attributes with given values, and join comparisons."""

    def __init__(self, microfile: Microfile, setting: str) -> None:
        self.microfile = microfile
        self.setting = setting

    def of(self, text: str) -> Flags:
        return self._node(_parsed(text, self.setting), text)[0]

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
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.left, ast.Name):
            return self._comparison(node.left.id, type(node.ops[0]), node.comparators[0], text)
        raise self._wrong(text)

    def _comparison(self, name: str, how: type[ast.cmpop], right: ast.expr, text: str) -> tuple[Flags, Flags]:
        _known(self.microfile, name, self.setting)
        try:
            given = ast.literal_eval(right)
        except (ValueError, TypeError, MemoryError, RecursionError):
            raise self._wrong(text) from None
        codes = self.microfile.encoded(name).codes
        if how in (ast.In, ast.NotIn) and isinstance(given, list | tuple | set):
            inside = _having(self.microfile, name, tuple(given), self.setting)
            outside = ~inside & (codes >= 0)
            return (inside, outside) if how is ast.In else (outside, inside)
        if how in COMPARISONS and isinstance(given, str | int | float):
            fitting = _compared(self.microfile, name, how, given, self.setting)
            return _spread(fitting, codes), _spread(~fitting, codes)
        raise self._wrong(text)

    def _wrong(self, text: str) -> SettingError:
        return SettingError(
            f"{self.setting}: {text!r} is more than a condition",
            hint="compare attributes with values (==, !=, <, <=, >, >=, in, not in), joined by and, or, not",
        )
