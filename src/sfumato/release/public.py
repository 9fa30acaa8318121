"""The settings that a certificate may tell: numbers, known words and names of attributes, never other text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Context
from typing import Annotated, Any, Literal

import polars as pl
from pydantic import AfterValidator, Field, ValidationError

from sfumato.errors import SettingError
from sfumato.fuzzy.released import sets_of
from sfumato.measures.promise import Promise
from sfumato.microfile.forms import Form, Fuzzy, Interval
from sfumato.release.certificate import to_json
from sfumato.release.codebook import Codebook
from sfumato.release.grids import grid_of, is_noisy
from sfumato.settings import Settings, first_problem, place_of
from sfumato.statistics.dismissal import Dismiss
from sfumato.statistics.language import parse
from sfumato.statistics.sensitivity import Wanted

DIGITS = 3
"""Numbers that nobody can measure on a release have at most this number of digits."""


def short(number: float, *, rounding: str = ROUND_HALF_EVEN) -> float:
    """Round a number to few digits.

    >>> short(1 / 3), short(1 / 3, rounding="ROUND_CEILING")
    (0.333, 0.334)
    """
    return float(Context(prec=DIGITS, rounding=rounding).create_decimal(repr(float(number))))


def _is_short(number: float) -> float:
    if number != short(number):
        raise ValueError(f"has more than {DIGITS} digits")
    return number


def _is_canonical(text: str) -> str:
    try:
        statistic = parse(text)
    except SettingError as error:
        raise ValueError(error.message) from None
    if text != statistic.canonical:
        raise ValueError("is not written in its usual way")
    return text


TimeUnit = Annotated[str, Field(pattern=r"^[0-9]{1,2}(y|mo|w|d|h|m|s|ms|us)$")]
Short = Annotated[float, AfterValidator(_is_short)]
Positive = Annotated[Short, Field(gt=0)]


class Preserved(Settings):
    """A statistic that was to be preserved."""

    statistic: Annotated[str, AfterValidator(_is_canonical)]
    """As ``mean(x)`` or ``corr(x, y)``."""
    importance: Positive = 1.0
    """How often it is looked for, compared with the others."""
    accuracy: Positive | None = None
    """The uncertainty that would be welcome."""


def public_wanted(wanted: Iterable[Wanted]) -> list[dict[str, Any]]:
    """Return statistics as everybody may know them: each once, in its usual text, with few digits."""
    found: dict[str, Wanted] = {}
    for one in wanted:
        found.setdefault(parse(one.statistic).canonical, one)
    return [
        {
            "statistic": text,
            "importance": short(one.importance),
            **({} if one.accuracy is None else {"accuracy": short(one.accuracy)}),
        }
        for text, one in found.items()
    ]


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
    epsilon: Positive | None = None
    """How far apart, where that was set."""


class PublicSettings(Settings):
    """How a release was protected, as far as everybody may know."""

    method: Literal["boxes", "exchange", "fuzzy-c-means", "gustafson-kessel", "k-means", "sets"] | None = None
    """The protection."""
    edges: Literal["snapped", "tight", "tiling"] | None = None
    """Where edges of boxes lie."""
    grids: dict[str, float | TimeUnit] = Field(default_factory=dict)
    """The grid of each attribute's edges: its step, or a unit of time such as 3mo."""
    preserve: tuple[Preserved, ...] = ()
    """Statistics that were to be preserved."""
    suppress: Annotated[Short, Field(ge=0, le=1)] = 0.0
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
    levels: int | None = Field(default=None, ge=1, le=1000)
    """Grades are multiples of one in this number."""
    asked_levels: int | None = Field(default=None, ge=1, le=1000)
    """How many levels were asked for, where fewer are released."""
    replaced: tuple[str, ...] = ()
    """Attributes of the original in whose place fuzzy sets stand."""
    exchanged: Exchanged | None = None
    """What a group mask has exchanged."""


def public_settings(settings: Mapping[str, Any], codebook: Codebook) -> dict[str, Any]:
    """Return settings as they are written: in the order of their form.

    Raises
    ------
    SettingError
        If they are not of their form, or name what the release does not have.
    """
    try:
        # strictly, so that no text stands for a number
        public = PublicSettings.model_validate_json(to_json(settings), strict=True)
    except ValidationError as error:
        problem = first_problem(error, dict(settings))
        raise SettingError(f"settings: {place_of(problem['loc'])!r} is none of a release") from None
    behind = {name for entry in codebook.attributes.values() for name in _behind(entry.form)}
    known = behind | {*codebook.attributes, *(column for its in codebook.columns().values() for column in its)}
    for place, name in _names(public):
        if name not in known:
            raise SettingError(f"settings: {place} names {name!r}, which the release does not have")
    for place, names in _lists(public):
        if len(set(names)) < len(names):
            raise SettingError(f"settings: {place} has an entry twice")
    return public.model_dump(mode="json", exclude_unset=True)


def misstated(settings: Mapping[str, Any], promise: Promise, codebook: Codebook, frame: pl.DataFrame) -> Iterator[str]:
    """Say which settings are not what the release itself shows."""
    public = PublicSettings.model_validate_json(to_json(settings))
    ends = {
        name: tuple(frame.get_column(column) for column in form.columns(name))
        for name in promise.quasi
        if isinstance(form := codebook.attributes[name].form, Interval)
    }
    snapped = public.edges == "snapped"
    grids = {name: grid_of(*its) for name, its in ends.items()} if snapped else {}
    if to_json(public.grids) != to_json({name: step for name, step in grids.items() if step is not None}):
        yield "settings: grids are not those on which the edges lie"
    if noisy := [name for name, its in ends.items() if snapped and is_noisy(*its)]:
        yield f"settings: the edges of {noisy[0]!r} are not snapped: they have digits that no grid explains"
    fuzzy = [entry.form for entry in codebook.attributes.values() if isinstance(entry.form, Fuzzy)]
    for name in ("levels", "shown"):
        said, shown = getattr(public, name), {getattr(form, name) for form in fuzzy}
        if said is not None and shown != {said}:
            yield f"settings: {name} is not that of the codebook"
    if public.asked_levels is not None and public.asked_levels <= (public.levels or 0):
        yield "settings: asked_levels is no more than levels"
    if public.households is not None and public.households.k != promise.k:
        yield "settings: households has another k than the promise"
    if any(one.l > promise.k for one in public.apart.values()):
        yield "settings: apart has an l above k"
    if public.method != "boxes" and (public.edges is not None or public.apart):
        yield "settings: edges and apart are settings of boxes"


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


def _lists(public: PublicSettings) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "preserve", tuple(one.statistic for one in public.preserve)
    yield "replaced", public.replaced
    yield "exchanged", public.exchanged.attributes if public.exchanged else ()
