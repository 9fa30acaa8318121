"""The description of an attribute: its kind, order, missing codes and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

from sfumato.errors import SettingError
from sfumato.quiet_repr import quiet

Code: TypeAlias = str | int | float
"""A value as a file or a user writes it."""


class Kind(StrEnum):
    """How the values of an attribute relate to each other."""

    NUMERIC = "numeric"
    """Numbers (and dates): they have an order and distances."""
    ORDINAL = "ordinal"
    """Categories with an order."""
    CATEGORICAL = "categorical"
    """Categories without an order."""

    @property
    def ordered(self) -> bool:
        """Whether the values have an order."""
        return self is not Kind.CATEGORICAL


def kind_named(name: str, *, attribute: str) -> Kind:
    """Return the kind with this name; refuse an unknown one."""
    try:
        return Kind(name)
    except ValueError:
        allowed = ", ".join(kind.value for kind in Kind)
        raise SettingError(
            f"kind {name!r} of column {attribute!r} is not known; allowed: {allowed}, or a list of categories in order",
            setting=("kinds", attribute),
            column=attribute,
        ) from None


def ordered_categories(order: object, *, attribute: str) -> tuple[Code, ...]:
    """Return the categories of a declared order; refuse an invalid one."""
    if not isinstance(order, Sequence) or not order or len(set(map(str, order))) != len(order):
        raise SettingError(
            f"the order of column {attribute!r} must list its categories from lowest to highest, each once",
            setting=("kinds", attribute),
            column=attribute,
        )
    return tuple(order)


@quiet
@dataclass(frozen=True, slots=True)
class Attribute:
    """The description of one attribute of a microfile."""

    name: str
    """Its name in the file."""
    kind: Kind
    """Whether its values are numbers, categories, or categories with an order."""
    order: tuple[Code, ...] = ()
    """The categories of an ordinal attribute from lowest to highest; empty: as their values sort."""
    missing: tuple[Code, ...] = ()
    """Declared codes that mean a missing value, in addition to null, NaN and the empty text."""
    labels: Mapping[Code, str] = field(default_factory=lambda: MappingProxyType({}))
    """What codes mean, where the file says so."""
    title: str = ""
    """The attribute's name in words, where the file has one."""
    guessed: bool = False
    """Whether the kind was guessed from the values and their labels, not declared."""

    @property
    def declared(self) -> str | list[Code]:
        """The kind as :class:`~sfumato.Microfile` accepts it: its name, or the categories from lowest to highest."""
        return list(self.order) or self.kind.value
