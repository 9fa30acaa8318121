"""The roles of attributes in a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import numpy as np
from pydantic import BeforeValidator, Field

from sfumato.array_types import Reals
from sfumato.errors import MicrofileError, SettingError, nearest
from sfumato.formatting import counted
from sfumato.look_alikes import SIGNIFICANT_DIGITS, look_alikes, numbers_alike
from sfumato.microfile import Kind, Microfile, written_codes
from sfumato.settings import Settings, listed

if TYPE_CHECKING:
    # a type checker sees what may be passed: a string is a sequence of strings too
    Names: TypeAlias = Sequence[str]
else:
    Names = Annotated[tuple[str, ...], BeforeValidator(listed)]
LEAST, MOST = 1e-70, 1e70
"""The smallest and the largest span of a numeric attribute."""


class Roles(Settings):
    """The role of each attribute in one task.

    >>> Roles(quasi=["age", "sex"], sensitive="income").sensitive
    ('income',)
    """

    quasi: Names = Field(min_length=1)
    """Attributes that others may know and that together can identify."""
    sensitive: Names = ()
    """Attributes that nobody should learn about a person."""
    identifiers: Names = ()
    """Attributes that identify a person; they are never released."""
    weight: str | None = None
    """How many people of the population a record represents."""
    household: str | None = None
    """The household (firm, ward, ...) that a record belongs to."""
    missing: Literal["own", "wildcard"] = "own"
    """What a missing value is: a value of its own, which is the safe reading, or one that could be any
    (as sdcMicro reads it, right where values were suppressed)."""

    def check(self, microfile: Microfile) -> None:
        """Refuse roles that do not fit the microfile."""
        roles: dict[str, str] = {}
        for role, names in self._by_role():
            for name in names:
                if name not in microfile.attributes:
                    raise SettingError(
                        f"{role}: unknown column {name!r}",
                        hint=nearest(name, microfile.names),
                        setting=role,
                        column=name,
                    )
                if name in roles:
                    twice = f"twice as {role}" if roles[name] == role else f"as {roles[name]} and as {role}"
                    raise SettingError(
                        f"column {name!r} is given {twice}", hint="give each column one role", setting=role, column=name
                    )
                roles[name] = role
                if role != "weight" and microfile.is_blank(name):
                    raise MicrofileError(
                        f"column {name!r} ({role}) has only missing values",
                        hint="leave it out",
                        setting=role,
                        column=name,
                    )
        if self.weight is not None:
            self.weights(microfile)

    def _by_role(self) -> list[tuple[str, Sequence[str]]]:
        return [
            ("quasi", self.quasi),
            ("sensitive", self.sensitive),
            ("identifiers", self.identifiers),
            ("weight", (self.weight,) if self.weight is not None else ()),
            ("household", (self.household,) if self.household is not None else ()),
        ]

    def weights(self, microfile: Microfile) -> Reals:
        """Return the records' weights; refuse invalid ones."""
        if self.weight is None:
            return np.ones(microfile.records)
        return weights_named(self.weight, microfile)


def values_alike(microfile: Microfile, name: str, labels: Mapping[str, str]) -> int:
    """Count the values of an attribute that look like another one, or mean the same by their labels or numbers.

    Parameters
    ----------
    microfile, name
        The attribute.
    labels
        The labels of its values, as far as there are any.
    """
    encoded = microfile.encoded(name).values
    close = numbers_alike(np.sort(encoded)) if encoded.dtype.kind == "f" else 0
    if microfile.attribute(name).kind is Kind.NUMERIC and not labels:
        return close
    values = [str(value) for value in encoded.tolist()]
    return max(close, look_alikes(values), look_alikes(labels.get(value, value) for value in values))


def refuse_look_alikes(microfile: Microfile, sensitive: Sequence[str]) -> None:
    """Refuse sensitive attributes with values that look the same to a reader: l would count them as different."""
    for name in sensitive:
        labels = {
            text: label for code, label in microfile.attribute(name).labels.items() for text in written_codes(code)
        }
        if alike := values_alike(microfile, name, labels):
            raise MicrofileError(
                f"column {name!r} (sensitive) has {alike:,} values that look like another one, or have its label",
                hint="make them one value: they differ only in case, spaces, dashes, how a number is written, letters "
                f"of another alphabet or invisible characters; numbers, in digits after the {SIGNIFICANT_DIGITS}th: "
                "round them",
                setting="sensitive",
                column=name,
            )


def weights_named(name: str, microfile: Microfile) -> Reals:
    """Return the weights that an attribute holds; refuse invalid ones."""
    if microfile.attribute(name).kind is not Kind.NUMERIC:
        raise MicrofileError(f"weight {name!r} is not numeric", setting="weight", column=name)
    weights = microfile.numbers(name)
    for wrong, problem in ((np.isnan(weights), "missing"), (weights < 0, "negative")):
        if wrong.any():
            raise MicrofileError(
                f"weight {name!r} is {problem} in {counted(int(wrong.sum()), 'record')}",
                hint="weights must not be missing or negative",
                setting="weight",
                column=name,
            )
    if not np.isfinite(weights.sum()):
        raise MicrofileError(
            f"weight {name!r} sums to more than a floating-point number can hold", setting="weight", column=name
        )
    if not weights.any():
        raise MicrofileError(f"weight {name!r} is zero in every record", setting="weight", column=name)
    return weights


def check_span(name: str, span: float) -> None:
    """Refuse a quasi attribute whose numbers are too far apart, or too close, for doubles to hold their products."""
    if not LEAST <= span <= MOST:
        raise MicrofileError(
            f"column {name!r} (quasi) has numbers that are {'less' if span < LEAST else 'more'} than "
            f"{LEAST if span < LEAST else MOST:g} apart",
            hint="change the unit in which it is measured",
            setting="quasi",
            column=name,
        )
