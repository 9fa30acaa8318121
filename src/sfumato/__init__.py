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
    from sfumato.attacks.acs import acs_steps, acs_variables
    from sfumato.attacks.disclosure import judge
    from sfumato.attacks.fuzzy_rules import FuzzyRuleAttack
    from sfumato.attacks.learned import LearnedAttack
    from sfumato.attacks.linkage import Linkage
    from sfumato.boxes import Boxes
    from sfumato.errors import SfumatoWarning
    from sfumato.fuzzy.c_means import FuzzyCMeans
    from sfumato.fuzzy.gustafson_kessel import GustafsonKessel
    from sfumato.groups import Group, GroupMask
    from sfumato.groups.outliers import outliers
    from sfumato.harmonising import agree, harmonise
    from sfumato.measures import Promise, measure, minimal_uniques, profile, utility_of
    from sfumato.microfile import Microfile, read
    from sfumato.microfile.forms import Exact, Fuzzy, Interval, Sets
    from sfumato.microfile.hierarchy import Hierarchy
    from sfumato.microfile.roles import Roles
    from sfumato.partitions import FuzzyPartition
    from sfumato.release import Release, open_release

_HOMES = {
    "Boxes": "sfumato.boxes",
    "Exact": "sfumato.microfile.forms",
    "Fuzzy": "sfumato.microfile.forms",
    "FuzzyCMeans": "sfumato.fuzzy.c_means",
    "FuzzyPartition": "sfumato.partitions",
    "FuzzyRuleAttack": "sfumato.attacks.fuzzy_rules",
    "Group": "sfumato.groups",
    "GroupMask": "sfumato.groups",
    "GustafsonKessel": "sfumato.fuzzy.gustafson_kessel",
    "Hierarchy": "sfumato.microfile.hierarchy",
    "Interval": "sfumato.microfile.forms",
    "LearnedAttack": "sfumato.attacks.learned",
    "Linkage": "sfumato.attacks.linkage",
    "Microfile": "sfumato.microfile",
    "Promise": "sfumato.measures",
    "Release": "sfumato.release",
    "Roles": "sfumato.microfile.roles",
    "Sets": "sfumato.microfile.forms",
    "SfumatoWarning": "sfumato.errors",
    "acs_steps": "sfumato.attacks.acs",
    "acs_variables": "sfumato.attacks.acs",
    "adequacy": "sfumato.attacks",
    "agree": "sfumato.harmonising",
    "harmonise": "sfumato.harmonising",
    "judge": "sfumato.attacks.disclosure",
    "measure": "sfumato.measures",
    "minimal_uniques": "sfumato.measures",
    "open_release": "sfumato.release",
    "outliers": "sfumato.groups.outliers",
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
