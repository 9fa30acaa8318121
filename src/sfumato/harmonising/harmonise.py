"""Harmonising: the steps that make a file like another, in their order, and what each of them did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Discriminator, Tag

from sfumato.arrays import Counts
from sfumato.errors import SfumatoError, nearest
from sfumato.harmonising.attributes import Drop, Join, Rename, Select, SetKinds
from sfumato.harmonising.records import Keep
from sfumato.harmonising.step import Step
from sfumato.harmonising.values import Hhmm, Intervals, Map, Scale
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.printing import quiet
from sfumato.settings import Settings

_VERBS: dict[str, type[Step]] = {
    next(iter(step.model_fields)): step
    for step in (Rename, Join, Map, Keep, Hhmm, Scale, Intervals, Drop, Select, SetKinds)
}
"""The first field of a step is its verb."""


def _one_verb(given: Any) -> Any:
    """Refuse what has no verb, or several, before the step that is meant is looked at."""
    if isinstance(given, Step):
        return given
    if not isinstance(given, Mapping):
        raise ValueError(f"a step is a table with one of these: {', '.join(_VERBS)}")
    verbs = [name for name in given if name in _VERBS]
    if not verbs:
        meant = nearest(str(next(iter(given))), _VERBS) if given else f"there are: {', '.join(_VERBS)}"
        raise ValueError(f"a step says what is done; {meant}")
    if len(verbs) > 1:
        raise ValueError(f"a step does one thing, not both {verbs[0]} and {verbs[1]}; write two steps")
    known = _VERBS[verbs[0]].model_fields
    strange = [str(name) for name in given if name not in known]
    if strange:
        raise ValueError(f"{verbs[0]} has no setting {strange[0]!r}; {nearest(strange[0], known)}")
    return given


def _name(given: Any) -> str:
    # pydantic puts it into the place of an error, where it must not be taken for a key
    return type(given).__name__ if isinstance(given, Step) else _VERBS[next(n for n in given if n in _VERBS)].__name__


def _several(given: Any) -> Any:
    if isinstance(given, Mapping | Step):
        raise ValueError("give a list of steps; in a recipe, write the table's name in two brackets")
    return given


AnyStep = Annotated[
    Annotated[
        Annotated[Rename, Tag("Rename")]
        | Annotated[Join, Tag("Join")]
        | Annotated[Map, Tag("Map")]
        | Annotated[Keep, Tag("Keep")]
        | Annotated[Hhmm, Tag("Hhmm")]
        | Annotated[Scale, Tag("Scale")]
        | Annotated[Intervals, Tag("Intervals")]
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
    """The steps that make a file like another."""

    harmonise: Steps = ()
    """What is done, in its order; each step is a table with one verb."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a step did."""

    step: str
    """The step in words; attributes are called as before it."""
    before: int
    """How many records there were."""
    after: int
    """How many there are."""

    @property
    def removed(self) -> int:
        """How many records it removed."""
        return self.before - self.after

    def __str__(self) -> str:
        return f"{self.step}: {self.removed:,} of {self.before:,} records removed" if self.removed else self.step


@quiet
@dataclass(frozen=True)
class Harmonised:
    """A file after its steps."""

    microfile: Microfile
    """The file, with the records that are left."""
    steps: tuple[Done, ...]
    """What each step did."""
    kept: Counts
    """Which records of the file are left, by their numbers."""


def harmonise(microfile: Any, steps: Sequence[Step | Mapping[str, Any]], *, setting: str = "harmonise") -> Harmonised:
    """Make a file like another, step by step.

    Parameters
    ----------
    microfile
        A microfile, or a frame that becomes one.
    steps
        What is done, in its order; a step is a table with one verb, as a recipe writes it.
    setting
        How the steps are called in errors.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"AGEP": [17, 25, 40], "SEX": [1, 2, 2]})
    >>> steps = [
    ...     {"keep": {"AGEP": {"least": 18}}},
    ...     {"map": "SEX", "to": {1: "male", 2: "female"}},
    ...     {"rename": {"AGEP": "age", "SEX": "sex"}},
    ... ]
    >>> found = harmonise(people, steps)
    >>> found.microfile
    Microfile of 2 records: age (numeric), sex (categorical)
    >>> print(found.steps[0])
    keep AGEP: 1 of 3 records removed
    """
    people = as_microfile(microfile)
    done, kept = [], np.arange(people.records)
    for number, step in enumerate(Harmonise(harmonise=steps).harmonise):
        before = people.records
        try:
            after = step.apply(people)
        except SfumatoError as error:
            # says which step it was
            raise type(error)(f"{setting}[{number}]: {error.message}", hint=error.hint) from None
        if isinstance(step, Keep):
            kept = kept[step.kept(people)]
        people = after
        done.append(Done(step.words(), before, people.records))
    return Harmonised(people, tuple(done), kept)
