from .cost_terms import CostTerms
from .estimate import Estimate, Regression
from .estimator import estimate_of, range_of
from .moments import RecordMoments
from .parser import parse
from .registry import forms
from .sensitivity import Wanted, combined_sensitivities, sensitivities
from .statistic import Statistic
from .trimmed_estimate import Weighted
from .trimming import Dismiss, Dismissal, dismissal_of

__all__ = [
    "CostTerms",
    "Dismiss",
    "Dismissal",
    "Estimate",
    "RecordMoments",
    "Regression",
    "Statistic",
    "Wanted",
    "Weighted",
    "combined_sensitivities",
    "dismissal_of",
    "estimate_of",
    "forms",
    "parse",
    "range_of",
    "sensitivities",
]
