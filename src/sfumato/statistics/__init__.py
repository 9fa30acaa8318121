"""The statistics: parse, value, sensitivity, range under boxes."""

from sfumato.statistics.estimate import Estimate, Regression
from sfumato.statistics.estimator import range_of
from sfumato.statistics.parser import parse
from sfumato.statistics.registry import forms
from sfumato.statistics.sensitivity import Wanted, combined_sensitivities, sensitivities
from sfumato.statistics.statistic import Statistic
from sfumato.statistics.weighted_estimate import Weighted

__all__ = [
    "Estimate",
    "Regression",
    "Statistic",
    "Wanted",
    "Weighted",
    "combined_sensitivities",
    "forms",
    "parse",
    "range_of",
    "sensitivities",
]
