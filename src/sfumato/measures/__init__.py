"""Measures: the only home of every reported number."""

from sfumato.measures.belief import belief, posterior
from sfumato.measures.kept import Kept, Why, explain, keeps
from sfumato.measures.profile import Profile, profile
from sfumato.measures.promise import Promise
from sfumato.measures.risk import Risk, individual_risk, risk_of
from sfumato.measures.safety import Safety, measure
from sfumato.measures.summary import summarize
from sfumato.measures.uniques import Uniques, minimal_uniques
from sfumato.measures.utility import Utility, utility_of

__all__ = [
    "Kept",
    "Profile",
    "Promise",
    "Risk",
    "Safety",
    "Uniques",
    "Utility",
    "Why",
    "belief",
    "explain",
    "individual_risk",
    "keeps",
    "measure",
    "minimal_uniques",
    "posterior",
    "profile",
    "risk_of",
    "summarize",
    "utility_of",
]
