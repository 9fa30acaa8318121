"""The protections that there are: one entry per method, which every part of sfumato that lists methods reads.

Recipes and their JSON Schema, ``sfumato compare``, alternatives with another k, certificates and the report take the
methods from here. A new protection is a settings class in a file of its own, on the frame in
:mod:`sfumato.protections`, and an entry below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Method:
    """A method of protection and what others need to know about it."""

    name: str
    """How a recipe calls it."""
    title: str
    """How a person calls it."""
    description: str
    """One sentence for the report: what the method did to the records."""
    settings_path: str
    """Where its settings class is, as ``module:class``. It is imported when it is first needed."""
    certificate_name: str = ""
    """How a certificate calls it; default: its name."""
    fixed_settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Settings that choose this method among those of the same settings class."""
    public_settings_path: str = "sfumato.release.public_settings:PublicSettings"
    """Where the class of its settings in a certificate is, as ``module:class``; default: what all methods state."""
    supports_wildcards: bool = False
    """Whether a missing value of its release may stand for any value."""
    comparison_rank: int | None = None
    """Its position among the methods that ``sfumato compare`` puts side by side; None if it is not one of them."""

    @property
    def public_name(self) -> str:
        """How a certificate calls it."""
        return self.certificate_name or self.name

    def settings_class(self) -> type[Any]:
        """Import the settings class.

        >>> method_named("k-means").settings_class().__name__
        'FuzzyPartition'
        """
        return _imported(self.settings_path)

    def public_settings_class(self) -> type[Any]:
        """Import the class of its settings in a certificate."""
        return _imported(self.public_settings_path)


def _imported(path: str) -> type[Any]:
    """Import a class that is given as ``module:class``."""
    module, _, name = path.partition(":")
    imported: type[Any] = getattr(import_module(module), name)
    return imported


def _partition(name: str, title: str, description: str, rank: int | None = None) -> Method:
    """Return one of the methods among which the setting ``method`` of a fuzzy partition chooses."""
    path, fixed = "sfumato.partitions:FuzzyPartition", MappingProxyType({"method": name})
    public = "sfumato.partitions.partition_facts:PartitionPublicSettings"
    return Method(
        name, title, description, path, fixed_settings=fixed, public_settings_path=public, comparison_rank=rank
    )


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method(
            "boxes",
            "boxes",
            "Boxes: records were grouped into boxes of at least k records, shaped for the statistics to be preserved. "
            "Each record is released with the edges of its box instead of its values.",
            "sfumato.boxes:Boxes",
            public_settings_path="sfumato.boxes.box_facts:BoxPublicSettings",
            comparison_rank=4,
        ),
        _partition(
            "fuzzy-c-means",
            "fuzzy c-means",
            "Fuzzy c-means: values were replaced by fuzzy sets around cluster centres found in the data.",
            2,
        ),
        _partition(
            "gustafson-kessel",
            "Gustafson-Kessel",
            "Gustafson-Kessel: values were replaced by fuzzy sets around cluster centres found in the data. The sets "
            "may be elongated.",
            3,
        ),
        _partition(
            "k-means",
            "k-means",
            "k-means: values were replaced by the nearest of several cluster centres found in the data.",
            1,
        ),
        _partition(
            "sets",
            "fuzzy sets",
            "Fuzzy sets: the values of each attribute were replaced by words, or by grades, for overlapping ranges.",
        ),
        Method(
            "group",
            "group mask",
            "Group mask: values were swapped between records, so that groups of people stand out at no place.",
            "sfumato.groups:GroupMask",
            certificate_name="exchange",
            supports_wildcards=True,
        ),
    )
}
"""The methods by their names in a recipe, in the order in which they are listed to users."""


def method_named(name: str) -> Method:
    """Return a method by its name in a recipe."""
    return METHODS[name]


def published_methods() -> dict[str, Method]:
    """Return the methods by their names in a certificate.

    >>> list(published_methods())
    ['boxes', 'fuzzy-c-means', 'gustafson-kessel', 'k-means', 'sets', 'exchange']
    """
    return {method.public_name: method for method in METHODS.values()}


def compared_methods() -> list[Method]:
    """Return the methods that are put side by side, in that order.

    >>> [method.title for method in compared_methods()]
    ['k-means', 'fuzzy c-means', 'Gustafson-Kessel', 'boxes']
    """
    ranks = {name: method.comparison_rank for name, method in METHODS.items() if method.comparison_rank is not None}
    return [METHODS[name] for name in sorted(ranks, key=lambda name: ranks[name])]


def settings_classes() -> Iterator[tuple[Method, type[Any]]]:
    """Yield all methods with their settings classes, which are imported for it."""
    for method in METHODS.values():
        yield method, method.settings_class()
