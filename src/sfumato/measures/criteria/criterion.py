"""What every privacy criterion says about itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sfumato.measures.criteria.limit import Limit

if TYPE_CHECKING:
    from sfumato.measures.promise import Distance, Promise
    from sfumato.measures.safety import AttributeSafety, Safety

BoxRule = Literal["distinct", "entropy", "recursive", "ordered", "equal", "hierarchical"]


@dataclass(frozen=True)
class BoxConstraint:
    """A criterion as boxes enforce it while they are cut."""

    rule: BoxRule
    """Which rule of the box kernels."""
    limit: float
    """What every box must reach."""
    extra: float = 0.0
    """The second number of a rule that has two: c of recursive diversity."""


class Criterion(ABC):
    """A privacy criterion: how it is measured, promised, enforced, explained and written, in one place.

    A new criterion is a subclass in a module of its own, a line in :mod:`~sfumato.measures.criteria.registry` and a
    field of :class:`~sfumato.Promise`, named as :attr:`setting`. Compliance, certificates, the report and
    ``sfumato measure`` read the registry.
    """

    setting: ClassVar[str]
    """The field of a promise that holds its limit."""
    title: ClassVar[str]
    """What the literature calls it."""
    when_to_use: ClassVar[str]
    """When to promise it, and what it does not prevent."""
    label: ClassVar[str]
    """The limit in a table; ``{}`` stands for the sensitive attribute."""
    step: ClassVar[float]
    """By how much relaxing the limit by one step changes it."""
    settings: ClassVar[tuple[str, ...]] = ()
    """Further fields of a promise that it reads."""
    needs_sensitive: ClassVar[bool] = False
    """Whether it limits what is learned about sensitive attributes."""
    original: ClassVar[bool] = False
    """Whether it existed when the format of certificates was fixed. Such criteria are always measured and written;
    later ones only if they are promised, so that earlier certificates remain valid."""

    @property
    def code(self) -> str:
        """The name of a broken limit in results; usually that of the setting."""
        return self.setting

    def promised(self, promise: Promise) -> float | None:
        """Return the promised limit; None where the criterion is not promised."""
        limit: float | None = getattr(promise, self.setting)
        return limit

    @abstractmethod
    def statement(self, promise: Promise) -> str:
        """Say what a promise means, in a sentence; for a criterion of sensitive attributes, its predicate."""


class BlockCriterion(Criterion):
    """A criterion of whole blocks."""

    @abstractmethod
    def limits(self, promise: Promise, safety: Safety) -> Iterator[Limit]:
        """Pair the promised limit with its measure, where it is promised."""

    def facts(self, safety: Safety) -> Mapping[str, Any]:
        """Return what a certificate says of it; the original criteria have their own keys there."""
        return {}


class AttributeCriterion(Criterion):
    """A criterion of the values of a sensitive attribute in each block."""

    needs_sensitive = True
    listed_facts: ClassVar[tuple[str, ...]]
    """Those of its facts that a table of measures shows."""
    uses_distance: ClassVar[bool] = False
    """Whether it needs the attribute's ground distance."""

    @abstractmethod
    def limit(self, promise: Promise, name: str, attribute: AttributeSafety) -> Limit | None:
        """Pair the promised limit of an attribute with its measure; None where it is not promised."""

    @abstractmethod
    def facts(self, attribute: AttributeSafety) -> Mapping[str, Any]:
        """Return what a certificate says of an attribute; measures that are not finite may be infinite here."""

    def box_constraint(self, promise: Promise, distance: Distance) -> BoxConstraint | None:
        """Return how boxes enforce it; None if it is not promised, or boxes cannot enforce it."""
        return None


class FuzzyCriterion(Criterion):
    """A criterion of released fuzzy sets, measured on memberships and not on blocks."""
