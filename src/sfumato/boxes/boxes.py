"""The settings of boxes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field

from sfumato.boxes.box_facts import BoxFacts
from sfumato.boxes.preferred_cuts import Preference
from sfumato.errors import SettingError
from sfumato.microfile import Hierarchy, Microfile
from sfumato.progress import Progress
from sfumato.protections import PersonProtection
from sfumato.randomness import Secret
from sfumato.release import Release
from sfumato.statistics import Wanted, parse

LARGE_RATIO = 2.0
"""The multiple of the formula's optimum from which on a likely reason is given."""
LITTLE_DETAIL = 0.01


def _as_statistics(value: Any) -> Any:
    """Turn texts into statistics with default importance."""
    if value is None or isinstance(value, Mapping):
        return value
    if isinstance(value, str):
        value = [value]
    return tuple({"statistic": entry} if isinstance(entry, str) else entry for entry in value)


def _as_preferences(value: Any) -> Any:
    """Turn a point or a list of points into a preference."""
    if not isinstance(value, Mapping):
        return value
    return {name: _as_preference(entry) for name, entry in value.items()}


def _as_preference(entry: Any) -> Any:
    if isinstance(entry, list | tuple):
        return {"points": entry}
    return {"points": [entry]} if _is_number(entry) else entry


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


if TYPE_CHECKING:
    # a type checker sees what may be given, in any of its forms
    Statistics: TypeAlias = Any
    Preferences: TypeAlias = Mapping[str, Any]
else:
    Statistics = Annotated[
        tuple[Wanted, ...] | None, BeforeValidator(_as_statistics, json_schema_input_type=str | list[str | Wanted])
    ]
    Preferences = Annotated[
        dict[str, Preference],
        BeforeValidator(_as_preferences, json_schema_input_type=dict[str, float | list[float] | Preference]),
    ]


