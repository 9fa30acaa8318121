"""Measures: the only home of every reported number."""

from sfumato.measures.attribute_inference import Guessing, Miss, guessing, miss_of
from sfumato.measures.compliance import BrokenLimit, Compliance, check_promise, explain
from sfumato.measures.detail_loss import Detail, detail_of
from sfumato.measures.fuzzy_anonymity import FuzzyAnonymity, QAnonymity, fuzzy_anonymity, q_anonymity
from sfumato.measures.fuzzy_closeness import FuzzyCloseness, fuzzy_closeness
from sfumato.measures.fuzzy_counts import FuzzyContingency, tabulate_fuzzy
from sfumato.measures.fuzzy_diversity import FuzzyDiversity, fuzzy_diversity
from sfumato.measures.fuzzy_safety import FuzzyAttributeSafety, FuzzySafety, measure_fuzzy
from sfumato.measures.household_disclosure import (
    Compositions,
    HouseholdIntersection,
    Sharing,
    compositions,
    intersect_households,
    sharing,
)
from sfumato.measures.measured_facts import summarize
from sfumato.measures.posterior_belief import belief, posterior
from sfumato.measures.profile import Profile, profile
from sfumato.measures.promise import Promise
from sfumato.measures.risk import Risk, individual_risk, risk_of
from sfumato.measures.safety import Safety, measure
from sfumato.measures.uniques import Uniques, minimal_uniques
from sfumato.measures.utility import InformationLoss, Utility, information_loss, utility_of

__all__ = [
    "BrokenLimit",
    "Compliance",
    "Compositions",
    "Detail",
    "FuzzyAnonymity",
    "FuzzyAttributeSafety",
    "FuzzyCloseness",
    "FuzzyContingency",
    "FuzzyDiversity",
    "FuzzySafety",
    "Guessing",
    "HouseholdIntersection",
    "InformationLoss",
    "Miss",
    "Profile",
    "Promise",
    "QAnonymity",
    "Risk",
    "Safety",
    "Sharing",
    "Uniques",
    "Utility",
    "belief",
    "check_promise",
    "compositions",
    "detail_of",
    "explain",
    "fuzzy_anonymity",
    "fuzzy_closeness",
    "fuzzy_diversity",
    "guessing",
    "individual_risk",
    "information_loss",
    "intersect_households",
    "measure",
    "measure_fuzzy",
    "minimal_uniques",
    "miss_of",
    "posterior",
    "profile",
    "q_anonymity",
    "risk_of",
    "sharing",
    "summarize",
    "tabulate_fuzzy",
    "utility_of",
]
