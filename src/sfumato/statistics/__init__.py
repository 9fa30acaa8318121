"""The statistics: parse, value, sensitivity, range under boxes."""

from sfumato.statistics.dismissal import Weighted
from sfumato.statistics.estimate import Estimate, Regression
from sfumato.statistics.estimating import range_of
from sfumato.statistics.sensitivity import Wanted, combined_sensitivities, sensitivities

__all__ = ["Estimate", "Regression", "Wanted", "Weighted", "combined_sensitivities", "range_of", "sensitivities"]
