"""Harmonising: steps that make a file comparable with another one, and a record of what each did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Discriminator, Tag

from sfumato.array_types import Counts
from sfumato.errors import SettingError, SettingPath, SfumatoError, nearest, path_text
from sfumato.harmonising.attribute_steps import Drop, Join, Rename, Select, SetKinds
from sfumato.harmonising.record_steps import Keep
from sfumato.harmonising.step import Step
from sfumato.harmonising.value_steps import CodedIntervals, Hhmm, Map, Scale
from sfumato.microfile import Microfile, as_microfile
from sfumato.quiet_repr import quiet
from sfumato.settings import Settings

_VERBS: dict[str, type[Step]] = {
    next(iter(step.model_fields)): step
    for step in (Rename, Join, Map, Keep, Hhmm, Scale, CodedIntervals, Drop, Select, SetKinds)
}
"""The first field of a step is its verb."""


def _one_verb(table: Any) -> Any:
    """Refuse a table with no verb, or with several, before its settings are checked."""
    if isinstance(table, Step):
        return table
    if not isinstance(table, Mapping):
        raise ValueError(f"a step is a table with one of these: {', '.join(_VERBS)}")
    verbs = [name for name in table if name in _VERBS]
    if not verbs:
        suggested = nearest(str(next(iter(table))), _VERBS) if table else f"available: {', '.join(_VERBS)}"
        raise ValueError(f"a step needs a verb; {suggested}")
    if len(verbs) > 1:
        raise ValueError(f"a step does one thing, not both {verbs[0]} and {verbs[1]}; write two steps")
    fields = _VERBS[verbs[0]].model_fields
    strange = [str(name) for name in table if name not in fields]
    if strange:
        raise SettingError(
            f"{verbs[0]} has no setting {strange[0]!r}; {nearest(strange[0], fields)}", setting=strange[0]
        )
    return table


def _name(table: Any) -> str:
    # pydantic puts it into the location of an error, where it must not be mistaken for a key
    return type(table).__name__ if isinstance(table, Step) else _VERBS[next(n for n in table if n in _VERBS)].__name__


def _several(steps: Any) -> Any:
    if isinstance(steps, Mapping | Step):
        raise ValueError("give a list of steps; in a recipe, write the table's name in double brackets")
    return steps


AnyStep = Annotated[
    Annotated[
        Annotated[Rename, Tag("Rename")]
        | Annotated[Join, Tag("Join")]
        | Annotated[Map, Tag("Map")]
        | Annotated[Keep, Tag("Keep")]
        | Annotated[Hhmm, Tag("Hhmm")]
        | Annotated[Scale, Tag("Scale")]
        | Annotated[CodedIntervals, Tag("CodedIntervals")]
        | Annotated[Drop, Tag("Drop")]
        | Annotated[Select, Tag("Select")]
        | Annotated[SetKinds, Tag("SetKinds")],
        Discriminator(_name),
    ],
    BeforeValidator(_one_verb),
]
Steps = Annotated[tuple[AnyStep, ...], BeforeValidator(_several)]
"""What a recipe holds: a list of tables, each a step."""


class Harmonise(Settings):
    """The steps that make a file comparable with another one."""

    harmonise: Steps = ()
    """The steps, in order; each is a table with one verb."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a step did."""

    step: str
    """The step in words, with the attribute names from before it."""
    before: int
    """The number of records before the step."""
    after: int
    """The number of records after it."""

    @property
    def removed(self) -> int:
        """The number of records that it removed."""
        return self.before - self.after

    def __str__(self) -> str:
        return f"{self.step}: {self.removed:,} of {self.before:,} records removed" if self.removed else self.step


@quiet
@dataclass(frozen=True)
class Harmonised:
    """A file after its steps."""

    microfile: Microfile
    """The file with the remaining records."""
    steps: tuple[Done, ...]
    """What each step did."""
    kept: Counts
    """The indices of the remaining records in the original file."""


def harmonise(
    microfile: Any, steps: Sequence[Step | Mapping[str, Any]], *, setting: SettingPath = ("harmonise",)
) -> Harmonised:
    """Make a file comparable with another one, step by step.

    Parameters
    ----------
    microfile
        A microfile, or a frame that becomes one.
    steps
        The steps, in order; each is a table with one verb, as in a recipe.
    setting
        The path of the setting that lists the steps, for errors.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"AGEP": [17, 25, 40], "SEX": [1, 2, 2]})
    >>> steps = [
    ...     {"keep": {"AGEP": {"least": 18}}},
    ...     {"map": "SEX", "to": {1: "male", 2: "female"}},
    ...     {"rename": {"AGEP": "age", "SEX": "sex"}},
    ... ]
    >>> harmonised = harmonise(people, steps)
    >>> harmonised.microfile
    Microfile of 2 records: age (numeric), sex (categorical)
    >>> print(harmonised.steps[0])
    keep AGEP: 1 of 3 records removed
    """
    people = as_microfile(microfile)
    done, remaining = [], np.arange(people.records)
    for number, step in enumerate(Harmonise(harmonise=steps).harmonise):
        before = people.records
        try:
            after = step.apply(people)
        except SfumatoError as error:
            step_path = (*setting, number)
            raise error.within(*step_path).prefixed(path_text(step_path)) from None
        if isinstance(step, Keep):
            remaining = remaining[step.kept(people)]
        people = after
        done.append(Done(step.words(), before, people.records))
    return Harmonised(people, tuple(done), remaining)