class Boxes(PersonProtection):
    """Divide the space of quasi attributes into boxes of at least k records, shaped for the statistics that matter.

    Examples
    --------
    >>> from sfumato.datasets import health_survey
    >>> boxes = Boxes(quasi=["age", "hours"], k=10, preserve=["mean(age)", "corr(age, hours)"])
    >>> release = boxes.protect(health_survey(2000))
    >>> release.audit().k >= 10, release.estimate("mean(age)").guaranteed
    (True, True)
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    log_name: ClassVar[str] = "boxes"

    epsilon: dict[str, float] = Field(default_factory=dict)
    """How far apart two values of a quasi attribute must be to count as different for ``l``; default: the smallest unit
    in which they are written. Quasi attributes named here need ``l`` different values in each box as well; if no
    attribute is sensitive, all of them do."""
    preserve: Statistics = None
    """Statistics that should stay exact, optionally with their importance and accuracy; default: the means, variances
    and correlations of all numeric quasi attributes."""
    detail: float | None = Field(default=None, ge=0)
    """How much the detail of attributes that no statistic in ``preserve`` uses counts, relative to the others; default:
    1, or, where ``preserve`` is given, as much less as is needed to reach the requested accuracy. ``release.notes``
    reports the choice and its price."""
    hierarchies: dict[str, Hierarchy] = Field(default_factory=dict)
    """Hierarchies of categorical quasi attributes, along which they are cut, and of sensitive attributes, for ``t``."""
    edges: Literal["snapped", "tight", "tiling"] = "snapped"
    """Where edges are: on a readable grid; at the outermost records, whose values they reveal; or at the cuts, so that
    the boxes cover the whole space and new records can be assigned to them."""
    snap: float = Field(default=0.04, gt=0, le=1)
    """The share by which the widths of snapped edges may cost more than those of tight edges."""
    missing: Literal["merged", "own"] = "merged"
    """Records with the same quasi values missing are divided separately. If there are too few of them, they are merged
    with as few of the nearest other records as needed, which then lose these values as well; or, with ``"own"``, they
    are suppressed or refused."""
    dismiss: Literal["none", "crisp", "fuzzy"] = "none"
    """Whether estimates from the release are also given with rare boxes dropped, or with smaller weights."""
    calibrate: bool = True
    """Whether these weights preserve means and second moments; otherwise estimates are biased."""
    prefer: Preferences = Field(default_factory=dict)
    """Preferred cut points of numeric attributes: ``{"age": [18, 65], "income": {"multiples": 1000}}``."""
    strength: float = Field(default=1.0, ge=0, le=1000)
    """How much wider a box that crosses a preferred point counts, in widths of a typical box."""
    passes: int | None = Field(default=None, ge=0, le=100_000)
    """How often neighbouring boxes swap records, or, where an attribute has categories without an order, how often
    records are regrouped; default: 24 up to 500,000 records, or 6 with categories, fewer where records times k squared
    exceed 1.7 million; otherwise none."""
    refine: bool = False
    """Whether to keep searching for narrower boxes for ``seconds``."""
    seconds: float = Field(default=60.0, gt=0, le=86_400)
    """How long refining may take on two present-day cores. The time is converted to a number of search steps, so that
    the result is the same on every machine."""
    force: bool = False
    """Allow k = 1, which gives no protection, or limits that only a single block of all records meets."""

    def _check_method_settings(self) -> None:
        if self.epsilon and self.l is None:
            raise SettingError("epsilon needs l", setting="epsilon")
        self._refuse_unlisted("epsilon", self.quasi, "which is not quasi")
        self._refuse_unlisted("prefer", self.quasi, "which is not quasi")
        if any(cuts.multiples is not None and cuts.spread > cuts.multiples / 2 for cuts in self.prefer.values()):
            raise SettingError("prefer: spread may be at most half of multiples", setting="prefer")
        self._refuse_unlisted("hierarchies", (*self.quasi, *self.sensitive), "which is neither quasi nor sensitive")
        if any(not width > 0 for width in self.epsilon.values()):
            raise SettingError("epsilon must be positive", setting="epsilon")
        if self.edges == "tiling" and (self.refine or self.passes):
            raise SettingError(
                "edges = 'tiling' cannot be refined: swapping records would make boxes overlap", setting="edges"
            )
        if self.l is not None and not self.sensitive and self.diversity != "distinct":
            raise SettingError(f"diversity = {self.diversity!r} needs a sensitive attribute", setting="diversity")
        if self.l is not None and (self.epsilon or not self.sensitive) and self.l > self.k:
            raise SettingError(
                f"{self.k} records cannot have {self.l:g} different values; choose l of at most k", setting="l"
            )

    def _further_limits(self) -> dict[str, Any]:
        # without sensitive attributes, l is XK13's: it counts quasi values, which no promise does
        return {} if self.sensitive else {"l": None}

    @property
    def sensitive_hierarchies(self) -> dict[str, Hierarchy]:
        """The hierarchies of sensitive attributes, by which ``t`` may measure."""
        return {name: hierarchy for name, hierarchy in self.hierarchies.items() if name in self.sensitive}

    def _make_release(self, people: Microfile, progress: Progress, secret: Secret) -> Release:
        from sfumato.boxes.protection import protect

        return protect(self, people, progress, secret)

    def concerns(self, release: Release) -> list[str]:
        """Say whether detail that no preserved statistic needs makes the preserved ones inexact."""
        if self.preserve is None or self.detail is None or self.detail <= LITTLE_DETAIL:
            return []
        used = {name for request in self.preserve for name in parse(request.statistic).attributes}
        unused = [name for name in self.quasi if name not in used]
        uncertainty = BoxFacts.of(release.private).uncertainty or {}
        if not unused or uncertainty.get("ratio", 0.0) < LARGE_RATIO:
            return []
        return [
            f"No preserved statistic uses {', '.join(unused)}, whose detail counts as well (detail = {self.detail:g}).",
            f"With detail = {LITTLE_DETAIL:g} the statistics may become much more exact, and these attributes coarser.",
        ]
