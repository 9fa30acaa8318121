"""The American Community Survey: TC16's twelve linguistic variables, and steps that harmonise files for them."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from sfumato.fuzzy import ALPHA, AnyVariable, widened
from sfumato.harmonising import Select, Step, Steps
from sfumato.settings import Settings

ACS = "acs"
"""The name of the survey in settings."""
COMPLETE = ("sex", "hispanic", "marital_status")
"""Attributes whose published variables name every category."""


def _expand_variables(variables: Any) -> Any:
    """Replace the name of the survey by its variables."""
    if isinstance(variables, str) and variables != ACS:
        raise ValueError(f"give a list of variables, or {ACS!r}")
    return acs_variables() if variables == ACS else variables


def _expand_steps(steps: Any) -> Any:
    """Replace the name of the survey by its steps, also within a list of steps."""
    if not isinstance(steps, str | list | tuple):
        return steps
    listed = (steps,) if isinstance(steps, str) else steps
    return tuple(expanded for step in listed for expanded in (acs_steps() if step == ACS else (step,)))


SurveyVariables = Annotated[tuple[AnyVariable, ...], BeforeValidator(_expand_variables)]
"""Linguistic variables, or "acs" for those of this survey."""
SurveySteps = Annotated[Steps, BeforeValidator(_expand_steps)]
"""Steps of harmonising; "acs" among them stands for the steps of this survey."""


class SurveyPreset(Settings):
    """How the files of a survey are harmonised and described."""

    harmonise: Steps
    """Steps that convert the columns of its files to the attributes of the variables."""
    ranges: Steps
    """Steps that select the respondents whom TC16 considers."""
    variables: tuple[AnyVariable, ...] = Field(min_length=1)
    """The linguistic variables of these attributes."""


def acs_variables(*, alpha: float | None = ALPHA) -> tuple[AnyVariable, ...]:
    """Return TC16's twelve variables, for files harmonised with :func:`acs_steps`.

    Parameters
    ----------
    alpha
        Sets are widened until every value belongs to some set to at least this degree, and further categories get a
        word; the published sets leave blind spots (ERRATA 004-15). With None, sets are as published, except that times
        are in minutes (ERRATA 004-16).

    Examples
    --------
    >>> [len(variable.names) for variable in acs_variables(alpha=None)]
    [5, 2, 2, 2, 3, 2, 2, 3, 3, 3, 2, 3]
    """
    published = _preset().variables
    if alpha is None:
        return published
    return tuple(
        widened(variable, alpha=alpha) if variable.attribute not in COMPLETE else variable for variable in published
    )


def acs_steps(*, ranges: bool = True, beside: Sequence[str] | None = None) -> tuple[Step, ...]:
    """Return the steps that harmonise a person file (PUMS) of the American Community Survey of 2010 to 2018.

    Parameters
    ----------
    ranges
        Whether to keep only the respondents whom TC16 considers: 18 to 45 years old, white or black, working outside
        their home, speaking English well, with an income of up to 200,000.
    beside
        Attributes to keep in addition to the twelve, such as those of the group and its places; default: all.

    Examples
    --------
    >>> print(acs_steps(beside=["MIL", "POWPUMA"])[-1].words()[-20:])
    income, MIL, POWPUMA
    """
    preset = _preset()
    steps: tuple[Step, ...] = (*preset.harmonise, *(preset.ranges if ranges else ()))
    if beside is None:
        return steps
    names = [*(variable.attribute for variable in preset.variables), *beside]
    return (*steps, Select(select=names))


@cache
def _preset() -> SurveyPreset:
    text = files("sfumato.datasets").joinpath("acs_variable_definitions.toml").read_text(encoding="utf-8")
    return SurveyPreset(**tomllib.loads(text))
