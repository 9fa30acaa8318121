"""What TC16 says about respondents of the American Community Survey: twelve variables, and the way to them."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from sfumato.fuzzy.blind_spots import ALPHA, widened
from sfumato.fuzzy.category_variables import AnyVariable
from sfumato.harmonising.attribute_steps import Select
from sfumato.harmonising.harmonise import Steps
from sfumato.harmonising.step import Step
from sfumato.settings import Settings

WHOLE = ("sex", "hispanic", "marital_status")
"""Attributes of which every category has a word as published."""


def _known_variables(given: Any) -> Any:
    if isinstance(given, str) and given != ACS:
        raise ValueError(f"give a list of variables, or {ACS!r}")
    return acs_variables() if given == ACS else given


def _known_steps(given: Any) -> Any:
    if not isinstance(given, str | list | tuple):
        return given
    several = (given,) if isinstance(given, str) else given
    return tuple(step for one in several for step in (acs_steps() if one == ACS else (one,)))


ACS = "acs"
AcsVariables = Annotated[tuple[AnyVariable, ...], BeforeValidator(_known_variables)]
"""Variables; "acs" stands for those of this survey."""
AcsSteps = Annotated[Steps, BeforeValidator(_known_steps)]
"""Steps; among them, "acs" stands for those that harmonise a file of this survey."""


class Survey(Settings):
    """What is known about a survey before any file of it is read."""

    harmonise: Steps
    """From its columns to the attributes of the variables."""
    ranges: Steps
    """Who is looked at."""
    variables: tuple[AnyVariable, ...] = Field(min_length=1)
    """What is said about these attributes."""


def acs_variables(*, alpha: float | None = ALPHA) -> tuple[AnyVariable, ...]:
    """Return TC16's twelve variables, for files that :func:`acs_steps` have harmonised.

    Parameters
    ----------
    alpha
        Sets are widened so far that rules cut here see everybody, which published ones do not (ERRATA 004-15); other
        categories have a word too. With None sets are as published, but times are in minutes (ERRATA 004-16).

    Examples
    --------
    >>> [len(variable.names) for variable in acs_variables(alpha=None)]
    [5, 2, 2, 2, 3, 2, 2, 3, 3, 3, 2, 3]
    """
    published = _survey().variables
    if alpha is None:
        return published
    return tuple(
        widened(variable, alpha=alpha) if variable.attribute not in WHOLE else variable for variable in published
    )


def acs_steps(*, ranges: bool = True, beside: Sequence[str] | None = None) -> tuple[Step, ...]:
    """Return the steps that harmonise a person file (PUMS) of the American Community Survey of 2010 to 2018.

    Parameters
    ----------
    ranges
        Whether only those are kept whom TC16 looks at: 18 to 45 years old, white or black, at work outside their home,
        speaking English well, with an income up to 200,000.
    beside
        Attributes that stay beside the twelve, as those of the group and its places; default: all stay.

    Examples
    --------
    >>> print(acs_steps(beside=["MIL", "POWPUMA"])[-1].words()[-20:])
    income, MIL, POWPUMA
    """
    survey = _survey()
    steps: tuple[Step, ...] = (*survey.harmonise, *(survey.ranges if ranges else ()))
    if beside is None:
        return steps
    names = [*(variable.attribute for variable in survey.variables), *beside]
    return (*steps, Select(select=names))


@cache
def _survey() -> Survey:
    text = files("sfumato.attacks").joinpath("acs.toml").read_text(encoding="utf-8")
    return Survey(**tomllib.loads(text))
