"""The settings that a certificate may state: numbers, known words and names of attributes, never other text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Context
from typing import Annotated, Any, Literal, Self

import polars as pl
from pydantic import AfterValidator, Field, JsonValue, ValidationError

from sfumato.errors import SettingError, path_text
from sfumato.measures import Promise
from sfumato.protection_registry import published_methods
from sfumato.release.certificate import to_json
from sfumato.release.codebook import Codebook
from sfumato.settings import Settings, first_problem
from sfumato.statistics import Dismiss, Wanted, parse

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
    """What a group mask has swapped between records."""

    attributes: tuple[str, ...] = ()
    """Attributes whose values may belong to other records."""

    def among(self, names: Collection[str]) -> Exchanged:
        """Return the same for those of the attributes that have one of these names."""
        return Exchanged(attributes=tuple(name for name in self.attributes if name in names))


class HouseholdPromise(Settings):
    """What holds for households whose numbers are withheld."""

    k: int = Field(ge=1)
    """Each block has members of at least this number of households."""


WRITTEN_ORDER = (
    *("method", "edges", "grids", "preserve", "suppress", "dismiss", "calibrate", "households", "shown", "apart"),
    *("levels", "asked_levels", "replaced", "exchanged", "order"),
)
"""The order of settings in a certificate, which is part of its format; any other setting follows."""


class PublicSettings(Settings):
    """How a release was protected, as far as everybody may know: what all methods have in common.

    A method that states more has a subclass, which :mod:`sfumato.protection_registry` names.
    """

    method: MethodName | None = None
    """The protection."""
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
    exchanged: Exchanged | None = None
    """What a group mask has swapped."""
    order: Literal["kept"] | None = None
    """Set where records are not shuffled."""

    def as_dict(self) -> dict[str, Any]:
        """Return the settings that were given, in the order of a certificate."""
        stated = self.model_dump(mode="json", exclude_unset=True)
        return {name: stated[name] for name in (*WRITTEN_ORDER, *stated) if name in stated}

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> PublicSettings:
        """Read settings; malformed ones are left out.

        >>> PublicSettings.of({"method": "boxes", "suppress": "some", "colour": 3}).method
        'boxes'
        """
        model, well_formed = settings_class(settings), dict[str, Any]()
        for name, setting in settings.items():
            try:
                model.model_validate_json(to_json({name: setting}), strict=True)
            except (TypeError, ValueError):
                continue
            well_formed[name] = setting
        return model.model_validate_json(to_json(well_formed), strict=True)

    @classmethod
    def stated_in(cls, settings: PublicSettings) -> Self:
        """Return the settings of this class; none are set where a release was made by another method."""
        return settings if isinstance(settings, cls) else cls()

    def attribute_names(self) -> Iterator[tuple[str, str]]:
        """Yield every attribute that a setting names, with the setting."""
        yield from (("exchanged", name) for name in (self.exchanged.attributes if self.exchanged else ()))
        yield from (("preserve", name) for entry in self.preserve for name in parse(entry.statistic).attributes)

    def lists(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the settings that are lists without repeated entries."""
        yield "preserve", tuple(preserved.statistic for preserved in self.preserve)
        yield "exchanged", self.exchanged.attributes if self.exchanged else ()

    def contradictions(self, promise: Promise, codebook: Codebook, frame: pl.DataFrame) -> Iterator[str]:
        """Say which settings contradict the release itself.

        Parameters
        ----------
        promise, codebook, frame
            What the release promises, what its columns mean, and its data.
        """
        if self.households is not None and self.households.k != promise.k:
            yield "settings: households and the promise have a different k"
        wildcards = self.method is None or published_methods()[self.method].supports_wildcards
        if promise.missing == "wildcard" and not wildcards:
            yield f"settings: {self.method} does not support wildcards, which the promise uses for missing values"


def settings_class(settings: Mapping[str, Any]) -> type[PublicSettings]:
    """Return the class of a release's public settings, which depends on its method."""
    method = published_methods().get(str(settings.get("method")))
    return PublicSettings if method is None else method.public_settings_class()


def public_settings(settings: Mapping[str, Any], codebook: Codebook) -> dict[str, JsonValue]:
    """Return settings as they are written: in the order of their schema.

    Raises
    ------
    SettingError
        If they do not fit their schema, or name something that the release does not have.
    """
    try:
        # strictly, so that no text is taken for a number
        public = settings_class(settings).model_validate_json(to_json(settings), strict=True)
    except ValidationError as error:
        problem = first_problem(error, dict(settings))
        raise SettingError(f"settings: {path_text(problem['loc'])!r} is not a setting of a release") from None
    behind = {origin for name, entry in codebook.attributes.items() for origin in entry.form.attributes(name)}
    released_names = behind | {
        *codebook.attributes,
        *(column for columns in codebook.columns().values() for column in columns),
    }
    for setting, name in public.attribute_names():
        if name not in released_names:
            raise SettingError(f"settings: {setting} names {name!r}, which the release does not have")
    for setting, names in public.lists():
        if len(set(names)) < len(names):
            raise SettingError(f"settings: {setting} has an entry twice")
    return public.as_dict()


def misstated(settings: Mapping[str, Any], promise: Promise, codebook: Codebook, frame: pl.DataFrame) -> Iterator[str]:
    """Say which settings contradict the release itself."""
    public = settings_class(settings).model_validate_json(to_json(settings))
    yield from public.contradictions(promise, codebook, frame)
