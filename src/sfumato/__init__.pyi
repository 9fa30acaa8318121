from . import datasets, errors, fuzzy, statistics
from .attacks import Linkage, adequacy, judge
from .attacks.fuzzy_rule_attack import FuzzyRuleAttack
from .attacks.learned_attack import LearnedAttack
from .boxes import Boxes
from .datasets import acs_steps, acs_variables
from .errors import SfumatoWarning
from .fuzzy import FuzzyCMeans, GustafsonKessel
from .groups import Group, GroupMask, outliers
from .harmonising import agree, harmonise
from .measures import Promise, measure, minimal_uniques, profile, utility_of
from .microfile import Hierarchy, Microfile, read
from .partitions import FuzzyPartition
from .recipe import Recipe
from .release import Release, open_release
from .representations import Exact, Fuzzy, Interval, Sets
from .roles import Roles

__version__: str

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
