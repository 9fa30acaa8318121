"""sfumato: anonymize microdata, and know how exact and how safe the release is.

Everything is loaded when first used, so that importing costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfumato.version import __version__ as __version__

if TYPE_CHECKING:
    from sfumato import datasets, errors, fuzzy, statistics
    from sfumato.attacks import adequacy
    from sfumato.attacks.disclosure import judge
    from sfumato.attacks.fuzzy_rule_attack import FuzzyRuleAttack
    from sfumato.attacks.learned_attack import LearnedAttack
    from sfumato.attacks.linkage import Linkage
    from sfumato.boxes import Boxes
    from sfumato.datasets import acs_steps, acs_variables
    from sfumato.errors import SfumatoWarning
    from sfumato.fuzzy.c_means import FuzzyCMeans
    from sfumato.fuzzy.gustafson_kessel import GustafsonKessel
    from sfumato.groups import Group, GroupMask, outliers
    from sfumato.harmonising import agree, harmonise
    from sfumato.measures import Promise, measure, minimal_uniques, profile, utility_of
    from sfumato.microfile import Microfile, read
    from sfumato.microfile.hierarchy import Hierarchy
    from sfumato.partitions import FuzzyPartition
    from sfumato.recipe import Recipe
    from sfumato.release import Release, open_release
    from sfumato.representations import Exact, Fuzzy, Interval, Sets
    from sfumato.roles import Roles

_HOMES = {
    "Boxes": "sfumato.boxes",
    "Exact": "sfumato.representations",
    "Fuzzy": "sfumato.representations",
    "FuzzyCMeans": "sfumato.fuzzy.c_means",
    "FuzzyPartition": "sfumato.partitions",
    "FuzzyRuleAttack": "sfumato.attacks.fuzzy_rule_attack",
    "Group": "sfumato.groups",
    "GroupMask": "sfumato.groups",
    "GustafsonKessel": "sfumato.fuzzy.gustafson_kessel",
    "Hierarchy": "sfumato.microfile.hierarchy",
    "Interval": "sfumato.representations",
    "LearnedAttack": "sfumato.attacks.learned_attack",
    "Linkage": "sfumato.attacks.linkage",
    "Microfile": "sfumato.microfile",
    "Promise": "sfumato.measures",
    "Recipe": "sfumato.recipe",
    "Release": "sfumato.release",
    "Roles": "sfumato.roles",
    "Sets": "sfumato.representations",
    "SfumatoWarning": "sfumato.errors",
    "acs_steps": "sfumato.datasets",
    "acs_variables": "sfumato.datasets",
    "adequacy": "sfumato.attacks",
    "agree": "sfumato.harmonising",
    "harmonise": "sfumato.harmonising",
    "judge": "sfumato.attacks.disclosure",
    "measure": "sfumato.measures",
    "minimal_uniques": "sfumato.measures",
    "open_release": "sfumato.release",
    "outliers": "sfumato.groups",
    "profile": "sfumato.measures",
    "read": "sfumato.microfile",
    "utility_of": "sfumato.measures",
}

__all__ = [
    "Boxes",
    "Exact",
    "Fuzzy",
    "FuzzyCMeans",
    "FuzzyPartition",
    "FuzzyRuleAttack",
    "Group",
    "GroupMask",
    "GustafsonKessel",
    "Hierarchy",
    "Interval",
    "LearnedAttack",
    "Linkage",
    "Microfile",
    "Promise",
    "Recipe",
    "Release",
    "Roles",
    "Sets",
    "SfumatoWarning",
    "acs_steps",
    "acs_variables",
    "adequacy",
    "agree",
    "datasets",
    "errors",
    "fuzzy",
    "harmonise",
    "judge",
    "measure",
    "minimal_uniques",
    "open_release",
    "outliers",
    "profile",
    "read",
    "statistics",
    "utility_of",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in ("datasets", "errors", "fuzzy", "statistics"):
        return import_module(f"sfumato.{name}")
    raise AttributeError(f"module 'sfumato' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
