"""The settings that a certificate may tell: numbers, known words and names of attributes, never other text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from sfumato.errors import SettingError
from sfumato.fuzzy.released import sets_of
from sfumato.microfile.forms import Form, Fuzzy
from sfumato.release.codebook import Codebook
from sfumato.settings import Settings, first_problem, place_of
from sfumato.statistics.dismissal import Dismiss
from sfumato.statistics.language import parse
from sfumato.statistics.sensitivity import Wanted

TimeUnit = Annotated[str, Field(pattern=r"^[0-9]{1,2}(y|mo|w|d|h|m|s|ms|us)$")]


class Exchanged(Settings):
    """What a group mask has exchanged between records."""

    attributes: tuple[str, ...] = ()
    """Attributes whose values may belong to other records."""


class HouseholdPromise(Settings):
    """What holds of households whose numbers are withheld."""

    k: int = Field(ge=1)
    """Each block has members of at least this number of households."""


class Apart(Settings):
    """XK13's diversity of a numeric sensitive attribute."""

    l: float = Field(ge=1)  # noqa: E741  # the field's own letter
    """How many values lie apart in each box."""
    epsilon: float | None = None
    """How far apart, where that was set."""


class PublicSettings(Settings):
    """How a release was protected, as far as everybody may know."""

    method: Literal["boxes", "exchange", "fuzzy-c-means", "gustafson-kessel", "k-means", "sets"] | None = None
    """The protection."""
    edges: Literal["snapped", "tight", "tiling"] | None = None
    """Where edges of boxes lie."""
    grids: dict[str, float | TimeUnit] = Field(default_factory=dict)
    """The grid of each attribute's edges: its step, or a unit of time such as 3mo."""
    preserve: tuple[Wanted, ...] = ()
    """Statistics that were to be preserved."""
    suppress: float = Field(default=0.0, ge=0, lt=1)
    """Up to which share of the records may have been left out."""
    dismiss: Dismiss | None = None
    """What estimates do with rare, wide boxes."""
    calibrate: bool | None = None
    """Whether their weights keep moments."""
    households: HouseholdPromise | None = None
    """What holds of households."""
    shown: Literal["words", "grades"] | None = None
    """How fuzzy sets are shown."""
    apart: dict[str, Apart] = Field(default_factory=dict)
    """Diversity of numeric sensitive attributes."""
    levels: int | None = Field(default=None, ge=1)
    """Grades are multiples of one in this number."""
    asked_levels: int | None = Field(default=None, ge=1)
    """How many levels were asked for, where fewer are released."""
    replaced: tuple[str, ...] = ()
    """Attributes of the original in whose place fuzzy sets stand."""
    exchanged: Exchanged | None = None
    """What a group mask has exchanged."""


def check_settings(settings: Mapping[str, Any], codebook: Codebook) -> None:
    """Raise :class:`SettingError` where settings are not of their form, or name what the release does not have."""
    try:
        public = PublicSettings.model_validate(settings)
    except ValidationError as error:
        problem = first_problem(error, dict(settings))
        raise SettingError(f"settings: {place_of(problem['loc'])!r} is none of a release") from None
    behind = {name for entry in codebook.attributes.values() for name in _behind(entry.form)}
    known = behind | {*codebook.attributes, *(column for its in codebook.columns().values() for column in its)}
    for place, name in _names(public):
        if name not in known:
            raise SettingError(f"settings: {place} names {name!r}, which the release does not have")


def _behind(form: Form) -> tuple[str, ...]:
    """Return the attributes in whose place fuzzy sets stand."""
    try:
        return sets_of(form).attributes if isinstance(form, Fuzzy) else ()
    except ValueError:
        # the audit says so of the codebook
        return ()


def _names(public: PublicSettings) -> Iterator[tuple[str, str]]:
    yield from (("replaced", name) for name in public.replaced)
    yield from (("grids", name) for name in public.grids)
    yield from (("apart", name) for name in public.apart)
    yield from (("exchanged", name) for name in (public.exchanged.attributes if public.exchanged else ()))
    yield from (("preserve", name) for one in public.preserve for name in parse(one.statistic).attributes)
