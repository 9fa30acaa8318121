"""The settings that a certificate may state: numbers, known words and names of attributes, never other text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Context
from typing import Annotated, Any, Literal

import polars as pl
from pydantic import AfterValidator, Field, JsonValue, ValidationError

from sfumato.errors import SettingError, path_text
from sfumato.measures.promise import Promise
from sfumato.protection_registry import published_methods
from sfumato.release.certificate import to_json
from sfumato.release.codebook import Codebook
from sfumato.release.edge_grids import grid_of, is_noisy
from sfumato.settings import Settings, first_problem
from sfumato.statistics.parser import parse
from sfumato.statistics.sensitivity import Wanted
from sfumato.statistics.trimming import Dismiss

DIGITS = 3
"""Numbers that cannot be measured on a release have at most this number of significant digits."""


def short(number: float, *, rounding: str = ROUND_HALF_EVEN) -> float:
    """Round a number to three significant digits.

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
        raise ValueError("is not in canonical form")
    return text


def _is_published(name: str) -> str:
    if name not in published_methods():
        raise ValueError("is not a method of protection")
    return name


MethodName = Annotated[str, AfterValidator(_is_published), Field(json_schema_extra={"enum": [*published_methods()]})]
TimeUnit = Annotated[str, Field(pattern=r"^[0-9]{1,2}(y|mo|w|d|h|m|s|ms|us)$")]
Short = Annotated[float, AfterValidator(_is_short)]
Positive = Annotated[Short, Field(gt=0)]


class Preserved(Settings):
    """A statistic for which the release was shaped."""

    statistic: Annotated[str, AfterValidator(_is_canonical)]
    """As ``mean(x)`` or ``corr(x, y)``."""
    importance: Positive = 1.0
    """How important it is, compared with the others."""
    accuracy: Positive | None = None
    """The wanted uncertainty."""


def public_wanted(requests: Iterable[Wanted]) -> list[Preserved]:
    """Return statistics as they may be published: each once, in canonical form, with few digits."""
    by_text: dict[str, Wanted] = {}
    for request in requests:
        by_text.setdefault(parse(request.statistic).canonical, request)
    return [
        Preserved(statistic=text, importance=short(request.importance), **_public_accuracy(request))
        for text, request in by_text.items()
    ]


def _public_accuracy(request: Wanted) -> dict[str, float]:
    """Return the accuracy as a setting, only if it was requested: what is not set is not written."""
    return {} if request.accuracy is None else {"accuracy": short(request.accuracy)}


class Exchanged(Settings):
    """What a group mask has exchanged between records."""

    attributes: tuple[str, ...] = ()
    """Attributes whose values may belong to other records."""


class HouseholdPromise(Settings):
    """What holds for households whose numbers are withheld."""

    k: int = Field(ge=1)
    """Each block has members of at least this number of households."""


class Apart(Settings):
    """XK13's diversity of a numeric sensitive attribute."""

    l: float = Field(ge=1)  # noqa: E741  # the field's own letter
    """How many values in each box are at least epsilon apart."""
    epsilon: Positive | None = None
    """How far apart, where that was set."""


class PublicSettings(Settings):
    """How a release was protected, as far as everybody may know."""

    method: MethodName | None = None
    """The protection."""
    edges: Literal["snapped", "tight", "tiling"] | None = None
    """How the edges of boxes are chosen."""
    grids: dict[str, float | TimeUnit] = Field(default_factory=dict)
    """The grid of each attribute's edges: its step, or a unit of time such as 3mo."""
    preserve: tuple[Preserved, ...] = ()
    """Statistics for which the release was shaped."""
    suppress: Annotated[Short, Field(ge=0, le=1)] = 0.0
    """The largest share of records that may have been suppressed."""
    dismiss: Dismiss | None = None
    """What estimates do with rare, wide boxes."""
    calibrate: bool | None = None
    """Whether their weights preserve moments."""
    households: HouseholdPromise | None = None
    """What holds for households."""
    shown: Literal["words", "grades"] | None = None
    """How fuzzy sets are released."""
    apart: dict[str, Apart] = Field(default_factory=dict)
    """Diversity of numeric sensitive attributes."""
    levels: int | None = Field(default=None, ge=1, le=1000)
    """Grades are multiples of 1 / levels."""
    asked_levels: int | None = Field(default=None, ge=1, le=1000)
    """How many levels were requested, where fewer are released."""
    replaced: tuple[str, ...] = ()
    """Attributes of the original that fuzzy sets replace."""
    exchanged: Exchanged | None = None
    """What a group mask has exchanged."""
    order: Literal["kept"] | None = None
    """Set where records are not shuffled."""

    def as_dict(self) -> dict[str, Any]:
        """Return the settings that were given, as ``release.settings`` holds them."""
        return self.model_dump(mode="json", exclude_unset=True)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> PublicSettings:
        """Read settings; malformed ones are left out.

        >>> PublicSettings.of({"method": "boxes", "suppress": "some", "colour": 3}).method
        'boxes'
        """
        well_formed: dict[str, Any] = {}
        for name, setting in settings.items():
            try:
                cls.model_validate_json(to_json({name: setting}), strict=True)
            except (TypeError, ValueError):
                continue
            well_formed[name] = setting
        return cls.model_validate_json(to_json(well_formed), strict=True)


