"""Harmonising: two files made alike, so that what is learned from one can be applied to the other."""

from sfumato.harmonising.compatibility import Difference, agree, differences
from sfumato.harmonising.harmonise import Done, Harmonise, Harmonised, Steps, harmonise

__all__ = ["Difference", "Done", "Harmonise", "Harmonised", "Steps", "agree", "differences", "harmonise"]
