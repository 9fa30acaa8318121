"""The parts that attributes play in a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import numpy as np
from pydantic import BeforeValidator, Field

from sfumato.arrays import Reals
from sfumato.characters import look_alikes
from sfumato.errors import MicrofileError, SettingError, nearest
from sfumato.microfile.attribute import Kind
from sfumato.microfile.encoding import written_codes
from sfumato.microfile.microfile import Microfile
from sfumato.settings import Settings, listed

if TYPE_CHECKING:
    # a checker sees what may be given: a text is a sequence of texts too
    Names: TypeAlias = Sequence[str]
else:
    Names = Annotated[tuple[str, ...], BeforeValidator(listed)]
LEAST, MOST = 1e-70, 1e70
"""How wide a numeric attribute may be."""


class Roles(Settings):
    """Which attribute is what, in one task.

    >>> Roles(quasi=["age", "sex"], sensitive="income").sensitive
    ('income',)
    """

    quasi: Names = Field(min_length=1)
    """Attributes that others may know and that together can identify."""
    sensitive: Names = ()
    """Attributes that nobody should learn of a person."""
    identifiers: Names = ()
    """Attributes that name a person; they never leave."""
    weight: str | None = None
    """How many people of the population a record stands for."""
    household: str | None = None
    """The household (firm, ward, ...) that a record belongs to."""
    missing: Literal["own", "wildcard"] = "own"
    """What a missing value is: a value of its own, which is the safe reading, or one that could be any
    (as sdcMicro reads it, right where values were suppressed)."""

    def check(self, microfile: Microfile) -> None:
        """Refuse roles that do not fit the microfile."""
        taken: dict[str, str] = {}
        for role, names in self._by_role():
            for name in names:
                if name not in microfile.attributes:
                    raise SettingError(f"{role}: there is no column {name!r}", hint=nearest(name, microfile.names))
                if name in taken:
                    twice = f"twice as {role}" if taken[name] == role else f"as {taken[name]} and as {role}"
                    raise SettingError(f"column {name!r} is given {twice}", hint="give each column one role")
                taken[name] = role
                if role != "weight" and microfile.is_blank(name):
                    raise MicrofileError(
                        f"column {name!r} ({role}) has only missing values", hint="leave it out of the task"
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
        """Return the records' weights, refusing what cannot be one."""
        if self.weight is None:
            return np.ones(microfile.records)
        return weights_named(self.weight, microfile)


def values_alike(microfile: Microfile, name: str, labels: Mapping[str, str]) -> int:
    """Count the values of an attribute that look like another one, or mean the same by their labels.

    Parameters
    ----------
    microfile, name
        The attribute.
    labels
        What its values mean, as far as that is said.
    """
    if microfile.attribute(name).kind is Kind.NUMERIC and not labels:
        return 0
    values = [str(value) for value in microfile.encoded(name).values.tolist()]
    return max(look_alikes(values), look_alikes(labels.get(value, value) for value in values))


def refuse_look_alikes(microfile: Microfile, sensitive: Sequence[str]) -> None:
    """Refuse sensitive attributes of which several values are one to a reader: l would count them as different."""
    for name in sensitive:
        labels = {
            text: label for code, label in microfile.attribute(name).labels.items() for text in written_codes(code)
        }
        if alike := values_alike(microfile, name, labels):
            raise MicrofileError(
                f"column {name!r} (sensitive) has {alike:,} values that look like another one, or have its label",
                hint="make them one value: they differ only in blanks, case, forms of letters or what cannot be seen",
            )


def weights_named(name: str, microfile: Microfile) -> Reals:
    """Return the weights that an attribute holds, refusing what cannot be one."""
    if microfile.attribute(name).kind is not Kind.NUMERIC:
        raise MicrofileError(f"weight {name!r} is not numeric")
    weights = microfile.numbers(name)
    for wrong, what in ((np.isnan(weights), "missing"), (weights < 0, "negative")):
        if wrong.any():
            raise MicrofileError(
                f"weight {name!r} is {what} in {int(wrong.sum()):,} records",
                hint="weights must be given and not negative",
            )
    if not np.isfinite(weights.sum()):
        raise MicrofileError(f"weight {name!r} sums to more than a number can hold")
    if not weights.any():
        raise MicrofileError(f"weight {name!r} is zero in every record")
    return weights


def check_span(name: str, span: float) -> None:
    """Refuse a quasi attribute whose numbers are so large or so alike that doubles cannot hold their products."""
    if not LEAST <= span <= MOST:
        raise MicrofileError(
            f"column {name!r} (quasi) has numbers that lie {'less' if span < LEAST else 'more'} than "
            f"{LEAST if span < LEAST else MOST:g} apart",
            hint="change the unit in which it is measured",
        )
