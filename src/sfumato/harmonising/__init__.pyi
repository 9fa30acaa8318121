from .attribute_steps import Select
from .compatibility import Difference, agree, differences
from .harmonisation import Done, Harmonise, Harmonised, Steps, harmonise
from .step import Step

__all__ = [
    "Difference",
    "Done",
    "Harmonise",
    "Harmonised",
    "Select",
    "Step",
    "Steps",
    "agree",
    "differences",
    "harmonise",
]