def public_settings(settings: Mapping[str, Any], codebook: Codebook) -> dict[str, JsonValue]:
    """Return settings as they are written: in the order of their schema.

    Raises
    ------
    SettingError
        If they do not fit their schema, or name something that the release does not have.
    """
    try:
        # strictly, so that no text is taken for a number
        public = PublicSettings.model_validate_json(to_json(settings), strict=True)
    except ValidationError as error:
        problem = first_problem(error, dict(settings))
        raise SettingError(f"settings: {path_text(problem['loc'])!r} is not a setting of a release") from None
    behind = {origin for name, entry in codebook.attributes.items() for origin in entry.form.attributes(name)}
    released_names = behind | {
        *codebook.attributes,
        *(column for columns in codebook.columns().values() for column in columns),
    }
    for setting, name in _names(public):
        if name not in released_names:
            raise SettingError(f"settings: {setting} names {name!r}, which the release does not have")
    for setting, names in _lists(public):
        if len(set(names)) < len(names):
            raise SettingError(f"settings: {setting} has an entry twice")
    return public.model_dump(mode="json", exclude_unset=True)


def misstated(settings: Mapping[str, Any], promise: Promise, codebook: Codebook, frame: pl.DataFrame) -> Iterator[str]:
    """Say which settings contradict the release itself."""
    public = PublicSettings.model_validate_json(to_json(settings))
    ends = {
        name: tuple(frame.get_column(column) for column in edges)
        for name in promise.quasi
        if (edges := codebook.attributes[name].form.edge_columns(name))
    }
    snapped = public.edges == "snapped"
    grids = {name: grid_of(*edge_columns) for name, edge_columns in ends.items()} if snapped else {}
    if to_json(public.grids) != to_json({name: step for name, step in grids.items() if step is not None}):
        yield "settings: grids are not those of the released edges"
    if noisy := [name for name, edge_columns in ends.items() if snapped and is_noisy(*edge_columns)]:
        yield f"settings: the edges of {noisy[0]!r} are not snapped: they have digits that no grid explains"
    repeated = [entry.form.repeated_settings() for entry in codebook.attributes.values()]
    for name in ("levels", "shown"):
        stated, described = getattr(public, name), {settings[name] for settings in repeated if name in settings}
        if stated is not None and described != {stated}:
            yield f"settings: {name} differs from the codebook"
    if public.asked_levels is not None and public.asked_levels <= (public.levels or 0):
        yield "settings: asked_levels is not larger than levels"
    if public.households is not None and public.households.k != promise.k:
        yield "settings: households and the promise have a different k"
    if any(rule.l > promise.k for rule in public.apart.values()):
        yield "settings: apart has an l above k"
    if promise.missing == "wildcard" and public.method not in (None, "exchange"):
        yield f"settings: {public.method} does not support wildcards, which the promise uses for missing values"
    if public.method != "boxes" and (public.edges is not None or public.apart):
        yield "settings: edges and apart are settings of boxes"


def _names(public: PublicSettings) -> Iterator[tuple[str, str]]:
    yield from (("replaced", name) for name in public.replaced)
    yield from (("grids", name) for name in public.grids)
    yield from (("apart", name) for name in public.apart)
    yield from (("exchanged", name) for name in (public.exchanged.attributes if public.exchanged else ()))
    yield from (("preserve", name) for preserved in public.preserve for name in parse(preserved.statistic).attributes)


def _lists(public: PublicSettings) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "preserve", tuple(preserved.statistic for preserved in public.preserve)
    yield "replaced", public.replaced
    yield "exchanged", public.exchanged.attributes if public.exchanged else ()
